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
 * What one pass has to say. `ready: 'keep'` leaves Ready as it was where it speaks of this
 * generation: a failed look is no news about the world.
 */
export interface Headline {
  readonly ready: 'True' | 'False' | 'Unknown' | 'keep';
  readonly mark?: 'Reconciling' | 'Stalled';
  readonly reason: string;
  readonly message: string;
}

/** A condition beside Ready, Reconciling and Stalled, as a reconciler states it. */
export type StatedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

export interface ConditionContext {
  readonly generation: number;
  readonly nowMs: number;
}

/**
 * Conditions by the kstatus convention: Ready always, Reconciling and Stalled only while true, so
 * that `kubectl wait`, Flux, Argo and Helm read them alike
 * (https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md).
 */
export function conditionsAfter(
  previous: readonly Condition[],
  headline: Headline,
  context: ConditionContext,
): readonly Condition[] {
  const wasReady = previous.find((condition) => condition.type === 'Ready');
  const ready = readyAfter(wasReady, headline, context);
  if (headline.mark === undefined) return [ready];
  const mark = upsert(previous, { ...headline, type: headline.mark, status: 'True' }, context);
  return [ready, mark];
}

/** The condition that says most about the object now: Stalled, else Reconciling, else Ready. */
export function leadingCondition(conditions: readonly Condition[]): Condition | undefined {
  const byType = (type: string): Condition | undefined =>
    conditions.find((condition) => condition.type === type);
  return byType('Stalled') ?? byType('Reconciling') ?? byType('Ready');
}

/** Conditions of the kind's own: those stated now, and those of before that were not stated again. */
export function statedAfter(
  previous: readonly Condition[],
  stated: readonly StatedCondition[],
  context: ConditionContext,
): readonly Condition[] {
  const types = new Set([...OF_THE_CORE, ...stated.map(({ type }) => type)]);
  const kept = previous.filter(({ type }) => !types.has(type));
  return [...kept, ...stated.map((condition) => upsert(previous, condition, context))].sort(byType);
}

const OF_THE_CORE = ['Ready', 'Reconciling', 'Stalled'];

function byType(one: Condition, other: Condition): number {
  return one.type < other.type ? -1 : 1;
}

function readyAfter(
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
      before === undefined || hasFlipped ? toSeconds(context.nowMs) : before.lastTransitionTime,
    observedGeneration: context.generation,
  };
}

/** RFC 3339 in whole seconds, the only form that metav1.Time keeps. */
function toSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
