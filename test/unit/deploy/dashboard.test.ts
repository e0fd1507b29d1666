import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DASHBOARD, renderDashboard } from '../../../deploy/dashboard.ts';

interface Thresholds {
  readonly steps: readonly { readonly color: string; readonly value: number | null }[];
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets: readonly { readonly legendFormat: string }[];
  readonly fieldConfig: {
    readonly defaults: { readonly thresholds?: Thresholds };
    readonly overrides: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly value: Thresholds }[];
    }[];
  };
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
}

/** test/monitoring/monitoring.test.ts runs each query. */
describe('deploy/dashboards/albridge.json', () => {
  it('is what npm run gen writes', () => {
    expect(readFileSync(DASHBOARD, 'utf8')).toBe(renderDashboard());
  });

  it('has as many panels as docs/monitoring.md says of its picture', () => {
    const { panels } = JSON.parse(renderDashboard()) as { readonly panels: readonly Panel[] };
    const page = readFileSync(resolve(import.meta.dirname, '../../../docs/monitoring.md'), 'utf8');
    expect(page).toContain(`![${panels.length} panels: `);
  });

  it('has no two panels on one place, and none beyond the 24 columns', () => {
    const { panels } = JSON.parse(renderDashboard()) as { readonly panels: readonly Panel[] };
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(panels.length).toBeGreaterThan(15);
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });

  it('colours no number by itself: only what is named, and from a value on', () => {
    const { panels } = JSON.parse(renderDashboard()) as { readonly panels: readonly Panel[] };
    const numbers = panels.filter(({ type }) => type === 'stat');
    expect(numbers.length).toBeGreaterThan(3);
    for (const { title, targets, fieldConfig } of numbers) {
      const plain = [{ color: 'text', value: null }];
      expect({ title, steps: fieldConfig.defaults.thresholds?.steps }).toEqual({
        title,
        steps: plain,
      });
      const legends = targets.map(({ legendFormat }) => legendFormat);
      for (const { matcher, properties } of fieldConfig.overrides) {
        expect(legends).toContain(matcher.options);
        const values = properties[0]?.value.steps.map(({ value }) => value) ?? [];
        expect(values[0]).toBe(null);
        const numbers = values.slice(1).map(Number);
        expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
        expect(values.length).toBeGreaterThan(1);
      }
    }
  });
});
