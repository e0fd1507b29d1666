import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BinaryName, binaries } from './binaries.ts';
import { cacheRoot, isExecutable } from './cache-directory.ts';
import type { DownloadOptions } from './download.ts';
import { type Environment, isolatedEnvironment } from './environment.ts';
import { findOnPath } from './go-build.ts';
import { fromCache, type LocatedBinary, obtain, type Search } from './obtain.ts';
import { type Platform, platformOf } from './platform.ts';
import { findRelease } from './releases.ts';
import { runCommand } from './run-command.ts';

export interface LocateOptions {
  /** A directory with ready binaries; default KUBEBUILDER_ASSETS. */
  readonly assetsDirectory?: string;
  /** Default `process.env`. */
  readonly env?: Environment;
  /** Default: this machine. */
  readonly platform?: Platform;
  /** Receives progress as plain lines; default: stderr. */
  readonly report?: (line: string) => void;
  /** Bounds and intervals of downloads, for tests. */
  readonly download?: Partial<DownloadOptions>;
}

/**
 * Finds or obtains binaries, in this order: the given directory; for kubectl the user's own on
 * PATH; the cache; a download with checksum; `go build`. Says beforehand what is missing and what
 * that will cost. Throws MissingBinaryError.
 */
export async function locateBinaries<Name extends BinaryName>(
  names: readonly Name[],
  options: LocateOptions = {},
): Promise<Readonly<Record<Name, LocatedBinary>>> {
  const located: Partial<Record<Name, LocatedBinary>> = {};
  const missing: { readonly name: Name; readonly search: Search }[] = [];
  for (const name of names) {
    const search = beginSearch(options);
    const found = await find(name, search);
    if (found === undefined) missing.push({ name, search });
    else located[name] = found;
  }
  announce(missing);
  for (const { name, search } of missing) located[name] = await obtain(name, search);
  return located as Record<Name, LocatedBinary>;
}

async function find(name: BinaryName, search: Search): Promise<LocatedBinary | undefined> {
  return (
    (await fromAssets(name, search)) ??
    (await fromPath(name, search)) ??
    (await fromCache(name, search))
  );
}

function announce(
  missing: readonly { readonly name: BinaryName; readonly search: Search }[],
): void {
  const search = missing[0]?.search;
  if (search === undefined) return;
  const megabytes = new Map<string, number>();
  let buildMinutes = 0;
  for (const { name } of missing) {
    const release = findRelease(name, search.platform);
    if (release !== undefined) megabytes.set(release.url, release.megabytes);
    buildMinutes += binaries[name].buildMinutes;
  }
  const total = [...megabytes.values()].reduce((sum, one) => sum + one, 0);
  search.report(
    `to fetch, once: ${missing.map(({ name }) => name).join(', ')}; ` +
      `about ${total} MB of downloads, or about ${buildMinutes} min of go build on two cores; ` +
      `kept in ${cacheRoot(search.env)}`,
  );
}

function beginSearch(options: LocateOptions): Search {
  const env = options.env ?? process.env;
  const report = options.report ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const base = env['ALBRIDGE_DOWNLOAD_BASE'];
  return {
    env,
    report,
    platform: options.platform ?? platformOf(process.platform, process.arch),
    assetsDirectory: options.assetsDirectory ?? env['KUBEBUILDER_ASSETS'],
    download: { env, report, ...(base === undefined ? {} : { base }), ...options.download },
    reasons: [],
  };
}

async function fromAssets(name: BinaryName, search: Search): Promise<LocatedBinary | undefined> {
  if (!search.assetsDirectory) {
    search.reasons.push('given directory: none, KUBEBUILDER_ASSETS is not set');
    return undefined;
  }
  const path = join(search.assetsDirectory, name);
  if (await isExecutable(path)) return { path, from: 'assets' };
  search.reasons.push(`given directory: ${search.assetsDirectory} has no executable ${name}`);
  return undefined;
}

/** Only kubectl: it is the tool the user knows. It must run, for some are shims without a body. */
async function fromPath(name: BinaryName, search: Search): Promise<LocatedBinary | undefined> {
  if (name !== 'kubectl') return undefined;
  const path = await findOnPath(name, search.env);
  if (path === undefined) {
    search.reasons.push('PATH: has no kubectl');
    return undefined;
  }
  const env = isolatedEnvironment(search.env, tmpdir());
  const { code } = await runCommand(path, ['version', '--client'], { env, timeoutMs: 10_000 });
  if (code === 0) return { path, from: 'path' };
  search.reasons.push(`PATH: ${path} does not run`);
  return undefined;
}
