import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '../../../aws/elbv2/traffic.ts';
import type { ObservedGraph } from './graph.ts';
import type { Problem } from './problem.ts';
import type { ResourceId } from './resource-id.ts';
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

/** A change of where requests go. */
export interface RoutingChange {
  readonly atMs: number;
  /** Of the requests that it concerns; undefined: of any. */
  readonly conditions: readonly Condition[] | undefined;
}

/** The facts that a process remembers of one object's traffic; times are of the monotonic clock. */
export interface TrafficFacts {
  /** The last change of a listener or rule, and all of the last 15 s; at first, since when the object is known here. */
  readonly changes: readonly RoutingChange[];
  /** By ARN of a target group: since when no action has named it. */
  readonly unusedSinceMs: ReadonlyMap<string, number>;
  /**
   * By name of a target group that an action names, with whatever weight: since when AWS checks its targets as the
   * spec has them; infinite while it can have none.
   */
  readonly checkedSinceMs: ReadonlyMap<string, number>;
  /** The refusals of AWS of what is still planned; but for settings of listeners, an edit of the spec empties it. */
  readonly refused: readonly Refusal[];
}

export function beginFacts(nowMs: number): TrafficFacts {
  const empty = { unusedSinceMs: new Map(), checkedSinceMs: new Map(), refused: [] };
  return { changes: [{ atMs: nowMs, conditions: undefined }], ...empty };
}

/** A step that AWS has accepted. */
export function recordStep(facts: TrafficFacts, step: Step, nowMs: number): TrafficFacts {
  const refused = facts.refused.filter((one) => !isRepetition(one.step, step));
  return recordChange({ ...facts, refused }, step, nowMs);
}

/** A step that AWS may have carried out. */
export function recordChange(facts: TrafficFacts, step: Step, nowMs: number): TrafficFacts {
  if (!isRouting(step)) return facts;
  const names = [...facts.checkedSinceMs.keys(), ...listWritten(step)];
  const joined = recordJoined(facts, { names }, nowMs);
  const recent = facts.changes.filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
  return { ...joined, changes: [...recent, { atMs: nowMs, conditions: listConcerned(step) }] };
}

/** Of the requests whose rule the step may change; undefined: of any. */
export function listConcerned({ operation, input, concerns }: Step): RoutingChange['conditions'] {
  return operation === 'CreateRule' ? input.conditions : concerns;
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

/**
 * An edit of the spec makes every refusal worth another try. Settings of a listener are tried apart from its default
 * action, which may be what the edit is about.
 */
export function forgetRefusals(facts: TrafficFacts): TrafficFacts {
  const refused = facts.refused.flatMap((one): readonly Refusal[] => {
    const settings = one.quota === undefined ? readSettings(one.step) : [];
    return settings.map((step) => ({ ...one, step }));
  });
  return { ...facts, refused };
}

/** Settings of listeners that AWS has refused, perhaps because of the default action that came with them. */
export function listUnsettled({ refused }: TrafficFacts): readonly Step<'ModifyListener'>[] {
  return refused.flatMap(({ step }) => readSettings(step));
}

/** Whether AWS has refused one of these settings of the listener as it is to be now. */
export function wasRefused(
  unsettled: readonly Step<'ModifyListener'>[],
  id: ResourceId,
  settings: Omit<Step<'ModifyListener'>['input'], 'arn'>,
): boolean {
  const before = unsettled.filter((step) => step.id === id).map(({ input }) => input);
  return Object.entries(settings).some(([field, value]) =>
    before.some((input) => isDeepStrictEqual(input[field as keyof typeof settings], value)),
  );
}

/** The step without the default action; empty: it changes nothing else. */
function readSettings(step: Step): readonly Step<'ModifyListener'>[] {
  if (step.operation !== 'ModifyListener') return [];
  const { action: _, ...input } = step.input;
  return Object.keys(input).length > 1 ? [{ ...step, input }] : [];
}

/** Call with each observation. A group that an action has named since, if only by a step, starts from the beginning. */
export function recordUnused(
  facts: TrafficFacts,
  observed: ObservedGraph,
  nowMs: number,
): TrafficFacts {
  const unused = observed.targetGroups.filter(({ targetGroup }) => {
    return targetGroup.loadBalancerArns.length === 0;
  });
  const since = unused.map(({ targetGroup: { arn, name } }) => {
    const sinceMs = facts.checkedSinceMs.has(name) ? undefined : facts.unusedSinceMs.get(arn);
    return [arn, sinceMs ?? nowMs] as const;
  });
  return { ...facts, unusedSinceMs: new Map(since) };
}

export interface Joined {
  /** Of all groups that an action names. */
  readonly names: Iterable<string>;
  /** AWS is to check other targets of theirs, or in another way, from now on. */
  readonly edited?: ReadonlySet<string>;
  /** They can have no target. */
  readonly empty?: ReadonlySet<string>;
}

/** Call with each plan, and after it. */
export function recordJoined(
  facts: TrafficFacts,
  { names, edited, empty }: Joined,
  nowMs: number,
): TrafficFacts {
  const since = [...names].map((name) => {
    const sinceMs = edited?.has(name) ? nowMs : (facts.checkedSinceMs.get(name) ?? nowMs);
    return [name, empty?.has(name) ? Number.POSITIVE_INFINITY : Math.min(sinceMs, nowMs)] as const;
  });
  return { ...facts, checkedSinceMs: new Map(since) };
}

const ROUTING: ReadonlySet<Operation> = new Set<Operation>([
  ...(['CreateListener', 'ModifyListener', 'CreateRule', 'ModifyRule'] as const),
  'SetRulePriorities',
]);

/** Whether the step comes or changes where requests go, so that what it replaces has to stay for a while. */
export function isRouting({ operation }: Step): boolean {
  return ROUTING.has(operation);
}
