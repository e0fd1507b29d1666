import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DRAW_SEED } from '../gates/draw-seed.ts';
import { generate } from './generate.ts';
import { MUTATIONS } from './mutations.ts';
import { buildScenario } from './regression.ts';
import { REGRESSIONS } from './regressions.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { SEARCH, simulate } from './simulate.ts';
import { nameStrike } from './world/fault-board.ts';

describe('the operator in random worlds', () => {
  it('keeps its promises in worlds that are new', SEARCH, async () => {
    const first = process.env[DRAW_SEED];
    process.stdout.write(`fresh seeds from ${first} on\n`);
    const { output } = await simulate('--seeds', '60', '--first', `${first}`);
    expect(output).toMatch(/^60 scenarios, 0 violations/m);
    expect(output, 'of few scenarios no progress').not.toContain('simulate:');
  });
});

describe('what was once broken', () => {
  it.each(Object.entries(REGRESSIONS))('%s', async (_name, regression) => {
    const { violation, met } = await runScenario(buildScenario(regression));
    expect(violation).toBeUndefined();
    // One that no longer strikes shows nothing.
    const strikes = (regression.faults ?? []).map(nameStrike);
    expect(strikes.filter((one) => !met.has(one))).toEqual([]);
  });
});

describe('a run', () => {
  it('is the same when it is repeated, to the last line of its trace', async () => {
    const seed = 7;
    const [first, second] = [
      await runScenario(generate(seed), { isTraced: true }),
      await runScenario(generate(seed), { isTraced: true }),
    ];
    expect(first.trace.length).toBeGreaterThan(100);
    expect(second.trace).toEqual(first.trace);
  });

  it('is the same from the command line, with the crash that was aimed', async () => {
    const args = ['--seed', '4', '--crash', 'kube PATCH myingresses merge/unanswered/1', '--trace'];
    const [first, second] = [await simulate(...args), await simulate(...args)];
    expect(first.output).toContain('is killed');
    expect(second.output).toBe(first.output);
  });
});

describe('a failure', () => {
  const mutation = 'ready-while-provisioning';
  const bug = ['--mutation', mutation];
  const seed = MUTATIONS[mutation]?.seed ?? 0;
  let output = '';
  let shrunk = '';

  beforeAll(async () => {
    ({ output } = await simulate(...bug, '--seeds', '1', '--first', `${seed}`));
    shrunk = /^shrunk: (.*)$/m.exec(output)?.[1] ?? '';
  }, 600_000);

  it('prints its seed and a shrunk trace, and the seed alone fails in the same way', async () => {
    const [, said] = new RegExp(`^--seed ${seed}\n(ready-is-true: .*)$`, 'm').exec(output) ?? [];
    expect(said, output).toBeDefined();
    const repeated = await simulate(...bug, '--seed', `${seed}`, '--unshrunk');
    expect(repeated.code).toBe(1);
    expect(repeated.output).toContain(said);
  });

  it('prints what the operator did as a timeline, and below it the trace', () => {
    const inOrder = [
      /^ +ms +people +operator +AWS +cluster$/m,
      OF_OPERATOR,
      /^ +\d+ {2}>>> VIOLATION ready-is-true/m,
      /^ {2}\d+\.\d{3} /m,
      /^ {2}\d+\.\d{3} VIOLATION ready-is-true/m,
    ].map((line) => output.search(line));
    expect(inOrder, output).not.toContain(-1);
    expect(inOrder, output).toEqual(inOrder.toSorted((a, b) => a - b));
  });

  it('is shrunk to less than half of what happened, and fails the same way from a file', async () => {
    expect(sizeOf(JSON.parse(shrunk) as Scenario)).toBeLessThan(sizeOf(generate(seed)) / 2);
    const directory = mkdtempSync(join(tmpdir(), 'albridge-simulation-'));
    const file = join(directory, 'scenario.json');
    writeFileSync(file, shrunk);
    const [first, second] = [
      await simulate(...bug, '--scenario', file, '--trace'),
      await simulate(...bug, '--scenario', file, '--trace'),
    ];
    rmSync(directory, { recursive: true });
    expect(first.code).toBe(1);
    expect(first.output).toContain('VIOLATION ready-is-true');
    expect(second.output).toBe(first.output);
  });
});

/** A row of the timeline whose text begins in the operator's column. */
const OF_OPERATOR = /^[ \d]{8} {26}\S/m;

function sizeOf({ steps, faults }: Scenario): number {
  return steps.length + faults.length;
}
