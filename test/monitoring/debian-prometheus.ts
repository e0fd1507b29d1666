import { chmod, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot, isExecutable, placeAtomically } from '../control-plane/cache-directory.ts';
import { withCacheLock } from '../control-plane/cache-lock.ts';
import type { Environment } from '../control-plane/environment.ts';
import { findOnPath } from '../control-plane/go-build.ts';
import { runCommand } from '../control-plane/run-command.ts';

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
  const place = await mkdtemp(join(tmpdir(), 'albridge-prometheus-'));
  // apt fetches as the user _apt, who may write here.
  await chmod(place, 0o777);
  try {
    const fetch = ['download', 'prometheus'];
    await run('apt-get', fetch, { cwd: place, env }).catch(async () => {
      // The lists of packages may be missing or old: with lists of its own this needs no administrator.
      const own = await useOwnLists(place);
      await run('apt-get', [...own, 'update'], { cwd: place, env });
      await run('apt-get', [...own, ...fetch], { cwd: place, env });
    });
    const [file] = (await readdir(place)).filter((one) => one.endsWith('.deb'));
    await run('dpkg-deb', ['-x', file ?? 'prometheus.deb', 'unpacked'], { cwd: place, env });
    for (const name of PROMETHEUS_NAMES) {
      const from = join(place, 'unpacked/usr/bin', name);
      await placeAtomically(join(directory, name), (target) => copyFile(from, target));
    }
  } finally {
    await rm(place, { recursive: true });
  }
}

async function useOwnLists(place: string): Promise<readonly string[]> {
  const lists = join(place, 'lists');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await chmod(lists, 0o777);
  const caches = ['pkgcache', 'srcpkgcache'].map((name) => `Dir::Cache::${name}=`);
  return [`Dir::State::Lists=${lists}`, ...caches].flatMap((option) => ['-o', option]);
}

async function run(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<void> {
  const whole = [command, ...args.filter((one) => !/^-o$|=/.test(one))].join(' ');
  const kept = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  const options = { cwd, env: Object.fromEntries(kept) };
  const { code, stderr } = await runCommand(command, args, options).catch((error: unknown) => ({
    code: -1,
    stderr: (error as Error).message,
  }));
  if (code === 0) return;
  const why = stderr.trim().split('\n').at(-1) ?? '';
  throw new Error(
    `cannot provide prometheus and promtool: ${whole}: ${why}; put both on PATH, or run apt-get update on Debian`,
  );
}
