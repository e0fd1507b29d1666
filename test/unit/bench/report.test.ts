import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLatency } from '../../bench/create-latency.ts';
import { describeMachine } from '../../bench/machine.ts';
import { type Measured, writeReports } from '../../bench/report.ts';

const MACHINE = describeMachine();
const names = Object.keys(createLatency.quantities);
const MEASURED: Measured = {
  name: 'create-latency',
  figure: createLatency,
  samples: [Object.fromEntries(names.map((name, at) => [name, at]))],
  load: 0,
};

describe('the reports of what was measured', () => {
  let place = '';
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'albridge-reports-'));
    printed = '';
  });
  afterEach(() => rmSync(place, { recursive: true }));

  it('are a table, a file of values, and charts', async () => {
    const json = join(place, 'values.json');
    await writeReports(MACHINE, [MEASURED], { json, svg: place, print });
    expect(printed).toContain('create-latency: ');
    expect(readFileSync(json, 'utf8')).toContain('"create-latency"');
    expect(readdirSync(place)).toContain('create-latency.svg');
  });

  it.each(['json', 'svg'] as const)(
    'have printed the table if %s cannot be written any more',
    async (file) => {
      const taken = file === 'json' ? place : join(place, 'gone');
      const reports = { json: undefined, svg: undefined, [file]: taken, print };
      await expect(writeReports(MACHINE, [MEASURED], reports)).rejects.toThrow(/EISDIR|ENOENT/);
      expect(printed).toContain('create-latency: ');
    },
  );
});
