import { describe, expect, it } from 'vitest';
import { type Chart, drawChart } from '../../bench/line-chart.ts';

const CHART: Chart = {
  title: 'Lost & found',
  x: { label: 'lag' },
  y: { label: '%' },
  series: [
    { name: 'ours', points: points([15, 0], [0, 0]) },
    { name: 'control', note: 'of another day', points: points([15, 20], [0, 5]) },
    { name: 'allowed', points: points([0, 10]), isLimit: true },
  ],
  captions: ['2 cores', 'in May'],
};

function points(...all: readonly (readonly [number, number])[]): Chart['series'][number]['points'] {
  return all;
}

const svg = drawChart(CHART);

describe('a chart', () => {
  it('names every line, its axes and where it was measured', () => {
    const words = ['Lost &amp; found', '2 cores', 'in May', 'lag', '%', 'ours', 'control'];
    for (const word of [...words, 'of another day']) expect(svg).toContain(`>${word}</text>`);
  });

  it('draws each line from left to right, to the scale', () => {
    expect(svg).toContain('d="M60,300L480,300"');
    expect(svg).toContain('d="M60,239L480,56"');
  });

  it('describes its numbers for those who do not see it, smallest x first', () => {
    expect(svg).toContain(`<desc>
lag; ours; control, of another day; allowed
0; 0; 5; 10
15; 0; 20; 
2 cores; in May
</desc>`);
  });

  it('distinguishes lines without colours, by dash and mark, and a limit by having no mark', () => {
    const dashes = [...svg.matchAll(/class="line (\w+)"( stroke-dasharray="[^"]+")? d="M60/g)];
    expect(new Set(dashes.map(([, , dash]) => dash)).size).toBe(3);
    const marks = [...svg.matchAll(/class="mark (\w+)".* d="([^"]+)"/g)];
    expect(new Set(marks.map(([, name, mark]) => `${name} ${mark}`)).size).toBe(2);
    expect(marks.map(([, name]) => name)).not.toContain('limit');
  });

  it('has colours for light and for dark pages', () => {
    expect(svg).toMatch(
      /\.page \{ fill: #ffffff; \}[^]*prefers-color-scheme: dark[^]*\.page \{ fill: #0d1117; \}/,
    );
  });

  it('leaves room between the names of lines that end at the same place, within the frame', () => {
    const series = ['a', 'b', 'c', 'd'].map((name) => ({ name, points: points([0, 0], [1, 0]) }));
    const drawn = drawChart({ ...CHART, series });
    const tops = [...drawn.matchAll(/d="M500,([\d.]+)h32"/g)].map(([, top]) => Number(top));
    const sorted = tops.toSorted((one, other) => one - other);
    const gaps = sorted.slice(1).map((top, index) => top - (sorted[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40);
    expect(Math.max(...tops)).toBeLessThanOrEqual(300);
  });

  it('has an axis by powers of ten where values differ by orders of magnitude', () => {
    const axis = (label: string) => ({ label, isLogarithmic: true });
    const series = [{ name: 'ours', points: points([10, 0.3], [100, 20], [1000, 2]) }];
    const drawn = drawChart({ ...CHART, x: axis('N'), y: axis('calls'), series });
    const ticks = [...drawn.matchAll(/text-anchor="end" class="quiet">([^<]+)</g)];
    expect(ticks.map(([, tick]) => tick)).toEqual(['0.1', '1', '10', '100']);
    expect(drawn).toMatch(/d="M60,[\d.]+L270,[\d.]+L480,/);
  });
});
