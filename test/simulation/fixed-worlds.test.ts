import { expect, it } from 'vitest';
import { listUnreachedOperations } from './crash-operations.ts';
import { CLOSING, SEARCH, simulate } from './simulate.ts';
import { WANTED } from './wanted.ts';

it(
  'keeps its promises in worlds that are always the same, killed at every crash point',
  SEARCH,
  async () => {
    const { code, output } = await simulate('--seeds', '200', '--met');
    expect(output).toMatch(CLOSING);
    const [, scenarios, violations, covered, total] = CLOSING.exec(output) ?? [];
    expect({ scenarios, violations, covered }, output).toEqual({
      scenarios: '200',
      violations: '0',
      covered: total,
    });
    expect(Number(total)).toBeGreaterThan(100);
    expect(output.match(/^simulate: .*$/gm)).toEqual([
      'simulate: 100 of 200 scenarios, 0 violations',
      'simulate: 200 of 200 scenarios, 0 violations',
    ]);
    const met = new Set([...output.matchAll(/^met: (.*) in \d+ runs$/gm)].map(([, what]) => what));
    expect(WANTED.filter((what) => !met.has(what))).toEqual([]);
    const points = Array.from(output.matchAll(/^crash point: (.*)$/gm), ([, one = '']) => one);
    expect(listUnreachedOperations(points)).toEqual([]);
    expect(code).toBe(0);
  },
);
