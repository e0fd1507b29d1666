import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../control-plane/run-command.ts';

const MAIN = resolve(import.meta.dirname, '../../../localstack/backends/main.ts');

describe('npm run localstack', () => {
  it.each([
    ['no command', [], 'a command is missing: up, down or status'],
    ['a command that it does not have', ['sideways'], 'there is no command "sideways"'],
    ['two commands', ['up', 'down'], 'one command at a time, not "up down"'],
  ])('answers %s with one sentence', async (_, args, says) => {
    const stderr = `localstack: ${says}; run with --help for usage\n`;
    expect(await runCommand(process.execPath, [MAIN, ...args], { env: {} })).toEqual({
      code: 2,
      stdout: '',
      stderr,
    });
  });
});
