import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle } from '../bundle.ts';
import { writeLicences } from '../licences.ts';
import { OutputError } from '../output.ts';
import { Refusal, runProgram } from './run.ts';
import { withTemporary } from './temporary.ts';

export interface Release {
  /** The clone. */
  readonly root: string;
  /** Where the files go; it exists. */
  readonly directory: string;
  readonly version: string;
  /** Without tag. */
  readonly image: string;
  readonly notes: string;
  /** The output of `npm run build`; undefined: it is built here. */
  readonly app: string | undefined;
}

/** Every release has it, with the checksums of the other files. */
const SUMS = 'SHA256SUMS';

const HELM_HINT = 'install helm 4, or set HELM to its path';

/** Builds every file of the release; returns their names. Throws a Refusal. */
export async function buildFiles(release: Release): Promise<readonly string[]> {
  const { directory, notes } = release;
  await packageChart(release);
  await writeFile(join(directory, 'install.yaml'), await renderInstall(release));
  await writeFile(join(directory, 'crds.yaml'), await bundleDefinitions(release));
  await copySchemas(release);
  await copyCommandLine(release);
  await writeFile(join(directory, 'sbom.cdx.json'), await listPackages(release));
  await writeFile(join(directory, 'notes.md'), `${notes}\n`);
  const names = (await readdir(directory)).toSorted();
  await writeFile(join(directory, SUMS), await sumUp(directory, names));
  return [...names, SUMS];
}

async function packageChart({ root, directory, version }: Release): Promise<void> {
  const helm = process.env['HELM'] || 'helm';
  const run = (args: readonly string[]): Promise<string> =>
    runProgram(helm, args, { cwd: root, hint: HELM_HINT });
  const found = await run(['version', '--template', '{{.Version}}']);
  const what = found === '' ? 'says no version' : `is ${found}`;
  if (!found.startsWith('v4.')) throw new Refusal(`${helm} ${what}, not 4; ${HELM_HINT}`);
  const versions = ['--version', version, '--app-version', version];
  const chart = resolve(root, 'deploy/chart');
  await run(['package', chart, ...versions, '--destination', directory]);
}

/** The same as in the repository, with the image of the release. */
async function renderInstall({ root, version, image }: Release): Promise<string> {
  const text = await readFile(resolve(root, 'deploy/install.yaml'), 'utf8');
  const parts = text.split(/(?<=^ +image: )albridge:\S+$/m);
  if (parts.length !== 2) throw new Refusal('deploy/install.yaml has no image; run npm run gen');
  return parts.join(`${image}:${version}`);
}

async function bundleDefinitions({ root }: Release): Promise<string> {
  const entries = await readdir(resolve(root, 'crds'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const texts = folders
    .toSorted()
    .map((name) => readFile(resolve(root, 'crds', name, 'crd.yaml'), 'utf8'));
  return (await Promise.all(texts)).map((text) => `---\n${text.trimEnd()}\n`).join('');
}

/** The JSON schemas for editors, as `myingress.schema.json`. */
async function copySchemas({ root, directory }: Release): Promise<void> {
  for (const name of await readdir(resolve(root, 'docs/schemas'))) {
    const target = join(directory, name.replace('.json', '.schema.json'));
    await copyFile(resolve(root, 'docs/schemas', name), target);
  }
}

/** With the licences of what is bundled in it. */
const COMMAND_LINE = ['albridge.mjs', 'albridge.mjs.LEGAL.txt', 'THIRD-PARTY-LICENSES.txt'];

async function copyCommandLine({ directory, app }: Release): Promise<void> {
  if (app === undefined) return buildCommandLine(directory);
  for (const name of COMMAND_LINE) {
    await copyFile(join(app, name), join(directory, name)).catch(() => {
      throw new Refusal(`--app ${app} has no ${name}; name what npm run build has written`);
    });
  }
}

async function buildCommandLine(directory: string): Promise<void> {
  await withTemporary(await mkdtemp(join(tmpdir(), 'albridge-app-')), async (app) => {
    await bundle(app);
    await writeLicences(app);
    for (const name of COMMAND_LINE) await copyFile(join(app, name), join(directory, name));
  });
}

/** The packages that the bundle is built from: https://docs.npmjs.com/cli/v11/commands/npm-sbom. */
async function listPackages({ root, version }: Release): Promise<string> {
  // Without the notifier, which waits for the network.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--update-notifier=false'];
  const sbom = JSON.parse(await runProgram('npm', args, { cwd: root, next: 'run npm ci' })) as {
    readonly metadata: { readonly component: object };
  };
  // npm takes the name from the directory and the version from package.json.
  Object.assign(sbom.metadata.component, { name: 'albridge', version, type: 'application' });
  return `${JSON.stringify(sbom, undefined, 2)}\n`;
}

/**
 * True for one that is not there or has no files, or has exactly the files of a release, none of them changed. Throws an
 * OutputError where it cannot be read.
 */
export async function isReleaseAlone(directory: string): Promise<boolean> {
  if (!existsSync(directory)) return true;
  try {
    const names = (await readdir(directory)).toSorted();
    if (names.length === 0) return true;
    const others = names.filter((name) => name !== SUMS);
    const sums = await readFile(join(directory, SUMS), 'utf8');
    return (
      COMMAND_LINE.every((name) => names.includes(name)) &&
      sums === (await sumUp(directory, others))
    );
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Without sums, a link to nothing, a folder, no directory at all.
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(code)) return false;
    throw new OutputError(directory, error);
  }
}

/** As `sha256sum --check` reads it. */
async function sumUp(directory: string, names: readonly string[]): Promise<string> {
  const lines = names.map(async (name) => {
    const hash = createHash('sha256').update(await readFile(join(directory, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}
