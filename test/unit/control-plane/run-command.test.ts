import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isRunning } from './process-state.ts';
import { makeTemporaryDirectory } from './release-server.ts';

const commandModule = new URL('../../control-plane/run-command.ts', import.meta.url).href;

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** A process that exits as soon as its command has written its own number. */
const ownerScript = (file: string): string => `
  const { existsSync } = await import('node:fs');
  const { runCommand } = await import('${commandModule}');
  const script = 'echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 600';
  void runCommand('/bin/sh', ['-c', script], { env: process.env });
  setInterval(() => existsSync('${file}') && process.exit(7), 10);
`;

it('a command does not outlive the process that runs it', async () => {
  const file = join(directory, 'pid');
  const owner = spawn(process.execPath, ['--input-type=module', '-e', ownerScript(file)]);
  expect(await once(owner, 'exit')).toEqual([7, null]);
  const pid = Number(await readFile(file, 'utf8'));
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
});
