// Lives here: the kind ImmortalContainer: one pod that is replaced whenever it ends.
// May import it: src/setup/immortal-container.ts.
// Start with: this file, then desired-pod.ts and replacement.ts.

import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import { immortalContainerReasons } from '../../apis/immortal-container-reasons.ts';
import { classifyChild } from '../../core/children/child-state.ts';
import type { Children } from '../../core/children/children.ts';
import { getKey } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import type { Pod } from '../../pods/pod.ts';
import { describeLongTemplate } from '../../pods/pod-template.ts';
import { desirePod } from './desired-pod.ts';
import { awaitLeftover, awaitReplacement, replaceEnded, replaceOutdated } from './replacement.ts';
import { keepRunning } from './running.ts';
import type { Scope } from './status.ts';
import { Starts } from './status.ts';

export interface ImmortalContainerContext {
  readonly pods: Children<Pod>;
  readonly clock: Clock;
}

/** One ImmortalContainer, one pod that always comes back. The garbage collector deletes it with its object. */
export function createImmortalContainerReconciler(
  context: ImmortalContainerContext,
): Reconciler<ImmortalContainer> {
  const starts = new Starts();
  return {
    reconcile: (object, pass) => reconcile(buildScope(context, { object, pass, starts })),
    forget: (key) => starts.forget(key),
  };
}

/** Everything that one pass works with. */
function buildScope(
  { pods, clock }: ImmortalContainerContext,
  of: { readonly object: ImmortalContainer; readonly pass: Pass; readonly starts: Starts },
): Scope {
  if (of.object.spec?.image === undefined) {
    throw createFailure(immortalContainerReasons, 'SpecMissing', {
      observed: 'the object has no spec.image',
    });
  }
  const observed = describeLongTemplate(of.object.spec.podTemplate);
  if (observed) throw createFailure(immortalContainerReasons, 'PodTemplateTooLong', { observed });
  const own = pods.forOwner(of.object);
  return { ...of, pods: own, clock, desired: desirePod(of.object, own.observed) };
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pods, desired } = scope;
  const place = classifyChild(object, pods.observed.get(getKey(desired)), desired);
  switch (place.kind) {
    case 'stale':
      return awaitLeftover(place.child, scope);
    case 'terminating':
      return awaitReplacement(place.child, scope);
    case 'outdated':
      return replaceOutdated(place.child, scope);
    case 'current':
      return (await replaceEnded(place.child, scope)) ?? keepRunning(place.child, scope);
    case 'absent':
      return keepRunning(undefined, scope);
    default:
      return place satisfies never;
  }
}
