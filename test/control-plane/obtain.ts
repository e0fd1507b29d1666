import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BinaryName, binaries } from './binaries.ts';
import { cacheRoot, isExecutable, placeAtomically } from './cache-directory.ts';
import { withCacheLock } from './cache-lock.ts';
import { DownloadError, type DownloadOptions, fetchFile, fetchText } from './download.ts';
import type { Environment } from './environment.ts';
import { buildCacheKey, findGo, goBuild } from './go-build.ts';
import { type Platform, platformName } from './platform.ts';
import { findRelease, type Release } from './releases.ts';
import { readTarMember } from './tar-archive.ts';
import { versions } from './versions.ts';

export interface LocatedBinary {
  readonly path: string;
  readonly from: 'assets' | 'path' | 'cache' | 'download' | 'build';
}

/** What one search works with, and what it has learned. */
export interface Search {
  readonly env: Environment;
  readonly platform: Platform;
  readonly report: (line: string) => void;
  readonly assetsDirectory: string | undefined;
  readonly download: DownloadOptions;
  /** Why each step so far gave nothing. */
  readonly reasons: string[];
}

/** No step could provide a binary; the message gives the reason of every step. */
export class MissingBinaryError extends Error {
  constructor(name: BinaryName, platform: Platform, reasons: readonly string[]) {
    const { version } = binaries[name];
    super(
      [
        `cannot provide ${name} v${version} for ${platformName(platform)}`,
        ...reasons.map((reason) => `  ${reason}`),
        `install Go ${versions.go} or later (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl, or set ALBRIDGE_DOWNLOAD_BASE to a reachable mirror of the release hosts`,
      ].join('\n'),
    );
    this.name = 'MissingBinaryError';
  }
}

/**
 * Fills the cache with `name`: a download with checksum, else `go build`. One process at a time
 * does so. Throws MissingBinaryError.
 */
export async function obtain(name: BinaryName, search: Search): Promise<LocatedBinary> {
  const lock = join(cacheRoot(search.env), `${name}-${platformName(search.platform)}.lock`);
  const onWait = (pid: number): void =>
    search.report(`process ${pid} is fetching ${name} already: waiting for it`);
  return await withCacheLock(lock, { onWait }, async () => {
    // While we waited for the lock its holder may have filled the cache.
    const cached = await fromCache(name, search);
    if (cached !== undefined) return cached;
    search.reasons.push(`cache: ${cacheRoot(search.env)} does not hold it yet`);
    return (await fromDownload(name, search)) ?? (await fromBuild(name, search));
  });
}

/** The binary as an earlier download or build left it. */
export async function fromCache(
  name: BinaryName,
  search: Search,
): Promise<LocatedBinary | undefined> {
  const keys = [
    findRelease(name, search.platform)?.cacheKey,
    await buildCacheKey(name, search.platform),
  ];
  for (const key of keys) {
    if (key === undefined) continue;
    const path = join(cacheRoot(search.env), key, name);
    if (await isExecutable(path)) return { path, from: 'cache' };
  }
  return undefined;
}

async function fromDownload(name: BinaryName, search: Search): Promise<LocatedBinary | undefined> {
  const release = findRelease(name, search.platform);
  if (release === undefined) {
    search.reasons.push(`download: none is published for ${platformName(search.platform)}`);
    search.report(`${name}: no download is published for ${platformName(search.platform)}`);
    return undefined;
  }
  const { host } = new URL(release.url);
  search.report(`downloading ${name} from ${host}: about ${release.megabytes} MB, ${minutes(1)}`);
  try {
    return { path: await download(name, release, search), from: 'download' };
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    search.reasons.push(`download: ${error.message}`);
    search.report(`${name}: ${error.message}; next: go build`);
    return undefined;
  }
}

async function download(name: BinaryName, release: Release, search: Search): Promise<string> {
  const hex = release.findChecksum(await fetchText(release.checksumUrl, search.download));
  if (hex === undefined || !/^[0-9a-f]+$/i.test(hex)) {
    throw new DownloadError(`${release.checksumUrl} has no ${release.algorithm} for ${name}`);
  }
  const directory = join(cacheRoot(search.env), release.cacheKey);
  const path = join(directory, name);
  const options = { ...search.download, digest: { algorithm: release.algorithm, hex } };
  await placeAtomically(path, async (file) => {
    await fetchFile(release.url, file, options);
    if (release.members !== undefined) await unpack(file, name, { directory, release });
    await chmod(file, 0o755);
  });
  return path;
}

/** Turns the downloaded archive at `file` into `name`, and puts its other members in the cache. */
async function unpack(
  file: string,
  name: BinaryName,
  { directory, release }: { readonly directory: string; readonly release: Release },
): Promise<void> {
  const archive = await readFile(file);
  await rm(file);
  for (const member of release.members ?? []) {
    const content = readTarMember(archive, member);
    if (content === undefined) throw new DownloadError(`${release.url} does not hold ${member}`);
    if (member === name) await writeFile(file, content);
    else await placeMember(join(directory, member), content);
  }
}

async function placeMember(target: string, content: Uint8Array): Promise<void> {
  await placeAtomically(target, (file) => writeFile(file, content, { mode: 0o755 }));
}

async function fromBuild(name: BinaryName, search: Search): Promise<LocatedBinary> {
  const { buildMinutes, version } = binaries[name];
  try {
    const go = await findGo(search.env);
    search.report(
      `building ${name} v${version} with ${go}: about ${minutes(buildMinutes)} the first time on two cores, cached afterwards`,
    );
    const key = await buildCacheKey(name, search.platform);
    const path = join(cacheRoot(search.env), key, name);
    await placeAtomically(path, (target) => goBuild(go, name, { ...search, target }));
    return { path, from: 'build' };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MissingBinaryError(name, search.platform, [...search.reasons, `go build: ${reason}`]);
  }
}

function minutes(count: number): string {
  return count === 1 ? 'a minute' : `${count} minutes`;
}
