import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './environment.ts';
import { startWatchdog } from './watchdog.ts';

/** `$XDG_CACHE_HOME/albridge/control-plane`, by default under ~/.cache. */
export function cacheRoot(env: Environment): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'albridge', 'control-plane');
}

/** Whether `path` is a file that this user may execute. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * Lets `write` produce the file at a private path, then moves it to `target` in one step: a
 * reader sees the whole file or none, and of two writers the last one wins unharmed. Whatever
 * goes wrong, the death of this process included, the private file is gone.
 */
export async function placeAtomically(
  target: string,
  write: (privatePath: string) => Promise<void>,
): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true });
  const privatePath = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
  const watchdog = startWatchdog([privatePath]);
  try {
    await write(privatePath);
    await rename(privatePath, target);
  } finally {
    await rm(privatePath, { force: true, recursive: true });
    watchdog.finish();
  }
}
