import { expect, it } from 'vitest';
import { growth } from '../../../bench/traffic/growth.ts';

it('draws what was measured against the number of objects, ours first', () => {
  const sample = Object.fromEntries(Object.keys(growth.quantities).map((name, at) => [name, at]));
  const charts = growth.charts?.(sample) ?? {};
  expect(Object.keys(charts)).toEqual(['calls-per-scan', 'calls-after-restart', 'memory']);
  const ours = Object.values(charts).flatMap(({ series }) => series[0]?.points ?? []);
  expect(ours.map(([, value]) => value)).toEqual(Object.values(sample));
  expect(ours.slice(0, 4).map(([size]) => size)).toEqual([10, 100, 300, 1000]);
});

it("spends AWS's limit on reads within one interval of the drift scan", () => {
  const { series } = growth.charts?.({})['calls-per-scan'] ?? { series: [] };
  expect(series.find(({ isLimit }) => isLimit)?.points).toEqual([
    [10, 300],
    [100, 30],
    [300, 10],
    [1000, 3],
  ]);
});
