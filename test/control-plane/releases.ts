import { basename } from 'node:path/posix';
import { parse } from 'yaml';
import { type BinaryName, binaries } from './binaries.ts';
import { type Platform, platformName } from './platform.ts';
import { versions } from './versions.ts';

/** One published file: a binary itself, or an archive that holds binaries. */
export interface Release {
  readonly url: string;
  /** Where the digest is published, and how to read it from that document. */
  readonly checksumUrl: string;
  readonly algorithm: 'sha256' | 'sha512';
  readonly findChecksum: (document: string) => string | undefined;
  /** Members of the .tar.gz to unpack; absent if the file is the binary. */
  readonly members?: readonly BinaryName[];
  readonly megabytes: number;
  /** Directory in the cache that receives the binaries. */
  readonly cacheKey: string;
}

interface ReleaseRow {
  readonly platforms: readonly string[];
  /** Megabytes to download, by binary; an archive counts whole for each. */
  readonly megabytes: Partial<Readonly<Record<BinaryName, number>>>;
  readonly release: (name: BinaryName, platform: Platform) => Omit<Release, 'megabytes'>;
}

/**
 * Which platform has which download. No official server binaries exist for macOS: the envtest
 * archive is all there is, and what it lacks is built.
 */
const releaseTable: readonly ReleaseRow[] = [
  {
    platforms: ['linux-amd64', 'linux-arm64'],
    megabytes: {
      'kube-apiserver': 105,
      'kube-apiserver-oldest': 95,
      kubectl: 60,
      'kube-controller-manager': 95,
      'kube-scheduler': 75,
    },
    release: kubernetesRelease,
  },
  { platforms: ['linux-amd64', 'linux-arm64'], megabytes: { etcd: 25 }, release: etcdRelease },
  {
    platforms: ['linux-amd64', 'linux-arm64', 'darwin-amd64', 'darwin-arm64'],
    megabytes: { kwok: 85 },
    release: kwokRelease,
  },
  {
    platforms: ['linux-amd64', 'linux-arm64', 'darwin-amd64', 'darwin-arm64'],
    megabytes: { helm: 20 },
    release: helmRelease,
  },
  {
    platforms: ['darwin-amd64', 'darwin-arm64'],
    megabytes: { etcd: 55, 'kube-apiserver': 55, kubectl: 55 },
    release: envtestRelease,
  },
];

/** The published file that holds `name` for `platform`, if there is one. */
export function findRelease(name: BinaryName, platform: Platform): Release | undefined {
  for (const row of releaseTable) {
    const megabytes = row.megabytes[name];
    if (megabytes !== undefined && row.platforms.includes(platformName(platform))) {
      return { ...row.release(name, platform), megabytes };
    }
  }
  return undefined;
}

/** https://kubernetes.io/releases/download/#binaries: each file has its digest beside it. */
function kubernetesRelease(name: BinaryName, platform: Platform): Omit<Release, 'megabytes'> {
  const { version, goPackage } = binaries[name];
  const file = basename(goPackage);
  const url = `https://dl.k8s.io/release/v${version}/bin/${platform.os}/${platform.arch}/${file}`;
  return {
    url,
    checksumUrl: `${url}.sha256`,
    algorithm: 'sha256',
    findChecksum: (document) => document.trim().split(/\s+/)[0],
    cacheKey: `kubernetes-v${version}-${platformName(platform)}`,
  };
}

/** https://etcd.io/docs/v3.6/install/: archives and one SHA256SUMS on the release page. */
function etcdRelease(_name: BinaryName, platform: Platform): Omit<Release, 'megabytes'> {
  const directory = `https://github.com/etcd-io/etcd/releases/download/v${versions.etcd}`;
  const file = `etcd-v${versions.etcd}-${platformName(platform)}.tar.gz`;
  return {
    url: `${directory}/${file}`,
    checksumUrl: `${directory}/SHA256SUMS`,
    algorithm: 'sha256',
    findChecksum: (document) => findInSumsFile(document, file),
    members: ['etcd'],
    cacheKey: `etcd-v${versions.etcd}-${platformName(platform)}`,
  };
}

/** https://github.com/kubernetes-sigs/controller-tools/blob/main/envtest-releases.yaml */
function envtestRelease(_name: BinaryName, platform: Platform): Omit<Release, 'megabytes'> {
  const release = `envtest-v${versions.envtest}`;
  const file = `${release}-${platformName(platform)}.tar.gz`;
  return {
    url: `https://github.com/kubernetes-sigs/controller-tools/releases/download/${release}/${file}`,
    checksumUrl:
      'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml',
    algorithm: 'sha512',
    findChecksum: (document) => findInEnvtestIndex(document, file),
    members: ['etcd', 'kube-apiserver', 'kubectl'],
    cacheKey: `${release}-${platformName(platform)}`,
  };
}

/**
 * Binaries of kwok lie on its release page without a file of checksums; the release host's own
 * record of the release has the digest of each:
 * https://docs.github.com/en/rest/releases/releases#get-a-release-by-tag-name
 */
function kwokRelease(_name: BinaryName, platform: Platform): Omit<Release, 'megabytes'> {
  const repository = 'kubernetes-sigs/kwok';
  const tag = `v${versions.kwok}`;
  const file = `kwok-${platformName(platform)}`;
  return {
    url: `https://github.com/${repository}/releases/download/${tag}/${file}`,
    checksumUrl: `https://api.github.com/repos/${repository}/releases/tags/${tag}`,
    algorithm: 'sha256',
    findChecksum: (document) => findInReleaseRecord(document, file),
    cacheKey: `kwok-${tag}-${platformName(platform)}`,
  };
}

/** https://helm.sh/docs/intro/install: each archive has its digest beside it. */
function helmRelease(_name: BinaryName, platform: Platform): Omit<Release, 'megabytes'> {
  const url = `https://get.helm.sh/helm-v${versions.helm}-${platformName(platform)}.tar.gz`;
  return {
    url,
    checksumUrl: `${url}.sha256sum`,
    algorithm: 'sha256',
    findChecksum: (document) => document.trim().split(/\s+/)[0],
    members: ['helm'],
    cacheKey: `helm-v${versions.helm}-${platformName(platform)}`,
  };
}

function findInSumsFile(document: string, file: string): string | undefined {
  const line = document.split('\n').find((candidate) => candidate.trim().endsWith(` ${file}`));
  return line?.trim().split(/\s+/)[0];
}

function findInEnvtestIndex(document: string, file: string): string | undefined {
  const index = parse(document) as {
    releases?: Record<string, Record<string, { hash?: string }>>;
  } | null;
  return index?.releases?.[`v${versions.envtest}`]?.[file]?.hash;
}

function findInReleaseRecord(document: string, file: string): string | undefined {
  if (!document.startsWith('{')) return undefined;
  const record = JSON.parse(document) as {
    readonly assets?: readonly { readonly name?: string; readonly digest?: string | null }[];
  };
  const digest = record.assets?.find(({ name }) => name === file)?.digest;
  return digest?.startsWith('sha256:') ? digest.slice('sha256:'.length) : undefined;
}
