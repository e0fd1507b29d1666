// Lives here: the engine: watch, queue, pass, finalizer, status, retry.
// May import it: src/setup takes controller.ts. The rest is private to the engine, by a layer rule.
// Start with: this file, then lifecycle.ts and retry-policy.ts.

import { isDeepStrictEqual } from 'node:util';
import type { Children, ChildrenGate } from '../children/children.ts';
import { getKey, type Key, type KubeObject, splitKey } from '../objects/kube-object.ts';
import { type Change, listStates, type ObjectCache } from '../ports/cache.ts';
import { type Clock, drawHex8, startDeadline } from '../ports/clock.ts';
import type { EventRecorder } from '../ports/events.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ObjectWriter } from '../ports/writers.ts';
import { Backoff, type BackoffOptions } from '../queue/backoff.ts';
import {
  type Enqueue,
  KeyQueue,
  type KeySource,
  LOW_PRIORITY,
  type TakenKey,
} from '../queue/key-queue.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import { ReadYourWrites } from '../staleness/read-your-writes.ts';
import { ConditionMetrics, ControllerMetrics, createQueueObserver } from './controller-metrics.ts';
import { LateFinalizers } from './late-finalizers.ts';
import { type LifecycleDependencies, runPass } from './lifecycle.ts';
import { decideRetry, type RetryDecision } from './retry-policy.ts';
import type { ObjectWithStatus } from './status.ts';
import type { Verdict } from './verdict.ts';

export interface ControllerOptions<T extends ObjectWithStatus> {
  /** Lower-case name for logs and metrics. */
  readonly name: string;
  readonly cache: ObjectCache<T>;
  readonly writer: ObjectWriter<T>;
  readonly reconciler: Reconciler<T>;
  /** Set when the reconciler has something to clean up. */
  readonly finalizer?: string;
  /** An object that it leaves out gets no pass for its changes, unless it counted just before. */
  readonly predicate?: (object: T) => boolean;
  readonly sources?: readonly KeySource[];
  /** Kinds of objects that its objects own: a change of one, and an own write to one, count. */
  readonly children?: readonly (ChildrenGate & Pick<Children<KubeObject>, 'source'>)[];
  /** `foreign`: the objects are not ours, their status is never written; default `ours`. */
  readonly status?: 'ours' | 'foreign';
  /** `ALBRIDGE_MODE=observe`: nothing but status is written. */
  readonly isObserver?: boolean;
  readonly concurrency: number;
  /** Deadline of a pass, in ms. */
  readonly deadlineMs: number;
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Watches one kind, queues its keys and runs passes over them until stopped. */
export class Controller<T extends ObjectWithStatus> {
  readonly #options: ControllerOptions<T>;
  readonly #queue: KeyQueue;
  readonly #backoff: Backoff;
  readonly #metrics: ControllerMetrics;
  readonly #conditions: ConditionMetrics;
  readonly #lifecycle: LifecycleDependencies<T>;
  readonly #stopping = new AbortController();
  readonly #running = new Map<Key, number>();
  /** Keys whose last pass failed, and the reason. */
  readonly #failed = new Map<Key, string>();
  readonly #stopSources: (() => void)[] = [];
  #workers: Promise<unknown> = Promise.resolve();

  constructor(options: ControllerOptions<T>) {
    const { clock, metrics, name } = options;
    this.#options = options;
    this.#queue = new KeyQueue(clock, createQueueObserver(metrics, name));
    this.#backoff = new Backoff(clock, options.backoff);
    this.#metrics = new ControllerMetrics(metrics, name, options.concurrency);
    this.#conditions = new ConditionMetrics(metrics, name);
    this.#lifecycle = {
      ...options,
      events: this.#metrics.countRepairs(options.events),
      finalizer: options.finalizer,
      writes: new ReadYourWrites(clock, options.cache),
      lateFinalizers: new LateFinalizers<T>(clock, {
        cache: options.cache,
        finalizer: options.finalizer,
      }),
      unrecorded: new Map(),
      onStaleRead: () => this.#metrics.recordStaleRead(),
    };
  }

  /** In logs and metrics. */
  get name(): string {
    return this.#options.name;
  }

  /** Call once, after the caches are filled: what they hold arrives with low priority. */
  start(): void {
    const { cache, children = [], concurrency, sources = [] } = this.#options;
    const enqueue: Enqueue = (key, options) => this.#queue.add(key, options);
    this.#stopSources.push(cache.subscribe((change) => this.#onChange(change)));
    for (const source of [...sources, ...children.map((kind) => kind.source)]) {
      this.#stopSources.push(source(enqueue));
    }
    this.#workers = Promise.all(Array.from({ length: concurrency }, () => this.#work()));
  }

  /** Starts no further pass, aborts every wait, and resolves when the running passes have ended. */
  async stop(reason: Error): Promise<void> {
    for (const stopSource of this.#stopSources.splice(0)) stopSource();
    this.#queue.shutDown();
    this.#stopping.abort(reason);
    await this.#workers;
  }

  /** Passes that have outlived their deadline by `graceMs`: they ignore their signal. */
  listStuckPasses(graceMs: number): readonly Key[] {
    const { clock, deadlineMs } = this.#options;
    const oldest = clock.monotonicMs() - deadlineMs - graceMs;
    return [...this.#running].filter(([, startedMs]) => startedMs < oldest).map(([key]) => key);
  }

  /** Requeues keys whose pass failed for this reason, and those that run now and may fail for it. */
  requeueFailed(reason: string): void {
    const failed = [...this.#failed].filter(([, why]) => why === reason).map(([key]) => key);
    for (const key of [...failed, ...this.#running.keys()]) this.#queue.add(key);
  }

  /** Call before each scrape. */
  refreshMetrics(): void {
    const { cache, clock, status } = this.#options;
    this.#metrics.refreshAges(clock.monotonicMs());
    if (status !== 'foreign') this.#conditions.refresh(cache.list(), clock.now());
  }

  #onChange(change: Change<T>): void {
    const isOthersStatus = this.#isOthersStatus(change);
    this.#lifecycle.writes.recordChange(change);
    this.#lifecycle.lateFinalizers.recordChange(change);
    const { finalizer, predicate = () => true } = this.#options;
    if (!listStates(change).some(predicate)) return;
    if (!isOthersStatus && !shouldReconcile(change, finalizer)) return;
    const isInitial = change.kind === 'added' && change.isInitial;
    this.#queue.add(getKey(change.object), { priority: isInitial ? LOW_PRIORITY : 0 });
  }

  /**
   * The leader before may have written it after this process read the object for the last time: what that status
   * records is continued by nobody else. During a pass it counts as our own, whose answer may come later.
   */
  #isOthersStatus(change: Change<T>): boolean {
    const { kind, object } = change;
    if (kind !== 'updated' || this.#options.status === 'foreign') return false;
    if (isDeepStrictEqual(object.status, change.previous.status)) return false;
    return !this.#running.has(getKey(object)) && !this.#lifecycle.writes.isOwn(object);
  }

  async #work(): Promise<void> {
    for (;;) {
      const taken = await this.#queue.take();
      if (taken === undefined) return;
      await this.#runOne(taken);
      this.#queue.done(taken.key);
    }
  }

  async #runOne(taken: TakenKey): Promise<void> {
    const { clock, deadlineMs } = this.#options;
    const startedMs = clock.monotonicMs();
    this.#running.set(taken.key, startedMs);
    this.#metrics.recordStart(taken, startedMs);
    const bound = startDeadline(clock, deadlineMs, this.#stopping.signal);
    // 16 digits: enough to find one pass in a log.
    const reconcileId = drawHex8(clock) + drawHex8(clock);
    const log = this.#options.log.child({
      ...this.#describeKey(taken.key),
      reconcileID: reconcileId,
    });
    const verdict = await runPass(this.#lifecycle, taken.key, {
      reconcileId,
      signal: bound.signal,
      log,
    });
    bound.release();
    this.#running.delete(taken.key);
    const decision = decideRetry(verdict, clock);
    this.#metrics.recordEnd(taken, clock.monotonicMs(), { verdict, decision });
    this.#settle(taken, verdict, decision);
  }

  #settle(taken: TakenKey, verdict: Verdict, decision: RetryDecision): void {
    const { key, priority } = taken;
    if (verdict.kind === 'failed') this.#failed.set(key, verdict.error.reason);
    else this.#failed.delete(key);
    switch (decision.kind) {
      case 'awaitChange':
        return this.#backoff.forget(key);
      case 'after':
        if (verdict.kind !== 'failed') this.#backoff.forget(key);
        return this.#queue.add(key, { priority, afterMs: decision.delayMs });
      case 'backoff':
        return this.#queue.add(key, {
          priority,
          afterMs: this.#backoff.drawDelayMs(key, decision.notBeforeMs),
        });
      default:
        return decision satisfies never;
    }
  }

  #describeKey(key: Key): Record<string, string> {
    return { controller: this.#options.name, key, ...splitKey(key) };
  }
}

/**
 * True for a change that a pass could act on. Writes to status alone are not: answering our own
 * would make every pass cause the next.
 */
export function shouldReconcile(change: Change<KubeObject>, finalizer?: string): boolean {
  if (change.kind !== 'updated') return true;
  const { object, previous } = change;
  if (object.metadata.generation === undefined) return hasChanged(object, previous);
  return (
    object.metadata.uid !== previous.metadata.uid ||
    object.metadata.generation !== previous.metadata.generation ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    !isDeepStrictEqual(object.metadata.annotations, previous.metadata.annotations) ||
    hasLostFinalizer(object, previous, finalizer)
  );
}

/**
 * ConfigMaps, Services and others are given no generation, so all of the object is compared but its
 * status and what changes with every write.
 */
function hasChanged(object: KubeObject, previous: KubeObject): boolean {
  return !isDeepStrictEqual(pickContent(object), pickContent(previous));
}

function pickContent(object: KubeObject): object {
  const { metadata, status: _status, ...content } = object as KubeObject & { status?: unknown };
  return { ...content, metadata: { ...metadata, resourceVersion: '' } };
}

function hasLostFinalizer(object: KubeObject, previous: KubeObject, finalizer?: string): boolean {
  if (finalizer === undefined) return false;
  const had = previous.metadata.finalizers?.includes(finalizer) ?? false;
  return had && !object.metadata.finalizers?.includes(finalizer);
}
