// Lives here: the work queue, one record for each key, and the backoff of a key.
// May import it: src/core/controller, src/core/children, src/controllers and src/setup.
// Start with: this file; heap.ts holds the keys that are not due.

import { type Key, splitKey } from '../objects/kube-object.ts';
import { type Clock, MAX_TIMER_MS } from '../ports/clock.ts';
import { Heap } from './heap.ts';

export interface AddOptions {
  /** Higher goes first; default 0. */
  readonly priority?: number;
  /** Not handed out before this many milliseconds from now; default 0, also for what is not a number. */
  readonly afterMs?: number;
}

export interface TakenKey {
  readonly key: Key;
  readonly priority: number;
  /** Time that the key was ready and waited for a worker. */
  readonly waitedMs: number;
}

/** Receives everything that a queue's metrics need. */
export interface QueueObserver {
  recordAdd(): void;
  recordDepth(priority: number, depth: number): void;
}

interface QueuedKey {
  readonly key: Key;
  priority: number;
  readyAtMs: number;
}

/** The priority of initial lists and scans, so that a person's edit never waits behind them. */
export const LOW_PRIORITY = -100;

/** Ready keys of one priority by namespace, the next to be served first; none of them is empty. */
type Rotation = Map<string, Map<Key, QueuedKey>>;

/**
 * One record per key, whatever the number of adds: a key that waits is merged (highest priority,
 * earliest time), a key that is being worked on is held back until `done`. So no key is ever worked
 * on twice at once, and a thousand changes during a pass cause one more pass. Within a priority the
 * namespaces take turns, so that the number of keys of one does not delay another. Else as
 * controller-runtime's priority queue:
 * https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue
 */
export class KeyQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #queued = new Map<Key, QueuedKey>();
  readonly #running = new Set<Key>();
  readonly #ready = new Map<number, Rotation>();
  readonly #delayed = new Heap<QueuedKey>((a, b) => a.readyAtMs < b.readyAtMs);
  readonly #depths = new Map<number, number>();
  readonly #takers: ((taken: TakenKey | undefined) => void)[] = [];
  #timerAtMs = Number.POSITIVE_INFINITY;
  #cancelTimer = (): void => {};
  #isShutDown = false;

  constructor(clock: Clock, observer?: QueueObserver) {
    this.#clock = clock;
    this.#observer = observer;
  }

  add(key: Key, options: AddOptions = {}): void {
    if (this.#isShutDown) return;
    this.#observer?.recordAdd();
    const { priority = 0, afterMs = 0 } = options;
    const readyAtMs = this.#clock.monotonicMs() + Math.max(0, afterMs || 0);
    const queued = this.#queued.get(key);
    if (queued === undefined) {
      const record = { key, priority, readyAtMs };
      this.#queued.set(key, record);
      this.#place(record);
      return this.#serve();
    }
    if (priority <= queued.priority && readyAtMs >= queued.readyAtMs) return;
    this.#unplace(queued);
    queued.priority = Math.max(queued.priority, priority);
    queued.readyAtMs = Math.min(queued.readyAtMs, readyAtMs);
    this.#place(queued);
    this.#serve();
  }

  /** The next key, to be given back with `done`; undefined once the queue is shut down. */
  take(): Promise<TakenKey | undefined> {
    if (this.#isShutDown) return Promise.resolve(undefined);
    const taken = this.#takeReady();
    if (taken !== undefined) return Promise.resolve(taken);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: Key): void {
    this.#running.delete(key);
    const queued = this.#queued.get(key);
    if (queued !== undefined && queued.readyAtMs <= this.#clock.monotonicMs()) {
      this.#unplace(queued);
      this.#place(queued);
      this.#serve();
    }
  }

  /** Forgets what is queued and sends every taker home; running keys finish on their own. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#cancelTimer();
    this.#queued.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  /** Keys that wait for a worker or for their time. */
  get size(): number {
    return this.#queued.size;
  }

  #place(record: QueuedKey): void {
    if (record.readyAtMs > this.#clock.monotonicMs()) {
      this.#delayed.push(record);
      return this.#armTimer();
    }
    if (this.#running.has(record.key)) return;
    const rotation: Rotation = this.#ready.get(record.priority) ?? new Map();
    const { namespace } = splitKey(record.key);
    const line = rotation.get(namespace) ?? new Map<Key, QueuedKey>();
    this.#ready.set(record.priority, rotation.set(namespace, line.set(record.key, record)));
    this.#changeDepth(record.priority, 1);
  }

  #unplace(record: QueuedKey): void {
    if (this.#removeReady(record)) return;
    this.#delayed.remove(record);
    if (this.#delayed.size === 0) this.#disarmTimer();
  }

  #serve(): void {
    while (this.#takers.length > 0) {
      const taken = this.#takeReady();
      if (taken === undefined) return;
      this.#takers.shift()?.(taken);
    }
  }

  #takeReady(): TakenKey | undefined {
    const record = this.#peekReady();
    if (record === undefined) return undefined;
    this.#removeReady(record);
    this.#queued.delete(record.key);
    this.#running.add(record.key);
    const waitedMs = this.#clock.monotonicMs() - record.readyAtMs;
    return { key: record.key, priority: record.priority, waitedMs };
  }

  /** The oldest key of the namespace whose turn it is; the namespace then waits for the others. */
  #peekReady(): QueuedKey | undefined {
    const rotation = this.#ready.get(Math.max(...this.#ready.keys()));
    const [next] = rotation ?? [];
    if (rotation === undefined || next === undefined) return undefined;
    const [namespace, line] = next;
    rotation.delete(namespace);
    rotation.set(namespace, line);
    return line.values().next().value;
  }

  /** False if the record is not ready. */
  #removeReady({ key, priority }: QueuedKey): boolean {
    const rotation = this.#ready.get(priority);
    const { namespace } = splitKey(key);
    const line = rotation?.get(namespace);
    if (rotation === undefined || !line?.delete(key)) return false;
    if (line.size === 0) rotation.delete(namespace);
    if (rotation.size === 0) this.#ready.delete(priority);
    this.#changeDepth(priority, -1);
    return true;
  }

  #armTimer(): void {
    const next = this.#delayed.peek();
    if (next === undefined || next.readyAtMs >= this.#timerAtMs) return;
    this.#cancelTimer();
    this.#timerAtMs = next.readyAtMs;
    const delayMs = Math.min(next.readyAtMs - this.#clock.monotonicMs(), MAX_TIMER_MS);
    this.#cancelTimer = this.#clock.setTimer(delayMs, () => this.#releaseDue());
  }

  #disarmTimer(): void {
    this.#cancelTimer();
    this.#timerAtMs = Number.POSITIVE_INFINITY;
  }

  /** All that is due gets its place before any is handed out: of those, priority decides. */
  #releaseDue(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    for (;;) {
      const next = this.#delayed.peek();
      if (next === undefined || next.readyAtMs > nowMs) break;
      this.#delayed.pop();
      this.#place(next);
    }
    this.#serve();
    this.#armTimer();
  }

  #changeDepth(priority: number, by: number): void {
    const depth = (this.#depths.get(priority) ?? 0) + by;
    this.#depths.set(priority, depth);
    this.#observer?.recordDepth(priority, depth);
  }
}

/** Puts keys into the queue until it is stopped: a watch on children, a drift scan, a poller. */
export type KeySource = (enqueue: Enqueue) => () => void;

export type Enqueue = (key: Key, options?: { priority?: number; afterMs?: number }) => void;
