import type { Clock } from '../../core/clock.ts';
import type { Key } from '../../core/kube-object.ts';
import type { LeanPod } from './lean-pod.ts';

/** However often the data changes, so long after the first time it is acted on. */
const MAX_WAIT_MS = 30_000;

/** Data that has been seen and not been acted on. */
export interface DataChange {
  readonly hash: string;
  /** Of the Clock, monotonic. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** Epoch milliseconds of the last sight. */
  readonly seenAtMs: number;
  /** UIDs of the pods that were there then: those that come later have the new data already. */
  readonly pods: ReadonlySet<string>;
}

/**
 * Changes in their quiet period. Kept in memory alone: whoever starts anew sees the hash in status
 * differ, and begins the quiet period again.
 */
export class Changes {
  readonly #clock: Clock;
  readonly #seen = new Map<Key, DataChange>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined where this very data has been noted already. */
  note(key: Key, hash: string, pods: readonly LeanPod[]): DataChange | undefined {
    const before = this.#seen.get(key);
    if (before?.hash === hash) return undefined;
    const nowMs = this.#clock.monotonicMs();
    const change = {
      hash,
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      lastSeenMs: nowMs,
      seenAtMs: this.#clock.now(),
      pods: new Set(pods.map(({ metadata }) => metadata.uid)),
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

  forget(key: Key): void {
    this.#seen.delete(key);
  }
}

/**
 * Whether the pod may have been started with other data than the newest. The API server counts its
 * creation in whole seconds, and one watch may run ahead of the other: in doubt it is restarted.
 */
export function mayBeOutdated({ metadata }: LeanPod, change: DataChange): boolean {
  if (change.pods.has(metadata.uid)) return true;
  return !(Date.parse(metadata.creationTimestamp ?? '') > change.seenAtMs);
}
