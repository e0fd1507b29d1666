import { describe, expect, it } from 'vitest';
import {
  accountOf,
  arnOf,
  awsError,
  bench,
  described,
  never,
  raise,
} from '../client/scripted-aws-api.ts';

const settings = {
  name: 'shop',
  scheme: 'internal',
  subnets: ['subnet-a', 'subnet-b'],
  ipAddressType: 'ipv4',
  tags: { team: 'web' },
};
const shop = arnOf('shop');

describe('find', () => {
  it('flattens what AWS describes', async () => {
    const { loadBalancers, clock } = bench(accountOf(new Set(['shop'])));
    expect(await clock.finish(loadBalancers.find({ name: 'shop' }, never))).toEqual({
      arn: shop,
      name: 'shop',
      dns: 'shop.eu-west-1.elb.amazonaws.com',
      hostedZoneId: 'Z32O12XQLNTSW2',
      vpcId: 'vpc-1',
      type: 'application',
      scheme: 'internal',
      ipAddressType: 'ipv4',
      subnets: ['subnet-a', 'subnet-b'],
      securityGroups: ['sg-1'],
      state: { code: 'active' },
    });
  });

  it('takes LoadBalancerNotFound for absence', async () => {
    const { loadBalancers, clock } = bench(accountOf(new Set()));
    expect(await clock.finish(loadBalancers.find({ name: 'shop' }, never))).toBeUndefined();
    expect(await clock.finish(loadBalancers.find({ arn: shop }, never))).toBeUndefined();
  });

  const noProof: Readonly<Record<string, { answer: () => unknown; reason: string; why: string }>> =
    {
      'an empty answer': {
        answer: () => ({}),
        reason: 'AwsUnreadable',
        why: 'the SDK makes one of an empty body with status 200',
      },
      'an empty list': {
        answer: () => ({ LoadBalancers: [] }),
        reason: 'AwsUnreadable',
        why: 'AWS says LoadBalancerNotFound instead',
      },
      'another balancer': {
        answer: () => ({ LoadBalancers: [described('other')] }),
        reason: 'AwsUnreadable',
        why: 'a stand-in may ignore the filter',
      },
      'a balancer without its state': {
        answer: () => ({ LoadBalancers: [{ ...described('shop'), State: undefined }] }),
        reason: 'AwsUnreadable',
        why: 'it is half an answer',
      },
      'a not-found of something else': {
        answer: () => raise(awsError('TargetGroupNotFoundException')),
        reason: 'TargetGroupNotFound',
        why: 'only LoadBalancerNotFound means absent',
      },
      'a refusal': {
        answer: () => raise(awsError('AccessDenied')),
        reason: 'AccessDenied',
        why: 'it says nothing about the balancer',
      },
      'an internal error': {
        answer: () => raise(awsError('InternalFailure', 'oops', 500)),
        reason: 'AwsUnavailable',
        why: 'it says nothing about the balancer',
      },
    };
  for (const [name, { answer, reason, why }] of Object.entries(noProof)) {
    it(`does not take ${name} for absence, because: ${why}`, async () => {
      const { loadBalancers, clock } = bench({ DescribeLoadBalancers: answer });
      const finding = clock.finish(loadBalancers.find({ name: 'shop' }, never));
      await expect(finding).rejects.toMatchObject({ reason });
    });
  }
});

describe('readTags', () => {
  it('reads twenty balancers in one call', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `lb-${i}`);
    const { loadBalancers, api, clock } = bench(accountOf(new Set(names)));
    const reading = names.map((name) => loadBalancers.readTags(arnOf(name), never));
    expect(await clock.finish(Promise.all(reading))).toEqual(names.map((name) => ({ name })));
    expect(api.sent).toHaveLength(1);
  });

  it('asks one by one where one of them is gone', async () => {
    const { loadBalancers, api, clock } = bench(accountOf(new Set(['a', 'b'])));
    const reading = ['a', 'gone', 'b'].map((name) => loadBalancers.readTags(arnOf(name), never));
    expect(await clock.finish(Promise.all(reading))).toEqual([
      { name: 'a' },
      undefined,
      { name: 'b' },
    ]);
    expect(api.sent).toHaveLength(4);
  });

  it('finds the one of twenty that is gone in ten calls, not in twenty-one', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `lb-${i}`);
    for (const gone of names) {
      const others = names.filter((name) => name !== gone);
      const { loadBalancers, api, clock } = bench(accountOf(new Set(others)));
      const reading = names.map((name) => loadBalancers.readTags(arnOf(name), never));
      const found = await clock.finish(Promise.all(reading));
      expect(found).toEqual(names.map((name) => (name === gone ? undefined : { name })));
      expect(api.sent.length).toBeLessThanOrEqual(10);
    }
  });

  it('does not take an answer without the balancer for one without tags', async () => {
    const { loadBalancers, clock } = bench({ DescribeTags: () => ({ TagDescriptions: [] }) });
    const reading = clock.finish(loadBalancers.readTags(shop, never));
    await expect(reading).rejects.toMatchObject({ reason: 'AwsUnreadable' });
  });

  it('gives no tags for a balancer without tags', async () => {
    const { loadBalancers, clock } = bench({
      DescribeTags: () => ({ TagDescriptions: [{ ResourceArn: shop }] }),
    });
    expect(await clock.finish(loadBalancers.readTags(shop, never))).toEqual({});
  });
});

describe('readAttributes', () => {
  it('gives the attributes by key', async () => {
    const { loadBalancers, clock } = bench({
      DescribeLoadBalancerAttributes: () => ({ Attributes: [{ Key: 'a', Value: '1' }] }),
    });
    expect(await clock.finish(loadBalancers.readAttributes(shop, never))).toEqual({ a: '1' });
  });

  it('does not take an answer without attributes for the truth', async () => {
    for (const answer of [{}, { Attributes: [] }]) {
      const { loadBalancers, clock } = bench({ DescribeLoadBalancerAttributes: () => answer });
      const reading = clock.finish(loadBalancers.readAttributes(shop, never));
      await expect(reading).rejects.toMatchObject({ reason: 'AwsUnreadable' });
    }
  });

  it('is undefined for a balancer that is gone, or not visible yet', async () => {
    const { loadBalancers, clock } = bench({
      DescribeLoadBalancerAttributes: () => raise(awsError('LoadBalancerNotFoundException')),
    });
    expect(await clock.finish(loadBalancers.readAttributes(shop, never))).toBeUndefined();
  });
});

describe('create', () => {
  it('sends name, type, tags and all settings in the one call', async () => {
    const { loadBalancers, api, clock } = bench({
      CreateLoadBalancer: () => ({ LoadBalancers: [described('shop')] }),
    });
    const created = await clock.finish(
      loadBalancers.create({ ...settings, securityGroups: ['sg-1'] }),
    );
    expect(created.arn).toBe(shop);
    expect(api.sent.map(({ input }) => input)).toEqual([
      {
        Name: 'shop',
        Type: 'application',
        Scheme: 'internal',
        Subnets: ['subnet-a', 'subnet-b'],
        SecurityGroups: ['sg-1'],
        IpAddressType: 'ipv4',
        Tags: [{ Key: 'team', Value: 'web' }],
      },
    ]);
  });

  it("leaves the security groups to AWS's default where the spec names none", async () => {
    const { loadBalancers, api, clock } = bench({
      CreateLoadBalancer: () => ({ LoadBalancers: [described('shop')] }),
    });
    await clock.finish(loadBalancers.create(settings));
    expect(api.sent[0]?.input).not.toHaveProperty('SecurityGroups');
  });

  it('says DuplicateName where a balancer of the name has other settings', async () => {
    const { loadBalancers, clock } = bench({
      CreateLoadBalancer: () => raise(awsError('DuplicateLoadBalancerNameException')),
    });
    const creating = clock.finish(loadBalancers.create(settings));
    await expect(creating).rejects.toMatchObject({ reason: 'DuplicateName' });
  });

  it('does not invent a balancer from an empty answer', async () => {
    const { loadBalancers, clock } = bench({ CreateLoadBalancer: () => ({}) });
    const creating = clock.finish(loadBalancers.create(settings));
    await expect(creating).rejects.toMatchObject({ reason: 'AwsUnreadable' });
  });
});

describe('delete', () => {
  it('succeeds where the balancer is already gone', async () => {
    const { loadBalancers, clock } = bench({
      DeleteLoadBalancer: () => raise(awsError('LoadBalancerNotFoundException')),
    });
    await expect(clock.finish(loadBalancers.delete(shop))).resolves.toBeUndefined();
  });

  it.each([
    ['DeletionBlocked', 'OperationNotPermittedException'],
    ['ResourceInUse', 'ResourceInUseException'],
  ])('says %s for %s', async (reason, code) => {
    const { loadBalancers, clock } = bench({ DeleteLoadBalancer: () => raise(awsError(code)) });
    const deleting = clock.finish(loadBalancers.delete(shop));
    await expect(deleting).rejects.toMatchObject({ reason, healedBy: 'person' });
  });
});

describe('the other writes', () => {
  it('send what they are given, and nothing where there is nothing to send', async () => {
    const ok = (): object => ({});
    const { loadBalancers, api, clock } = bench({
      SetSubnets: ok,
      SetSecurityGroups: ok,
      SetIpAddressType: ok,
      ModifyLoadBalancerAttributes: ok,
      AddTags: ok,
      RemoveTags: ok,
    });
    const all = async (): Promise<void> => {
      await loadBalancers.setSubnets(shop, ['subnet-a', 'subnet-c']);
      await loadBalancers.setSecurityGroups(shop, ['sg-2']);
      await loadBalancers.setIpAddressType(shop, 'dualstack');
      await loadBalancers.setAttributes(shop, { 'idle_timeout.timeout_seconds': '120' });
      await loadBalancers.addTags(shop, { team: 'web' });
      await loadBalancers.removeTags(shop, ['old']);
      await loadBalancers.setAttributes(shop, {});
      await loadBalancers.addTags(shop, {});
      await loadBalancers.removeTags(shop, []);
    };
    await clock.finish(all());
    expect(api.sent.map(({ operation, input }) => [operation, input])).toEqual([
      ['SetSubnets', { LoadBalancerArn: shop, Subnets: ['subnet-a', 'subnet-c'] }],
      ['SetSecurityGroups', { LoadBalancerArn: shop, SecurityGroups: ['sg-2'] }],
      ['SetIpAddressType', { LoadBalancerArn: shop, IpAddressType: 'dualstack' }],
      [
        'ModifyLoadBalancerAttributes',
        {
          LoadBalancerArn: shop,
          Attributes: [{ Key: 'idle_timeout.timeout_seconds', Value: '120' }],
        },
      ],
      ['AddTags', { ResourceArns: [shop], Tags: [{ Key: 'team', Value: 'web' }] }],
      ['RemoveTags', { ResourceArns: [shop], TagKeys: ['old'] }],
    ]);
  });
});
