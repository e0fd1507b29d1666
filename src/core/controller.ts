import { Backoff, type BackoffOptions } from './backoff.ts';
import { isWorthAPass } from './changes.ts';
import type { Children } from './children.ts';
import { type Clock, deadline, drawHex8 } from './clock.ts';
import type { EventRecorder } from './events.ts';
import { KeyQueue, LOW_PRIORITY, type TakenKey } from './key-queue.ts';
import type { Enqueue, KeySource } from './key-source.ts';
import { type Key, type KubeObject, keyOf, splitKey } from './kube-object.ts';
import { LateFinalizers } from './late-finalizers.ts';
import { type LifecycleDependencies, runPass } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { type Change, type ObjectCache, type ObjectWriter, statesOf } from './object-store.ts';
import { PassMetrics } from './pass-metrics.ts';
import { observeQueue } from './queue-metrics.ts';
import { ReadYourWrites } from './read-your-writes.ts';
import type { Reconciler } from './reconciler.ts';
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
  readonly children?: readonly Pick<Children<KubeObject>, 'source' | 'areVisible'>[];
  /** `foreign`: the objects are not ours, their status is never written; default `ours`. */
  readonly status?: 'ours' | 'foreign';
  readonly concurrency: number;
  /** How long one pass may take, in ms. */
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
  readonly #metrics: PassMetrics;
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
    this.#queue = new KeyQueue(clock, observeQueue(metrics, name));
    this.#backoff = new Backoff(clock, options.backoff);
    this.#metrics = new PassMetrics(metrics, name, options.concurrency);
    this.#lifecycle = {
      ...options,
      finalizer: options.finalizer,
      writes: new ReadYourWrites(clock, options.cache),
      lateFinalizers: new LateFinalizers<T>(clock, {
        cache: options.cache,
        finalizer: options.finalizer,
      }),
      onStaleRead: () => this.#metrics.staleRead(),
    };
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
  stuckPasses(graceMs: number): readonly Key[] {
    const { clock, deadlineMs } = this.#options;
    const oldest = clock.monotonicMs() - deadlineMs - graceMs;
    return [...this.#running].filter(([, startedMs]) => startedMs < oldest).map(([key]) => key);
  }

  /** What made passes fail for this reason may be healed, also for those that are about to fail. */
  requeueFailed(reason: string): void {
    const failed = [...this.#failed].filter(([, why]) => why === reason).map(([key]) => key);
    for (const key of [...failed, ...this.#running.keys()]) this.#queue.add(key);
  }

  refreshMetrics(): void {
    this.#metrics.age(this.#options.clock.monotonicMs());
  }

  #onChange(change: Change<T>): void {
    this.#lifecycle.writes.seen(change);
    this.#lifecycle.lateFinalizers.seen(change);
    const { finalizer, predicate = () => true } = this.#options;
    if (!statesOf(change).some(predicate) || !isWorthAPass(change, finalizer)) return;
    const isInitial = change.kind === 'added' && change.isInitial;
    this.#queue.add(keyOf(change.object), { priority: isInitial ? LOW_PRIORITY : 0 });
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
    this.#metrics.started(taken, startedMs);
    const bound = deadline(clock, deadlineMs, this.#stopping.signal);
    // 16 digits: enough to find one pass in a log.
    const reconcileId = drawHex8(clock) + drawHex8(clock);
    const log = this.#options.log.child({
      ...this.#logFields(taken.key),
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
    this.#metrics.ended(taken, clock.monotonicMs(), { verdict, decision });
    this.#settle(taken, verdict, decision);
  }

  #settle(taken: TakenKey, verdict: Verdict, decision: RetryDecision): void {
    const { key, priority } = taken;
    if (verdict.kind === 'failed') this.#failed.set(key, verdict.error.reason);
    else this.#failed.delete(key);
    switch (decision.kind) {
      case 'rest':
        return this.#backoff.forget(key);
      case 'after':
        if (verdict.kind !== 'failed') this.#backoff.forget(key);
        return this.#queue.add(key, { priority, afterMs: decision.delayMs });
      case 'backoff':
        return this.#queue.add(key, {
          priority,
          afterMs: this.#backoff.nextMs(key, decision.notBeforeMs),
        });
      default:
        return decision satisfies never;
    }
  }

  #logFields(key: Key): Record<string, string> {
    return { controller: this.#options.name, key, ...splitKey(key) };
  }
}
