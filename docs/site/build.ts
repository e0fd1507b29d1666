// Lives here: the site that `npm run docs` builds from docs, and its checks.
// May import it: test/unit/docs.
// Start with: main.ts.

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { extname } from 'node:path/posix';
import { findDeadLinks } from './links.ts';
import { listNavigation, navigationFaults } from './navigation.ts';
import { type Page, readPage } from './page.ts';
import { type Entry, Repository } from './repository.ts';
import { SEARCH_INDEX, writeSearchIndex } from './search-index.ts';
import {
  type SiteParts,
  writeFileView,
  writeFolderView,
  writePageView,
  writeRedirect,
} from './views.ts';

/** The page whose lists are the navigation. */
const FRONT = 'docs/README.md';
const IMAGES: readonly string[] = ['.svg', '.png'];

export interface Site {
  /** Path inside the site -> content. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** One sentence each; the site is good if there is none. */
  readonly faults: readonly string[];
}

/** The tree of the site is that of the repository, so relative links lead to the same things. */
export async function buildSite(root: string): Promise<Site> {
  const documents = await listPages(root);
  const repository = new Repository(root);
  const sitePath = (target: string): string => placeOf(target, repository.entryOf(target));
  const pages = await readLinked(repository, [...documents]);
  const front = pages.get(FRONT);
  if (front === undefined) return { files: new Map(), faults: [`${FRONT} is missing`] };
  const navigation = listNavigation(front, documents);
  const files = new Map<string, string | Buffer>();
  for (const page of pages.values()) {
    files.set(sitePath(page.path), writePageView(page, { navigation, sitePath }));
  }
  for (const path of repository.known().filter((known) => !pages.has(known))) {
    files.set(sitePath(path), await viewEntry(repository, path, { navigation, sitePath }));
  }
  files.set('index.html', writeRedirect(sitePath(FRONT)));
  files.set(SEARCH_INDEX, writeSearchIndex([...pages.values()], sitePath));
  for (const [name, path] of Object.entries(assets())) files.set(name, await readFile(path));
  const faults = [...navigationFaults(navigation, documents), ...findDeadLinks(pages, repository)];
  return { files, faults };
}

function assets(): Readonly<Record<string, string>> {
  const require = createRequire(import.meta.url);
  return {
    'style.css': join(import.meta.dirname, 'style.css'),
    'search.js': join(import.meta.dirname, 'search.js'),
    'minisearch.js': join(require.resolve('minisearch'), '../../umd/index.js'),
  };
}

/** Every Markdown file below docs, as paths from the root, in order. */
async function listPages(root: string): Promise<readonly string[]> {
  const names = await readdir(resolve(root, 'docs'), { recursive: true });
  return names
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted();
}

/** Reads the pages, and each Markdown file of the repository to which one of them leads. */
async function readLinked(
  repository: Repository,
  queue: string[],
): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>();
  const sitePath = (target: string): string => placeOf(target, repository.entryOf(target));
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (pages.has(path)) continue;
    const text = await readFile(resolve(repository.root, path), 'utf8');
    const page = readPage(path, text, sitePath);
    pages.set(path, page);
    const targets = page.links.map(({ target }) => target);
    queue.push(
      ...targets.filter((one) => one.endsWith('.md') && repository.entryOf(one) === 'file'),
    );
  }
  return pages;
}

/** Where the site has a path of the repository. */
function placeOf(target: string, entry: Entry): string {
  if (entry === 'folder') return `${target}/index.html`;
  if (target.endsWith('.md')) return target.replace(/\.md$/, '.html');
  return IMAGES.includes(extname(target)) ? target : `${target}.html`;
}

async function viewEntry(
  { root, entryOf }: Repository,
  path: string,
  site: SiteParts,
): Promise<string | Buffer> {
  if (entryOf(path) === 'folder') {
    return writeFolderView(path, (await readdir(resolve(root, path))).toSorted(), site);
  }
  const content = await readFile(resolve(root, path));
  return IMAGES.includes(extname(path)) ? content : writeFileView(path, content.toString(), site);
}
