/** Where values stand on an axis, and which of them are written next to it. */
export interface AxisScale {
  readonly ticks: readonly number[];
  /** 0 at the beginning of the axis, 1 at its end. */
  placeOf(value: number): number;
}

/** Of a linear axis, about. */
const TICKS = 5;

/** From one value to another, evenly or by powers. */
export function createScale(from: number, to: number, isLogarithmic: boolean): AxisScale {
  const of = isLogarithmic ? Math.log10 : (value: number): number => value;
  const length = of(to) - of(from) || 1;
  return { ticks: [from, to], placeOf: (value) => (of(value) - of(from)) / length };
}

/** From 0 to a round number that holds all values; of a logarithmic axis between two powers of ten. */
export function createRoundScale(values: readonly number[], isLogarithmic: boolean): AxisScale {
  const ticks = isLogarithmic ? listPowers(values) : listSteps(Math.max(...values, 1));
  return { ...createScale(ticks.at(0) ?? 0, ticks.at(-1) ?? 1, isLogarithmic), ticks };
}

function listPowers(values: readonly number[]): readonly number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`));
}

function listSteps(top: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(top / TICKS));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power * TICKS >= top) ?? 10);
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}
