import { describe, expect, test } from 'vitest';
import type {
  FaultEffect,
  FaultRule,
} from '../../../../localstack/embedded/faults/fault-script.ts';
import { BrokenAnswer } from '../../../../localstack/embedded/http/broken-answer.ts';
import { call, createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';

const CREATE = { Name: 'shop', Subnets: ['subnet-a', 'subnet-b'] };
const FAILURE: FaultEffect = {
  kind: 'error',
  code: 'ServiceUnavailable',
  status: 503,
  message: 'no',
};

interface EffectCase {
  readonly effect: FaultEffect;
  readonly outcome: string;
  readonly isApplied: boolean;
}

const EFFECTS: Readonly<Record<string, EffectCase>> = {
  'an error': { effect: FAILURE, outcome: 'ServiceUnavailable', isApplied: false },
  'a lost response': {
    effect: { kind: 'lostResponse' },
    outcome: 'connectionLost',
    isApplied: true,
  },
  'a drop': { effect: { kind: 'dropBeforeApply' }, outcome: 'connectionLost', isApplied: false },
  'an HTML page': { effect: { kind: 'html500' }, outcome: 'html500', isApplied: false },
  'a delay': { effect: { kind: 'delay', delayMs: 5 }, outcome: 'ok', isApplied: true },
  'a hold': { effect: { kind: 'hold' }, outcome: 'ok', isApplied: true },
};

describe('a scripted fault', () => {
  test.for(Object.entries(EFFECTS))(
    'of %s hits one request',
    ([, { effect, outcome, isApplied }]) => {
      const { aws } = seededModel();
      aws.control.addFault({ operation: 'CreateLoadBalancer', effect });
      const exchange = aws.begin('CreateLoadBalancer', CREATE);

      expect(exchange.effect).toEqual(effect);
      expect(aws.control.snapshot().loadBalancers, 'nothing happens before run()').toEqual([]);
      try {
        exchange.run();
      } catch (error) {
        if (error instanceof BrokenAnswer) expect(error.isApplied).toBe(isApplied);
      }
      expect(aws.control.snapshot().loadBalancers).toHaveLength(isApplied ? 1 : 0);
      expect(aws.control.calls('CreateLoadBalancer')).toMatchObject([{ outcome }]);
      expect(outcomeOf(aws, 'CreateLoadBalancer', CREATE)).toBe('ok');
    },
  );

  test('of a lost response says that a refused request was not applied', () => {
    const { aws } = seededModel();
    aws.control.addFault({ operation: '*', effect: { kind: 'lostResponse' } });
    const run = (): unknown => call(aws, 'CreateLoadBalancer', { ...CREATE, Scheme: 'x' });
    expect(run).toThrow(expect.objectContaining({ isApplied: false }));
  });

  const rules: Readonly<
    Record<string, { readonly rule: Partial<FaultRule>; readonly hits: string }>
  > = {
    'once by default': { rule: {}, hits: 'x...' },
    'as often as it says': { rule: { times: 2 }, hits: 'xx..' },
    'after those that it skips': { rule: { skip: 1, times: 2 }, hits: '.xx.' },
    'any operation for *': { rule: { operation: '*' }, hits: 'x...' },
    'no other operation': { rule: { operation: 'DeleteLoadBalancer' }, hits: '....' },
  };
  test.for(Object.entries(rules))('hits %s', ([, { rule, hits }]) => {
    const { aws } = seededModel();
    aws.control.addFault({ operation: 'DescribeLoadBalancers', effect: FAILURE, ...rule });
    const outcomes = Array.from({ length: 4 }, () => outcomeOf(aws, 'DescribeLoadBalancers', {}));
    expect(outcomes.map((outcome) => (outcome === 'ok' ? '.' : 'x')).join('')).toBe(hits);
    expect(aws.control.pendingFaults()).toHaveLength(hits === '....' ? 1 : 0);
  });

  test('ends when its time is over', () => {
    const { aws, clock } = seededModel();
    aws.control.addFault({ operation: '*', forMs: 100, effect: FAILURE });
    const hit = (): boolean => outcomeOf(aws, 'DescribeVpcs', {}) !== 'ok';

    expect([hit(), hit()]).toEqual([true, true]);
    clock.advance(100);
    expect(hit()).toBe(false);
  });

  test('waits behind those that were added before it', () => {
    const { aws } = seededModel();
    const error = (code: string): FaultEffect => ({
      kind: 'error',
      code,
      status: 400,
      message: '',
    });
    aws.control.addFault({ operation: 'DescribeVpcs', effect: error('First') });
    aws.control.addFault({ operation: '*', effect: error('Second') });
    const outcomes = [1, 2, 3].map(() => outcomeOf(aws, 'DescribeVpcs', {}));
    expect(outcomes).toEqual(['First', 'Second', 'ok']);
  });

  test('that could never do what it says is refused', () => {
    const { aws } = seededModel();
    const add = (rule: Partial<FaultRule>) => () =>
      aws.control.addFault({ operation: '*', effect: FAILURE, ...rule });
    expect(add({ times: 0 })).toThrow(RangeError);
    expect(add({ skip: -1 })).toThrow(RangeError);
    expect(add({ effect: { kind: 'staleReads', ageMs: 3_600_000 } })).toThrow(RangeError);
  });
});

describe('stale reads', () => {
  const stale = {
    operation: '*',
    times: 100,
    effect: { kind: 'staleReads', ageMs: 1000 },
  } as const;

  test('answer of security groups as they were', () => {
    const { aws, clock } = seededModel();
    clock.advance(5000);
    const ids = (): string[] =>
      call(aws, 'DescribeSecurityGroups', { Filters: [{ Name: 'vpc-id', Values: ['vpc-main'] }] })[
        'SecurityGroups'
      ].map((group: { GroupId: string }) => group.GroupId);
    const before = ids();
    const GroupId = call(aws, 'CreateSecurityGroup', {
      ...{ GroupName: 'new', Description: 'new', VpcId: 'vpc-main' },
    })['GroupId'] as string;
    call(aws, 'DeleteSecurityGroup', { GroupId: 'sg-admin' });
    aws.control.addFault(stale);
    clock.advance(999);
    expect(ids()).toEqual(before);
    clock.advance(1);
    expect(ids()).toEqual([...before.filter((id) => id !== 'sg-admin'), GroupId]);
  });

  test('do not see what was just created, and still see what was just deleted', () => {
    const { aws, clock } = seededModel();
    const old = createBalancer(aws, 'old');
    clock.advance(5000);
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn: old['LoadBalancerArn'] });
    createBalancer(aws, 'new');
    aws.control.addFault(stale);
    const names = (): string[] =>
      call(aws, 'DescribeLoadBalancers', {})['LoadBalancers'].map(
        (balancer: { LoadBalancerName: string }) => balancer.LoadBalancerName,
      );

    clock.advance(999);
    expect(names()).toEqual(['old']);
    expect(outcomeOf(aws, 'DescribeLoadBalancers', { Names: ['new'] })).toBe(
      'LoadBalancerNotFound',
    );
    expect(outcomeOf(aws, 'DescribeTags', { ResourceArns: [old['LoadBalancerArn']] })).toBe('ok');
    clock.advance(1);
    expect(names()).toEqual(['new']);
  });

  test('see old tags, settings and state under the same ARN', () => {
    const { aws, clock } = seededModel({ provisioningMs: 5000 });
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    clock.advance(5000);
    call(aws, 'AddTags', { ResourceArns: [LoadBalancerArn], Tags: [{ Key: 'a', Value: '1' }] });
    call(aws, 'SetSubnets', { LoadBalancerArn, Subnets: ['subnet-a', 'subnet-c'] });
    aws.control.addFault(stale);

    const [seen] = call(aws, 'DescribeLoadBalancers', { Names: ['shop'] })['LoadBalancers'];
    expect(seen.State).toEqual({ Code: 'provisioning' });
    expect(seen.AvailabilityZones).toMatchObject([
      { SubnetId: 'subnet-a' },
      { SubnetId: 'subnet-b' },
    ]);
    const tags = call(aws, 'DescribeTags', { ResourceArns: [LoadBalancerArn] });
    expect(tags['TagDescriptions'][0].Tags).toEqual([]);
  });

  test('leave writes alone: a create still meets the balancer of now', () => {
    const { aws } = seededModel();
    const first = createBalancer(aws, 'shop');
    aws.control.addFault(stale);
    expect(createBalancer(aws, 'shop')['LoadBalancerArn']).toBe(first['LoadBalancerArn']);
  });
});

describe('a pinned state', () => {
  test('shows with its reason until it is handed back to the clock', () => {
    const { aws } = seededModel({ provisioningMs: 0 });
    createBalancer(aws, 'shop');
    const state = (): unknown =>
      call(aws, 'DescribeLoadBalancers', { Names: ['shop'] })['LoadBalancers'][0].State;

    expect(aws.control.setState('shop', { code: 'failed', reason: 'no capacity' })).toBe(true);
    expect(state()).toEqual({ Code: 'failed', Reason: 'no capacity' });
    aws.control.setState('shop', undefined);
    expect(state()).toEqual({ Code: 'active' });
    expect(aws.control.setState('gone', { code: 'failed' })).toBe(false);
  });
});
