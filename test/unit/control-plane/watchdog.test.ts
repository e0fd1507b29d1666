import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from './process-state.ts';
import { makeTemporaryDirectory } from './release-server.ts';

const watchdogModule = new URL('../../control-plane/watchdog.ts', import.meta.url).href;

/** An owner: starts a process, hands it to a watchdog, prints its number, then does as it is told. */
const ownerScript = (directory: string, afterwards: string): string => `
  const { spawn } = await import('node:child_process');
  const { startWatchdog } = await import('${watchdogModule}');
  const watchdog = startWatchdog(['${directory}']);
  const ward = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  ward.unref();
  watchdog.watch(ward.pid);
  console.log(ward.pid);
  ${afterwards}
`;

let directory: string;
let owner: ChildProcess;
let wardPid: number;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  owner.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
  if (isRunning(wardPid)) process.kill(wardPid, 'SIGKILL');
});

async function startOwner(afterwards: string): Promise<void> {
  const args = ['--input-type=module', '-e', ownerScript(directory, afterwards)];
  owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(owner.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  wardPid = Number(line.toString());
}

const patient = { timeout: 30_000, interval: 50 } as const;

/** Owner and watchdog alike have the directory among their arguments. */
function isWatched(): boolean {
  const { stdout } = spawnSync('ps', ['-eww', '-o', 'args='], { encoding: 'utf8' });
  return stdout.includes(directory);
}

const deaths: Readonly<Record<string, { readonly why: string; readonly afterwards: string }>> = {
  'is killed': {
    why: 'no handler runs on SIGKILL',
    afterwards: "process.kill(process.pid, 'SIGKILL')",
  },
  'is terminated': { why: 'a shell or CI ends it', afterwards: 'process.kill(process.pid)' },
  'ends without cleaning up': { why: 'a test forgot to', afterwards: '' },
  throws: { why: 'a bug', afterwards: 'throw new Error()' },
};

describe('the watchdog', () => {
  it.each(Object.entries(deaths))('cleans up when its owner %s', async (_name, death) => {
    await startOwner(death.afterwards);
    await expect.poll(() => isRunning(wardPid), { message: death.why, ...patient }).toBe(false);
    await expect.poll(() => existsSync(directory), patient).toBe(false);
  });

  it('leaves alone what it has forgotten', async () => {
    await startOwner("watchdog.forget(ward.pid); process.kill(process.pid, 'SIGKILL')");
    await expect.poll(() => existsSync(directory), patient).toBe(false);
    expect(isRunning(wardPid)).toBe(true);
  });

  it('touches nothing once its owner has finished', async () => {
    await startOwner('watchdog.finish()');
    await expect.poll(isWatched, patient).toBe(false);
    expect(isRunning(wardPid)).toBe(true);
    expect(existsSync(directory)).toBe(true);
  });
});
