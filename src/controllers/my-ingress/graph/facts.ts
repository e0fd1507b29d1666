import { isDeepStrictEqual } from 'node:util';
import type { ObservedGraph } from './graph.ts';
import type { Problem } from './problem.ts';
import { listWritten, type Operation, type Step } from './steps.ts';

/**
 * AWS's data plane takes changes of rules in windows of about 10 s: what is replaced stays for longer.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/pull/4039
 */
export const WINDOW_MS = 15_000;

/** A step that AWS has refused for a reason that its repetition does not heal. */
export interface Refusal extends Pick<Problem, 'reason' | 'quota'> {
  readonly step: Step;
}

/** The facts that a process remembers of one object's traffic; times are of the monotonic clock. */
export interface TrafficFacts {
  /** When a listener or rule last came or changed; at first, since when the object is known here. */
  readonly changedAtMs: number;
  /** By ARN of a target group: since when no action has named it. */
  readonly unusedSinceMs: ReadonlyMap<string, number>;
  /** By name of a target group: since when an action has named it, with whatever weight. */
  readonly joinedSinceMs: ReadonlyMap<string, number>;
  /** The refusals of AWS of what is still planned; emptied when the spec changes. */
  readonly refused: readonly Refusal[];
}

export function beginFacts(nowMs: number): TrafficFacts {
  const empty = { unusedSinceMs: new Map(), joinedSinceMs: new Map(), refused: [] };
  return { changedAtMs: nowMs, ...empty };
}

/** A step that AWS has accepted. */
export function recordStep(facts: TrafficFacts, step: Step, nowMs: number): TrafficFacts {
  const refused = facts.refused.filter((one) => !isRepetition(one.step, step));
  const isChange = ROUTING.has(step.operation);
  const joined = recordJoined(facts, [...facts.joinedSinceMs.keys(), ...listWritten(step)], nowMs);
  return { ...joined, refused, changedAtMs: isChange ? nowMs : facts.changedAtMs };
}

export function recordRefusal(facts: TrafficFacts, refusal: Refusal): TrafficFacts {
  // A mixture of two groups that was refused stays on record where the direct switch is refused too.
  const others = facts.refused.filter(({ step }) => !isSame(refusal.step, step));
  return { ...facts, refused: [...others, refusal] };
}

/** Call with each plan: what it does not try any more says nothing of what it does. */
export function keepRefusals(facts: TrafficFacts, planned: readonly Step[]): TrafficFacts {
  const refused = facts.refused.filter((one) => {
    return planned.some((step) => isRepetition(one.step, step));
  });
  return { ...facts, refused };
}

/** Both change the same resource in the same way, though perhaps to something else. */
export function isRepetition(one: Step, { id, operation }: Step): boolean {
  return one.id === id && one.operation === operation;
}

export function isSame(one: Step, step: Step): boolean {
  return isRepetition(one, step) && isDeepStrictEqual(one.input, step.input);
}

/** An edit of the spec makes every refusal worth another try. */
export function forgetRefusals(facts: TrafficFacts): TrafficFacts {
  return { ...facts, refused: [] };
}

/** Call with each observation. A group that an action names again starts from the beginning. */
export function recordUnused(
  facts: TrafficFacts,
  observed: ObservedGraph,
  nowMs: number,
): TrafficFacts {
  const unused = observed.targetGroups.filter(({ targetGroup }) => {
    return targetGroup.loadBalancerArns.length === 0;
  });
  const since = unused.map(({ targetGroup: { arn } }) => {
    return [arn, facts.unusedSinceMs.get(arn) ?? nowMs] as const;
  });
  return { ...facts, unusedSinceMs: new Map(since) };
}

/** Call with the names at each observation. */
export function recordJoined(
  facts: TrafficFacts,
  names: readonly string[],
  nowMs: number,
): TrafficFacts {
  const since = names.map((name) => [name, facts.joinedSinceMs.get(name) ?? nowMs] as const);
  return { ...facts, joinedSinceMs: new Map(since) };
}

const ROUTING: ReadonlySet<Operation> = new Set<Operation>([
  ...(['CreateListener', 'ModifyListener', 'CreateRule', 'ModifyRule'] as const),
  'SetRulePriorities',
]);

/** Whether the step comes or changes where requests go, so that what it replaces has to stay for a while. */
export function isRouting({ operation }: Step): boolean {
  return ROUTING.has(operation);
}
