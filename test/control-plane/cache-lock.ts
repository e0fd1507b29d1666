import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CacheLockOptions {
  /** Called once if somebody else holds the lock. */
  readonly onWait: (holderPid: number) => void;
  readonly pollMs?: number;
}

/**
 * Runs `work` while no other process on this machine runs work under the same `lockPath`, so that
 * two test runs started together build a binary once. Only time is at stake: files enter the
 * cache atomically, so two holders (possible if both clear a dead holder's lock at the same
 * moment) do no harm.
 */
export async function withCacheLock<T>(
  lockPath: string,
  options: CacheLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  await acquire(lockPath, options);
  try {
    return await work();
  } finally {
    await rm(lockPath, { force: true });
  }
}

async function acquire(lockPath: string, options: CacheLockOptions): Promise<void> {
  await mkdir(dirname(lockPath), { recursive: true });
  let hasAnnounced = false;
  while (!(await tryCreate(lockPath))) {
    const holder = await readHolder(lockPath);
    if (holder !== undefined && !isAlive(holder)) {
      await rm(lockPath, { force: true });
      continue;
    }
    if (holder !== undefined && !hasAnnounced) {
      options.onWait(holder);
      hasAnnounced = true;
    }
    await sleep(options.pollMs ?? 250);
  }
}

async function tryCreate(lockPath: string): Promise<boolean> {
  try {
    await writeFile(lockPath, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined while the holder has created the file and not yet written its number. */
async function readHolder(lockPath: string): Promise<number | undefined> {
  try {
    const pid = Number.parseInt(await readFile(lockPath, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
