import { isPaused, isPlanOnly } from '../objects/annotations.ts';
import { findLeadingCondition, type StatedCondition } from '../objects/conditions.ts';
import { omitUndefined } from '../objects/fields.ts';
import { getKey, type Key, type KubeObject } from '../objects/kube-object.ts';
import type { ObjectCache } from '../ports/cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventDraft, EventRecorder } from '../ports/events.ts';
import type { Logger } from '../ports/logger.ts';
import type { ObjectWriter } from '../ports/writers.ts';
import { CoreReason, OperatorError } from '../reconcile/operator-error.ts';
import type { Waiting } from '../reconcile/outcome.ts';
import type { Pass } from '../reconcile/reconciler.ts';
import type { ReadYourWrites } from '../staleness/read-your-writes.ts';
import type { LateFinalizers } from './late-finalizers.ts';
import {
  type CoreStatus,
  computeStatus,
  hasSameStatus,
  type ObjectWithStatus,
  recordTransitions,
} from './status.ts';
import type { Verdict } from './verdict.ts';

export interface PassDependencies<T extends ObjectWithStatus> {
  readonly clock: Clock;
  readonly cache: Pick<ObjectCache<T>, 'get'>;
  readonly writer: ObjectWriter<T>;
  readonly events: EventRecorder;
  readonly writes: ReadYourWrites<T>;
  readonly lateFinalizers: LateFinalizers<T>;
  readonly finalizer: string | undefined;
  /**
   * Objects whose transitions are recorded up to here, and whose status was sent since: where the answer is lost it may
   * be stored, and no later pass would see a difference.
   */
  readonly unrecorded: Map<Key, T>;
}

export interface PassContext {
  readonly reconcileId: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The object went in spite of its finalizer: it has no status to write. */
  readonly hasVanished?: boolean;
}

/** The core's side of a Pass: gathers what the reconciler reports and keeps the write order. */
export class RunningPass<T extends ObjectWithStatus> implements Pass<T> {
  readonly key: Key;
  readonly reconcileId: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The object as the reconciler got it. */
  readonly begun: T;
  readonly recorded: T;
  readonly #deps: PassDependencies<T>;
  readonly #hasVanished: boolean;
  #object: T;
  #reported: Readonly<Record<string, unknown>> = {};
  readonly #stated = new Map<string, StatedCondition>();
  readonly #announced = new Map<string, EventDraft['type']>();
  #ensureFinalizer: Promise<void> | undefined;
  #isReadyDisproved = false;
  #isHalted = false;

  constructor(deps: PassDependencies<T>, object: T, context: PassContext) {
    this.key = getKey(object);
    this.reconcileId = context.reconcileId;
    this.signal = context.signal;
    this.log = context.log;
    this.#deps = deps;
    this.#hasVanished = context.hasVanished ?? false;
    this.begun = object;
    this.#object = object;
    this.recorded = this.#findUnrecorded() ?? object;
  }

  get reported(): Readonly<Record<string, unknown>> {
    return this.#reported;
  }

  get stated(): readonly StatedCondition[] {
    return [...this.#stated.values()];
  }

  /**
   * The object as the pass began with it, its version and status as this pass has last stored them:
   * what others changed meanwhile is for the next pass.
   */
  get object(): T {
    return this.#object;
  }

  /** The type of the event for each condition that is one. */
  get announced(): ReadonlyMap<string, EventDraft['type']> {
    return this.#announced;
  }

  get isReadyDisproved(): boolean {
    return this.#isReadyDisproved;
  }

  report(status: Readonly<Record<string, unknown>>): void {
    this.#reported = { ...this.#reported, ...status };
  }

  setCondition(condition: StatedCondition, announceAs?: EventDraft['type']): void {
    this.#stated.set(condition.type, condition);
    if (announceAs === undefined) this.#announced.delete(condition.type);
    else this.#announced.set(condition.type, announceAs);
  }

  async recordNow(meanwhile?: Waiting, needed: readonly string[] = []): Promise<void> {
    if (this.#hasVanished) return;
    // A Stalled object stays so until the pass ends: the next step may fail as it did before.
    const { conditions = [] } = this.#object.status ?? {};
    const shown = findLeadingCondition(conditions)?.type === 'Stalled' ? undefined : meanwhile;
    const status = this.#computeStatusNow(shown);
    if (hasSameStatus(this.#object, status)) return;
    if (!(await this.writeStatus(status))) throw createGoneError(this.key);
    this.#throwIfDropped({ ...status }, needed);
    if (shown !== undefined) this.recordTransitions(status, shown);
  }

  /** Since those that were recorded last. Call it when `status` is stored. */
  recordTransitions(status: CoreStatus, verdict: Verdict): void {
    if (verdict.kind === 'aborted') return;
    const since = this.#findUnrecorded() ?? this.#object;
    this.#deps.unrecorded.delete(this.key);
    recordTransitions(since, status, { verdict, pass: this });
  }

  /** Stores what a pass that `throwIfPaused` has ended reported; no condition changes for that. */
  async recordHalted(): Promise<void> {
    if (this.#isHalted) await this.recordNow();
  }

  recordEvent(event: EventDraft, regarding: KubeObject = this.#object): void {
    this.#deps.events.record(regarding, event);
  }

  pickNewest(held: T): T {
    return this.#deps.writes.pickNewest(held);
  }

  disproveReady(): void {
    this.#isReadyDisproved = true;
  }

  throwIfEdited(): void {
    const held = this.#deps.cache.get(this.key);
    const isSame = held !== undefined && held.metadata.uid === this.#object.metadata.uid;
    if (isSame ? this.#isAsBegun(held) : this.#mayCleanUp(held)) return;
    throw new OperatorError({
      reason: CoreReason.Conflict,
      message: `${this.key} was edited or lost its finalizer while a pass ran, which ends before its next write`,
      healedBy: 'time',
    });
  }

  throwIfGone(): void {
    const held = this.#deps.cache.get(this.key);
    if (held?.metadata.uid === this.#object.metadata.uid) return;
    throw new OperatorError({
      reason: CoreReason.Conflict,
      message: `${this.key} was deleted or replaced; the pass ends before its next write`,
      healedBy: 'time',
    });
  }

  throwIfPaused(): void {
    const held = this.#deps.cache.get(this.key);
    if (held === undefined || held.metadata.uid !== this.#object.metadata.uid) return;
    const newest = this.pickNewest(held);
    if (!isPaused(newest) && !isPlanOnly(newest)) return;
    this.#isHalted = true;
    throw new OperatorError({
      reason: CoreReason.Conflict,
      message: `${this.key} was paused or set to plan mode while a pass ran, which ends before its next write`,
      healedBy: 'time',
    });
  }

  /** Starts the write at the first call, so that reads may run beside it. */
  ensureFinalizer(): Promise<void> {
    this.#ensureFinalizer ??= this.#storeFinalizer();
    return this.#ensureFinalizer;
  }

  /**
   * False if the object is gone, or another one of the same name has taken its place. Conflict if its
   * status is not what this pass began with: what an earlier leader put on record would be taken back.
   */
  async writeStatus(status: CoreStatus): Promise<boolean> {
    const { status: stored = {} } = this.#object;
    this.#deps.unrecorded.set(this.key, this.#findUnrecorded() ?? this.#object);
    const fits = (live: T): boolean => hasSameStatus(live, stored);
    const written = await this.#deps.writer.applyStatus(this.#object, status, fits);
    if (written === undefined) {
      this.#deps.writes.recordMissing(this.#object);
      return false;
    }
    // Not what was sent: an older CRD drops the fields that it does not have.
    this.#remember(written, written.status ?? {});
    return true;
  }

  /** An API server drops what its CRD does not have. */
  #throwIfDropped(status: Readonly<Record<string, unknown>>, needed: readonly string[]): void {
    const stored: Readonly<Record<string, unknown>> = { ...this.#object.status };
    const dropped = needed.find((one) => status[one] !== undefined && stored[one] === undefined);
    if (dropped === undefined) return;
    throw new OperatorError({
      reason: CoreReason.StatusNotServed,
      message: `the API server does not keep status.${dropped} of ${this.key}, which has to be on record before the next step; apply the definitions of this version: kubectl apply --server-side -k crds`,
      healedBy: 'person',
    });
  }

  #findUnrecorded(): T | undefined {
    const object = this.#deps.unrecorded.get(this.key);
    return object?.metadata.uid === this.#object.metadata.uid ? object : undefined;
  }

  #computeStatusNow(meanwhile: Waiting | undefined): CoreStatus {
    const reported = this.#reported;
    if (meanwhile === undefined) return omitUndefined({ ...this.#object.status, ...reported });
    const report = { reported, stated: this.stated, verdict: meanwhile };
    const status = computeStatus(this.#object, report, this.#deps.clock.now());
    // A request is answered when the pass has done it.
    const { lastHandledReconcileAt } = this.#object.status ?? {};
    return omitUndefined({ ...status, lastHandledReconcileAt });
  }

  #isAsBegun(held: T): boolean {
    const newest = this.pickNewest(held);
    return this.#hasFinalizer(newest) && isSameDemand(newest, this.#object);
  }

  /** Behind an object that vanished; what is outside may be that of a successor with the finalizer. */
  #mayCleanUp(successor: T | undefined): boolean {
    return this.#hasVanished && !(successor && this.#hasFinalizer(successor));
  }

  /** True for a kind without one. */
  #hasFinalizer({ metadata }: T): boolean {
    const { finalizer } = this.#deps;
    return finalizer === undefined || metadata.finalizers?.includes(finalizer) === true;
  }

  async #storeFinalizer(): Promise<void> {
    const { finalizer, writer } = this.#deps;
    if (finalizer === undefined || this.#hasFinalizer(this.#object)) return;
    const stored = await writer.addFinalizer(this.#object, finalizer).catch((error: unknown) => {
      this.#deps.lateFinalizers.recordSent(this.#object);
      throw error;
    });
    this.#deps.lateFinalizers.recordStored(stored);
    this.#remember(stored);
  }

  #remember(written: T, status?: CoreStatus): void {
    const { resourceVersion } = written.metadata;
    const metadata = { ...this.#object.metadata, ...(resourceVersion && { resourceVersion }) };
    this.#object = { ...this.#object, ...(status && { status }), metadata };
    this.#deps.writes.record(this.key, written);
  }
}

function isSameDemand(one: KubeObject, other: KubeObject): boolean {
  return (
    one.metadata.generation === other.metadata.generation &&
    isPaused(one) === isPaused(other) &&
    isPlanOnly(one) === isPlanOnly(other)
  );
}

function createGoneError(key: Key): OperatorError {
  return new OperatorError({
    reason: CoreReason.Conflict,
    message: `record the status of ${key}: the object was deleted`,
    healedBy: 'time',
  });
}
