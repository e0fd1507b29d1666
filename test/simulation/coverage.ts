import type { Job } from './job.ts';
import { PHASES } from './scenario.ts';
import type { JobResult } from './worker.ts';
import { pointOf } from './world/fault-board.ts';

/** Where a run without a fault has begun an operation. */
interface Place {
  readonly seed: number;
  readonly count: number;
}

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
    for (const [label, count] of Object.entries(counts)) {
      const places = this.#places.get(label) ?? [];
      this.#places.set(label, places);
      places.push({ seed: job.seed, count });
    }
  }

  get total(): number {
    return this.#places.size * PHASES.length;
  }

  get covered(): number {
    return this.total - this.#missing().length;
  }

  /** As `label/phase`. */
  get missing(): readonly string[] {
    return this.#missing().map(({ label, phase }) => pointOf(label, phase));
  }

  /** One run for each point that was not hit yet: a calm seed with a crash in it. */
  aimed(): readonly Job[] {
    return this.#missing().map(({ label, phase }) => {
      const tries = this.#tried.get(pointOf(label, phase)) ?? 0;
      this.#tried.set(pointOf(label, phase), tries + 1);
      const places = this.#places.get(label) ?? [];
      const { seed, count } = places[tries % places.length] as Place;
      // The first time in each of the seeds, then the second time: the early ones are hit for sure.
      const nth = 1 + (Math.floor(tries / places.length) % count);
      return { seed, crash: { label, phase, nth } };
    });
  }

  #missing(): readonly { readonly label: string; readonly phase: (typeof PHASES)[number] }[] {
    const all = [...this.#places.keys()].flatMap((label) =>
      PHASES.map((phase) => ({ label, phase })),
    );
    return all.filter(({ label, phase }) => !this.#hit.has(pointOf(label, phase)));
  }
}
