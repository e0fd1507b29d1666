import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, isExecutable, placeAtomically } from '../control-plane/cache-directory.ts';
import { withCacheLock } from '../control-plane/cache-lock.ts';
import { unpackPackages } from '../control-plane/debian-packages.ts';
import type { Environment } from '../control-plane/environment.ts';
import { findOnPath } from '../control-plane/go-build.ts';

export const PROMETHEUS_NAMES = ['prometheus', 'promtool'] as const;
export type PrometheusName = (typeof PROMETHEUS_NAMES)[number];

export interface FoundProgram {
  readonly path: string;
  readonly from: 'path' | 'cache' | 'download';
}

/**
 * Finds a program of Prometheus: on PATH, in the cache, or in Debian's package, which apt verifies and which is
 * unpacked into the cache without being installed (19 MB). Rejects with one sentence where there is none.
 */
export async function locatePrometheus(
  name: PrometheusName,
  env: Environment = process.env,
): Promise<FoundProgram> {
  const onPath = await findOnPath(name, env);
  if (onPath !== undefined) return { path: onPath, from: 'path' };
  const directory = join(cacheRoot(env), `prometheus-debian-${process.arch}`);
  const path = join(directory, name);
  if (await isExecutable(path)) return { path, from: 'cache' };
  const onWait = (pid: number): void =>
    void process.stderr.write(`process ${pid} is fetching prometheus already: waiting for it\n`);
  return withCacheLock(`${directory}.lock`, { onWait }, async () => {
    if (await isExecutable(path)) return { path, from: 'cache' };
    await download(directory, env);
    return { path, from: 'download' };
  });
}

async function download(directory: string, env: Environment): Promise<void> {
  const take = async (unpacked: string): Promise<void> => {
    for (const name of PROMETHEUS_NAMES) {
      const from = join(unpacked, 'usr/bin', name);
      await placeAtomically(join(directory, name), (target) => copyFile(from, target));
    }
  };
  const list = (): Promise<readonly string[]> => Promise.resolve(['prometheus']);
  await unpackPackages({ what: 'prometheus and promtool', list, take }, env);
}
