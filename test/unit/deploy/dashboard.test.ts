import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DASHBOARD, renderDashboard } from '../../../deploy/dashboard.ts';

interface Panel {
  readonly title: string;
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

  it('has no two panels on one place, and none beyond the 24 columns', () => {
    const { panels } = JSON.parse(renderDashboard()) as { readonly panels: readonly Panel[] };
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(panels.length).toBeGreaterThan(15);
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });
});
