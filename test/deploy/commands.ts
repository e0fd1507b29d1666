import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ROOT } from './place.ts';

/** A block of commands in a page, as a reader would paste it. */
export interface CommandBlock {
  readonly page: string;
  readonly text: string;
  /** The heading that it stands under. */
  readonly section: string;
  /** What the comment above it says: `run`, or why it is not run. */
  readonly mark: 'run' | { readonly notRun: string } | undefined;
}

const BLOCK = /(?:<!-- (?:(run)|not run: ([^>]+?)) -->\n)?```sh\n([\s\S]*?)```/g;

/** Every ```sh block of the pages, in order. */
export async function commandBlocks(): Promise<readonly CommandBlock[]> {
  return (await Promise.all((await pages()).map(blocksOf))).flat();
}

/** README.md, CONTRIBUTING.md, SECURITY.md and every page below docs, as paths from the root. */
export async function pages(): Promise<readonly string[]> {
  const names = (await readdir(resolve(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .sort();
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...names.map((name) => `docs/${name}`)];
}

export async function blocksOf(page: string): Promise<readonly CommandBlock[]> {
  const markdown = await readFile(resolve(ROOT, page), 'utf8');
  return [...markdown.matchAll(BLOCK)].map(({ index, 1: run, 2: notRun, 3: text = '' }) => ({
    page,
    text,
    section: /^## (.*)$/m.exec(markdown.slice(markdown.lastIndexOf('\n## ', index)))?.[1] ?? '',
    mark: run !== undefined ? 'run' : notRun !== undefined ? { notRun } : undefined,
  }));
}
