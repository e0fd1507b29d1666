import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTES, type Series, testRules } from './promtool.ts';

/** The rules where one Prometheus scrapes two installations. */

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-rules-'));
});
afterAll(() => rm(directory, { recursive: true }));

const ALWAYS = `1x${MINUTES}`;
/** An hour, and then its targets are gone. */
const FOR_AN_HOUR = '1x60 stale';
const EARLY = '1x30 stale';

function installation(job: string, values: string): Series {
  return { name: 'albridge_build_info', labels: { job }, values };
}

const DOWN = ['AlbridgeDown'];
const DOWN_FOR_AN_HOUR = [
  { atMinutes: 60, firing: [] },
  { atMinutes: 67, firing: DOWN },
  { atMinutes: 115, firing: DOWN },
];

describe('AlbridgeDown', () => {
  it('fires for an hour where one of two installations is down', async () => {
    const series = [installation('albridge', ALWAYS), installation('web/albridge', FOR_AN_HOUR)];
    const over = { atMinutes: 125, firing: [] };
    const { code, stdout, stderr } = await testRules(directory, series, [
      ...DOWN_FOR_AN_HOUR,
      over,
    ]);
    expect(code, stdout + stderr).toBe(0);
  });

  it.each([
    ['where the other goes down too', [EARLY, FOR_AN_HOUR], 200],
    ['where both are down', [EARLY, EARLY], 200],
    ['where there is no other', [EARLY], 200],
    ['for its hour where the other misses a scrape', [EARLY, '1x60 stale 1x200'], 89],
    ['for its hour where the other misses some', [EARLY, '1x60 stale _x8 1x200'], 89],
  ])('fires without a gap %s', async (_name, values, untilMinutes) => {
    const series = values.map((one, index) => installation(`job-${index}`, one));
    const minutes = Array.from({ length: untilMinutes - 35 }, (_, index) => 36 + index);
    const firing = minutes.map((atMinutes) => ({ atMinutes, firing: DOWN }));
    const { code, stdout, stderr } = await testRules(directory, series, [
      { atMinutes: 35, firing: [] },
      ...firing,
    ]);
    expect(code, stdout + stderr).toBe(0);
  });

  it('ends where one is back after hours in which both were down', async () => {
    const series = [installation('albridge', `${EARLY} _x170 1x40`), installation('web', EARLY)];
    const { code, stdout, stderr } = await testRules(directory, series, [
      { atMinutes: 200, firing: DOWN },
      { atMinutes: 205, firing: [] },
    ]);
    expect(code, stdout + stderr).toBe(0);
  });
});
