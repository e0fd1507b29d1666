import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNumbers } from '../../../docs/charts.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const read = (path: string): string => readFileSync(resolve(DOCS, path), 'utf8');

/** Number of objects -> what was measured of albridge, out of a chart. */
function readMeasured(chart: string): ReadonlyMap<number, number> {
  const { rows } = readNumbers(read(`charts/${chart}.svg`));
  return new Map(rows.map(([count, ours]) => [Number(count), Number(ours)]));
}

describe('docs/sizing.md', () => {
  it('has the numbers of the charts in docs/performance.md', () => {
    const [memory, share, restart] = ['memory', 'calls-per-scan', 'calls-after-restart'].map(
      readMeasured,
    );
    const desired = [10, 100, 300, 1000].map((count) => {
      const scan = Math.round(count * (share?.get(count) ?? 0));
      const cells = [count, `${Math.round(memory?.get(count) ?? 0)} MB`, scan, restart?.get(count)];
      return `| ${cells.map((cell) => cell?.toLocaleString('en-US')).join(' | ')} |`;
    });
    const rows = read('sizing.md')
      .split('\n')
      .filter((line) => /^\| [\d,]+ \|/.test(line));
    expect(rows).toEqual(desired);
  });

  it('has the memory that the manifests request', () => {
    const manifest = readFileSync(resolve(DOCS, '../deploy/base/deployment.yaml'), 'utf8');
    const amounts = [...manifest.matchAll(/memory: (\d+)Mi/g)].map(([, amount]) => amount);
    expect(read('sizing.md')).toContain(`request ${amounts[0]} MiB and limit to ${amounts[1]} MiB`);
    expect(manifest).toContain('cpu: 20m');
  });
});
