import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { firstSentence } from '../../deploy/no-arguments.ts';
import { isReplaceable, OutputError } from '../../deploy/output.ts';
import { survivePipesWithoutReader } from '../../deploy/unread-output.ts';
import { buildSite } from './build.ts';
import { replaceDirectory } from './output.ts';
import { SEARCH_INDEX } from './search-index.ts';

/** `npm run docs`: the pages of docs as a site of plain files, with a search that needs no server. */

const ROOT = resolve(import.meta.dirname, '../..');
const HELP = `Builds the pages of docs as a static site, which also opens from disk. Writes nothing if a link is dead, or if
docs/README.md, which is the navigation, does not have a page exactly once.

Usage: npm run docs [-- --out DIR]
  --out DIR  where the site is written; an earlier site there is replaced (default dist-docs)
  --help     this text
`;

survivePipesWithoutReader();
const out = readOut();
if (out !== undefined) await main(out);

async function main(out: string): Promise<void> {
  try {
    await writeSite(out);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    refuse(error);
  }
}

async function writeSite(out: string): Promise<void> {
  if (!(await isReplaceable(out, SEARCH_INDEX))) {
    process.stderr.write(
      `docs: ${out} is neither an empty directory nor an earlier site: name another one\n`,
    );
    process.exitCode = 2;
    return;
  }
  const { files, faults } = await buildSite(ROOT);
  for (const fault of faults) process.stderr.write(`docs: ${fault}\n`);
  if (faults.length > 0) {
    process.exitCode = 1;
    return;
  }
  await replaceDirectory(out, files);
  const front = relative('.', join(out, 'index.html'));
  process.stdout.write(`${files.size} files; open ${front} in a browser\n`);
}

/** undefined: there is nothing to do. */
function readOut(): string | undefined {
  const options = {
    out: { type: 'string', default: resolve(ROOT, 'dist-docs') },
    help: { type: 'boolean' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help !== true && values.out !== '') return resolve(values.out);
    if (values.help !== true) throw new Error('--out takes a directory, not an empty text');
    process.stdout.write(HELP);
  } catch (error) {
    refuse(error);
  }
  return undefined;
}

function refuse(error: unknown): void {
  process.stderr.write(`docs: ${firstSentence(error)}; run with --help for usage\n`);
  process.exitCode = 2;
}
