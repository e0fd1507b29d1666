import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type BinaryName, binaries, binaryNames } from '../../control-plane/binaries.ts';
import { platformOf } from '../../control-plane/platform.ts';
import { findRelease } from '../../control-plane/releases.ts';
import { versions } from '../../control-plane/versions.ts';

interface Case {
  readonly why: string;
  readonly platform: readonly [os: string, arch: string];
  readonly addresses: Partial<Readonly<Record<BinaryName, string>>>;
}

const server = 'https://dl.k8s.io/release/v1.36.4/bin';
const oldest = 'https://dl.k8s.io/release/v1.32.13/bin';
const etcd = 'https://github.com/etcd-io/etcd/releases/download/v3.6.14';
const kwok = 'https://github.com/kubernetes-sigs/kwok/releases/download/v0.8.0';
const helm = 'https://get.helm.sh/helm-v4.2.4';
const envtest =
  'https://github.com/kubernetes-sigs/controller-tools/releases/download/envtest-v1.36.0';

const platforms: Readonly<Record<string, Case>> = {
  'Linux on x86': {
    why: 'official binaries for everything',
    platform: ['linux', 'x64'],
    addresses: {
      etcd: `${etcd}/etcd-v3.6.14-linux-amd64.tar.gz`,
      'kube-apiserver': `${server}/linux/amd64/kube-apiserver`,
      'kube-apiserver-oldest': `${oldest}/linux/amd64/kube-apiserver`,
      kubectl: `${server}/linux/amd64/kubectl`,
      'kube-controller-manager': `${server}/linux/amd64/kube-controller-manager`,
      'kube-scheduler': `${server}/linux/amd64/kube-scheduler`,
      kwok: `${kwok}/kwok-linux-amd64`,
      helm: `${helm}-linux-amd64.tar.gz`,
    },
  },
  'Linux on ARM': {
    why: 'official binaries for everything',
    platform: ['linux', 'arm64'],
    addresses: {
      etcd: `${etcd}/etcd-v3.6.14-linux-arm64.tar.gz`,
      'kube-apiserver': `${server}/linux/arm64/kube-apiserver`,
      'kube-apiserver-oldest': `${oldest}/linux/arm64/kube-apiserver`,
      kubectl: `${server}/linux/arm64/kubectl`,
      'kube-controller-manager': `${server}/linux/arm64/kube-controller-manager`,
      'kube-scheduler': `${server}/linux/arm64/kube-scheduler`,
      kwok: `${kwok}/kwok-linux-arm64`,
      helm: `${helm}-linux-arm64.tar.gz`,
    },
  },
  'macOS on ARM': {
    why: 'the envtest archive holds three binaries, kwok and helm publish their own, and that is all',
    platform: ['darwin', 'arm64'],
    addresses: {
      etcd: `${envtest}/envtest-v1.36.0-darwin-arm64.tar.gz`,
      'kube-apiserver': `${envtest}/envtest-v1.36.0-darwin-arm64.tar.gz`,
      kubectl: `${envtest}/envtest-v1.36.0-darwin-arm64.tar.gz`,
      kwok: `${kwok}/kwok-darwin-arm64`,
      helm: `${helm}-darwin-arm64.tar.gz`,
    },
  },
  FreeBSD: { why: 'nobody publishes for it', platform: ['freebsd', 'x64'], addresses: {} },
};

describe('the table of releases', () => {
  it.each(Object.entries(platforms))('knows the downloads of %s', (_name, testCase) => {
    const platform = platformOf(...testCase.platform);
    const addresses = binaryNames.flatMap((name) => {
      const release = findRelease(name, platform);
      return release === undefined ? [] : [[name, release.url]];
    });
    expect(Object.fromEntries(addresses), testCase.why).toEqual(testCase.addresses);
  });

  it('reads the digest from a file beside the binary', () => {
    const release = findRelease('kubectl', { os: 'linux', arch: 'amd64' });
    expect(release?.checksumUrl).toBe(`${server}/linux/amd64/kubectl.sha256`);
    expect(release?.findChecksum('abc123\n')).toBe('abc123');
  });

  it("reads the digest of etcd's archive from the list of all archives", () => {
    const release = findRelease('etcd', { os: 'linux', arch: 'arm64' });
    const list = [
      'aaa  etcd-v3.6.14-linux-amd64.tar.gz',
      'bbb  etcd-v3.6.14-linux-arm64.tar.gz',
      'ccc  other-etcd-v3.6.14-linux-arm64.tar.gz',
    ].join('\n');
    expect(release?.findChecksum(list)).toBe('bbb');
    expect(release?.findChecksum('')).toBeUndefined();
  });

  it('reads the digest of the envtest archive from the index of all releases', () => {
    const file = 'envtest-v1.36.0-darwin-arm64.tar.gz';
    const release = findRelease('etcd', { os: 'darwin', arch: 'arm64' });
    const index = `releases:\n  v1.36.0:\n    ${file}:\n      hash: ddd\n      selfLink: ${envtest}/${file}\n`;
    expect(release?.algorithm).toBe('sha512');
    expect(release?.findChecksum(index)).toBe('ddd');
    expect(release?.findChecksum('releases: {}')).toBeUndefined();
    expect(release?.findChecksum('')).toBeUndefined();
  });

  it("reads the digest of kwok from the release host's record of the release", () => {
    const release = findRelease('kwok', { os: 'linux', arch: 'arm64' });
    const record = JSON.stringify({
      assets: [
        { name: 'kwok-linux-amd64', digest: 'sha256:aaa' },
        { name: 'kwok-linux-arm64', digest: 'sha256:bbb' },
        { name: 'kwok-darwin-arm64', digest: null },
      ],
    });
    expect(release?.findChecksum(record)).toBe('bbb');
    expect(release?.findChecksum('{}')).toBeUndefined();
    const old = findRelease('kwok', { os: 'darwin', arch: 'arm64' });
    expect(old?.findChecksum(record), 'files from before digests were recorded').toBeUndefined();
    expect(old?.findChecksum('<html>a login page'), 'not JSON').toBeUndefined();
  });
});

describe('the pinned versions', () => {
  const modules = new URL('../../control-plane/modules/', import.meta.url);

  it.each(binaryNames)('of %s are those of its Go module', async (name) => {
    const { product, version, goPackage } = binaries[name];
    const module = await readFile(new URL(`${product}/go.mod`, modules), 'utf8');
    const paths: Readonly<Record<typeof product, string>> = {
      etcd: goPackage,
      'etcd-oldest': goPackage,
      kubernetes: 'k8s.io/kubernetes',
      'kubernetes-oldest': 'k8s.io/kubernetes',
      kwok: 'sigs.k8s.io/kwok',
      helm: 'helm.sh/helm/v4',
      'kube-score': 'github.com/zegl/kube-score',
      kubeconform: 'github.com/yannh/kubeconform',
      kstatus: 'github.com/fluxcd/cli-utils',
    };
    const path = paths[product];
    expect(module).toMatch(new RegExp(`[\\t ]${path} v${version}\\b`));
    expect(module).toContain(goPackage);
    expect(module).toMatch(new RegExp(`^go ${versions.go}\\b`, 'm'));
  });
});
