import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { listUnreachedOperations } from './crash-operations.ts';
import { generate } from './generate.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';
import { mutated } from './plant.ts';
import { REGRESSIONS } from './regressions.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { WANTED } from './wanted.ts';

/** Of a search: its seeds are counted, and a busy machine takes longer over them. */
const SEARCH = { timeout: 3_600_000 } as const;
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

interface Ended {
  readonly code: number;
  readonly output: string;
}

async function simulate(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

const CLOSING = /^(\d+) scenarios, (\d+) violations, (\d+)\/(\d+) crash points$/m;

describe('the operator in random worlds', () => {
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
      const met = new Set(
        [...output.matchAll(/^met: (.*) in \d+ runs$/gm)].map(([, what]) => what),
      );
      expect(WANTED.filter((what) => !met.has(what))).toEqual([]);
      const points = Array.from(output.matchAll(/^crash point: (.*)$/gm), ([, one = '']) => one);
      expect(listUnreachedOperations(points)).toEqual([]);
      expect(code).toBe(0);
    },
  );

  it('keeps its promises in worlds that are new', SEARCH, async () => {
    const first = Math.floor(Date.now() / 1000) % 900_000_000;
    process.stdout.write(`fresh seeds from ${first} on\n`);
    const { output } = await simulate('--seeds', '60', '--first', `${first}`);
    expect(output).toMatch(/^60 scenarios, 0 violations/m);
  });
});

describe('what was once broken', () => {
  it.each(Object.entries(REGRESSIONS))('%s', async (_name, { scenario }) => {
    expect((await runScenario(scenario)).violation).toBeUndefined();
  });
});

describe('a planted bug', () => {
  it.each(Object.entries(MUTATIONS))('has its place in the source: %s', (_name, mutation) => {
    expect(mutated(mutation)).not.toBe('');
  });

  it.concurrent.each(Object.entries(MUTATIONS))(
    'is caught within 500 worlds: %s',
    SEARCH,
    async (name, { seed }: Mutation) => {
      const { code, output } = await simulate(
        '--mutation',
        name,
        '--seed',
        `${seed}`,
        '--unshrunk',
      );
      if (code === 0) return searchFor(name);
      expect({ code, isCaught: / 1 violations$/m.test(output) }, output).toEqual({
        code: 1,
        isCaught: true,
      });
    },
  );

  /** Slower: what the generator makes of the seed on record has changed. */
  async function searchFor(name: string): Promise<void> {
    const { code, output } = await simulate('--mutation', name, '--seeds', '400', '--unshrunk');
    const [, scenarios, violations] = CLOSING.exec(output) ?? [];
    const [aimed] = /^\d+(?= runs more)/m.exec(output) ?? ['0'];
    expect({ code, isCaught: Number(violations) > 0 }, output).toEqual({ code: 1, isCaught: true });
    expect(Number(scenarios) + Number(aimed)).toBeLessThanOrEqual(500);
    const [, found] = /^--seed (.+)$/m.exec(output) ?? [];
    process.stdout.write(
      `${name} is caught by ${found}: its seed in mutations.ts is out of date\n`,
    );
  }

  it('is refused where there is none of this name', async () => {
    const { code, output } = await simulate('--mutation', 'no-such-bug', '--seeds', '1');
    expect({ code, isReported: output.includes('no mutation "no-such-bug"') }).toEqual({
      code: 2,
      isReported: true,
    });
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
