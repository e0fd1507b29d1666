import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AwsOperation, AwsOperations } from '../../src/aws/client/aws-api.ts';
import { reasonByCode } from '../../src/aws/client/aws-codes.ts';
import { awsReasons } from '../../src/aws/client/aws-reasons.ts';
import type { LoadBalancer } from '../../src/aws/elbv2/load-balancers.ts';
import { OperatorError } from '../../src/core/reconcile/operator-error.ts';
import { type AdapterUnderTest, adapterUnderTest, reasonOf } from './adapter.ts';
import { Relay, type RelayEffect } from './relay.ts';
import { backendUnderTest, isMissing } from './under-test.ts';

const signal = new AbortController().signal;
const codes = [...reasonByCode.keys()];

/** What a backend cannot be brought to answer is answered in its place, over the same wire. */
describe.skipIf(isMissing)('an answer that is a failure', () => {
  let relay: Relay;
  let aws: AdapterUnderTest;
  let balancer: LoadBalancer;
  beforeAll(async () => {
    relay = new Relay(backendUnderTest().url);
    await relay.open();
    aws = adapterUnderTest(relay.url);
    balancer = await aws.created();
  });
  afterAll(async () => {
    await aws?.close();
    await relay?.stop();
  });

  const failWith = async (effect: RelayEffect): Promise<OperatorError> => {
    // A process of its own: one that was throttled goes slowly for a while.
    const fresh = adapterUnderTest(relay.url);
    const name = fresh.freshName();
    const takeBack = relay.add({ containing: name, effect });
    try {
      await fresh.loadBalancers.find({ name }, signal);
    } catch (error) {
      if (error instanceof OperatorError) return error;
      throw error;
    } finally {
      takeBack();
      await fresh.close();
    }
    throw new Error('it did not fail');
  };

  describe.concurrent('has the reason of its code', () => {
    it.each(codes.filter((code) => code !== 'LoadBalancerNotFound'))('%s', async (code) => {
      const reason = reasonByCode.get(code) as keyof typeof awsReasons;
      for (const spelling of [code, `${code}Exception`]) {
        const error = await failWith({ kind: 'error', code: spelling, status: 400 });
        expect(error.reason).toBe(reason);
        expect(error.healedBy).toBe(awsReasons[reason].healedBy);
        if (reason === 'AccessDenied') continue;
        expect(error.message).toContain(awsReasons[reason].next);
      }
    });
  });

  it('with the code LoadBalancerNotFound is absence and no failure', async () => {
    const effect = { kind: 'error', code: 'LoadBalancerNotFound', status: 400 } as const;
    const takeBack = relay.add({ operation: 'DescribeLoadBalancers', effect });
    expect(await aws.loadBalancers.find({ arn: balancer.arn }, signal)).toBeUndefined();
    takeBack();
  });

  const denied: Partial<Readonly<Record<AwsOperation, () => Promise<unknown>>>> = {
    CreateLoadBalancer: () => aws.created(),
    DescribeLoadBalancers: () => aws.loadBalancers.find({ arn: balancer.arn }, signal),
    DeleteLoadBalancer: () => aws.loadBalancers.delete(balancer.arn),
    DescribeLoadBalancerAttributes: () => aws.loadBalancers.readAttributes(balancer.arn, signal),
    ModifyLoadBalancerAttributes: () =>
      aws.loadBalancers.setAttributes(balancer.arn, { 'routing.http2.enabled': 'true' }),
    SetSubnets: () => aws.loadBalancers.setSubnets(balancer.arn, balancer.subnets),
    SetSecurityGroups: () =>
      aws.loadBalancers.setSecurityGroups(balancer.arn, balancer.securityGroups),
    SetIpAddressType: () => aws.loadBalancers.setIpAddressType(balancer.arn, 'ipv4'),
    AddTags: () => aws.loadBalancers.addTags(balancer.arn, { a: 'b' }),
    RemoveTags: () => aws.loadBalancers.removeTags(balancer.arn, ['a']),
    DescribeTags: () => aws.loadBalancers.readTags(balancer.arn, signal),
  };

  it.each(Object.entries(denied))('to %s names the missing right', async (operation, call) => {
    const effect = { kind: 'error', code: 'AccessDenied', status: 403 } as const;
    const takeBack = relay.add({ operation, effect });
    const failed = await call().catch((error: Error) => error);
    takeBack();
    expect(failed).toMatchObject({ reason: 'AccessDenied', healedBy: 'person' });
    const right = `allow elasticloadbalancing:${operation satisfies string} in the IAM policy`;
    expect((failed as Error).message).toContain(right);
    await call();
    if (operation === 'DeleteLoadBalancer') balancer = await aws.created();
  });

  describe('to a process that was refused nothing before', () => {
    let shared: AdapterUnderTest;
    beforeEach(() => {
      shared = aws;
      aws = adapterUnderTest(relay.url);
    });
    afterEach(async () => {
      await aws.close();
      aws = shared;
    });

    const broken: Readonly<Record<string, { effect: RelayEffect; reason: string; why: string }>> = {
      'a page of HTML with status 500': {
        effect: { kind: 'page', status: 500, body: '<html><body>oops</body></html>' },
        reason: 'AwsUnavailable',
        why: 'a front end has failed, or something else listens there',
      },
      'a page of HTML with status 200': {
        effect: { kind: 'page', status: 200, body: '<html><body>log in</body></html>' },
        reason: 'AwsUnreadable',
        why: 'a proxy wants to know who is there',
      },
      'no page': {
        effect: { kind: 'page', status: 404, body: '404 page not found' },
        reason: 'AwsUnreadable',
        why: 'the endpoint is a web server',
      },
      'half an answer': {
        effect: { kind: 'half' },
        reason: 'AwsUnreadable',
        why: 'half an answer is never a list without the balancer',
      },
      'a broken connection': {
        effect: { kind: 'broken', isApplied: false },
        reason: 'AwsUnreachable',
        why: 'the way to AWS is cut',
      },
    };

    for (const [title, { effect, reason, why }] of Object.entries(broken)) {
      it(`that is ${title} names the setting to check, because ${why}`, async () => {
        const takeBack = relay.add({ operation: 'DescribeLoadBalancers', effect });
        const failed = await aws.loadBalancers
          .find({ arn: balancer.arn }, signal)
          .catch((error: Error) => error);
        takeBack();
        expect(failed).toMatchObject({ reason, healedBy: 'time' });
        expect((failed as Error).message).toContain('AWS_ENDPOINT_URL');
        expect((failed as Error).message).not.toContain('<');
      });
    }

    it('that got lost does not create twice: the next read finds the balancer', async () => {
      const settings = aws.settings();
      const lost = { kind: 'broken', isApplied: true } as const;
      relay.add({ operation: 'CreateLoadBalancer', times: 1, effect: lost });
      const before = count('CreateLoadBalancer');
      expect(await reasonOf(aws.loadBalancers.create(settings))).toBe('AwsUnreachable');
      expect(count('CreateLoadBalancer')).toBe(before + 1);
      const found = await aws.loadBalancers.find({ name: settings.name }, signal);
      expect(found?.name).toBe(settings.name);
      expect(await aws.loadBalancers.readTags(found?.arn as string, signal)).toEqual(settings.tags);
    });

    it('is repeated within the call where that heals', async () => {
      const throttled = { kind: 'error', code: 'Throttling', status: 400 } as const;
      relay.add({ operation: 'DescribeTags', times: 1, effect: throttled });
      expect(await aws.loadBalancers.readTags(balancer.arn, signal)).toHaveProperty('team', 'web');
    });
  });

  const count = (operation: keyof AwsOperations): number =>
    relay.calls.filter((call) => call.operation === operation).length;
});
