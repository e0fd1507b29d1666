// Lives here: the kind ImmortalContainer: one pod that is replaced whenever it ends.
// May import it: src/setup/immortal-container.ts.
// Start with: this file, then desired-pod.ts and replacement.ts.

import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import {
  type ImmortalContainerReason,
  immortalContainerReasons,
} from '../../apis/immortal-container-reasons.ts';
import { classifyChild } from '../../core/children/child-state.ts';
import type { Children } from '../../core/children/children.ts';
import { ensureOwned, type OwnedChange } from '../../core/children/owned-objects.ts';
import { draftRepair } from '../../core/children/repair.ts';
import { getKey, type KubeObject } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import { lookAgainSoon } from '../../pods/hidden-pod.ts';
import type { Pod } from '../../pods/pod.ts';
import { readPodState, readPodStateKind } from '../../pods/pod-state.ts';
import { describeLongTemplate, selectComparedPart } from '../../pods/pod-template.ts';
import { CONTAINER, desirePod } from './desired-pod.ts';
import {
  awaitLeftover,
  awaitReplacement,
  RECHECK_MS,
  replaceEnded,
  replaceOutdated,
} from './replacement.ts';
import { reportNoPod, reportPod, type Scope, Starts } from './status.ts';

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
  const own = pods.forOwner(of.object);
  return { ...of, pods: own, clock, desired: desirePod(of.object, own.observed) };
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { desired, object, pods } = scope;
  const pod = pods.observed.get(getKey(desired));
  const observed = describeLongTemplate(object.spec.podTemplate);
  if (observed === undefined) return followPod(pod, scope);
  const place = classifyChild(object, pod, desired);
  if (place.kind === 'absent' || place.kind === 'stale') reportNoPod(scope);
  else reportPod(place.child, scope);
  throw createFailure(immortalContainerReasons, 'PodTemplateTooLong', { observed });
}

async function followPod(observed: Pod | undefined, scope: Scope): Promise<Outcome> {
  const place = classifyChild(scope.object, observed, scope.desired);
  switch (place.kind) {
    case 'stale':
      return awaitLeftover(place.child, scope);
    case 'terminating':
      return awaitReplacement(place.child, scope);
    case 'outdated':
      return replaceOutdated(place.child, scope);
    case 'current':
      return readPodStateKind(place.child) === 'ended'
        ? judgePod(place.child, scope)
        : keepRunning(place.child, scope);
    case 'absent':
      return startPod(scope);
    default:
      return place satisfies never;
  }
}

/**
 * Creates the pod. One that is there already, and has lost the label by which pods are watched, is followed as if the
 * cache showed it: what others set in it may keep the label from being put back.
 */
async function startPod(scope: Scope): Promise<Outcome> {
  const { object, desired } = scope;
  let hidden: Pod | undefined;
  const isFollowed = (found: Pod): boolean => {
    const { kind } = classifyChild(object, found, desired);
    if (kind === 'absent' || kind === 'stale') return false;
    hidden = found;
    return true;
  };
  const outcome = await keepRunning(undefined, scope, isFollowed);
  return hidden === undefined ? outcome : followHidden(hidden, scope);
}

async function followHidden(hidden: Pod, scope: Scope): Promise<Outcome> {
  const { object, pods } = scope;
  const observed = { get: () => hidden, listOwned: () => [hidden] };
  reportPod(hidden, scope);
  const seen = { ...scope, pods: { ...pods, observed }, desired: desirePod(object, observed) };
  return lookAgainSoon(await followPod(hidden, seen));
}

/** Creates the pod if there is none, repairs what others changed in it, and reports its state. */
async function keepRunning(
  observed: Pod | undefined,
  scope: Scope,
  isFollowed?: (hidden: Pod) => boolean,
): Promise<Outcome> {
  const pod = (await ensurePod(observed, scope, isFollowed)) ?? observed;
  return pod === undefined ? awaitPodCache(scope) : judgePod(pod, scope);
}

/** A write's answer is newer than the cache. */
async function ensurePod(
  observed: Pod | undefined,
  scope: Scope,
  isFollowed: (hidden: Pod) => boolean = () => false,
): Promise<Pod | undefined> {
  const { object, pods, desired, pass } = scope;
  if (observed === undefined) {
    reportNoPod(scope);
    pass.disproveReady();
  }
  let written: Pod | undefined;
  const onChange = (change: OwnedChange): void => {
    written = change.child;
    recordChange(change, scope);
  };
  const own = { name: CONTAINER, image: object.spec.image };
  const compare = (child: KubeObject): KubeObject => selectComparedPart(child, own);
  const owned = { ...pods, desired: [desired], signal: pass.signal, onChange, compare, isFollowed };
  await ensureOwned(object, owned);
  return written;
}

function recordChange(change: OwnedChange, scope: Scope): void {
  if (change.kind === 'created') return recordStart(change.child, scope);
  const { name } = change.child.metadata;
  const differences = 'differences' in change ? change.differences : [];
  scope.pass.log.info(change.kind === 'deleted' ? 'Deleted pod' : 'Repaired pod', {
    pod: name,
    fields: differences,
  });
  if (change.kind === 'deleted') return;
  scope.pass.recordEvent(draftRepair(`pod ${name}`, differences));
}

/** One event for each start, with its number and why the pod before it is no more. */
function recordStart(pod: Pod, { object, pass, starts }: Scope): void {
  const { name } = pod.metadata;
  const { startTimes } = starts.countNew(pass.key, object, pod);
  const isFirst = startTimes === 1;
  const why = object.status?.replacementReason ?? 'Deleted';
  pass.log.info('Created pod', { pod: name, startTimes, ...(!isFirst && { why }) });
  pass.recordEvent({
    type: 'Normal',
    reason: isFirst ? 'PodCreated' : 'PodReplaced',
    action: 'Create',
    note: isFirst ? `Created pod ${name}` : `Recreated pod ${name} (${why}), start ${startTimes}`,
  });
}

function judgePod(pod: Pod, scope: Scope): Outcome | Promise<Outcome> {
  const state = readPodState(pod, CONTAINER);
  if (state.kind === 'ended') return replaceEnded(pod, state.end, scope);
  const { starts, pass, object } = scope;
  reportPod(pod, scope);
  pass.report({ replacementReason: undefined });
  if (state.kind === 'ready') {
    const { startTimes } = starts.getRecord(pass.key, object);
    const message = `pod ${pod.metadata.name} is running, start ${startTimes}`;
    return settled('Running' satisfies ImmortalContainerReason, message);
  }
  const { reason, message } = state;
  if (reason === 'InvalidImage') {
    throw createFailure(immortalContainerReasons, reason, { observed: message });
  }
  return waiting(reason, message, RECHECK_MS);
}

/** Created by another replica, or just now by nobody knows whom: the watch will show it. */
function awaitPodCache(scope: Scope): Outcome {
  const { name } = scope.desired.metadata;
  return waiting(
    'Starting' satisfies ImmortalContainerReason,
    `waiting for the pod cache to show pod ${name}`,
    1_000,
  );
}
