import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ROOT } from './place.ts';

/** A block of commands in a page, as a reader would paste it. */
export interface CommandBlock {
  readonly page: string;
  readonly text: string;
  /** The heading that it stands under. */
  readonly section: string;
  /** What the comment above it says: `run`, or which test runs it. */
  readonly mark: 'run' | { readonly notRun: string } | undefined;
  /** What the reader must have: the first line of the block, a comment that he sees. */
  readonly needs: string | undefined;
}

const NEEDS = /^# (?:Needs|Put in) (.+)\.$/;
const BLOCK = /(?:<!-- (?:(run)|not run: ([^>]+?)) -->\n)?```sh\n([\s\S]*?)```/g;

/** Every ```sh block of the pages, in order. */
export async function commandBlocks(): Promise<readonly CommandBlock[]> {
  return (await Promise.all((await pages()).map(blocksOf))).flat();
}

/** README.md, CONTRIBUTING.md, SECURITY.md and every page below these folders, as paths from the root. */
export async function pages(): Promise<readonly string[]> {
  const below = await Promise.all(['docs', 'deploy', 'examples'].map(pagesBelow));
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...below.flat()];
}

async function pagesBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(resolve(ROOT, folder), { recursive: true });
  const isPage = (name: string): boolean => name.endsWith('.md');
  return names
    .filter(isPage)
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** The commands in the comments of an example, each as a block. */
export async function exampleBlocks(): Promise<readonly CommandBlock[]> {
  const names = await readdir(resolve(ROOT, 'examples'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.yaml')).sort();
  const read = async (name: string): Promise<readonly CommandBlock[]> => {
    const text = await readFile(resolve(ROOT, 'examples', name), 'utf8');
    return [...text.matchAll(/(?:^#   .*\n)+/gm)].map(([lines]) => ({
      ...{ page: `examples/${name}`, section: '', mark: undefined, needs: undefined },
      text: lines.replaceAll(/^#   /gm, ''),
    }));
  };
  return (await Promise.all(files.map(read))).flat();
}

export async function blocksOf(page: string): Promise<readonly CommandBlock[]> {
  return readBlocks(page, await readFile(resolve(ROOT, page), 'utf8'));
}

/** Every ```sh block of a page's text, in order. */
export function readBlocks(page: string, markdown: string): readonly CommandBlock[] {
  return [...markdown.matchAll(BLOCK)].map(({ index, 1: run, 2: notRun, 3: text = '' }) => ({
    page,
    text,
    section: /^## (.*)$/m.exec(markdown.slice(markdown.lastIndexOf('\n## ', index)))?.[1] ?? '',
    needs: NEEDS.exec(text.split('\n', 1)[0] ?? '')?.[1],
    mark: run !== undefined ? 'run' : notRun !== undefined ? { notRun } : undefined,
  }));
}
