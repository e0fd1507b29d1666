import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import type { ImmortalContainerReason } from '../../apis/immortal-container-reasons.ts';
import type { Pod } from '../../apis/pod.ts';
import type { Children } from '../../core/children.ts';
import type { Clock } from '../../core/clock.ts';
import { keyOf } from '../../core/kube-object.ts';
import { OperatorError } from '../../core/operator-error.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { placeOf } from '../../core/replaceable.ts';
import { desiredPod } from './desired-pod.ts';
import { awaitGoing, awaitReplacement, replaceEnded, replaceOutdated } from './replacement.ts';
import { keepRunning } from './running.ts';
import type { Scope } from './scope.ts';
import { Starts } from './starts.ts';

export interface ImmortalContainerContext {
  readonly pods: Children<Pod>;
  readonly clock: Clock;
}

/** One ImmortalContainer, one pod that always comes back. It goes with it, by the garbage collector. */
export function immortalContainerReconciler(
  context: ImmortalContainerContext,
): Reconciler<ImmortalContainer> {
  const starts = new Starts();
  return {
    reconcile: (object, pass) => reconcile(scopeOf(context, { object, pass, starts })),
    forget: (key) => starts.forget(key),
  };
}

/** Everything that one pass works with. */
function scopeOf(
  { pods, clock }: ImmortalContainerContext,
  of: { readonly object: ImmortalContainer; readonly pass: Pass; readonly starts: Starts },
): Scope {
  if (of.object.spec?.image === undefined) throw specMissing();
  const own = pods.of(of.object);
  return { ...of, pods: own, clock, desired: desiredPod(of.object, own.observed) };
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pods, desired } = scope;
  const place = placeOf(object, pods.observed.get(keyOf(desired)), desired);
  switch (place.kind) {
    case 'leftover':
      return awaitGoing(place.child, scope);
    case 'leaving':
      return awaitReplacement(place.child, scope);
    case 'outdated':
      return replaceOutdated(place.child, scope);
    case 'standing':
      return (await replaceEnded(place.child, scope)) ?? keepRunning(place.child, scope);
    case 'vacant':
      return keepRunning(undefined, scope);
    default:
      return place satisfies never;
  }
}

function specMissing(): OperatorError {
  return new OperatorError({
    reason: 'SpecMissing' satisfies ImmortalContainerReason,
    message: 'the object has no spec.image; give it one',
    healedBy: 'person',
  });
}
