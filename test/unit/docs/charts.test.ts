import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fillTables, readNumbers } from '../../../docs/charts.ts';
import { drawChart } from '../../bench/line-chart.ts';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const read = (path: string): string => readFileSync(join(DOCS, path), 'utf8');
const PAGE = read('performance.md');
const CHARTS = readdirSync(join(DOCS, 'charts')).map((file) => `charts/${file}`);

/** Of the smaller font between the legend and the right edge, seen in a rendered chart. */
const MOST_LETTERS = 38;

const CHART = {
  title: 'Calls',
  x: { label: 'objects' },
  y: { label: 'calls' },
  series: [
    { name: 'A & B', points: [[10, 0.3] as const, [100, 12] as const] },
    { name: 'C', points: [[100, 1320] as const] },
  ],
  captions: ['2 cores, 2026-11-23', 'C: another day'],
};

describe('docs/performance.md', () => {
  it('shows every chart, with a table of its numbers next to it', () => {
    expect(CHARTS.length).toBeGreaterThan(1);
    const shown = [...PAGE.matchAll(/\]\((charts\/[^)]+)\)[^]*?<!-- numbers of ([^ ]+) -->/g)];
    expect(new Set(shown.map(([, chart]) => chart))).toEqual(new Set(CHARTS));
    expect(shown.map(([, , table]) => table)).toEqual(shown.map(([, chart]) => chart));
  });

  it('has the numbers of the charts in its tables; `npm run gen` writes them', () => {
    expect(fillTables(PAGE, read)).toBe(PAGE);
  });

  it.each(CHARTS)('is found out when a number of %s is another one', (path) => {
    const [, ...values] = readNumbers(read(path)).rows[0] ?? [];
    const changed = (other: string): string =>
      other === path ? read(path).replace(`; ${values[0]}`, '; 4711') : read(other);
    expect(fillTables(PAGE, changed)).not.toBe(PAGE);
  });

  it.each(CHARTS)('has room for the names in %s', (path) => {
    const names = [...read(path).matchAll(/<text x="540" [^>]*>([^<]+)</g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name = '') => name.length > MOST_LETTERS)).toEqual([]);
  });

  it.each(CHARTS)('says where and when %s was measured', (path) => {
    const [machine] = readNumbers(read(path)).captions;
    expect(machine).toMatch(/^\d+ x .+, Node v[\d.]+, load [\d.]+, \d{4}-\d\d-\d\d$/);
    expect(PAGE).toContain(machine);
  });
});

describe('the table of a chart', () => {
  it('has a row for each x and a column for each line, empty where nothing was measured', () => {
    const marks = ['<!-- numbers of charts/a.svg -->\n', '<!-- end of numbers -->'];
    expect(
      fillTables(`before ${marks.join('old\n')} after`, () => drawChart(CHART)),
    ).toBe(`before ${marks[0]}| objects | A & B | C |
| --- | --- | --- |
| 10 | 0.3 |  |
| 100 | 12 | 1320 |

2 cores, 2026-11-23. C: another day.
${marks[1]} after`);
  });
});
