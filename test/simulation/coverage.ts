import type { CrashPoint, Job } from './job.ts';
import { PHASES, type Phase } from './scenario.ts';
import type { JobResult } from './worker.ts';
import { pointOf } from './world/fault-board.ts';

/** Where a run without a fault has begun an operation. */
interface Place {
  readonly seed: number;
  readonly count: number;
  /** How many operations the whole run had. */
  readonly length: number;
}

/** In one run, each at another operation. */
const MOST_CRASHES = 4;

/**
 * Crash points: every operation that a run without a fault begins, times every phase. What chance
 * does not hit is aimed at.
 */
export class CrashCoverage {
  readonly #places = new Map<string, Place[]>();
  readonly #hit = new Set<string>();
  readonly #tried = new Map<string, number>();

  add({ job, counts = {}, crashed }: JobResult): void {
    for (const point of crashed) this.#hit.add(point);
    const length = Object.values(counts).reduce((sum, count) => sum + count, 0);
    for (const [label, count] of Object.entries(counts)) {
      const places = this.#places.get(label) ?? [];
      this.#places.set(label, places);
      places.push({ seed: job.seed, count, length });
    }
  }

  get total(): number {
    return this.#places.size * PHASES.length;
  }

  get covered(): number {
    return this.total - this.#missing().length;
  }

  /** As `label/phase`. */
  get points(): readonly string[] {
    return [...this.#places.keys()].flatMap((label) =>
      PHASES.map((phase) => pointOf(label, phase)),
    );
  }

  /** As `label/phase`. */
  get missing(): readonly string[] {
    return this.#missing().map(({ label, phase }) => pointOf(label, phase));
  }

  /** Runs for the points that were not hit yet: calm seeds, the shortest ones first, with crashes in them. */
  aimed(): readonly Job[] {
    const groups: { readonly seed: number; readonly crashes: CrashPoint[] }[] = [];
    for (const { label, phase } of this.#missing()) {
      const { seed, nth } = this.#nextPlace(label, phase);
      const isOpen = (crashes: readonly CrashPoint[]): boolean =>
        crashes.length < MOST_CRASHES && crashes.every((one) => one.label !== label);
      const group = groups.find((one) => one.seed === seed && isOpen(one.crashes));
      if (group === undefined) groups.push({ seed, crashes: [{ label, phase, nth }] });
      else group.crashes.push({ label, phase, nth });
    }
    return groups;
  }

  /** The first time in each of the seeds, then the second time: the early ones are hit for sure. */
  #nextPlace(label: string, phase: Phase): { readonly seed: number; readonly nth: number } {
    const tries = this.#tried.get(pointOf(label, phase)) ?? 0;
    this.#tried.set(pointOf(label, phase), tries + 1);
    const places = (this.#places.get(label) ?? []).toSorted((a, b) => a.length - b.length);
    const { seed, count } = places[tries % places.length] as Place;
    return { seed, nth: 1 + (Math.floor(tries / places.length) % count) };
  }

  #missing(): readonly { readonly label: string; readonly phase: Phase }[] {
    const all = [...this.#places.keys()].flatMap((label) =>
      PHASES.map((phase) => ({ label, phase })),
    );
    return all.filter(({ label, phase }) => !this.#hit.has(pointOf(label, phase)));
  }
}
