import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonRecipes } from '../../../localstack/backends/python-recipe.ts';
import { ensureVirtualEnvironment } from '../../../localstack/backends/virtual-environment.ts';
import { findFreePort } from '../../control-plane/free-port.ts';
import { type CommandResult, runCommand } from '../../control-plane/run-command.ts';
import { isMissing } from '../under-test.ts';

const MAIN = resolve(import.meta.dirname, '../../../localstack/backends/main.ts');

/** `npm run localstack`, in a cache of its own so that a service of the user's is left alone. */
describe.skipIf(isMissing)("LocalStack's open runtime as a service", () => {
  let cache: string;
  let port: number;
  beforeAll(async () => {
    const installed = await ensureVirtualEnvironment(pythonRecipes.localstack, {
      env: process.env,
      say: () => undefined,
    });
    cache = await mkdtemp(join(tmpdir(), 'albridge-service-'));
    const backends = join(cache, 'albridge', 'backends');
    await mkdir(backends, { recursive: true });
    await symlink(installed.directory, join(backends, basename(installed.directory)));
    port = await findFreePort();
  });
  afterAll(async () => {
    await command('down');
    await rm(cache, { recursive: true });
  });

  const command = (...args: readonly string[]): Promise<CommandResult> =>
    runCommand(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: cache, XDG_CACHE_HOME: cache },
    });

  it('is down, comes up with a network, comes up no second time, goes down', async () => {
    expect(await command('status')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/not up/),
    });

    const up = await command('up', '--port', String(port));
    expect(up).toMatchObject({ code: 0, stderr: '' });
    expect(up.stdout).toContain(`AWS_ENDPOINT_URL=http://127.0.0.1:${port}\n`);
    expect(up.stdout).toMatch(/^ALBRIDGE_SUBNETS=subnet-\w+,subnet-\w+,subnet-\w+$/m);
    expect(up.stdout).toMatch(/^ALBRIDGE_ARTICLE_SUBNETS=subnet-abc,subnet-def$/m);
    expect(await command('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/serves/),
    });

    const again = await command('up', '--port', String(port));
    expect(again.stdout).toContain('is up already');
    expect(settingsOf(again)).toEqual(settingsOf(up));

    expect(await command('down')).toMatchObject({ stdout: expect.stringMatching(/has ended/) });
    expect(await command('down')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/not up/),
    });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(/fetch failed/);
  });

  it('refuses a port that another program listens on', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: taken } = server.address() as AddressInfo;
    const up = await command('up', '--port', String(taken));
    server.close();
    expect(up).toMatchObject({ code: 1, stderr: expect.stringMatching(/is taken.*--port/) });
  });

  it('explains itself', async () => {
    expect((await command('--help')).stdout).toContain('up [--port N] | down | status');
    expect(await command('sideways')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no command "sideways"/),
    });
  });
});

/** KEY=VALUE lines: the same network both times. */
function settingsOf({ stdout }: CommandResult): readonly string[] {
  return stdout.split('\n').filter((line) => /^[A-Z_]+=/.test(line));
}
