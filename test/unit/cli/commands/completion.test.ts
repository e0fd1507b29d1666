import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../src/cli/commands/commands.ts';
import { runCli } from '../run-cli.ts';

/** Completes the last word in a real bash. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runCli(['completion', 'bash']);
  const line = ['albridge', ...words];
  const script = `${stdout}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _albridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const answer = execFileSync('bash', ['-c', script, 'bash', ...line], { encoding: 'utf8' });
  return answer.split('\n').filter((word) => word !== '');
}

describe('completion of bash', () => {
  it('offers every command', async () => {
    const words = await complete('');
    expect(words).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)));
  });

  it('offers the options of the command', async () => {
    for (const { name, options } of COMMANDS) {
      const words = await complete(name, '--');
      const flags = Object.keys(options).map((option) => `--${option}`);
      expect(words).toEqual(expect.arrayContaining([...flags, '--output']));
    }
  });

  it('offers the values of an option alone', async () => {
    expect(await complete('completion', '-o', '')).toEqual(['table', 'json', 'yaml']);
    expect(await complete('-n', '')).toEqual([]);
    expect(await complete('ui', '--port', '')).toEqual([]);
    expect(await complete('completion', 'b')).toEqual(['bash']);
  });

  it.each(['-o', '--output'])('offers svg for %s of status, and of status alone', async (flag) => {
    expect(await complete('status', flag, '')).toEqual(['table', 'json', 'yaml', 'svg']);
    expect(await complete('why', flag, 's')).toEqual([]);
  });

  it.each([
    { why: 'as bash splits it', words: ['--output', '=', 'j'], offers: ['json'] },
    { why: 'before there is a value', words: ['--output', '='], offers: ['table', 'json', 'yaml'] },
    { why: 'where = does not split words', words: ['--output=j'], offers: ['--output=json'] },
  ])('offers the values after an equals sign, $why', async ({ words, offers }) => {
    expect(await complete('why', ...words)).toEqual(offers);
  });

  it('offers commands after options, whose values are no commands', async () => {
    expect(await complete('-n', 'status', 'wh')).toEqual(['why']);
    expect(await complete('--namespace', '=', 'status', '-A', 'wh')).toEqual(['why']);
    expect(await complete('-n', 'why', 'status', '-o', 's')).toEqual(['svg']);
    expect(await complete('-n', 'why')).toEqual([]);
  });

  it('is refused for another shell', async () => {
    const { exitCode, stderr } = await runCli(['completion', 'fish']);
    expect(exitCode).toBe(64);
    expect(stderr).toBe('albridge: "fish" is not one of bash, zsh: albridge completion bash|zsh\n');
  });
});

describe('completion of zsh', () => {
  it('offers svg for --output of status, and of status alone', async () => {
    const { stdout } = await runCli(['completion', 'zsh']);
    const lines = stdout.split('\n').filter((line) => line.includes(') _arguments -S '));
    const offering = lines.filter((line) => line.includes(':FORMAT:(table json yaml svg)'));
    expect(offering.map((line) => line.trim().split(')')[0])).toEqual(['status']);
    expect(lines.filter((line) => line.includes(':FORMAT:(table json yaml)'))).toHaveLength(
      COMMANDS.length - 1,
    );
  });
});
