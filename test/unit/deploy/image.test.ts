import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { matchesGlob, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { readImageRun, readStages, type Stage, textsOf } from '../../surroundings/image.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

let stages: readonly Stage[];

beforeAll(async () => {
  stages = await readStages();
});

/** Whether .dockerignore lets a file of the repository into the build. */
async function isSent(path: string): Promise<boolean> {
  const lines = (await readFile(resolve(ROOT, '.dockerignore'), 'utf8')).split('\n');
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(patterns[0]).toBe('*');
  return patterns.some((pattern) => {
    const kept = pattern.startsWith('!') ? pattern.slice(1) : undefined;
    return kept !== undefined && (matchesGlob(path, kept) || path.startsWith(`${kept}/`));
  });
}

describe('the Dockerfile', () => {
  it('has two stages, each from a base pinned by digest', () => {
    expect(stages).toHaveLength(2);
    for (const stage of stages) expect(stage[0]?.text).toMatch(/@sha256:[0-9a-f]{64}( AS build)?$/);
  });

  it('ends in an image without a shell, and runs nothing in it', () => {
    expect(stages[1]?.[0]?.text).toMatch(/^gcr\.io\/distroless\/nodejs24-debian13:nonroot@/);
    for (const name of ['RUN', 'ADD', 'VOLUME']) expect(textsOf(stages[1], name)).toEqual([]);
    expect(textsOf(stages[1], 'ENTRYPOINT')[0]).toMatch(
      /^\["\/nodejs\/bin\/node", .*"\/app\/main.mjs"\]$/,
    );
  });

  it('keeps memory small: one arena, freed pages given back, a small young generation of one thread, no last compiler', async () => {
    expect(await readImageRun()).toEqual({
      environment: {
        NODE_ENV: 'production',
        MALLOC_ARENA_MAX: '1',
        MALLOC_TRIM_THRESHOLD_: '65536',
        MALLOC_MMAP_THRESHOLD_: '16384',
      },
      nodeFlags: [
        '--max-semi-space-size=1',
        '--no-parallel-scavenge',
        '--no-turbofan',
        '--optimize-for-size',
      ],
    });
  });

  it('runs as the user that the Deployment names', async () => {
    const text = await readFile(resolve(ROOT, 'deploy/base/deployment.yaml'), 'utf8');
    const { runAsUser, runAsGroup } = parse(text).spec.template.spec.securityContext;
    expect(textsOf(stages[1], 'USER')).toEqual([`${runAsUser}:${runAsGroup}`]);
    expect(runAsUser).toBeGreaterThan(0);
  });

  it('takes what npm run build makes, licences included', () => {
    expect(textsOf(stages[1], 'COPY')).toEqual(['--from=build /build/dist ./']);
    for (const script of manifest.scripts.build.match(/deploy\/\w+\.ts/g) ?? ['none']) {
      expect(textsOf(stages[0], 'RUN').join('\n')).toContain(`node ${script}`);
    }
  });

  it('installs what is locked, and runs no scripts of packages', () => {
    expect(textsOf(stages[0], 'RUN')[0]).toMatch(/^npm ci --ignore-scripts/);
  });

  it('carries the licence of package.json', () => {
    const labels = textsOf(stages[1], 'LABEL').join(' ');
    expect(labels).toContain(`image.licenses="${manifest.license}"`);
  });
});

describe('the version', () => {
  it.each([
    ...['Dockerfile', 'Makefile', 'README.md', 'docs/install.md', 'package-lock.json'],
    ...['deploy/base/deployment.yaml', 'deploy/install.yaml', 'deploy/chart/Chart.yaml'],
    ...['irsa', 'eks-pod-identity'].map((name) => `deploy/overlays/${name}/kustomization.yaml`),
  ])('is everywhere in %s that of package.json', async (path) => {
    const text = await readFile(resolve(ROOT, path), 'utf8');
    const given = text.matchAll(
      /(?:\balbridge:|newTag: |image\.version="|^(?:appV|v)ersion: "?|"name": "albridge",\s+"version": ")(\d[\w.-]*\w)/gm,
    );
    expect(new Set(Array.from(given, ([, version]) => version))).toEqual(
      new Set([manifest.version]),
    );
  });
});

describe('npm ci', () => {
  interface Locked {
    readonly integrity?: string;
    readonly hasInstallScript?: boolean;
  }
  const text = readFileSync(resolve(ROOT, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> };
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  it('checks every package, Node itself among them, by its hash in the lockfile', () => {
    const unchecked = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unchecked).toEqual([]);
    for (const platform of ['linux-x64', 'linux-arm64']) {
      expect(packages).toHaveProperty([`node_modules/node-${platform}`, 'bin', 'node']);
    }
  });

  it('runs no script of a package that could fetch more, but for those that are allowed', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names).toEqual(Object.keys(manifest.allowScripts));
  });
});

describe('.dockerignore', () => {
  it('lets in what the build copies', async () => {
    const copied = textsOf(stages[0], 'COPY').flatMap((text) => text.split(' ').slice(0, -1));
    expect(copied).toEqual(['package.json', 'package-lock.json', 'LICENSE', 'deploy', 'src']);
    const names = [
      'package.json',
      'package-lock.json',
      'LICENSE',
      'src/main.ts',
      'deploy/bundle.ts',
    ];
    for (const name of names) expect(await isSent(name), name).toBe(true);
  });

  it('keeps everything else out', async () => {
    const names = ['.git/config', 'node_modules/esbuild/main.js', 'dist/main.mjs', '.env'];
    for (const name of [...names, 'test/run.ts', 'deploy/base/role.yaml']) {
      expect(await isSent(name), name).toBe(false);
    }
  });
});
