import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const main = resolve(import.meta.dirname, '../../simulation/main.ts');

function simulate(...args: readonly string[]): {
  readonly code: number | null;
  readonly said: string;
} {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { code: status, said: stderr };
}

describe('npm run simulate', () => {
  it.each([
    [['--seeds', 'x'], 'expected a whole number of at most 4294967295, got "x"'],
    [['--seeds', '1', '--first', '5000000000'], 'got "5000000000"'],
    [['--frob'], "Unknown option '--frob'"],
    [['--scenario', '/nowhere'], 'cannot read the scenario /nowhere'],
    [['--mutation', 'nothing'], 'no mutation "nothing", there are finalizer-off-too-early'],
  ])('answers %j with one sentence', (args, sentence) => {
    const { code, said } = simulate(...args);
    expect(code).toBe(2);
    expect(said).toContain(sentence);
    expect(said).toMatch(/^simulate: [^\n]+; see --help\n$/);
  });

  it('takes a seed of ten digits', () => {
    expect(simulate('--seeds', '1', '--first', '1795309165', '--unshrunk')).toEqual({
      code: 0,
      said: '',
    });
  });
});
