import { isPaused, isPlanOnly } from '../objects/annotations.ts';
import type { StatedCondition } from '../objects/conditions.ts';
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

export interface PassDependencies<T extends ObjectWithStatus> {
  readonly clock: Clock;
  readonly cache: Pick<ObjectCache<T>, 'get'>;
  readonly writer: ObjectWriter<T>;
  readonly events: EventRecorder;
  readonly writes: ReadYourWrites<T>;
  readonly lateFinalizers: LateFinalizers<T>;
  readonly finalizer: string | undefined;
}

export interface PassContext {
  readonly reconcileId: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** The core's side of a Pass: gathers what the reconciler reports and keeps the write order. */
export class RunningPass<T extends ObjectWithStatus> implements Pass<T> {
  readonly key: Key;
  readonly reconcileId: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The object as the reconciler got it. */
  readonly begun: T;
  readonly #deps: PassDependencies<T>;
  #object: T;
  #reported: Readonly<Record<string, unknown>> = {};
  readonly #stated = new Map<string, StatedCondition>();
  readonly #announced = new Map<string, EventDraft['type']>();
  #ensureFinalizer: Promise<void> | undefined;
  #isReadyDisproved = false;

  constructor(deps: PassDependencies<T>, object: T, context: PassContext) {
    this.key = getKey(object);
    this.reconcileId = context.reconcileId;
    this.signal = context.signal;
    this.log = context.log;
    this.#deps = deps;
    this.begun = object;
    this.#object = object;
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

  async recordNow(meanwhile?: Waiting): Promise<void> {
    const before = this.#object;
    const status = this.#computeStatusNow(meanwhile);
    if (hasSameStatus(before, status)) return;
    if (!(await this.writeStatus(status))) throw createGoneError(this.key);
    if (meanwhile !== undefined)
      recordTransitions(before, status, { verdict: meanwhile, pass: this });
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
    // Another object of this name has passes of its own.
    if (held === undefined || held.metadata.uid !== this.#object.metadata.uid) return;
    if (isSameDemand(this.pickNewest(held), this.#object)) return;
    throw new OperatorError({
      reason: CoreReason.Conflict,
      message: `${this.key} was edited while a pass ran, which ends before its next write`,
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
    const fits = (live: T): boolean => hasSameStatus(live, stored);
    const written = await this.#deps.writer.applyStatus(this.#object, status, fits);
    if (written === undefined) {
      this.#deps.writes.recordMissing(this.#object);
      return false;
    }
    this.#remember(written, { status });
    return true;
  }

  #computeStatusNow(meanwhile: Waiting | undefined): CoreStatus {
    const reported = this.#reported;
    if (meanwhile === undefined) return omitUndefined({ ...this.#object.status, ...reported });
    const report = { reported, stated: this.stated, verdict: meanwhile };
    return computeStatus(this.#object, report, this.#deps.clock.now());
  }

  async #storeFinalizer(): Promise<void> {
    const { finalizer, writer } = this.#deps;
    if (finalizer === undefined || this.#object.metadata.finalizers?.includes(finalizer)) return;
    const stored = await writer.addFinalizer(this.#object, finalizer);
    this.#deps.lateFinalizers.recordStored(stored);
    this.#remember(stored);
  }

  #remember(written: T, change: { readonly status?: CoreStatus } = {}): void {
    const { resourceVersion } = written.metadata;
    const metadata = { ...this.#object.metadata, ...(resourceVersion && { resourceVersion }) };
    this.#object = { ...this.#object, ...change, metadata };
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
