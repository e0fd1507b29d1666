import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { Program } from '../../surroundings/program.ts';
import { until } from '../../surroundings/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-release-'));
});

afterEach(() => rm(directory, { recursive: true }));

/** In place of helm, whose package the projects long-* look into. */
async function fakeHelm(version: string): Promise<string> {
  const path = join(directory, 'helm');
  const text = `#!/bin/sh
case "$1" in
  version) printf '${version}' ;;
  package) [ -z "$FAIL" ] || { echo "Error: no chart" >&2; exit 1; }; echo chart > "$8/albridge-$4.tgz" ;;
esac
`;
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

async function release(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | string; readonly output: string }> {
  const out = ['--out', join(directory, 'out')];
  const program = await Program.start('deploy/release/main.ts', [...args, ...out], environment);
  const code = await program.exited;
  await program.discard();
  return { code, output: program.output };
}

describe('npm run release refuses in one sentence', () => {
  const cases: Readonly<Record<string, readonly [args: readonly string[], says: RegExp]>> = {
    'no version': [['--dry-run'], /^release: --version is missing; run with --help for usage$/],
    'a version that is none': [
      ['--version', 'v1', '--dry-run'],
      /takes X\.Y\.Z or X\.Y\.Z-rc\.1, not v1; run/,
    ],
    'a candidate with an empty part': [
      ['--version', '1.2.3-..a', '--dry-run'],
      /takes X\.Y\.Z or X\.Y\.Z-rc\.1, not 1\.2\.3-\.\.a; run/,
    ],
    'a candidate whose number begins with 0': [
      ['--version', '1.2.3-rc.01', '--dry-run'],
      /takes X\.Y\.Z or X\.Y\.Z-rc\.1, not 1\.2\.3-rc\.01; run/,
    ],
    'an image with a tag': [
      ['--version', '1.0.0', '--dry-run', '--image', 'a/b:1 2'],
      /--image takes an image without tag/,
    ],
    'an image with a tag and nothing else': [
      ['--version', '1.0.0', '--dry-run', '--image', 'x:1'],
      /--image takes an image without tag, not x:1; run/,
    ],
    'an empty --app': [
      ['--version', '1.0.0', '--dry-run', '--app='],
      /^release: --app takes a directory, not an empty text; run with --help for usage$/,
    ],
    'a repository that is no address': [
      ['--version', '1.0.0', '--dry-run', '--repository', 'example/albridge'],
      /--repository takes an address such as https:\/\/\S+, not example\/albridge; run/,
    ],
    'an unknown flag': [['--version', '1.0.0', '--publish'], /'--publish'; run with --help/],
    'a version that the changelog does not have': [
      ['--version', '999.0.0'],
      /^release: CHANGELOG\.md has no section 999\.0\.0; rename Unreleased/,
    ],
  };
  it.each(Object.entries(cases))('%s', async (_name, [args, says]) => {
    const { code, output } = await release(args);
    expect(output.trimEnd()).toMatch(says);
    expect(output.trimEnd()).not.toContain('\n');
    expect(code).toBeGreaterThan(0);
    expect(await readdir(directory)).toEqual([]);
  });

  it('without helm', async () => {
    const HELM = join(directory, 'none');
    const { code, output } = await release(['--version', '1.0.0-rc.1', '--dry-run'], { HELM });
    expect(output).toMatch(/^release: .*none cannot be started: .*; install helm 4, or set HELM/);
    expect({ code, left: await readdir(directory) }).toEqual({ code: 1, left: [] });
  });

  it('with an empty HELM, which is none, as without one', async () => {
    const args = ['--version', '1.0.0', '--dry-run'];
    const { stdout: git } = await promisify(execFile)('sh', ['-c', 'command -v git']);
    const PATH = join(directory, 'bin');
    await mkdir(PATH);
    await symlink(git.trim(), join(PATH, 'git'));
    const { code, output } = await release(args, { HELM: '', PATH });
    expect(output).toMatch(/^release: helm cannot be started: .*; install helm 4, or set HELM/);
    expect({ code, left: await readdir(directory) }).toEqual({ code: 1, left: ['bin'] });
  });

  it('with helm 3', async () => {
    const HELM = await fakeHelm('v3.19.0');
    const { code, output } = await release(['--version', '1.0.0', '--dry-run'], { HELM });
    expect(output).toMatch(/^release: .*helm is v3\.19\.0, not 4; install helm 4/);
    expect({ code, left: await readdir(directory) }).toEqual({ code: 1, left: ['helm'] });
  });

  it.each([
    ['/bin/true', '/bin/true says no version, not 4; install helm 4, or set HELM to its path'],
    [
      '/bin/false',
      '/bin/false version failed: it said nothing; install helm 4, or set HELM to its path',
    ],
  ])('with %s for helm', async (HELM, says) => {
    const { code, output } = await release(['--version', '1.0.0', '--dry-run'], { HELM });
    expect({ code, output }).toEqual({ code: 1, output: `release: ${says}\n` });
  });

  it('for a directory of something else, and keeps that', async () => {
    const HELM = await fakeHelm('v4.2.4');
    await mkdir(join(directory, 'out'));
    await writeFile(join(directory, 'out', 'thesis.txt'), 'years');
    const { code, output } = await release(['--version', '1.0.0', '--dry-run'], { HELM });
    expect(output).toMatch(
      /^release: \S+out is neither an empty directory nor an earlier release as it was written: name another one/,
    );
    expect({ code, left: await readdir(join(directory, 'out')) }).toEqual({
      code: 1,
      left: ['thesis.txt'],
    });
  });

  it('for an empty --out, which would be the working directory', async () => {
    const args = ['--version', '1.0.0', '--dry-run', '--out='];
    const program = await Program.start('deploy/release/main.ts', args, { HELM: '/nonexistent' });
    expect(await program.exited).toBe(2);
    expect(program.output).toMatch(/^release: --out takes a directory, not an empty text; run/);
    await program.discard();
  });

  it('for an --app that nothing was built into', async () => {
    const HELM = await fakeHelm('v4.2.4');
    const args = ['--version', '1.0.0', '--dry-run', '--app', directory];
    const { code, output } = await release(args, { HELM });
    expect(output).toBe(
      `release: --app ${directory} has no albridge.mjs; name what npm run build has written\n`,
    );
    expect({ code, left: await readdir(directory) }).toEqual({ code: 1, left: ['helm'] });
  });

  it('after a failure, and keeps what an earlier run wrote', async () => {
    const HELM = await fakeHelm('v4.2.4');
    const names = await writeEarlier();
    const { code, output } = await release(['--version', '1.0.0', '--dry-run'], {
      HELM,
      FAIL: '1',
    });
    expect({ code, output }).toEqual({
      code: 1,
      output: 'release: ' + HELM + ' package failed: Error: no chart\n',
    });
    expect((await readdir(directory)).toSorted()).toEqual(['helm', 'out']);
    expect((await readdir(join(directory, 'out'))).toSorted()).toEqual(names);
  });

  it.each([
    ['that its checksums do not name', 'thesis.tex', 'years'],
    ['that was changed', 'albridge.mjs', 'mine'],
  ])('for a directory with a file %s, and keeps that', async (_, name, text) => {
    await writeEarlier();
    await writeFile(join(directory, 'out', name), text);
    const { code, output } = await release(['--version', '1.0.0', '--dry-run']);
    expect(output).toMatch(/out is neither an empty directory nor an earlier release as it was /);
    expect(code).toBe(1);
    expect(await readFile(join(directory, 'out', name), 'utf8')).toBe(text);
  });

  it('for the checksums of something else, and keeps that', async () => {
    const sums = createHash('sha256').update('image').digest('hex');
    await mkdir(join(directory, 'out'));
    await writeFile(join(directory, 'out', 'debian.iso'), 'image');
    await writeFile(join(directory, 'out', 'SHA256SUMS'), `${sums}  debian.iso\n`);
    expect((await release(['--version', '1.0.0', '--dry-run'])).code).toBe(1);
    expect(await readdir(join(directory, 'out'))).toContain('debian.iso');
  });

  it('for a disk that takes no more, and leaves nothing there', async () => {
    const HELM = await fakeHelm('v4.2.4');
    const out = join(directory, 'out');
    // A limit of 512 bytes for a file: EFBIG.
    const args = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, 'deploy/release/main.ts'];
    const flags = ['--version', '1.0.0', '--dry-run', '--out', out];
    const run = promisify(execFile)('sh', [...args, ...flags], {
      cwd: ROOT,
      env: { ...process.env, HELM },
    });
    await expect(run).rejects.toMatchObject({
      code: 2,
      stderr: `release: ${out} cannot be written (EFBIG): name another directory; run with --help for usage\n`,
    });
    expect(await readdir(directory)).toEqual(['helm']);
  });
});

/** As little of an earlier release as one is known by. */
async function writeEarlier(): Promise<readonly string[]> {
  const names = ['THIRD-PARTY-LICENSES.txt', 'albridge.mjs', 'albridge.mjs.LEGAL.txt'];
  const sum = createHash('sha256').update('earlier').digest('hex');
  await mkdir(join(directory, 'out'));
  for (const name of names) await writeFile(join(directory, 'out', name), 'earlier');
  const sums = names.map((name) => `${sum}  ${name}\n`).join('');
  await writeFile(join(directory, 'out', 'SHA256SUMS'), sums);
  return ['SHA256SUMS', ...names];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

it('npm run release removes what it has begun when it is interrupted', async () => {
  const HELM = await fakeHelm('v4.2.4');
  await writeFile(HELM, (await readFile(HELM, 'utf8')).replace('[ -z', 'sleep 1; [ -z'));
  const args = ['--version', '1.0.0', '--dry-run', '--out', join(directory, 'out')];
  const program = await Program.start('deploy/release/main.ts', args, { HELM });
  await until('it has begun', async () =>
    (await readdir(directory)).some((name) => name.startsWith('out.part-')),
  );
  program.signal('SIGINT');
  expect(await program.exited).toBe(130);
  expect(await readdir(directory)).toEqual(['helm']);
  await program.discard();
});

describe('npm run release --dry-run', () => {
  it('writes every file of a release, and nothing else', async () => {
    const HELM = await fakeHelm('v4.2.4');
    const args = ['--version', '1.2.3', '--dry-run', '--image', 'ghcr.io/example/albridge'];
    const { code, output } = await release(args, { HELM });
    expect(code, output).toBe(0);
    const out = join(directory, 'out');
    const names = [
      'SHA256SUMS',
      'THIRD-PARTY-LICENSES.txt',
      'albridge-1.2.3.tgz',
      'albridge.mjs',
      'albridge.mjs.LEGAL.txt',
      'configmonitor.schema.json',
      'crds.yaml',
      'immortalcontainer.schema.json',
      'install.yaml',
      'myapp.schema.json',
      'myingress.schema.json',
      'notes.md',
      'sbom.cdx.json',
      'webapp.schema.json',
    ];
    expect((await readdir(out)).toSorted()).toEqual(names);
    expect((await readdir(directory)).toSorted()).toEqual(['helm', 'out']);
    const read = (name: string): Promise<string> => readFile(join(out, name), 'utf8');

    const sums = (await read('SHA256SUMS')).trimEnd().split('\n');
    expect(sums.map((line) => line.split('  ')[1])).toEqual(names.slice(1));
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(await readFile(join(out, name)))
          .digest('hex'),
      ).toBe(sum);
    }

    const shipped = await readFile(resolve(ROOT, 'deploy/install.yaml'), 'utf8');
    const image = 'image: ghcr.io/example/albridge:1.2.3';
    expect(await read('install.yaml')).toBe(shipped.replace(/(?<= )image: albridge:.*/, image));
    const definitions = (text: string): Readonly<Record<string, Manifest>> => {
      const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
      const ours = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
      return Object.fromEntries(ours.map((one) => [one.metadata.name, one]));
    };
    expect(definitions(await read('crds.yaml'))).toEqual(definitions(shipped));
    expect(Object.keys(definitions(shipped)).length).toBeGreaterThan(4);
    const sbom = JSON.parse(await read('sbom.cdx.json')) as { components: { name: string }[] };
    const packages = sbom.components.map(({ name }) => name);
    expect(packages).toEqual(expect.arrayContaining(['pino', 'undici', 'p-retry']));
    expect(packages).not.toContain('vitest');
    expect(await read('notes.md')).toContain('MyIngress');
    expect(await read('notes.md')).not.toContain('](');
    expect(output).toContain(
      `release: albridge.mjs and parts of sbom.cdx.json have version ${manifest.version} of package.json\n`,
    );

    const line = [join(out, 'albridge.mjs'), '--version'];
    const { stdout } = await promisify(execFile)(process.execPath, line);
    expect(stdout).toBe(`${manifest.version}\n`);
    expect(await read('THIRD-PARTY-LICENSES.txt')).toContain('undici');
    // npm reads every package, and a busy machine takes its time.
  }, 180_000);
});

it('what npm run build replaces has no release in it', async () => {
  const { output } = await runHelp();
  expect(output).toMatch(/--out DIR .*\(default release\)$/m);
  expect(await readFile(resolve(ROOT, '.gitignore'), 'utf8')).toMatch(/^\/release\/$/m);
});

async function runHelp(): Promise<Program> {
  const program = await Program.start('deploy/release/main.ts', ['--help']);
  await program.exited;
  await program.discard();
  return program;
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: unknown;
  readonly needs?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly env?: Readonly<Record<string, string>>;
  }[];
}

describe('the workflow that publishes', () => {
  const path = resolve(ROOT, '.github/workflows/release.yaml');

  it('pins its actions by commit, as the one for tests does', async () => {
    const text = await readFile(path, 'utf8');
    const tests = await readFile(resolve(ROOT, '.github/workflows/ci.yaml'), 'utf8');
    const used = [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) {
      expect(action).toMatch(/@[0-9a-f]{40}$/);
      expect(tests).toContain(action);
    }
    expect((parse(text) as Workflow).permissions).toEqual({ contents: 'read' });
  });

  it('has steps that bash can read, scripts that exist, and no text of others in a command', async () => {
    const workflow = parse(await readFile(path, 'utf8')) as Workflow;
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => (run === undefined ? [] : [run])),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      expect(command).not.toContain('${{');
      await promisify(execFile)('bash', ['-n', '-c', command]);
      for (const [, script = ''] of command.matchAll(/npm run (?:--silent )?([\w:-]+)/g)) {
        expect(Object.keys(manifest.scripts)).toContain(script);
      }
    }
  });

  it('gives token and identity to no step that runs code of packages', async () => {
    const { jobs } = parse(await readFile(path, 'utf8')) as Workflow;
    const { gates, publish } = jobs as { readonly gates: Job; readonly publish: Job };
    const runs = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('\n');
    expect(runs(gates)).toMatch(/^npm ci\nnpm run check$/m);
    expect([gates.permissions, publish.needs]).toEqual([undefined, 'gates']);
    expect(runs(publish)).not.toMatch(/npm (run )?(check|test|build)|npm ci(?! --ignore-scripts)/);
    expect(JSON.stringify([publish.env, gates])).not.toContain('github.token');
    const having = publish.steps.filter(({ env }) => JSON.stringify(env)?.includes('github.token'));
    expect(having.map(({ run }) => run?.includes('"$GH_TOKEN"') || run?.includes('gh '))).toEqual([
      true,
      true,
    ]);
  });

  it('publishes every file that npm run release writes, and the image of install.yaml', async () => {
    const text = await readFile(path, 'utf8');
    for (const name of [
      'albridge-$VERSION.tgz',
      'install.yaml',
      'crds.yaml',
      '*.schema.json',
      'sbom.cdx.json',
      'SHA256SUMS',
      ' albridge.mjs',
      'albridge.mjs.LEGAL.txt',
      'THIRD-PARTY-LICENSES.txt',
    ]) {
      expect(text.slice(text.indexOf('gh release create'))).toContain(name);
    }
    expect(text).toContain('release -- --version "$VERSION" --image "$IMAGE"');
    expect(text).toContain('REPOSITORY: ${{ github.server_url }}/${{ github.repository }}\n');
    expect(text).toContain('--platform linux/amd64,linux/arm64 --tag "$IMAGE:$VERSION"');
  });
});
