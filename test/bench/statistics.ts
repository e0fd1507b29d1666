/** Statistics over measured values, all of which need at least one value; and how a value is written. */

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of all values do not exceed, interpolated between its neighbours. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(rank)];
  const above = sorted[Math.ceil(rank)];
  if (below === undefined || above === undefined) throw new Error('a statistic of no values');
  return below + (above - below) * (rank - Math.floor(rank));
}

/** Three significant digits, and every digit before the point. */
export function rounded(value: number): string {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}
