// Lives here: the kind MyApp: pods that print a banner, replaced one ready pod at a time.
// May import it: src/setup/my-app.ts.
// Start with: this file, then desired-pods.ts and replacement.ts.

import type { MyApp } from '../../apis/my-app.ts';
import { myAppReasons } from '../../apis/my-app-reasons.ts';
import type { Children, ChildrenOfOwner } from '../../core/children/children.ts';
import { checkOwned, ensureOwned, type OwnedChange } from '../../core/children/owned-objects.ts';
import { draftRepair } from '../../core/children/repair.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ChildWriter } from '../../core/ports/writers.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { rewordError } from '../../core/reconcile/operator-error.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import { lookAgainSoon } from '../../pods/hidden-pod.ts';
import type { Pod } from '../../pods/pod.ts';
import { readPodReady } from '../../pods/pod-state.ts';
import { describeLongTemplate, selectComparedPart } from '../../pods/pod-template.ts';
import { nameContainer } from './desired-pods.ts';
import { observeSlot, type Snapshot, takeSnapshot } from './observed-pods.ts';
import { NodeTime, type Now, planReplacements, type Replacement } from './replacement.ts';
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
      return reconcile({ object, pass, pods: own, now: time.read(object) });
    },
    forget: (key) => time.forget(key),
  };
}

/** Everything that one pass works with. */
interface Scope {
  readonly object: MyApp;
  readonly pass: Pass;
  readonly pods: ChildrenOfOwner<Pod>;
  readonly now: Now;
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pods, now } = scope;
  const snapshot = takeSnapshot(object, pods);
  report(snapshot, scope);
  const observed = describeLongTemplate(object.spec.podTemplate);
  if (observed) throw createFailure(myAppReasons, 'PodTemplateTooLong', { observed });
  const found: Found = { written: new Map(), hidden: new Map(), replaced: new Set() };
  try {
    await replace(snapshot, found, scope);
  } finally {
    // A pod that cannot be replaced, or repaired, keeps no other from being created, deleted or replaced.
    await ensureAll(snapshot, found, scope);
  }
  const after = takeFuller(found, scope);
  report(after, scope);
  const outcome = judgeSlots(after, now);
  return found.hidden.size === 0 ? outcome : lookAgainSoon(outcome);
}

/** The pods that a pass knows beyond what the cache shows. */
interface Found {
  readonly written: Map<Key, Pod>;
  /** Those that cannot stay as they are, and have lost the label by which pods are watched. */
  readonly hidden: Map<Key, Pod>;
  /** UIDs of those that it has deleted. */
  readonly replaced: Set<string | undefined>;
}

function takeFuller({ written, hidden }: Found, { object, pods }: Scope): Snapshot {
  return takeSnapshot(object, pods, new Map([...written, ...hidden]));
}

async function ensureAll(snapshot: Snapshot, found: Found, scope: Scope): Promise<void> {
  try {
    await ensurePods(snapshot, found, scope);
  } finally {
    if (found.hidden.size > 0) await replace(takeFuller(found, scope), found, scope);
  }
}

function report(snapshot: Snapshot, { object, pass }: Scope): void {
  const [first] = snapshot.slots;
  pass.report(buildReport(object, snapshot));
  pass.setCondition(readPodReady(first && getPod(first)));
}

/** Their successors are created when they are gone. */
async function replace({ slots }: Snapshot, { replaced }: Found, scope: Scope): Promise<void> {
  const { object, pods, pass, now } = scope;
  const replacements = planReplacements(slots, now).filter(
    ({ pod }) => !replaced.has(pod.metadata.uid),
  );
  const [first] = slots;
  // A pod is not given up for one that the API server does not take.
  if (replacements.length > 0 && first) {
    await checkOwned(object, first.desired, describeCreateFailures(pods.writer));
  }
  for (const replacement of replacements) {
    pass.signal.throwIfAborted();
    pass.throwIfEdited();
    pass.disproveReady();
    const isKnown = pods.isDeleted(replacement.pod);
    await pods.writer.delete(replacement.pod);
    replaced.add(replacement.pod.metadata.uid);
    if (!isKnown) recordReplacement(pass, replacement);
  }
}

/** Deletes the surplus, creates what is missing, repairs what others changed. */
async function ensurePods(snapshot: Snapshot, found: Found, scope: Scope): Promise<void> {
  const { object, pods, pass } = scope;
  const own = { name: nameContainer(object), image: object.spec.image };
  const kept = snapshot.slots.filter(({ kind }) => kind === 'vacant' || kind === 'standing');
  if (!snapshot.slots.every((slot) => 'isReady' in slot && slot.isReady)) pass.disproveReady();
  const isFollowed = (pod: Pod): boolean => {
    const slot = kept.find(({ desired }) => getKey(desired) === getKey(pod));
    if (slot === undefined) return false;
    const { kind } = observeSlot(object, slot.desired, pod);
    if (kind === 'vacant' || kind === 'standing') return false;
    found.hidden.set(getKey(pod), pod);
    return true;
  };
  await ensureOwned(object, {
    desired: kept.map(({ desired }) => desired),
    // A pod that is being replaced is not desired as it is, and no surplus either.
    observed: { get: (key) => pods.observed.get(key), listOwned: () => snapshot.surplus },
    writer: describeCreateFailures(pods.writer),
    isFollowed,
    compare: (child) => selectComparedPart(child, own),
    isDeleted: (child) => pods.isDeleted(child),
    signal: pass.signal,
    throwIfEdited: () => pass.throwIfEdited(),
    onChange: (change) => {
      if (change.kind !== 'deleted') found.written.set(getKey(change.child), change.child);
      recordChange(pass, change);
    },
  });
}

/** Records one event and one log line for each write to a pod that had an effect. */
function recordChange(pass: Pass, change: OwnedChange): void {
  const { name } = change.child.metadata;
  switch (change.kind) {
    case 'created': {
      const note = `Pod ${name} created.`;
      // oxlint-disable-next-line albridge/log-messages-are-constant -- the article's sentence
      pass.log.info(note);
      return pass.recordEvent({ type: 'Normal', reason: 'PodCreated', action: 'Create', note });
    }
    case 'deleted': {
      const note = `Pod ${name} deleted: it is above spec.replicas`;
      pass.log.info('Deleted pod', { pod: name });
      return pass.recordEvent({ type: 'Normal', reason: 'PodDeleted', action: 'Delete', note });
    }
    case 'updated':
    case 'repaired': {
      pass.log.info('Repaired pod', { pod: name, fields: change.differences });
      return pass.recordEvent(draftRepair(`pod ${name}`, change.differences));
    }
    default:
      return change satisfies never;
  }
}

function recordReplacement(pass: Pass, { pod, why }: Replacement): void {
  const { name } = pod.metadata;
  const note = `Replacing pod ${name}: ${why}`;
  pass.log.info('Replacing pod', { pod: name, why });
  pass.recordEvent({ type: 'Normal', reason: 'PodReplaced', action: 'Replace', note });
}

/** The same writer, with the article's words before the reason of a pod that could not be created. */
function describeCreateFailures(writer: ChildWriter): ChildWriter {
  return {
    ...writer,
    create: (child) => describeFailure(child, writer.create(child)),
    check: (child) => describeFailure(child, writer.check(child)),
  };
}

async function describeFailure<T>(child: KubeObject, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw rewordError(error, (why) => `Failed to create pod ${child.metadata.name}: ${why}`);
  }
}

/** In the article's words. */
function createImageFailure(): unknown {
  const failure = createFailure(myAppReasons, 'ImageMissing', { observed: 'no spec.image' });
  return rewordError(failure, () => "Field 'spec.image' must be provided.");
}
