import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isolatedEnvironment } from '../../test/control-plane/environment.ts';
import { type ManagedProcess, startProcess } from '../../test/control-plane/managed-process.ts';
import { startWatchdog, type Watchdog } from '../../test/control-plane/watchdog.ts';
import type { PythonRecipe } from './python-recipe.ts';
import { ensureVirtualEnvironment, type VirtualEnvironmentOptions } from './virtual-environment.ts';

export interface PythonServerOptions extends VirtualEnvironmentOptions {
  readonly port: number;
}

export interface PythonServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** On a busy machine; a quiet one takes a tenth of it. */
const READY_MS = 180_000;
const STOP_GRACE_MS = 2000;

/** Installs the server if need be and starts it; it ends with this process, however that dies. */
export async function startPythonServer(
  recipe: PythonRecipe,
  options: PythonServerOptions,
): Promise<PythonServer> {
  const directory = await mkdtemp(join(tmpdir(), `albridge-${recipe.name}-`));
  const watchdog = startWatchdog([directory]);
  try {
    const server = await launch(recipe, { ...options, directory, watchdog });
    const stop = async (): Promise<void> => {
      await server.process.stop(STOP_GRACE_MS);
      await rm(directory, { recursive: true, force: true });
      watchdog.finish();
    };
    return { url: server.url, pid: server.process.pid, stop };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    watchdog.finish();
    throw error;
  }
}

export interface LaunchOptions extends PythonServerOptions {
  /** Gets the log and whatever the server keeps. */
  readonly directory: string;
  readonly watchdog: Watchdog;
}

/** Resolves once the server serves; throws its last words if it does not come to that. */
export async function launch(
  recipe: PythonRecipe,
  options: LaunchOptions,
): Promise<{ readonly url: string; readonly process: ManagedProcess }> {
  const { port, directory, watchdog, env } = options;
  const { python, directory: home } = await ensureVirtualEnvironment(recipe, options);
  await mkdir(directory, { recursive: true });
  const process = await startProcess({
    name: recipe.name,
    path: python,
    args: recipe.args(port),
    directory,
    // HOME is the environment's own: plux caches there what plugins it has found.
    env: { ...isolatedEnvironment(env, home), ...recipe.settings(port, directory) },
    watchdog,
  });
  const url = `http://127.0.0.1:${port}`;
  await untilServing(recipe, url, process);
  return { url, process };
}

async function untilServing(
  recipe: PythonRecipe,
  url: string,
  process: ManagedProcess,
): Promise<void> {
  const endMs = performance.now() + READY_MS;
  while (performance.now() < endMs) {
    // Asked first: another process may serve the same port, and would answer.
    if (process.hasExited()) throw await failure(recipe, process, 'ended at its start');
    if (await isServing(url + recipe.healthPath)) return;
    await sleep(50);
  }
  await process.kill();
  throw await failure(recipe, process, `does not serve after ${READY_MS / 1000} s`);
}

/** True if a server answers there with success. */
export async function isServing(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function failure(recipe: PythonRecipe, process: ManagedProcess, how: string): Promise<Error> {
  return new Error(`${recipe.title} ${how}; its last lines:\n${await process.logTail()}`);
}
