// Lives here: the kind MyApp: pods that print a banner, replaced one ready pod at a time.
// May import it: src/setup/my-app.ts.
// Start with: this file, then desired-pods.ts and replacement.ts.

import type { MyApp } from '../../apis/my-app.ts';
import { myAppReasons } from '../../apis/my-app-reasons.ts';
import type { Children, ChildrenOfOwner } from '../../core/children/children.ts';
import { ensureOwned } from '../../core/children/owned-objects.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { rewordError } from '../../core/reconcile/operator-error.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import type { Pod } from '../../pods/pod.ts';
import { readPodReady } from '../../pods/pod-state.ts';
import { describeCreateFailures, recordChange, recordReplacement } from './events.ts';
import { type Snapshot, takeSnapshot } from './observed-pods.ts';
import { NodeTime, planReplacements } from './replacement.ts';
import { buildReport, getPod, judgeSlots } from './status.ts';

export interface MyAppContext {
  readonly pods: Children<Pod>;
  readonly clock: Clock;
}

/** One MyApp, the pods that it wants. They go with it, by the garbage collector. */
export function createMyAppReconciler({ pods, clock }: MyAppContext): Reconciler<MyApp> {
  const time = new NodeTime(clock);
  return {
    reconcile: (object, pass) => {
      if (!object.spec?.image) throw createImageFailure();
      const own = pods.forOwner(object);
      return reconcile({ object, pass, pods: own, nowMs: time.nowMs(object, own.listOwned()) });
    },
    forget: (key) => time.forget(key),
  };
}

/** Everything that one pass works with. */
interface Scope {
  readonly object: MyApp;
  readonly pass: Pass;
  readonly pods: ChildrenOfOwner<Pod>;
  readonly nowMs: number;
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pods, nowMs } = scope;
  const snapshot = takeSnapshot(object, pods);
  report(snapshot, scope);
  await replace(snapshot, scope);
  const written = await ensurePods(snapshot, scope);
  const after = takeSnapshot(object, pods, written);
  report(after, scope);
  return judgeSlots(after, nowMs);
}

function report(snapshot: Snapshot, { object, pass }: Scope): void {
  const [first] = snapshot.slots;
  pass.report(buildReport(object, snapshot));
  pass.setCondition(readPodReady(first && getPod(first)));
}

/** Their successors are created when they are gone. */
async function replace({ slots }: Snapshot, { pods, pass, nowMs }: Scope): Promise<void> {
  for (const replacement of planReplacements(slots, nowMs)) {
    pass.signal.throwIfAborted();
    pass.disproveReady();
    await pods.writer.delete(replacement.pod);
    recordReplacement(pass, replacement);
  }
}

/** Creates what is missing, repairs what others changed, deletes the surplus; returns what it wrote. */
async function ensurePods(snapshot: Snapshot, scope: Scope): Promise<ReadonlyMap<Key, Pod>> {
  const { object, pods, pass } = scope;
  const kept = snapshot.slots.filter(({ kind }) => kind === 'vacant' || kind === 'standing');
  if (!snapshot.slots.every((slot) => 'isReady' in slot && slot.isReady)) pass.disproveReady();
  const written = new Map<Key, Pod>();
  await ensureOwned(object, {
    desired: kept.map(({ desired }) => desired),
    // A pod that is being replaced is not desired as it is, and no surplus either.
    observed: { get: (key) => pods.observed.get(key), listOwned: () => snapshot.surplus },
    writer: describeCreateFailures(pods.writer),
    signal: pass.signal,
    onChange: (change) => {
      if (change.kind !== 'deleted') written.set(getKey(change.child), change.child);
      recordChange(pass, change);
    },
  });
  return written;
}

/** In the article's words. */
function createImageFailure(): unknown {
  const failure = createFailure(myAppReasons, 'ImageMissing', { observed: 'no spec.image' });
  return rewordError(failure, () => "Field 'spec.image' must be provided.");
}
