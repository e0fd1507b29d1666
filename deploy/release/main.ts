// Lives here: what `npm run release` does: the files of a release, from a clone.
// May import it: test/unit/deploy, test/helm.
// Start with: this file.

import { rename, rm } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { firstSentence, refuseEmpty } from '../no-arguments.ts';
import { makePart, OutputError, writeInto } from '../output.ts';
import { survivePipesWithoutReader } from '../unread-output.ts';
import { buildFiles, isReleaseAlone } from './files.ts';
import { checkUpgradePage, findNotes, linkNotes } from './notes.ts';
import { Refusal } from './run.ts';
import { checkSource, findUntracked } from './source.ts';
import { withTemporary } from './temporary.ts';

/** `npm run release`: everything that .github/workflows/release.yaml publishes and that needs no account. */

const ROOT = resolve(import.meta.dirname, '../..');

const HELP = `Builds the files of a release: the Helm chart, install.yaml, the CRDs, their JSON schemas, the command line
albridge.mjs, the list of all packages (SBOM), the notes and the checksums. Publishes nothing: a tag vX.Y.Z starts .github/workflows/release.yaml, which does.

Usage: npm run release -- --version X.Y.Z [--dry-run] [--image NAME] [--app DIR] [--out DIR] [--repository URL]
  --version X.Y.Z  version of the release; package.json, CHANGELOG.md and docs/upgrade.md must have it
  --dry-run        for any version, with the notes of Unreleased if CHANGELOG.md does not have it
  --image NAME     image in install.yaml, without its tag (default albridge)
  --app DIR        take the command line from what npm run build has written there (default: build it)
  --out DIR        where the files are written; an earlier release there is replaced (default release)
  --repository URL address of the repository, to which links in the notes lead (default: notes without links)
  --help           this text

environment:
  HELM             path of helm 4 (default: helm on the PATH)
`;

interface Flags {
  readonly version: string;
  readonly isDryRun: boolean;
  readonly image: string;
  readonly app: string | undefined;
  readonly out: string;
  readonly repository: string | undefined;
}

const NUMBER = String.raw`(?:0|[1-9]\d*)`;
const PART = String.raw`(?:${NUMBER}|\d*[A-Za-z-][\dA-Za-z-]*)`;

/** A release or a release candidate, as https://semver.org has them without build metadata. */
const VERSION = new RegExp(
  String.raw`^${NUMBER}\.${NUMBER}\.${NUMBER}(?:-${PART}(?:\.${PART})*)?$`,
);

/** A repository of an image, without tag and digest: a port is followed by a path. */
const IMAGE = /^([a-z0-9][a-z0-9._-]*(:\d+)?\/)?[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;

const EXAMPLE = 'https://github.com/OWNER/albridge';
/** The address of a repository, with a path and without a slash at its end. */
const REPOSITORY = /^https?:\/\/[^\s/]+\/\S*[^\s/]$/;

survivePipesWithoutReader();
const flags = readFlags();
if (flags !== undefined) await main(flags);

async function main(flags: Flags): Promise<void> {
  try {
    await release(flags);
  } catch (error) {
    if (error instanceof OutputError) return refuse(error);
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`release: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** The files are complete when their directory gets its name. */
async function release(flags: Flags): Promise<void> {
  const { version, isDryRun, image, app, out, repository } = flags;
  const section = await findNotes(resolve(ROOT, 'CHANGELOG.md'), version, isDryRun);
  if (!isDryRun) {
    await checkUpgradePage(resolve(ROOT, 'docs/upgrade.md'), version);
    await checkSource(ROOT, version, manifest.version);
  }
  const untracked = await findUntracked(ROOT);
  if (untracked !== undefined) {
    const what = `git does not track ${untracked}, which is packaged; remove or commit it`;
    if (!isDryRun) throw new Refusal(what);
    process.stderr.write(`release: ${what}\n`);
  }
  const notes = linkNotes(section, repository, version);
  const target = resolve(out);
  if (!(await isReleaseAlone(target))) {
    throw new Refusal(
      `${target} is neither an empty directory nor an earlier release as it was written: name another one`,
    );
  }
  const part = await makePart(target);
  const names = await writeInto(target, () =>
    withTemporary(part, async (directory) => {
      const names = await buildFiles({ root: ROOT, directory, version, image, notes, app });
      await rm(target, { recursive: true, force: true });
      await rename(directory, target);
      return names;
    }),
  );
  for (const name of names) process.stdout.write(`${relative('.', resolve(target, name))}\n`);
  if (version !== manifest.version) {
    process.stderr.write(
      `release: albridge.mjs and parts of sbom.cdx.json have version ${manifest.version} of package.json\n`,
    );
  }
}

/** undefined: there is nothing to do. */
function readFlags(): Flags | undefined {
  const options = {
    version: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    image: { type: 'string', default: 'albridge' },
    app: { type: 'string' },
    out: { type: 'string', default: resolve(ROOT, 'release') },
    repository: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help === true) {
      process.stdout.write(HELP);
      return undefined;
    }
    const { version, image, app, out, repository } = values;
    if (version === undefined) throw new Error('--version is missing');
    if (!VERSION.test(version))
      throw new Error(`--version takes X.Y.Z or X.Y.Z-rc.1, not ${version}`);
    refuseEmpty('--out', out);
    refuseEmpty('--app', app);
    if (!IMAGE.test(image)) throw new Error(`--image takes an image without tag, not ${image}`);
    if (repository !== undefined && !REPOSITORY.test(repository))
      throw new Error(`--repository takes an address such as ${EXAMPLE}, not ${repository}`);
    return { version, isDryRun: values['dry-run'], image, app, out, repository };
  } catch (error) {
    refuse(error);
  }
  return undefined;
}

function refuse(error: unknown): void {
  process.stderr.write(`release: ${firstSentence(error)}; run with --help for usage\n`);
  process.exitCode = 2;
}
