import { expect, it } from 'vitest';
import { createLatency } from '../../bench/create-latency.ts';

it('draws the percentiles of the creates next to those of the floor', () => {
  const names = Object.keys(createLatency.quantities);
  const sample = Object.fromEntries(names.map((name, at) => [name, at]));
  const { series } = createLatency.charts?.(sample)['create-latency'] ?? { series: [] };
  const read = (head: string): readonly (readonly [number, number | undefined])[] =>
    [5, 25, 50, 75, 95].map((percent) => [percent, sample[`${head}${percent}`]]);
  expect(series.map(({ points }) => points)).toEqual([read('p'), read('floorP')]);
});
