import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRAW_SEED, seedDraws } from '../../gates/draw-seed.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'albridge-draws-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

describe('seedDraws', () => {
  it('repeats the draws of a tree, by any commit and at any time, and others for the next', () => {
    git('init', '--quiet');
    commit('one');
    const first = choose(1_000);
    git('commit', '--quiet', '--amend', '--message', 'the same tree in other words');
    expect(choose(2_000_000)).toBe(first);

    commit('two');
    expect(choose(1_000)).not.toBe(first);
  });

  it('takes the seed that is given', () => {
    expect(choose(0, '7')).toBe(7);
  });

  it.each(['', '-1', '1.5', '900000000', 'abc'])('refuses %j', (given) => {
    expect(() => choose(0, given)).toThrow(
      `ALBRIDGE_TEST_SEED is ${given}: give a whole number from 0 to 899,999,999`,
    );
  });

  it('takes the time where there is no commit', () => {
    expect(choose(1_234_567)).toBe(1234);
  });
});

it('is what the tests here draw by', () => {
  const seed = Number(process.env[DRAW_SEED]);
  expect(fc.readConfigureGlobal().seed).toBe(seed);
  expect(choose(0, `${seed}`)).toBe(seed);
});

function choose(nowMs: number, given?: string): number {
  const env = given === undefined ? {} : { [DRAW_SEED]: given };
  seedDraws(env, directory, nowMs);
  return Number(env[DRAW_SEED]);
}

function commit(text: string): void {
  writeFileSync(join(directory, 'file'), text);
  git('add', 'file');
  git('commit', '--quiet', '--message', text);
}

function git(...args: string[]): void {
  const nobody = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  execFileSync('git', [...nobody, ...args], { cwd: directory });
}
