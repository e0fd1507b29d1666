// Lives here: the commands behind `npm run localstack`: LocalStack's open runtime and moto, installed and run by Python without Docker.
// May import it: localstack takes backend.ts.
// Start with: this file, then python-server.ts and python-recipe.ts.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../test/control-plane/run-command.ts';
import { startWatchdog } from '../../test/control-plane/watchdog.ts';
import { pythonRecipes } from './python-recipe.ts';
import { isServing, launch } from './python-server.ts';
import { backendCache, type VirtualEnvironmentOptions } from './virtual-environment.ts';

/** LocalStack's open runtime as a background service of this user: one at a time. */
export interface ServiceState {
  readonly pid: number;
  readonly url: string;
}

export type Status =
  | { readonly kind: 'down' }
  | ({ readonly kind: 'serving' | 'silent' } & ServiceState);

const recipe = pythonRecipes.localstack;
const STOP_GRACE_MS = 5000;

/** Starts the service unless it serves already. Throws an Error in words for a person. */
export async function bringUp(
  port: number,
  options: VirtualEnvironmentOptions,
): Promise<ServiceState & { readonly wasUp: boolean }> {
  const status = await readStatus(options.env);
  if (status.kind === 'serving') return { ...status, wasUp: true };
  if (status.kind === 'silent') await takeDown(options.env);
  await refuseTakenPort(port);
  const directory = join(backendCache(options.env), 'running');
  // Until it serves and can be found, it ends with this process; from then on it outlives it.
  const watchdog = startWatchdog([]);
  const launched = await launch(recipe, { ...options, port, directory, watchdog });
  const state = { pid: launched.process.pid, url: launched.url };
  await writeFile(stateFile(options.env), JSON.stringify(state));
  watchdog.finish();
  return { ...state, wasUp: false };
}

/** Ends the service. False if it was not up. */
export async function takeDown(env: VirtualEnvironmentOptions['env']): Promise<boolean> {
  const status = await readStatus(env);
  if (status.kind !== 'down') await end(status.pid);
  await rm(join(backendCache(env), 'running'), { recursive: true, force: true });
  return status.kind !== 'down';
}

export async function readStatus(env: VirtualEnvironmentOptions['env']): Promise<Status> {
  const text = await readFile(stateFile(env), 'utf8').catch(() => undefined);
  if (text === undefined) return { kind: 'down' };
  const state = JSON.parse(text) as ServiceState;
  // After a reboot the number may be somebody else's.
  if (!(await isOurs(state.pid))) return { kind: 'down' };
  const kind = (await isServing(state.url + recipe.healthPath)) ? 'serving' : 'silent';
  return { kind, ...state };
}

function stateFile(env: VirtualEnvironmentOptions['env']): string {
  return join(backendCache(env), 'running', 'state.json');
}

async function refuseTakenPort(port: number): Promise<void> {
  const isTaken = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) })
    .then(() => true)
    .catch((error: Error) => error.name === 'TimeoutError');
  if (isTaken) throw new Error(`port ${port} is taken by another program; choose one by --port`);
}

async function end(pid: number): Promise<void> {
  signal(pid, 'SIGTERM');
  const endMs = performance.now() + STOP_GRACE_MS;
  while (await isOurs(pid)) {
    if (performance.now() > endMs) signal(pid, 'SIGKILL');
    await sleep(100);
  }
}

/** It may have ended since somebody looked. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isOurs(pid: number): Promise<boolean> {
  const seen = await runCommand('ps', ['-o', 'args=', '-p', String(pid)], {
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return recipe.args(0).every((arg) => seen.stdout.includes(arg));
}
