import type { BenchPlace } from './bench-place.ts';

/** One quantity of a figure; where it has a bound, its median over the runs should keep to it. */
export interface Quantity {
  readonly what: string;
  readonly unit: string;
  readonly bound?: number;
}

/** What one run measured, by the names of the figure's quantities. */
export type Sample = Readonly<Record<string, number>>;

/** Something that `npm run bench` measures. */
export interface Figure {
  readonly what: string;
  readonly quantities: Readonly<Record<string, Quantity>>;
  /** One sample for each run; `say` is told how far it has got. */
  measure(place: BenchPlace, options: MeasureOptions): Promise<readonly Sample[]>;
}

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

/** Three significant digits, and every digit before the point. */
export function rounded(value: number): string {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}
