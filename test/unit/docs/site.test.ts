import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { dirname as posixDirname, join as posixJoin } from 'node:path/posix';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isReplaceable } from '../../../deploy/output.ts';
import { buildSite, type Site } from '../../../docs/site/build.ts';
import { SEARCH_INDEX } from '../../../docs/site/search-index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const directory = mkdtempSync(join(tmpdir(), 'albridge-site-'));
let site: Site;

beforeAll(async () => {
  site = await buildSite(ROOT);
});
afterAll(() => rmSync(directory, { recursive: true }));

function read(path: string): string {
  return site.files.get(path)?.toString() ?? '';
}

/** The site of a small repository: path -> content. */
async function buildFrom(files: Readonly<Record<string, string>>): Promise<Site> {
  const root = mkdtempSync(join(directory, 'repository-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return buildSite(root);
}

describe('the site of the pages', () => {
  it('has no dead link, and each page of docs in its navigation exactly once', () => {
    expect(site.faults).toEqual([]);
    const pages = execFileSync('git', ['ls-files', '--cached', '--others', 'docs/*.md'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const front = read('docs/README.html').split('</main>')[1] ?? '';
    const listed = [...front.matchAll(/<li><a href="\.\.\/(docs\/[^"]+)"/g)].map(
      ([, to = '']) => to,
    );
    const others = pages
      .trim()
      .split('\n')
      .filter((path) => path !== 'docs/README.md');
    expect(others.length).toBeGreaterThan(40);
    expect(listed.toSorted()).toEqual(
      others.map((path) => path.replace(/\.md$/, '.html')).toSorted(),
    );
  });

  it('has the file behind every link and image of every one of its pages', () => {
    const missing = [...site.files].flatMap(([from, content]) =>
      from.endsWith('.html')
        ? [...content.toString().matchAll(/ (?:href|src)="(?!https?:|mailto:|#)([^"#]+)/g)]
            .map(([, to = '']) => posixJoin(posixDirname(from), decodeURI(to)))
            .filter((to) => !site.files.has(to))
            .map((to) => `${from}: ${to}`)
        : [],
    );
    expect(missing).toEqual([]);
  });

  it('shows files of the repository as text, and folders as lists', () => {
    expect(read('docs/architecture.html')).toContain('href="../src/core/queue/key-queue.ts.html"');
    expect(read('src/core/queue/key-queue.ts.html')).toContain('export class KeyQueue');
    expect(read('docs/decisions/index.html')).toContain('href="0004-absence-needs-proof.html"');
    expect(site.files.get('docs/charts/calls-per-scan.svg')).toBeInstanceOf(Buffer);
  });

  it('finds a section by a word of its text, without a server', async () => {
    const field = { value: 'eks pod identity association', addEventListener: keepListener };
    const rows: { href?: string; textContent?: string }[] = [];
    let listener = (): void => undefined;
    function keepListener(event: string, added: () => void): void {
      if (event === 'input') listener = added;
    }
    const context: Record<string, unknown> = {};
    const document = {
      documentElement: { dataset: { up: '../' } },
      getElementById: (id: string) =>
        id === 'search'
          ? field
          : {
              addEventListener: () => undefined,
              replaceChildren: (...found: object[]) => rows.push(...found),
            },
      createElement: () => ({
        append(link: object): void {
          Object.assign(this, link);
        },
      }),
      head: {
        append: (script: { src: string; onload: () => void }): void => {
          runInNewContext(read(script.src.replace('../', '')), context);
          script.onload();
        },
      },
    };
    Object.assign(context, { document, globalThis: context, self: context });
    runInNewContext(read('search.js'), context);
    listener();
    await vi.waitFor(() => expect(rows).not.toEqual([]));
    expect(rows[0]).toMatchObject({
      href: '../docs/install.html#2b-on-eks',
      textContent: 'Install: 2b. On EKS',
    });
  });
});

describe('a site with a fault', () => {
  const front = '# Docs\n\n## Start\n\n- [One](one.md): a page\n';
  const cases: Readonly<Record<string, [Record<string, string>, string]>> = {
    'a link to a page that does not exist': [
      { 'docs/one.md': '# One\n\n[two](two.md)' },
      'docs/one.md links to two.md, which the repository does not have',
    ],
    'a link to a heading that does not exist': [
      { 'docs/one.md': '# One\n\n[below](#two)' },
      'docs/one.md links to #two, but docs/one.md has no such heading',
    ],
    'a link out of the repository': [
      { 'docs/one.md': '# One\n\n[up](../../one.md)' },
      'docs/one.md links to ../../one.md, which the repository does not have',
    ],
    'an image that does not exist': [
      { 'docs/one.md': '# One\n\n<img src="one.svg" width="9">' },
      'docs/one.md links to one.svg, which the repository does not have',
    ],
    'a page outside of the navigation': [
      { 'docs/one.md': '# One', 'docs/more/two.md': '# Two' },
      'docs/README.md, the navigation, links to docs/more/two.md 0 times; link to it once',
    ],
    'a page twice in the navigation': [
      { 'docs/one.md': '# One', 'docs/README.md': `${front}- [Again](one.md)\n` },
      'docs/README.md, the navigation, links to docs/one.md 2 times; link to it once',
    ],
  };

  it.each(Object.entries(cases))('is refused for %s', async (_, [files, fault]) => {
    const { faults } = await buildFrom({ 'docs/README.md': front, ...files });
    expect(faults).toEqual([fault]);
  });

  it('has none for repeated headings, anchors, code and escaped text as GitHub reads them', async () => {
    const page =
      '# One\n\n## `a_b` & c: d\n\n## Same\n\n## Same\n\n<a id="own"></a>\n\n' +
      '[1](#a_b--c-d) [2](#same-1) [3](#own) [4](one.md#one)\n\n```md\n[dead](dead.md) <!-- kept -->\n```\n';
    const built = await buildFrom({ 'docs/README.md': front, 'docs/one.md': page });
    expect(built.faults).toEqual([]);
    expect(built.files.get('docs/one.html')).toContain('&lt;!-- kept --&gt;');
  });
});

it('npm run docs replaces only what is a site', async () => {
  const out = join(directory, 'out');
  expect(await isReplaceable(out, SEARCH_INDEX)).toBe(true);
  mkdirSync(out);
  expect(await isReplaceable(out, SEARCH_INDEX)).toBe(true);
  cpSync(join(ROOT, 'README.md'), join(out, 'README.md'));
  expect(await isReplaceable(out, SEARCH_INDEX)).toBe(false);
  expect(await isReplaceable(join(out, 'README.md'), SEARCH_INDEX)).toBe(false);
  const run = (): string =>
    execFileSync(process.execPath, ['docs/site/main.ts', '--out', out], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  expect(run).toThrow(
    /docs: .* is neither an empty directory nor an earlier site: name another one/,
  );
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('# albridge');
  rmSync(join(out, 'README.md'));
  // A limit of 512 bytes for a file: EFBIG.
  const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, 'docs/site/main.ts'];
  expect(() =>
    execFileSync('sh', [...limited, '--out', out], { cwd: ROOT, stdio: 'pipe' }),
  ).toThrow(`docs: ${out} cannot be written (EFBIG): name another directory; run with --help`);
  expect(run()).toMatch(/^\d+ files; open .*index\.html in a browser\n$/);
  expect(run()).toMatch(/^\d+ files/);
});
