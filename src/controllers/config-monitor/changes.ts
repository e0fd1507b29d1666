import type { Clock } from '../../core/clock.ts';
import type { Key } from '../../core/kube-object.ts';

/** However often the data changes, so long after the first time it is acted on. */
const MAX_WAIT_MS = 30_000;

type Uids = ReadonlySet<string>;

/** Data that has been seen and not been acted on. */
export interface DataChange {
  readonly hash: string;
  /** Of the Clock, monotonic. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** Pods that may have been started with other data than this. Those that come later have it. */
  readonly pods: Uids;
}

interface Noted extends DataChange {
  /** The pods that there were when the data changed for the first time: they have the data on record. */
  readonly atFirst: Uids;
}

/** Data that is there now, and what is on record as the data of the pods. */
interface Sight {
  readonly hash: string;
  readonly recorded: string | undefined;
  /** The pods that there are, past every cache: no clock and no watch tells what is older than the data. */
  readonly live: Uids;
}

/**
 * Changes in their quiet period. Kept in memory alone: whoever starts anew sees the hash in status
 * differ, and begins the quiet period again.
 */
export class Changes {
  readonly #clock: Clock;
  readonly #seen = new Map<Key, Noted>();
  readonly #toldSince = new Map<Key, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For data other than that of `get`. Where the old data is back, whoever came meanwhile lacks it. */
  note(key: Key, { hash, recorded, live }: Sight): DataChange {
    const before = this.#seen.get(key);
    const nowMs = this.#clock.monotonicMs();
    const atFirst = before?.atFirst ?? live;
    const change = {
      hash,
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      lastSeenMs: nowMs,
      pods: hash === recorded ? new Set([...live].filter((uid) => !atFirst.has(uid))) : live,
      atFirst,
    };
    this.#seen.set(key, change);
    return change;
  }

  get(key: Key): DataChange | undefined {
    return this.#seen.get(key);
  }

  /** How long the quiet period still lasts, in ms. */
  quietForMs({ firstSeenMs, lastSeenMs }: DataChange, debounceSeconds: number): number {
    const dueMs = Math.min(lastSeenMs + debounceSeconds * 1000, firstSeenMs + MAX_WAIT_MS);
    return Math.max(0, dueMs - this.#clock.monotonicMs());
  }

  /** Whether this was not asked yet since the last restart. */
  isFirstSince(key: Key, lastRestartTime: string): boolean {
    if (this.#toldSince.get(key) === lastRestartTime) return false;
    this.#toldSince.set(key, lastRestartTime);
    return true;
  }

  /** The data is on record. */
  settle(key: Key): void {
    this.#seen.delete(key);
  }

  /** The object is gone. */
  forget(key: Key): void {
    this.#seen.delete(key);
    this.#toldSince.delete(key);
  }
}
