import type { BenchPlace } from './bench-place.ts';
import { type Figure, repeat } from './figure.ts';
import { median, percentile } from './statistics.ts';

export interface Latency {
  readonly what: string;
  /** What one measured time belongs to, in the plural. */
  readonly each: string;
  /** Of the median, in ms. */
  readonly bound: number;
  /** Times in ms, without those of the warming up. */
  measureOnce(place: BenchPlace): Promise<readonly number[]>;
}

/** A figure whose runs give many times each. */
export function latencyFigure({ what, each, bound, measureOnce }: Latency): Figure {
  return {
    what,
    quantities: {
      p50: { what: `half of the ${each}`, unit: 'ms', bound },
      p95: { what: `19 of 20 ${each}`, unit: 'ms' },
    },
    measure: (place, options) =>
      repeat(options, async () => {
        const times = await measureOnce(place);
        return { p50: median(times), p95: percentile(times, 95) };
      }),
  };
}
