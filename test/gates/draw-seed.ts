import { spawnSync } from 'node:child_process';

/** The name of the setting by which one draw is repeated: a whole number from 0 to 899,999,999. */
export const DRAW_SEED = 'ALBRIDGE_TEST_SEED';

const SEEDS = 900_000_000;

/**
 * Sets in `env` the seed of all that tests draw at random, where none is given: the tree of the last commit in
 * `directory`, so that each commit tries new draws, and a run of the same commit, here or in CI, repeats them. Outside
 * a clone: the time. Throws where one is given that is none.
 */
export function seedDraws(
  env: Record<string, string | undefined>,
  directory: string,
  nowMs: number,
): void {
  const given = env[DRAW_SEED];
  env[DRAW_SEED] = `${given === undefined ? hashTree(directory, nowMs) : readSeed(given)}`;
}

function hashTree(directory: string, nowMs: number): number {
  const args = ['rev-parse', '--short=8', 'HEAD^{tree}'];
  const { stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  const tree = /^[0-9a-f]{8}/.exec(stdout ?? '')?.[0];
  return (tree === undefined ? Math.floor(nowMs / 1000) : Number.parseInt(tree, 16)) % SEEDS;
}

function readSeed(given: string): number {
  if (/^\d{1,9}$/.test(given) && Number(given) < SEEDS) return Number(given);
  throw new Error(`${DRAW_SEED} is ${given}: give a whole number from 0 to 899,999,999`);
}
