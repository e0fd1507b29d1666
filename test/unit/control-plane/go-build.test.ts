import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  buildCacheKey,
  findGo,
  findOnPath,
  goBuild,
  isAtLeast,
  linkerFlags,
  parseGoVersion,
} from '../../control-plane/go-build.ts';
import { writeFakeGo } from './fake-go.ts';
import { makeTemporaryDirectory, writeExecutable } from './release-server.ts';

const linux = { os: 'linux', arch: 'amd64' };
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe('the version of Go', () => {
  const outputs = {
    'a patch release': { output: 'go version go1.26.8 linux/amd64', version: '1.26.8', why: '' },
    'a minor release': { output: 'go version go1.21 darwin/arm64', version: '1.21', why: '' },
    'a release candidate': { output: 'go version go1.27rc1 linux/arm64', version: '1.27', why: '' },
    'something else': { output: 'no such command', version: undefined, why: 'a broken go' },
  };
  it.each(Object.entries(outputs))('is read from %s', (_name, { output, version, why }) => {
    expect(parseGoVersion(output), why).toBe(version);
  });

  const comparisons = {
    '1.26.8': { isEnough: true, why: 'newer patch' },
    '1.26': { isEnough: true, why: 'the minimum itself' },
    '1.30.1': { isEnough: true, why: 'numbers, not texts, are compared' },
    '2.0': { isEnough: true, why: 'the major version counts first' },
    '1.9': { isEnough: false, why: 'numbers, not texts, are compared' },
    '1.25.9': { isEnough: false, why: 'older minor' },
  };
  it.each(Object.entries(comparisons))('%s is compared with 1.26', (version, testCase) => {
    expect(isAtLeast(version, '1.26'), testCase.why).toBe(testCase.isEnough);
  });
});

interface GoCase {
  readonly why: string;
  readonly version: string;
  readonly toolchain: string;
  readonly refusal?: string;
}

const gos: Readonly<Record<string, GoCase>> = {
  'a new Go': { why: 'it builds by itself', version: '1.26.8', toolchain: 'local' },
  'an older Go that may fetch its toolchain': {
    why: 'since 1.21 go.mod names the toolchain and Go fetches it',
    version: '1.22.1',
    toolchain: 'auto',
  },
  'an older Go that may not': {
    why: 'some distributions set GOTOOLCHAIN=local',
    version: '1.22.1',
    toolchain: 'local',
    refusal: 'is 1.22.1, the build needs 1.26 or later',
  },
  'a Go from before toolchains': {
    why: 'it does not know how to fetch one',
    version: '1.19.8',
    toolchain: 'auto',
    refusal: 'is 1.19.8, the build needs 1.26 or later',
  },
};

describe('finding Go', () => {
  it.each(Object.entries(gos))('judges %s', async (_name, { why, refusal, ...go }) => {
    const path = await writeFakeGo(directory, go);
    const found = findGo({ PATH: directory });
    if (refusal === undefined) await expect(found, why).resolves.toBe(path);
    else await expect(found, why).rejects.toThrow(refusal);
  });

  it('says when there is none', async () => {
    await expect(findGo({ PATH: directory })).rejects.toThrow('there is no go on PATH');
    await expect(findGo({})).rejects.toThrow('there is no go on PATH');
  });

  it('says when it does not answer', async () => {
    await writeExecutable(join(directory, 'go'), '#!/bin/sh\nexit 1\n');
    await expect(findGo({ PATH: directory })).rejects.toThrow('does not tell its version');
  });

  it('takes the first executable on PATH', async () => {
    const second = await writeExecutable(join(directory, 'b', 'kubectl'), '');
    const env = { PATH: `${join(directory, 'a')}::${join(directory, 'b')}` };
    expect(await findOnPath('kubectl', env)).toBe(second);
    expect(await findOnPath('etcd', env)).toBeUndefined();
  });
});

describe('a build', () => {
  it('stamps the version where servers and clients read it', () => {
    const flags = linkerFlags('kube-apiserver');
    expect(flags).toContain('-X k8s.io/component-base/version.gitVersion=v1.36.4');
    expect(flags).toContain('-X k8s.io/client-go/pkg/version.gitMinor=36');
    expect(linkerFlags('etcd')).toBe('-s -w');
    expect(linkerFlags('helm')).toContain('/v4/internal/version.version=v4.2.4');
  });

  it('has a cache key of version, platform and contents', async () => {
    const key = await buildCacheKey('kube-apiserver', linux);
    expect(key).toMatch(/^kubernetes-v1\.36\.4-linux-amd64-go-[0-9a-f]{12}$/);
    expect(await buildCacheKey('kubectl', linux), 'one directory per product').toBe(key);
    expect(await buildCacheKey('etcd', linux)).toMatch(/^etcd-v3\.6\.14-linux-amd64-go-/);
  });

  it('says how long it has been running, and that it is done', async () => {
    const lines: string[] = [];
    const seen = join(directory, 'seen');
    const build = `while [ ! -e ${seen} ]; do sleep 0.1; done`;
    const go = await writeFakeGo(directory, { version: '1.26.8', build });
    await goBuild(go, 'etcd', {
      env: { PATH: process.env['PATH'] },
      report: (line) => {
        lines.push(line);
        if (line.includes('1 modules downloaded')) writeFileSync(seen, '');
      },
      progressMs: 50,
      platform: linux,
      target: join(directory, 'etcd'),
    });
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.at(-2)).toMatch(/^building etcd: \d+ s, 1 modules downloaded$/);
    expect(lines.at(-1)).toMatch(/^built etcd in \d+ s$/);
  });

  it('that fails ends with what Go printed last', async () => {
    const build = 'echo "no space left on device" >&2; exit 2';
    const go = await writeFakeGo(directory, { version: '1.26.8', build });
    const target = join(directory, 'etcd');
    const options = { env: {}, report: () => undefined, platform: linux, target };
    await expect(goBuild(go, 'etcd', options)).rejects.toThrow(
      /^go build ended with 2: .*no space left on device$/,
    );
  });
});
