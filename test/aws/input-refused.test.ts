import { DescribeLoadBalancersCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DifferenceId } from '../../localstack/differences.ts';
import type { AwsOperations } from '../../src/aws/client/aws-api.ts';
import {
  type AdapterUnderTest,
  adapterUnderTest,
  clientUnderTest,
  codeOf,
  reasonOf,
} from './adapter.ts';
import { backendUnderTest, isMissing, itLikeAws } from './under-test.ts';

interface Case {
  /** Beside what a good create has. */
  readonly create: () => Partial<AwsOperations['CreateLoadBalancer'][0]>;
  readonly code: string;
  readonly id: DifferenceId;
  readonly why: string;
  /** False: this network cannot show it. */
  readonly needs?: () => boolean;
}

const tags = (count: number): { Key: string; Value: string }[] =>
  Array.from({ length: count }, (_, index) => ({ Key: `k${index}`, Value: 'v' }));

const nameCases = Object.fromEntries(
  ['a'.repeat(33), '-x', 'x-', 'a_b', 'a.b', 'internal-x'].map((Name): [string, Case] => [
    `the name ${Name}`,
    {
      create: () => ({ Name }),
      code: 'ValidationError',
      id: 'name-rules',
      why: 'AWS has rules for names',
    },
  ]),
);

const cases: Readonly<Record<string, Case>> = {
  ...nameCases,
  'one subnet': {
    create: () => ({ Subnets: network().subnets.slice(0, 1) }),
    code: 'ValidationError',
    id: 'two-subnets',
    why: 'a balancer stands in two zones',
  },
  'two subnets of one zone': {
    create: () => ({ Subnets: [...network().sameZoneSubnets] }),
    needs: () => network().sameZoneSubnets.length === 2,
    code: 'InvalidConfigurationRequest',
    id: 'one-subnet-per-zone',
    why: 'a balancer has one subnet in each of its zones',
  },
  'a security group that does not exist': {
    create: () => ({ SecurityGroups: ['sg-00000000000000000'] }),
    code: 'InvalidSecurityGroup',
    id: 'security-group-exists',
    why: 'a misspelt group must not go unnoticed',
  },
  'a scheme that does not exist': {
    create: () => ({ Scheme: 'public' as 'internal' }),
    code: 'InvalidScheme',
    id: 'scheme-values',
    why: 'AWS knows two',
  },
  '51 tags': {
    create: () => ({ Tags: tags(51) }),
    code: 'TooManyTags',
    id: 'tag-count',
    why: 'a resource carries 50 at most',
  },
  'the same tag twice': {
    create: () => ({ Tags: [...tags(1), ...tags(1)] }),
    code: 'DuplicateTagKeys',
    id: 'tag-keys-unique',
    why: 'AWS does not choose between them',
  },
  'a reserved tag': {
    create: () => ({ Tags: [{ Key: 'aws:team', Value: 'web' }] }),
    code: 'ValidationError',
    id: 'tag-prefix-reserved',
    why: 'the prefix is for AWS alone',
  },
};

const network = () => backendUnderTest().network;

describe.skipIf(isMissing)('AWS refuses', () => {
  let aws: AdapterUnderTest;
  beforeAll(() => {
    aws = adapterUnderTest();
  });
  afterAll(() => aws?.close());

  const codeOfCreate = (change: Partial<AwsOperations['CreateLoadBalancer'][0]>) =>
    codeOf(
      aws.api.send('CreateLoadBalancer', {
        Name: aws.freshName(),
        Subnets: network().subnets.slice(0, 2),
        Scheme: 'internal',
        ...change,
      }),
    );

  for (const [title, { create, code, id, why, needs }] of Object.entries(cases)) {
    itLikeAws(id, `${title} with ${code}, because ${why}`, async ({ skip }) => {
      skip(needs?.() === false, 'the network lacks the subnets for it');
      expect(await codeOfCreate(create())).toBe(code);
    });
  }

  it('subnets that do not exist', async () => {
    const settings = { ...aws.settings(), subnets: ['subnet-00000000', 'subnet-11111111'] };
    expect(await reasonOf(aws.loadBalancers.create(settings))).toBe('SubnetNotFound');
  });

  itLikeAws('subnet-code', 'subnets that do not exist, by the code SubnetNotFound', async () => {
    const Subnets = ['subnet-00000000', 'subnet-11111111'];
    expect(await codeOfCreate({ Subnets })).toBe('SubnetNotFound');
  });

  it('a change to fewer than two subnets', async () => {
    const { arn } = await aws.created();
    const setting = aws.loadBalancers.setSubnets(arn, network().subnets.slice(0, 1));
    expect(await reasonOf(setting)).toMatch(/^(ValidationError|InvalidConfigurationRequest)$/);
  });

  it('a change to a security group that does not exist', async () => {
    const { arn } = await aws.created();
    const setting = aws.loadBalancers.setSecurityGroups(arn, ['sg-00000000000000000']);
    expect(await reasonOf(setting)).toBe('InvalidSecurityGroup');
  });

  itLikeAws('no-security-group-left', 'a change to no security group', async () => {
    const { arn } = await aws.created();
    const setting = aws.loadBalancers.setSecurityGroups(arn, []);
    expect(await reasonOf(setting)).toBe('InvalidConfigurationRequest');
  });

  it('an attribute that does not exist', async () => {
    const { arn } = await aws.created();
    const setting = aws.loadBalancers.setAttributes(arn, { 'no.such.attribute': '1' });
    expect(await reasonOf(setting)).toMatch(/^(ValidationError|InvalidConfigurationRequest)$/);
  });

  itLikeAws('attribute-values', 'an attribute out of its range', async () => {
    const { arn } = await aws.created();
    const values = { 'idle_timeout.timeout_seconds': '99999' };
    expect(await reasonOf(aws.loadBalancers.setAttributes(arn, values))).toBe('ValidationError');
  });

  itLikeAws('empty-log-bucket', 'an empty log bucket', async () => {
    const { arn } = await aws.created();
    const values = { 'access_logs.s3.enabled': 'false', 'access_logs.s3.bucket': '' };
    expect(await reasonOf(aws.loadBalancers.setAttributes(arn, values))).toBe('ValidationError');
  });

  itLikeAws('deny-igw-on-ipv4', 'an attribute for IPv6 on a balancer without it', async () => {
    const { arn } = await aws.created();
    const values = { 'ipv6.deny_all_igw_traffic': 'true' };
    expect(await reasonOf(aws.loadBalancers.setAttributes(arn, values))).toBe('ValidationError');
  });

  itLikeAws('signature-date', 'a signature that is an hour old', async () => {
    const client = clientUnderTest({ systemClockOffset: -3_600_000 });
    const asking = client.send(new DescribeLoadBalancersCommand({ PageSize: 1 }));
    expect(await codeOf(asking)).toBe('SignatureDoesNotMatch');
    client.destroy();
  });

  itLikeAws('all-or-nothing-describe', 'to describe when one name is missing', async () => {
    const { name } = await aws.created();
    const describing = aws.api.send('DescribeLoadBalancers', { Names: [name, aws.freshName()] });
    expect(await codeOf(describing)).toBe('LoadBalancerNotFound');
  });

  itLikeAws('page-size', 'a page size of 0', async () => {
    expect(await codeOf(aws.api.send('DescribeLoadBalancers', { PageSize: 0 }))).toBe(
      'ValidationError',
    );
  });

  itLikeAws('tags-per-call', 'more than 20 balancers in one DescribeTags', async () => {
    const balancers = await Promise.all(Array.from({ length: 21 }, () => aws.created()));
    const ResourceArns = balancers.map(({ arn }) => arn);
    expect(await codeOf(aws.api.send('DescribeTags', { ResourceArns }))).toBe('ValidationError');
  });
});
