import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { COMMON_ERROR_CODES } from '../../../localstack/embedded/http/common-errors.ts';
import { type Answer, call, declaredCodes, outcomeOf, seededModel } from './seeded-model.ts';

const GOOD_NAMES = ['one', 'two', 'three'];
const GOOD_SUBNETS = [
  ['subnet-a', 'subnet-b'],
  ['subnet-b', 'subnet-c'],
  ['subnet-a', 'subnet-b', 'subnet-c'],
];
const SUBNETS = ['subnet-a', 'subnet-a2', 'subnet-b', 'subnet-tiny', 'subnet-oa', 'subnet-x'];
const GROUPS = ['sg-web', 'sg-admin', 'sg-other', 'sg-x', 'web'];

interface Step {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Name of the balancer whose ARN the input gets. */
  readonly target?: string;
}

/** Mostly `good`, so that sequences get somewhere; now and then anything. */
function mostly<Good, Any>(
  good: fc.Arbitrary<Good>,
  any: fc.Arbitrary<Any>,
): fc.Arbitrary<Good | Any> {
  return fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: any });
}

const names = mostly(fc.constantFrom(...GOOD_NAMES), fc.constantFrom('internal-x', '', 'a_b'));
const subnets = mostly(
  fc.constantFrom(...GOOD_SUBNETS),
  fc.array(fc.constantFrom(...SUBNETS), { maxLength: 4 }),
);
const groups = fc.array(fc.constantFrom(...GROUPS), { maxLength: 2 });
const ipTypes = fc.constantFrom('ipv4', 'dualstack', 'ipv5');
const tagKeys = fc.integer({ min: 0, max: 99 }).map(String);
const tags = mostly(
  fc
    .uniqueArray(tagKeys, { minLength: 1, maxLength: 30, size: 'max' })
    .map((keys) => keys.map((Key) => ({ Key, Value: 'v' }))),
  fc.array(
    fc.record({
      Key: fc.constantFrom('aws:x', '', 'a*', 'a', 'b'),
      Value: fc.constantFrom('', '*'),
    }),
    { maxLength: 4 },
  ),
);
const optional = { requiredKeys: [] as never[] };

const creates: fc.Arbitrary<Step> = fc
  .record(
    {
      Subnets: subnets,
      SecurityGroups: mostly(fc.constant([]), groups),
      IpAddressType: mostly(fc.constant('ipv4'), ipTypes),
      Tags: tags,
      Scheme: mostly(fc.constant('internet-facing'), fc.constantFrom('internal', 'public')),
    },
    optional,
  )
  .chain((input) =>
    names.map((Name) => ({
      operation: 'CreateLoadBalancer',
      input: { Subnets: ['subnet-a', 'subnet-b'], ...input, Name },
    })),
  );

const attributes = mostly(
  fc.constant([{ Key: 'deletion_protection.enabled', Value: 'true' }]),
  fc.array(
    fc.record({
      Key: fc.constantFrom('deletion_protection.enabled', 'nope', 'access_logs.s3.enabled'),
      Value: fc.constantFrom('true', 'false', '60'),
    }),
    { maxLength: 3 },
  ),
);

const lookups = fc
  .record(
    {
      Names: fc.array(names, { maxLength: 2 }),
      PageSize: fc.integer({ min: 0, max: 401 }),
      Marker: fc.string(),
    },
    optional,
  )
  .map((input) => ({ operation: 'DescribeLoadBalancers', input }));

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: creates },
  { weight: 3, arbitrary: on('AddTags', fc.record({ Tags: tags })) },
  {
    weight: 2,
    arbitrary: on('ModifyLoadBalancerAttributes', fc.record({ Attributes: attributes })),
  },
  { weight: 2, arbitrary: on('DeleteLoadBalancer', fc.constant({})) },
  { weight: 1, arbitrary: lookups },
  {
    weight: 1,
    arbitrary: on('SetSubnets', fc.record({ Subnets: subnets, IpAddressType: ipTypes }, optional)),
  },
  { weight: 1, arbitrary: on('SetSecurityGroups', fc.record({ SecurityGroups: groups })) },
  { weight: 1, arbitrary: on('SetIpAddressType', fc.record({ IpAddressType: ipTypes })) },
  { weight: 1, arbitrary: on('RemoveTags', fc.record({ TagKeys: fc.array(tagKeys) })) },
  { weight: 1, arbitrary: on('DescribeTags', fc.constant({})) },
  { weight: 1, arbitrary: on('DescribeLoadBalancerAttributes', fc.constant({})) },
);

function on(
  operation: string,
  inputs: fc.Arbitrary<Readonly<Record<string, unknown>>>,
): fc.Arbitrary<Step> {
  return fc
    .tuple(inputs, fc.constantFrom(...GOOD_NAMES))
    .map(([input, target]) => ({ operation, input, target }));
}

function inputOf(aws: EmbeddedAws, step: Step): Readonly<Record<string, unknown>> {
  if (step.target === undefined) return step.input;
  const found = aws.control
    .snapshot()
    .loadBalancers.find((balancer) => balancer.name === step.target);
  const arn =
    found?.arn ??
    `arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/gone/${'0'.repeat(16)}`;
  const field = step.operation.endsWith('Tags')
    ? { ResourceArns: [arn] }
    : { LoadBalancerArn: arn };
  return { ...step.input, ...field };
}

function allowedCodes(operation: string): ReadonlySet<string> {
  return new Set(['ok', ...COMMON_ERROR_CODES, ...declaredCodes(operation)]);
}

describe('any sequence of operations', () => {
  test('ends in codes that AWS declares, and keeps what must always hold', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(fc.array(steps, { minLength: 20, maxLength: 40 }), (sequence) => {
        const { aws, clock } = seededModel({ quota: 2 });
        for (const step of sequence) {
          const before = aws.control.snapshot().loadBalancers;
          const outcome = outcomeOf(aws, step.operation, inputOf(aws, step));
          expect(allowedCodes(step.operation), step.operation).toContain(outcome);
          if (outcome !== 'ok') expect(aws.control.snapshot().loadBalancers).toEqual(before);
          expectInvariants(aws);
          reached.add(outcome);
          clock.advance(500);
        }
      }),
      { numRuns: 300 },
    );
    // A generator that reaches no refusal would prove nothing.
    expect([...reached].sort()).toEqual(
      expect.arrayContaining([
        'DuplicateLoadBalancerName',
        'DuplicateTagKeys',
        'InvalidConfigurationRequest',
        'InvalidScheme',
        'InvalidSecurityGroup',
        'InvalidSubnet',
        'LoadBalancerNotFound',
        'OperationNotPermitted',
        'SubnetNotFound',
        'TooManyLoadBalancers',
        'TooManyTags',
        'ValidationError',
        'ok',
      ]),
    );
  });

  test('gives the same answers for the same seed', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 15 }), (sequence) => {
        expect(replay(sequence)).toEqual(replay(sequence));
      }),
      { numRuns: 40 },
    );
  });
});

test("the SDK's documentation really yields the declared codes", () => {
  expect(declaredCodes('CreateLoadBalancer')).toContain('DuplicateLoadBalancerName');
  expect(declaredCodes('DescribeLoadBalancers')).toEqual(['LoadBalancerNotFound']);
});

function expectInvariants(aws: EmbeddedAws): void {
  const { loadBalancers } = aws.control.snapshot();
  expect(loadBalancers.length).toBeLessThanOrEqual(2);
  expect(new Set(loadBalancers.map((balancer) => balancer.name)).size).toBe(loadBalancers.length);
  expect(new Set(loadBalancers.map((balancer) => balancer.arn)).size).toBe(loadBalancers.length);
  for (const balancer of loadBalancers) {
    expect(Object.keys(balancer.tags).length).toBeLessThanOrEqual(50);
    expect(balancer.subnets.length).toBeGreaterThanOrEqual(2);
    expect(balancer.securityGroups.length).toBeGreaterThanOrEqual(1);
    const byArn: Answer = call(aws, 'DescribeLoadBalancers', { LoadBalancerArns: [balancer.arn] });
    expect(call(aws, 'DescribeLoadBalancers', { Names: [balancer.name] })).toEqual(byArn);
  }
}

function replay(sequence: readonly Step[]): unknown {
  const { aws } = seededModel();
  const outcomes = sequence.map((step) => outcomeOf(aws, step.operation, inputOf(aws, step)));
  return [outcomes, aws.control.snapshot()];
}
