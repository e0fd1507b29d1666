import { PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import { controllerOf, judgeOwner } from '../owner-invariants.ts';
import { isReady } from '../world/pod-facts.ts';
import { isOperator, type Stage } from '../world/stage.ts';

/** One pod that was made for an object. */
export interface PodLife {
  readonly owner: string;
  readonly bornMs: number;
  /** Infinity while it is there. */
  goneMs: number;
}

interface Status {
  readonly startTimes: number;
  readonly currentPodUID: string;
}

/** What must hold for every write of the operator to an ImmortalContainer and its pod. */
export class PodInvariants {
  /** Every pod that was ever made for an object, by UID. */
  readonly pods = new Map<string, PodLife>();
  readonly #stage: Stage;
  readonly #owner: ServedKind;

  constructor(stage: Stage, owner: ServedKind) {
    this.#stage = stage;
    this.#owner = owner;
  }

  onCommit(commit: Commit): void {
    const { kind, object, before, by } = commit;
    if (kind === PODS) this.#count(commit);
    if (!isOperator(by)) return;
    if (kind === PODS) this.#judgeDeletion(commit);
    if (kind !== this.#owner) return;
    judgeOwner(object, before, this.#stage.report);
    this.#judgeStarts(object, before);
  }

  #count({ type, object }: Commit): void {
    const nowMs = this.#stage.clock.monotonicMs();
    const { uid } = object.metadata;
    const owner = controllerOf(object, this.#owner.kind);
    if (type === 'ADDED' && owner !== undefined) {
      this.pods.set(uid, { owner, bornMs: nowMs, goneMs: Number.POSITIVE_INFINITY });
    }
    const known = this.pods.get(uid);
    if (type === 'DELETED' && known) known.goneMs = nowMs;
  }

  /** One of two leaders may have written Ready for the pod meanwhile. */
  #judgeDeletion({ type, object, before }: Commit): void {
    const { clock, isLeaseDoubtful, model, report } = this.#stage;
    const isLeaving = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    // What the operator repairs in one that others delete sends nothing away.
    const isSent = isLeaving && before?.metadata.deletionTimestamp === undefined;
    if (!isSent || before === undefined || isLeaseDoubtful(clock.monotonicMs())) return;
    const uid = controllerOf(before, this.#owner.kind);
    const owner = model.table.list(this.#owner).find(({ metadata }) => metadata.uid === uid);
    if (owner === undefined || !isReady(owner)) return;
    report('not-ready-while-restarting', `${keyOfStored(owner)}, whose pod is sent away`);
  }

  #judgeStarts(object: StoredObject, before: StoredObject | undefined): void {
    const { report } = this.#stage;
    const key = keyOfStored(object);
    const [is, was] = [statusOf(object), statusOf(before)];
    const made = [...this.pods.values()].filter(({ owner }) => owner === object.metadata.uid);
    if (is.startTimes > made.length) {
      report(
        'starts-counted',
        `${key} says ${is.startTimes} starts, there were ${made.length} pods`,
      );
    }
    const nowMs = this.#stage.clock.monotonicMs();
    // With two leaders at a time the later write wins.
    if (is.startTimes < was.startTimes && !this.#stage.isLeaseDoubtful(nowMs)) {
      report('starts-counted', `${key} went from ${was.startTimes} to ${is.startTimes} starts`);
    }
    if (!isReady(object) || this.pods.get(is.currentPodUID)?.owner === object.metadata.uid) return;
    report('ready-is-true', `${key} is Ready with the pod ${is.currentPodUID}`);
  }
}

function statusOf(object: StoredObject | undefined): Status {
  return {
    startTimes: 0,
    currentPodUID: '',
    ...(object?.['status'] as Partial<Status> | undefined),
  };
}
