import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';

const THROTTLED = 'ThrottlingException';

/** How many times the operation succeeds before the first refusal. */
function burst(aws: EmbeddedAws, operation: string, input: object): number {
  let count = 0;
  while (outcomeOf(aws, operation, input) !== THROTTLED) count += 1;
  return count;
}

interface BucketCase {
  readonly operation: string;
  readonly input: object;
  readonly burst: number;
  /** Time until one more request passes, ms. */
  readonly refillMs: number;
}

const subnets = { Subnets: ['subnet-a', 'subnet-b'] };

const BUCKETS: Readonly<Record<string, BucketCase>> = {
  'reads: 40, then 10 per second': {
    operation: 'DescribeLoadBalancers',
    input: {},
    burst: 40,
    refillMs: 100,
  },
  'writes: 20, then 3 per second': {
    operation: 'RemoveTags',
    input: {},
    burst: 20,
    refillMs: 334,
  },
  'creates: 10, then one in 5 s': {
    operation: 'CreateLoadBalancer',
    input: { Name: 'shop', ...subnets },
    burst: 10,
    refillMs: 5000,
  },
  'registrations: 20, then 4 per second': {
    operation: 'RegisterTargets',
    input: {},
    burst: 20,
    refillMs: 250,
  },
  'DeregisterTargets: as registrations': {
    operation: 'DeregisterTargets',
    input: {},
    burst: 20,
    refillMs: 250,
  },
  'rules: as other writes': { operation: 'CreateRule', input: {}, burst: 20, refillMs: 334 },
  'target health: as other reads': {
    operation: 'DescribeTargetHealth',
    input: {},
    burst: 40,
    refillMs: 100,
  },
  'SetSubnets: as creates': { operation: 'SetSubnets', input: {}, burst: 10, refillMs: 5000 },
};

describe('the token buckets', () => {
  test.for(Object.entries(BUCKETS))('%s', ([, { operation, input, burst: size, refillMs }]) => {
    const { aws, clock } = seededModel({ budget: 'aws' });

    expect(burst(aws, operation, input)).toBe(size);
    clock.advance(refillMs - 1);
    expect(outcomeOf(aws, operation, input)).toBe(THROTTLED);
    clock.advance(1);
    expect(outcomeOf(aws, operation, input)).not.toBe(THROTTLED);
    expect(outcomeOf(aws, operation, input)).toBe(THROTTLED);
  });

  test('never hold more than their size', () => {
    const { aws, clock } = seededModel({ budget: 'aws' });
    clock.advance(3_600_000);
    expect(burst(aws, 'DescribeLoadBalancers', {})).toBe(40);
  });

  test('of creates and SetSubnets are one', () => {
    const { aws } = seededModel({ budget: 'aws' });
    expect(burst(aws, 'SetSubnets', {})).toBe(10);
    expect(outcomeOf(aws, 'CreateLoadBalancer', { Name: 'shop', ...subnets })).toBe(THROTTLED);
  });

  test('of the account count every request of ELBv2', () => {
    const { aws } = seededModel({ budget: 'aws' });
    expect(burst(aws, 'RemoveTags', {})).toBe(20);
    expect(burst(aws, 'DescribeLoadBalancers', {}), '40 of the account, less 20 writes').toBe(20);
  });

  test('leave the state as it is when they refuse', () => {
    const { aws } = seededModel({ budget: 'aws' });
    burst(aws, 'SetSubnets', {});
    outcomeOf(aws, 'CreateLoadBalancer', { Name: 'shop', ...subnets });
    expect(aws.control.snapshot().loadBalancers).toEqual([]);
  });

  test('of registrations and of other writes are two, and the account counts both', () => {
    const { aws } = seededModel({ budget: 'aws' });
    expect(burst(aws, 'RegisterTargets', {})).toBe(20);
    expect(outcomeOf(aws, 'DeregisterTargets', {})).toBe(THROTTLED);
    expect(burst(aws, 'CreateRule', {})).toBe(20);
    expect(outcomeOf(aws, 'DescribeRules', {}), '40 of the account').toBe(THROTTLED);
  });

  test('of EC2 are one for each operation, and not those of ELBv2', () => {
    const { aws, clock } = seededModel({ budget: 'aws' });
    const limited = 'RequestLimitExceeded';
    const count = (operation: string): number => {
      let passed = 0;
      while (outcomeOf(aws, operation, {}) !== limited) passed += 1;
      return passed;
    };
    clock.advance(60_000);
    expect(count('DescribeVpcs')).toBe(100);
    expect(count('DescribeSubnets')).toBe(100);
    expect(count('AuthorizeSecurityGroupIngress')).toBe(50);
    expect(() => aws.handle('DescribeVpcs', {})).toThrow(
      expect.objectContaining({ code: limited, status: 503 }),
    );
    clock.advance(50);
    expect(outcomeOf(aws, 'DescribeVpcs', {})).toBe('ok');
    expect(burst(aws, 'DescribeLoadBalancers', {})).toBe(40);
  });

  test('can be switched off and refilled', () => {
    const { aws } = seededModel({ budget: 'aws' });
    burst(aws, 'DescribeLoadBalancers', {});

    aws.control.changeSettings({ budget: 'off' });
    expect(outcomeOf(aws, 'DescribeLoadBalancers', {})).toBe('ok');
    aws.control.changeSettings({ budget: 'aws' });
    expect(outcomeOf(aws, 'DescribeLoadBalancers', {})).toBe(THROTTLED);
    aws.control.reset();
    expect(outcomeOf(aws, 'DescribeLoadBalancers', {})).toBe('ok');
  });

  test('do not use up a scripted fault on a request that they refuse', () => {
    const { aws, clock } = seededModel({ budget: 'aws' });
    createBalancer(aws, 'shop');
    burst(aws, 'DescribeLoadBalancers', {});
    aws.control.addFault({
      operation: '*',
      effect: { kind: 'error', code: 'X', status: 500, message: '' },
    });

    expect(outcomeOf(aws, 'DescribeLoadBalancers', {})).toBe(THROTTLED);
    clock.advance(1000);
    expect(outcomeOf(aws, 'DescribeLoadBalancers', {})).toBe('X');
  });
});
