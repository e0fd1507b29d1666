import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheRoot, isExecutable, placeAtomically } from '../../control-plane/cache-directory.ts';
import { withCacheLock } from '../../control-plane/cache-lock.ts';
import { makeTemporaryDirectory, writeExecutable } from './release-server.ts';

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe('the cache directory', () => {
  it('lies where XDG_CACHE_HOME says, else in the home directory', () => {
    expect(cacheRoot({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/albridge/control-plane');
    expect(cacheRoot({ XDG_CACHE_HOME: '', HOME: '/h' })).toBe('/h/.cache/albridge/control-plane');
  });

  it('shows a file only when it is whole', async () => {
    const target = join(directory, 'key', 'etcd');
    await placeAtomically(target, async (file) => {
      await writeFile(file, 'half');
      expect(await readdir(join(directory, 'key'))).not.toContain('etcd');
      await writeFile(file, 'whole');
    });
    expect(await readFile(target, 'utf8')).toBe('whole');
    expect(await readdir(join(directory, 'key'))).toEqual(['etcd']);
  });

  it('keeps nothing of a write that fails, and leaves an older file alone', async () => {
    const target = join(directory, 'etcd');
    await writeFile(target, 'older');
    const write = async (file: string): Promise<void> => {
      await writeFile(file, 'half');
      throw new Error('disk full');
    };
    await expect(placeAtomically(target, write)).rejects.toThrow('disk full');
    expect(await readdir(directory)).toEqual(['etcd']);
    expect(await readFile(target, 'utf8')).toBe('older');
  });

  it('stays whole under many writers at once', async () => {
    const target = join(directory, 'etcd');
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(
      contents.map((content) => placeAtomically(target, (file) => writeFile(file, content))),
    );
    expect(contents).toContain(await readFile(target, 'utf8'));
    expect(await readdir(directory)).toEqual(['etcd']);
  });

  it('distinguishes executable files from others', async () => {
    await writeFile(join(directory, 'text'), '');
    await writeExecutable(join(directory, 'program'), '');
    expect(await isExecutable(join(directory, 'program'))).toBe(true);
    expect(await isExecutable(join(directory, 'text'))).toBe(false);
    expect(await isExecutable(directory)).toBe(false);
    expect(await isExecutable(join(directory, 'absent'))).toBe(false);
  });
});

describe('the cache lock', () => {
  const quick = { pollMs: 5, onWait: () => undefined };

  it('lets one work at a time, and says which waits for which', async () => {
    const lock = join(directory, 'lock');
    const waitedFor: number[] = [];
    let running = 0;
    let mostRunning = 0;
    const work = async (): Promise<void> => {
      mostRunning = Math.max(mostRunning, ++running);
      await writeFile(join(directory, 'work'), 'some');
      running--;
    };
    const onWait = (pid: number): number => waitedFor.push(pid);
    await Promise.all(
      Array.from({ length: 5 }, () => withCacheLock(lock, { pollMs: 5, onWait }, work)),
    );
    expect(mostRunning).toBe(1);
    expect(new Set(waitedFor)).toEqual(new Set([process.pid]));
    expect(await readdir(directory)).toEqual(['work']);
  });

  it('is free again after work that throws', async () => {
    const lock = join(directory, 'lock');
    const failing = withCacheLock(lock, quick, () => Promise.reject(new Error('no network')));
    await expect(failing).rejects.toThrow('no network');
    expect(await withCacheLock(lock, quick, () => Promise.resolve('free'))).toBe('free');
  });

  it('passes over a holder that died', async () => {
    const lock = join(directory, 'lock');
    const { pid } = spawnSync('/bin/sh', ['-c', 'exit']);
    await writeFile(lock, String(pid));
    expect(await withCacheLock(lock, quick, () => Promise.resolve('mine'))).toBe('mine');
  });
});
