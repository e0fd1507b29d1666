import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLAIN } from '../../simulation/plain-settings.ts';

const main = resolve(import.meta.dirname, '../../simulation/main.ts');

const SCENARIO = JSON.stringify({ seed: 1, settings: PLAIN, steps: [], faults: [] });

function simulate(...args: readonly string[]): {
  readonly code: number | null;
  readonly said: string;
} {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { code: status, said: stderr };
}

function simulateFile(text: string): ReturnType<typeof simulate> {
  const directory = mkdtempSync(join(tmpdir(), 'albridge-simulation-'));
  const file = join(directory, 'scenario.json');
  writeFileSync(file, text);
  const ended = simulate('--scenario', file);
  rmSync(directory, { recursive: true });
  return ended;
}

describe('npm run simulate', () => {
  it.each([
    [['--seeds', 'x'], '--seeds takes a whole number from 1 to 1000000, not "x"'],
    [['--seeds=-1'], '--seeds takes a whole number from 1 to 1000000, not "-1"'],
    [['--seeds', '1', '--first', '5000000000'], '--first takes a whole number from 0 to'],
    [['--first='], '--first takes a whole number from 0 to 4294967295, not ""'],
    [['--seed', 'x'], '--seed takes a whole number from 0 to 4294967295, not "x"'],
    [
      ['--first', '4294967295', '--seeds', '2'],
      'the last of these seeds is 4294967296: 4294967295',
    ],
    [['--frob'], "unknown option '--frob'"],
    [['--seeds', '0'], '--seeds takes a whole number from 1 to 1000000, not "0"'],
    [['--seed', '1', '--seeds', '2'], '--seed and --scenario of one'],
    [['--seeds', '400000000'], '--seeds takes a whole number from 1 to 1000000, not "400000000"'],
    [['--scenario', 'x', '--crash', 'garbage'], '--seed and --crash do not go with --scenario'],
    [['--scenario', 'x', '--seed', '1'], '--seed and --crash do not go with --scenario'],
    [
      ['--seed', '1', '--crash', 'nolabel/before/1'],
      '--crash "nolabel/before/1" killed no process: this run has 0 operations "nolabel"',
    ],
    [
      ['--seed', '1', '--crash', 'kube GET namespaces/after/99'],
      '--crash "kube GET namespaces/after/99" killed no process: this run has ',
    ],
    [['--trace'], '--trace and --crash are of one scenario: give its --seed too'],
    [['--scenario', '/nowhere'], 'cannot read the scenario /nowhere'],
    [['--seed', '1', '--crash', 'PATCH'], '--crash takes LABEL/PHASE/NTH, not "PATCH"'],
    [
      ['--mutation', 'nothing'],
      'no mutation "nothing": test/simulation/mutations.ts has all their names',
    ],
  ])('answers %j with one sentence', (args, sentence) => {
    const { code, said } = simulate(...args);
    expect(code).toBe(2);
    expect(said).toContain(sentence);
    expect(said).toMatch(/^simulate: [^\n]+; run with --help for usage\n$/);
  });

  it('lists what one scenario met', () => {
    const { status, stdout } = spawnSync(process.execPath, [main, '--seed', '1', '--met'], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^met: .+ in 1 runs$/m);
  });

  it.each([
    ['no JSON', '{"seed":', 'Unexpected end of JSON input'],
    ['of something else', '[]', 'the file is not as a failure prints it'],
    ['without a seed', '{}', 'seed is not'],
    ['with a setting left out', SCENARIO.replace('"quota":50,', ''), 'settings.quota is not'],
    [
      'with a step of no kind',
      SCENARIO.replace('"steps":[]', '"steps":[{"atMs":1}]'),
      'steps[0] is not',
    ],
    [
      'with a fault of no kind',
      SCENARIO.replace('"faults":[]', '"faults":[1]'),
      'faults[0] is not',
    ],
    [
      'with an action that lacks its object',
      SCENARIO.replace('"steps":[]', '"steps":[{"atMs":1,"myIngress":{"do":"create"}}]'),
      'steps[0].myIngress.at is not',
    ],
  ])('answers a scenario that is %s with one sentence', (_name, text, sentence) => {
    const { code, said } = simulateFile(text);
    expect(code).toBe(2);
    expect(said).toContain(sentence);
    expect(said).toMatch(
      /^simulate: cannot read the scenario [^\n]+; run with --help for usage\n$/,
    );
  });

  it('names the step of a file that cannot be played', () => {
    const [fine, wrong] = [
      { atMs: 1, node: { do: 'launch', node: 1 } },
      { atMs: 2, source: { do: 'run', at: 'web/a', as: 'Job', replicas: 1, tier: '', uses: [1] } },
    ];
    const { code, said } = simulateFile(
      JSON.stringify({ ...JSON.parse(SCENARIO), steps: [fine, wrong] }),
    );
    expect(code).toBe(2);
    expect(said).toMatch(
      /^simulate: cannot play the scenario \/[^\n]+: steps\[1\]: [^\n]+; run with --help for usage\n$/,
    );
  });

  it('takes a seed of ten digits', () => {
    expect(simulate('--seeds', '1', '--first', '1795309165', '--unshrunk')).toEqual({
      code: 0,
      said: '',
    });
  });
});
