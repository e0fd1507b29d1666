import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { COMMON_ERROR_CODES } from '../../../../localstack/embedded/http/common-errors.ts';
import type { TrafficSnapshot } from '../../../../localstack/embedded/traffic/traffic-snapshot.ts';
import { type Answer, call, declaredCodes, outcomeOf } from '../seeded-model.ts';
import { freshModel, inputOf, LIMITS, type Step, steps } from './random-steps.ts';

function codesOf(operation: string): ReadonlySet<string> {
  // A tagging operation declares the codes of every kind of resource.
  return new Set(['ok', ...COMMON_ERROR_CODES, ...declaredCodes(operation)]);
}

function unique(values: readonly unknown[]): void {
  expect(new Set(values).size).toBe(values.length);
}

/** What holds between any two calls. */
function expectInvariants(aws: EmbeddedAws): void {
  const { loadBalancers, ...traffic } = aws.control.snapshot();
  const balancers = new Set(loadBalancers.map(({ arn }) => arn));
  expectGroups(traffic, balancers);
  for (const arn of balancers) {
    const own = traffic.listeners.filter(({ loadBalancerArn }) => loadBalancerArn === arn);
    unique(own.map(({ port }) => port));
    expect(own.length).toBeLessThanOrEqual(LIMITS['listeners-per-application-load-balancer']);
    const rules = own.flatMap((listener) => listener.rules);
    const counted = rules.filter(({ priority }) => priority !== 'default');
    expect(counted.length).toBeLessThanOrEqual(LIMITS['rules-per-application-load-balancer']);
    const listed = call(aws, 'DescribeListeners', { LoadBalancerArn: arn })['Listeners'];
    expect(listed.map((one: Answer) => one['ListenerArn'])).toEqual(own.map((one) => one.arn));
  }
  for (const listener of traffic.listeners) expectListener(aws, listener, balancers);
}

function expectGroups(
  { targetGroups, listeners }: TrafficSnapshot,
  balancers: ReadonlySet<string>,
): void {
  unique(targetGroups.map(({ name }) => name));
  expect(targetGroups.length).toBeLessThanOrEqual(LIMITS['target-groups']);
  const arns = new Set(targetGroups.map(({ arn }) => arn));
  const users = new Map<string, Set<string>>();
  for (const { loadBalancerArn, rules } of listeners) {
    for (const arn of rules.flatMap(({ actions }) => forwardedIn(actions))) {
      expect(arns, 'a group that an action names exists').toContain(arn);
      users.set(arn, (users.get(arn) ?? new Set()).add(loadBalancerArn));
    }
  }
  for (const group of targetGroups) {
    const used = [...(users.get(group.arn) ?? [])];
    expect(used.length, 'a group serves one balancer').toBeLessThanOrEqual(1);
    expect(group.loadBalancerArn).toBe(used[0]);
    if (used[0] !== undefined) expect(balancers).toContain(used[0]);
    unique(group.targets.map(({ id, port }) => `${id}:${port}`));
    const states = group.targets.map(({ state }) => state);
    if (used.length === 0)
      expect(states.filter((state) => !/unused|draining/.test(state))).toEqual([]);
  }
}

function forwardedIn(actions: readonly unknown[]): readonly string[] {
  return (actions as Answer[]).flatMap((action) =>
    (action['ForwardConfig']?.TargetGroups ?? []).map((group: Answer) => group['TargetGroupArn']),
  );
}

function expectListener(
  aws: EmbeddedAws,
  listener: TrafficSnapshot['listeners'][number],
  balancers: ReadonlySet<string>,
): void {
  expect(balancers, 'a listener has its balancer').toContain(listener.loadBalancerArn);
  const priorities = listener.rules.map(({ priority }) => priority);
  unique(priorities);
  expect(priorities.at(-1)).toBe('default');
  expect(priorities.filter((priority) => priority === 'default')).toHaveLength(1);
  expect(listener.certificates.length > 0).toBe(listener.protocol === 'HTTPS');
  const { Rules } = call(aws, 'DescribeRules', { ListenerArn: listener.arn });
  expect(Rules.map((rule: Answer) => rule['RuleArn'])).toEqual(
    listener.rules.map(({ arn }) => arn),
  );
}

describe('any sequence of operations on listeners, rules and targets', () => {
  test('ends in codes that AWS declares, and keeps what must always hold', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(fc.array(steps, { minLength: 30, maxLength: 50, size: 'max' }), (sequence) => {
        const { aws, clock } = freshModel();
        for (const step of sequence) {
          const before = aws.control.snapshot();
          const outcome = outcomeOf(aws, step.operation, inputOf(aws, step));
          expect(codesOf(step.operation), step.operation).toContain(outcome);
          if (outcome !== 'ok') expect(aws.control.snapshot()).toEqual(before);
          expectInvariants(aws);
          reached.add(outcome);
          clock.advance(1500);
        }
      }),
      // One seed, since rare refusals are reached by luck.
      { numRuns: 100, seed: 1 },
    );
    // A generator that reaches no refusal would prove nothing.
    expect([...reached]).toEqual(
      expect.arrayContaining([
        ...['ok', 'ValidationError', 'DuplicateListener', 'DuplicateTargetGroupName'],
        ...['ResourceInUse', 'PriorityInUse', 'OperationNotPermitted', 'IncompatibleProtocols'],
        ...['InvalidLoadBalancerAction', 'InvalidConfigurationRequest', 'InvalidTarget'],
        ...['TargetGroupAssociationLimit', 'TooManyListeners', 'TooManyRules', 'TooManyTargets'],
        ...['TooManyTargetGroups', 'TooManyUniqueTargetGroupsPerLoadBalancer'],
        ...['TooManyCertificates', 'CertificateNotFound', 'ListenerNotFound', 'RuleNotFound'],
        ...['TargetGroupNotFound', 'LoadBalancerNotFound'],
      ]),
    );
  });

  test('gives the same answers for the same seed', () => {
    const replay = (sequence: readonly Step[]): unknown => {
      const { aws } = freshModel();
      const outcomes = sequence.map((step) => outcomeOf(aws, step.operation, inputOf(aws, step)));
      return [outcomes, aws.control.snapshot()];
    };
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 20 }), (sequence) => {
        expect(replay(sequence)).toEqual(replay(sequence));
      }),
      { numRuns: 30 },
    );
  });

  test('leaves the past as it was', () => {
    fc.assert(
      fc.property(fc.array(steps, { minLength: 5, maxLength: 20 }), (sequence) => {
        const { aws, clock } = freshModel();
        clock.advance(60_000);
        const ageMs = 1000 * sequence.length;
        const reads = (): unknown => [
          call(aws, 'DescribeTargetGroups', {}),
          outcomeOf(aws, 'DescribeLoadBalancers', {}),
        ];
        const before = reads();
        clock.advance(1);
        for (const step of sequence) {
          outcomeOf(aws, step.operation, inputOf(aws, step));
          clock.advance(1000);
        }
        const effect = { kind: 'staleReads', ageMs: ageMs + 1 } as const;
        aws.control.addFault({ operation: '*', times: 2, effect });
        expect(reads()).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
