import type { Clock } from '../core/clock.ts';
import { STALENESS_BOUND_MS } from './load-balancers.ts';

interface Entry {
  underWay: number;
  endedAtMs: number;
}

/** When this process last wrote to which balancer. */
export interface WriteLedger {
  /** Runs `write`; the balancer counts as written to until its end, also if it fails. */
  during<T>(id: string, write: () => Promise<T>): Promise<T>;
  /** Counts `id` as written to just now. */
  touch(id: string): void;
  /** True if a look begun at `seenAtMs` (monotonic) cannot predate our last write to `id`. */
  isSettled(id: string, seenAtMs: number): boolean;
  /** Drops what can no longer unsettle a look begun at `seenAtMs` or later. */
  forget(seenAtMs: number): void;
}

export function createWriteLedger(clock: Clock): WriteLedger {
  const entries = new Map<string, Entry>();
  const isSettledAt = (entry: Entry, seenAtMs: number): boolean =>
    entry.underWay === 0 && seenAtMs >= entry.endedAtMs + STALENESS_BOUND_MS;

  const entryOf = (id: string): Entry => {
    const entry = entries.get(id) ?? { underWay: 0, endedAtMs: Number.NEGATIVE_INFINITY };
    entries.set(id, entry);
    return entry;
  };

  return {
    async during(id, write) {
      const entry = entryOf(id);
      entry.underWay++;
      try {
        return await write();
      } finally {
        entry.underWay--;
        entry.endedAtMs = clock.monotonicMs();
      }
    },
    touch(id) {
      entryOf(id).endedAtMs = clock.monotonicMs();
    },
    isSettled(id, seenAtMs) {
      const entry = entries.get(id);
      return entry === undefined || isSettledAt(entry, seenAtMs);
    },
    forget(seenAtMs) {
      for (const [id, entry] of entries) if (isSettledAt(entry, seenAtMs)) entries.delete(id);
    },
  };
}
