import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './environment.ts';
import { runCommand } from './run-command.ts';

/** Runs apt-get with these arguments and returns what it printed. */
export type Apt = (...args: readonly string[]) => Promise<string>;

export interface DebianPackages {
  /** For errors, such as `prometheus and promtool`. */
  readonly what: string;
  /** Names of the packages. */
  readonly list: (apt: Apt) => Promise<readonly string[]>;
  /** Takes what it needs from the directory into which all of them are unpacked. */
  readonly take: (unpacked: string) => Promise<void>;
}

/**
 * Unpacks packages of Debian, which apt verifies, without installing them. Rejects with one sentence where there is
 * no apt, no network or no such package.
 */
export async function unpackPackages(packages: DebianPackages, env: Environment): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'albridge-packages-'));
  // apt fetches as the user _apt, who may write here.
  await chmod(place, 0o777);
  const run = (command: string, args: readonly string[]): Promise<string> =>
    runIn({ cwd: place, what: packages.what, env }, command, args);
  const fetch = async (options: readonly string[]): Promise<void> => {
    const apt: Apt = (...args) => run('apt-get', [...options, ...args]);
    await apt('download', ...(await packages.list(apt)));
  };
  try {
    await fetch([]).catch(async () => {
      // The lists of packages may be missing or old: with lists of its own this needs no administrator.
      const own = await useOwnLists(place);
      await run('apt-get', [...own, 'update']);
      await fetch(own);
    });
    const files = (await readdir(place)).filter((one) => one.endsWith('.deb'));
    for (const file of files) await run('dpkg-deb', ['-x', file, 'unpacked']);
    await packages.take(join(place, 'unpacked'));
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

async function runIn(
  { cwd, what, env }: Readonly<Record<'cwd' | 'what', string>> & { readonly env: Environment },
  command: string,
  args: readonly string[],
): Promise<string> {
  const kept = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  const options = { cwd, env: Object.fromEntries(kept) };
  const { code, stdout, stderr } = await runCommand(command, args, options).catch(
    (error: unknown) => ({ code: -1, stdout: '', stderr: (error as Error).message }),
  );
  if (code === 0) return stdout;
  const why = stderr.trim().split('\n').at(-1) ?? '';
  const [action] = args.filter((one) => !/^-|=/.test(one));
  throw new Error(
    `cannot provide ${what}: ${command} ${action}: ${why}; put it on PATH, or run apt-get update on Debian`,
  );
}
