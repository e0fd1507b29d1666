import type { Clock } from '../../core/ports/clock.ts';
import { STALENESS_BOUND_MS } from '../elbv2/load-balancers.ts';

interface Entry {
  underWay: number;
  endedAtMs: number;
}

/** Id of what uses a target group: that changes with rules and listeners, and nothing else about it does. */
export function nameUse(arn: string): string {
  return `use of ${arn}`;
}

/** When this process last wrote to which resource, by name, ARN or id. */
export class WriteLedger {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `write`; the resource counts as written to until its end, also if it fails. */
  async during<T>(id: string, write: () => Promise<T>): Promise<T> {
    const entry = this.#getEntry(id);
    entry.underWay++;
    try {
      return await write();
    } finally {
      entry.underWay--;
      entry.endedAtMs = this.#clock.monotonicMs();
    }
  }

  /** As `during`, of each of them. */
  duringAll<T>(ids: readonly string[], write: () => Promise<T>): Promise<T> {
    const [first, ...others] = ids;
    if (first === undefined) return write();
    return this.during(first, () => this.duringAll(others, write));
  }

  /** Counts `id` as written to just now. */
  touch(id: string): void {
    this.#getEntry(id).endedAtMs = this.#clock.monotonicMs();
  }

  /** True if a read begun at `readAtMs` (monotonic, default now) cannot predate our last write to `id`. */
  isSettled(id: string, readAtMs = this.#clock.monotonicMs()): boolean {
    const entry = this.#entries.get(id);
    return entry === undefined || isSettledAt(entry, readAtMs);
  }

  /** Drops what can no longer unsettle a read begun at `readAtMs` or later. */
  forget(readAtMs: number): void {
    for (const [id, entry] of this.#entries) {
      if (isSettledAt(entry, readAtMs)) this.#entries.delete(id);
    }
  }

  #getEntry(id: string): Entry {
    const entry = this.#entries.get(id) ?? { underWay: 0, endedAtMs: Number.NEGATIVE_INFINITY };
    this.#entries.set(id, entry);
    return entry;
  }
}

function isSettledAt({ underWay, endedAtMs }: Entry, readAtMs: number): boolean {
  return underWay === 0 && readAtMs >= endedAtMs + STALENESS_BOUND_MS;
}
