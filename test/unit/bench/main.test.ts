import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../control-plane/run-command.ts';

const MAIN = resolve(import.meta.dirname, '../../bench/main.ts');

it.each([
  [
    '--json',
    '/nope/values.json',
    '--json names /nope/values.json, which cannot be written (ENOENT)',
  ],
  ['--svg', `${MAIN}/charts`, `${MAIN}/charts cannot be written (ENOTDIR)`],
  ['--svg', '', '--svg takes a directory, not an empty text'],
])('refuses %s %s before it measures for half an hour', async (flag, path, sentence) => {
  const args = [MAIN, '--only', 'startTime', '--runs', '1', `${flag}=${path}`];
  const options = { env: {}, timeoutMs: 60_000 };
  const { code, stdout, stderr } = await runCommand(process.execPath, args, options);
  expect(stderr).toContain(sentence);
  expect(stderr).toMatch(/^bench: [^\n]+; run with --help for usage\n$/);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});
