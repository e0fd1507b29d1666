import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { cloneFresh, GIT_AS_ME, removeClone } from '../deploy/clone.ts';
import { runSteps, writeProgram } from '../deploy/publish-steps.ts';
import { ROOT } from './helm.ts';

/** The steps that build and name the files of a release, with the real npm and helm, on a clone of the tag. */

const run = promisify(execFile);
const { version } = manifest;
const TAG = `v${version}`;

let clone: string;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'albridge-publish-'));
  clone = await cloneFresh();
  // npm lists no packages behind a link.
  await unlink(join(clone, 'node_modules'));
  const copied = [`${resolve(ROOT, 'node_modules')}/.`, join(clone, 'node_modules')];
  await run('cp', ['-al', ...copied]).catch(() => run('cp', ['-a', ...copied]));
  await tagVersion();
});

afterAll(async () => {
  await removeClone(clone);
  await rm(home, { recursive: true, force: true });
});

/** As CONTRIBUTING.md has it for a release. */
async function tagVersion(): Promise<void> {
  for (const [page, heading] of [
    ['CHANGELOG.md', '##'],
    ['docs/upgrade.md', '###'],
  ] as const) {
    const path = join(clone, page);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(`\n${heading} Unreleased`, `\n${heading} ${version}`));
  }
  const steps = [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'release'],
    ['tag', TAG],
  ];
  for (const step of steps) await run('git', [...GIT_AS_ME, ...step], { cwd: clone });
}

/** Only what needs a container, a registry or an identity is played. */
async function playPrograms(): Promise<void> {
  const go = `case "$1" in install) ;; *) PATH="\${PATH#*:}" exec go "$@" ;; esac`;
  await writeProgram(home, 'go', go);
  const app = `mkdir -p dist/image && cp -r "${inject('image')}" dist/image/app`;
  await writeProgram(home, 'docker', `case "$*" in *dest=dist/image) ${app} ;; esac`);
  await writeProgram(home, 'cosign', 'touch SHA256SUMS.sigstore.json');
  // It refuses a file that is not there, as the real one does.
  const check = `shift 3; for file in "$@"; do case "$file" in -*|${TAG}) ;; *) ls "$file" > /dev/null || exit 1 ;; esac; done`;
  await writeProgram(home, 'gh', check);
}

describe('the steps that publish', () => {
  it('build every file of the release, and name each on its page', async () => {
    await playPrograms();
    const names = ['names of this version', 'helm and cosign', 'command line', 'files'];
    const calls = await runSteps({
      ...{ cwd: clone, home, tag: TAG },
      names: [...names, 'release page'],
    });
    const out = join(clone, 'release');
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
    const written = await readdir(out);
    expect(written).toEqual(expect.arrayContaining([`albridge-${version}.tgz`, 'albridge.mjs']));
    const page = calls.find((call) => call.startsWith(`gh release create ${TAG}`)) ?? '';
    expect(written.filter((name) => !page.includes(name))).toEqual([]);
    // A link of the changelog leads from the release page to the pages of this version.
    const notes = await readFile(join(out, 'notes.md'), 'utf8');
    const targets = [...notes.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const pages = `https://github.com/Example/albridge/blob/${TAG}/`;
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((target) => !target.startsWith(pages))).toEqual([]);
    const install = await readFile(join(out, 'install.yaml'), 'utf8');
    expect(install).toContain(`image: ghcr.io/example/albridge:${version}\n`);
    const { stdout } = await run(process.execPath, [join(out, 'albridge.mjs'), '--version']);
    expect(stdout).toBe(`${version}\n`);
  });
});
