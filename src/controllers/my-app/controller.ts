import type { MyApp } from '../../apis/my-app.ts';
import type { MyAppReason } from '../../apis/my-app-reasons.ts';
import type { Pod } from '../../apis/pod.ts';
import { podReadyOf } from '../../apis/pod-ready.ts';
import type { Children, ChildrenOfOne } from '../../core/children.ts';
import type { Clock } from '../../core/clock.ts';
import { type Key, keyOf } from '../../core/kube-object.ts';
import { OperatorError } from '../../core/operator-error.ts';
import type { Outcome } from '../../core/outcome.ts';
import { ensureOwned } from '../../core/owned-objects.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { tellChange, tellingFailures, tellReplacement } from './announcements.ts';
import { type Look, lookAt } from './look.ts';
import { NodeTime } from './node-time.ts';
import { outcomeOf } from './outcome.ts';
import { replacementsOf } from './replacement.ts';
import { podIn, reportOf } from './report.ts';

export interface MyAppContext {
  readonly pods: Children<Pod>;
  readonly clock: Clock;
}

/** One MyApp, the pods that it wants. They go with it, by the garbage collector. */
export function myAppReconciler({ pods, clock }: MyAppContext): Reconciler<MyApp> {
  const time = new NodeTime(clock);
  return {
    reconcile: (object, pass) => {
      if (!object.spec?.image) throw imageMissing();
      const own = pods.of(object);
      return reconcile({ object, pass, pods: own, nowMs: time.nowMs(object, own.ownedBy()) });
    },
    forget: (key) => time.forget(key),
  };
}

/** Everything that one pass works with. */
interface Scope {
  readonly object: MyApp;
  readonly pass: Pass;
  readonly pods: ChildrenOfOne<Pod>;
  readonly nowMs: number;
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pods, nowMs } = scope;
  const look = lookAt(object, pods);
  report(look, scope);
  await replace(look, scope);
  const written = await ensurePods(look, scope);
  const after = lookAt(object, pods, written);
  report(after, scope);
  return outcomeOf(after, nowMs);
}

function report(look: Look, { object, pass }: Scope): void {
  const [first] = look.slots;
  pass.report(reportOf(object, look));
  pass.condition(podReadyOf(first && podIn(first)));
}

/** Their successors are created when they are gone. */
async function replace({ slots }: Look, { pods, pass, nowMs }: Scope): Promise<void> {
  for (const replacement of replacementsOf(slots, nowMs)) {
    pass.signal.throwIfAborted();
    pass.disproveReady();
    await pods.writer.delete(replacement.pod);
    tellReplacement(pass, replacement);
  }
}

/** Creates what is missing, mends what others changed, deletes the surplus; gives what it wrote. */
async function ensurePods(look: Look, scope: Scope): Promise<ReadonlyMap<Key, Pod>> {
  const { object, pods, pass } = scope;
  const kept = look.slots.filter(({ kind }) => kind === 'vacant' || kind === 'standing');
  if (!look.slots.every((slot) => 'isReady' in slot && slot.isReady)) pass.disproveReady();
  const written = new Map<Key, Pod>();
  await ensureOwned(object, {
    desired: kept.map(({ desired }) => desired),
    // A pod that is being replaced is not desired as it is, and no surplus either.
    observed: { get: (key) => pods.observed.get(key), ownedBy: () => look.surplus },
    writer: tellingFailures(pods.writer),
    signal: pass.signal,
    onChange: (change) => {
      if (change.kind !== 'deleted') written.set(keyOf(change.child), change.child);
      tellChange(pass, change);
    },
  });
  return written;
}

/** The article's sentence. */
function imageMissing(): OperatorError {
  return new OperatorError({
    reason: 'ImageMissing' satisfies MyAppReason,
    message: "Field 'spec.image' must be provided.",
    healedBy: 'person',
  });
}
