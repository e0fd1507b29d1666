import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findFreePort } from '../../control-plane/free-port.ts';
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

const LISTEN = "listen(process.env.GATEWAY_LISTEN.split(':')[1], '127.0.0.1')";
const SERVER = `require('http').createServer((_, answer) => answer.end()).${LISTEN}`;
const SERVE = `exec ${process.execPath} -e "${SERVER}" -- "$@"`;

describe('a start of the runtime', () => {
  let directory: string;
  let pidFile: string;
  let env: Record<string, string>;
  let command: ChildProcess | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'albridge-localstack-command-'));
    pidFile = join(directory, 'pid');
    const PATH = `${directory}:${process.env['PATH']}`;
    env = { PATH, XDG_CACHE_HOME: join(directory, 'cache') };
  });
  afterEach(async () => {
    command?.kill('SIGKILL');
    await runCommand('/bin/sh', ['-c', `kill -KILL $(cat ${pidFile})`], { env: {} });
    await rm(directory, { recursive: true });
  });

  /** A Python that installs nothing, and runs this in place of the runtime. */
  async function plantPython(runtime: string): Promise<void> {
    const path = join(directory, 'python3');
    const script = `#!/bin/sh
case "$*" in
  *version_info*) echo 3 11 ${path} ;;
  '-m venv '*) mkdir -p "$3/bin"; cp ${path} "$3/bin/python" ;;
  *localstack.runtime.main*) echo $$ >${pidFile}; ${runtime} ;;
esac
`;
    await writeFile(path, script);
    await chmod(path, 0o755);
  }

  async function bringUp(): Promise<ChildProcess> {
    const args = [MAIN, 'up', '--port', String(await findFreePort())];
    command = spawn(process.execPath, args, { env, stdio: 'ignore' });
    return command;
  }

  async function readPid(): Promise<number> {
    const pid = Number.parseInt(await readFile(pidFile, 'utf8'), 10);
    expect(pid).toBeGreaterThan(0);
    return pid;
  }

  async function expectEnd(pid: number): Promise<void> {
    const look = (): unknown => process.kill(pid, 0);
    await vi.waitFor(() => expect(look).toThrow('ESRCH'), { timeout: 5_000 });
  }

  it('leaves no process behind when it is interrupted', async () => {
    await plantPython('while :; do sleep 0.1; done');
    const starting = await bringUp();
    const pid = await vi.waitFor(readPid, { timeout: 30_000 });
    starting.kill('SIGINT');
    await once(starting, 'exit');
    await expectEnd(pid);
  });

  it('leaves no process behind that could not be found later', async () => {
    await plantPython(SERVE);
    await mkdir(join(directory, 'cache/albridge/backends/running/state.json'), { recursive: true });
    expect(await once(await bringUp(), 'exit')).toEqual([1, null]);
    await expectEnd(await readPid());
  });

  it('leaves the runtime running once it serves, until it is taken down', async () => {
    await plantPython(SERVE);
    await once(await bringUp(), 'exit');
    const pid = await readPid();
    const run = (verb: string) => runCommand(process.execPath, [MAIN, verb], { env });
    const { stdout, code } = await run('status');
    expect({ stdout, code }).toMatchObject({ stdout: expect.stringContaining('serves'), code: 0 });
    expect((await run('down')).stdout).toContain('has ended');
    await expectEnd(pid);
  });
});
