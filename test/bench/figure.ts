import type { BenchPlace } from './bench-place.ts';
import type { Chart } from './line-chart.ts';
import { rounded } from './statistics.ts';

/** One quantity of a figure; where it has bounds, its median over the runs should keep to them. */
export interface Quantity {
  readonly what: string;
  readonly unit: string;
  readonly bound?: number;
  /** Below it the run proves nothing: too few requests, or a control that loses none. */
  readonly atLeast?: number;
}

/** What one run measured, by the names of the figure's quantities. */
export type Sample = Readonly<Record<string, number>>;

/** Something that `npm run bench` measures. */
export interface Figure {
  readonly what: string;
  readonly quantities: Readonly<Record<string, Quantity>>;
  /** One sample for each run; `say` is told how far it has got. */
  measure(place: BenchPlace, options: MeasureOptions): Promise<readonly Sample[]>;
  /** The medians as charts, where a table alone does not show it. */
  readonly charts?: (medians: Sample) => Charts;
}

/** By their names; the report adds machine and date to the captions. */
export type Charts = Readonly<Record<string, Chart>>;

export interface MeasureOptions {
  readonly runs: number;
  readonly say: (line: string) => void;
}

/** For figures whose runs do not know of each other. */
export async function repeat(
  { runs, say }: MeasureOptions,
  once: (run: number) => Promise<Sample>,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let run = 1; run <= runs; run++) {
    const sample = await once(run);
    samples.push(sample);
    say(`run ${run} of ${runs}: ${describe(sample)}`);
  }
  return samples;
}

function describe(sample: Sample): string {
  return Object.entries(sample)
    .map(([name, value]) => `${name} ${rounded(value)}`)
    .join(', ');
}
