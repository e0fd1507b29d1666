import { formatTime } from './kube-object.ts';

/** metav1.Condition; https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/condition/ */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/**
 * The summary of one pass for conditions. `ready: 'keep'` leaves Ready as it was if it is about this
 * generation: a failed read proves nothing about the world.
 */
export interface Headline {
  readonly ready: 'True' | 'False' | 'Unknown' | 'keep';
  readonly mark?: 'Reconciling' | 'Stalled';
  readonly reason: string;
  readonly message: string;
}

/** A condition beside Ready, Reconciling and Stalled, as a reconciler states it. */
export interface StatedCondition extends Pick<Condition, 'type' | 'status' | 'reason' | 'message'> {
  /** The type of one that is dropped for it. */
  readonly replaces?: string;
}

export interface ConditionContext {
  readonly generation: number;
  readonly nowMs: number;
}

/**
 * Conditions by the kstatus convention: Ready always, Reconciling and Stalled only while true, so
 * that `kubectl wait`, Flux, Argo and Helm read them alike
 * (https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md).
 */
export function computeConditions(
  previous: readonly Condition[],
  headline: Headline,
  context: ConditionContext,
): readonly Condition[] {
  const wasReady = previous.find((condition) => condition.type === 'Ready');
  const ready = computeReady(wasReady, headline, context);
  if (headline.mark === undefined) return [ready];
  const mark = upsert(previous, { ...headline, type: headline.mark, status: 'True' }, context);
  return [ready, mark];
}

/** The most telling condition of the object: Stalled, else Reconciling, else Ready. */
export function findLeadingCondition(conditions: readonly Condition[]): Condition | undefined {
  const byType = (type: string): Condition | undefined =>
    conditions.find((condition) => condition.type === type);
  return byType('Stalled') ?? byType('Reconciling') ?? byType('Ready');
}

/** As the CRDs have it: a longer list would be refused, and the whole status with it. */
export const MOST_CONDITIONS = 16;

/**
 * Conditions of the kind's own: those stated now, and of those of before that were not stated again as many as
 * `room` leaves. Only types of others fill a list.
 */
export function mergeStatedConditions(
  previous: readonly Condition[],
  stated: readonly StatedCondition[],
  context: ConditionContext & { readonly room: number },
): readonly Condition[] {
  const types = new Set([
    ...CORE_TYPES,
    ...stated.flatMap(({ type, replaces }) => [type, replaces]),
  ]);
  const kept = previous.filter(({ type }) => !types.has(type));
  const merged = [...stated.map((condition) => upsert(previous, condition, context)), ...kept];
  return merged.slice(0, context.room).sort(compareTypes);
}

const CORE_TYPES = ['Ready', 'Reconciling', 'Stalled'];

function compareTypes(one: Condition, other: Condition): number {
  return one.type < other.type ? -1 : 1;
}

function computeReady(
  wasReady: Condition | undefined,
  headline: Headline,
  context: ConditionContext,
): Condition {
  const previous = wasReady === undefined ? [] : [wasReady];
  if (headline.ready !== 'keep') {
    return upsert(previous, { ...headline, type: 'Ready', status: headline.ready }, context);
  }
  const isStillTrue =
    wasReady?.status === 'True' && wasReady.observedGeneration === context.generation;
  if (isStillTrue) return wasReady;
  return upsert(previous, { ...headline, type: 'Ready', status: 'False' }, context);
}

function upsert(
  previous: readonly Condition[],
  next: StatedCondition,
  context: ConditionContext,
): Condition {
  const before = previous.find((condition) => condition.type === next.type);
  const hasFlipped = before?.status !== next.status;
  return {
    type: next.type,
    status: next.status,
    reason: next.reason,
    message: next.message,
    lastTransitionTime:
      before === undefined || hasFlipped ? formatTime(context.nowMs) : before.lastTransitionTime,
    observedGeneration: context.generation,
  };
}
