import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findCause } from '../../../deploy/release/run.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { GIT_AS_ME } from '../../deploy/clone.ts';
import { Program } from '../../surroundings/program.ts';

/** What `npm run release` asks of its clone. */

const ROOT = resolve(import.meta.dirname, '../../..');
const { version } = manifest;
const TAG = `v${version}`;
const NEEDED = [
  ...['deploy', 'src', 'crds', 'docs/schemas', 'docs/upgrade.md', 'CHANGELOG.md'],
  ...['package.json', '.gitignore'],
];

let clone: string;

async function git(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('git', [...GIT_AS_ME, ...args], { cwd: clone })).stdout;
}

/** With the pages of a release, and without its tag. */
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'albridge-source-'));
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', ...NEEDED], { cwd: ROOT });
  for (const name of stdout.split('\0').filter((path) => path !== '')) {
    await cp(resolve(ROOT, name), join(clone, name));
  }
  for (const page of ['CHANGELOG.md', 'docs/upgrade.md']) {
    const text = await readFile(join(clone, page), 'utf8');
    await writeFile(join(clone, page), text.replace(/^(##+) Unreleased$/m, `$1 ${version}`));
  }
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'release');
  await symlink(resolve(ROOT, 'node_modules'), join(clone, 'node_modules'));
  // A link is no folder, as .gitignore has it.
  await writeFile(join(clone, '.git/info/exclude'), 'node_modules\n');
});

afterAll(() => rm(clone, { recursive: true, force: true }));

afterEach(async () => {
  await git('reset', '--quiet', '--hard');
  await git('clean', '-dffqx', '--exclude=node_modules');
  await git('config', '--unset-all', 'status.showUntrackedFiles').catch(() => {});
  await git('tag', '--delete', TAG).catch(() => {});
});

/** Without helm, which is the first thing that a release needs once its source is in order. */
async function release(...args: readonly string[]) {
  const out = ['--out', join(clone, 'dist/out')];
  const entry = join(clone, 'deploy/release/main.ts');
  const program = await Program.start(entry, ['--version', version, ...args, ...out], {
    HELM: '/bin/false',
  });
  const code = await program.exited;
  await program.discard();
  return { code, output: program.output };
}

async function put(path: string): Promise<void> {
  await mkdir(dirname(join(clone, path)), { recursive: true });
  await writeFile(join(clone, path), 'secret: leak\n');
}

const UNTRACKED = /^release: git does not track (\S+), which is packaged; remove or commit it\n/;
const NEEDS_HELM = 'release: /bin/false version failed: ';

describe('npm run release refuses', () => {
  it('a commit without the tag of the version', async () => {
    expect(await release()).toEqual({
      code: 1,
      output: `release: the commit does not have the tag ${TAG}; run git tag ${TAG}\n`,
    });
  });

  it('a version that package.json does not have', async () => {
    const path = join(clone, 'package.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(`"version": "${version}"`, '"version": "9.9.9"'));
    const { code, output } = await release();
    expect(code).toBe(1);
    expect(output).toContain(`release: package.json has version 9.9.9, not ${version}; set it`);
  });

  it.each(['crds/kustomization.yaml', 'new.txt'])('a change of %s', async (path) => {
    await git('tag', TAG);
    await git('config', 'status.showUntrackedFiles', 'no');
    await put(path);
    expect(await release()).toEqual({
      code: 1,
      output: 'release: the clone has changes that are not committed; commit them\n',
    });
  });

  it.each(['deploy/chart/templates/dist/leak.yaml', 'deploy/chart/.env'])(
    '%s, which git ignores',
    async (path) => {
      await git('tag', TAG);
      await put(path);
      const { code, output } = await release();
      expect(code).toBe(1);
      expect(output).toMatch(UNTRACKED);
      expect(output).not.toContain(NEEDS_HELM);
    },
  );
});

describe('npm run release takes', () => {
  it.each([
    'deploy/chart/.env',
    'deploy/chart/templates/new.yaml',
    'crds/new/crd.yaml',
    'docs/schemas/new.json',
  ])('%s, which git does not track, in a dry run, and names it', async (path) => {
    await git('config', 'status.showUntrackedFiles', 'no');
    await put(path);
    const { output } = await release('--dry-run');
    expect(path).toContain(UNTRACKED.exec(output)?.[1]);
    expect(output).toContain(NEEDS_HELM);
  });

  it('the commit with the tag', async () => {
    await git('tag', TAG);
    expect((await release()).output).toContain(NEEDS_HELM);
  });

  it('a change of a tracked file, in a dry run', async () => {
    await put('crds/kustomization.yaml');
    expect((await release('--dry-run')).output).toContain(NEEDS_HELM);
  });
});

it('the cause of a failure of npm is not the name of its log', () => {
  const stderr = `npm error code ESBOMPROBLEMS
npm error missing: pino@10.4.0, required by albridge@0.1.0
npm error missing: undici@8.12.4, required by albridge@0.1.0
npm error A complete log of this run can be found in: /home/me/.npm/_logs/now.log
`;
  expect(findCause(stderr)).toBe(
    'code ESBOMPROBLEMS; missing: pino@10.4.0, required by albridge@0.1.0',
  );
  expect(findCause('npm error A complete log of this run can be found in: x\n')).toContain('log');
  expect(findCause('warning\nError: no chart\n')).toBe('Error: no chart');
  expect(findCause('')).toBe('');
});
