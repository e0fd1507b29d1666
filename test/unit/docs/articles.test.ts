import { existsSync, globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const page = readFileSync(resolve(ROOT, 'docs/articles.md'), 'utf8');

/** What may stand where no test does. */
const REASON = /^(-|not run: .{9,})$/;
const QUOTES = ["'", '"', '`'];
const PATH = /`((?:test|examples|crds|deploy|src|docs)\/[^`\s]+)`/g;

interface Row {
  readonly article: string;
  readonly here: string;
  readonly shown: string;
}

interface Claim {
  readonly path: string;
  readonly title: string;
}

function rowsOf(text: string): readonly Row[] {
  return text
    .split('\n')
    .filter((line) => /^\| (?!---|in the article )/.test(line))
    .map((line) => {
      const [article = '', here = '', shown = '', ...more] = line.slice(2, -2).split(' | ');
      expect(more, line).toEqual([]);
      return { article, here, shown };
    });
}

/** Each file of tests with the titles behind it. */
function claimsOf({ shown }: Row): readonly Claim[] {
  return shown.split('; ').flatMap((part) => {
    const [, path] = /^`(test\/[^`]+)` “/.exec(part) ?? [];
    const titles = [...part.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title);
    return path === undefined ? [] : titles.map((title) => ({ path, title }));
  });
}

/** A title is the first argument of `it`, or in a table of cases a key. */
function hasTest(source: string, title: string): boolean {
  return QUOTES.some((quote) => {
    const literal = `${quote}${title}${quote}`;
    return [`it(${literal},`, `)(${literal},`, `${literal}: {`].some((text) => {
      return source.includes(text);
    });
  });
}

function read(path: string): string {
  const file = resolve(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Sentences behind the word log in what is said about albridge. */
function sentencesOf({ here }: Row): readonly string[] {
  return [...here.matchAll(/\blog `([^`]+)`/g)].map(([, sentence = '']) => sentence);
}

/** A whole literal of the sources says it, with `${...}` for each `<...>`. */
function isLogged(sentence: string): boolean {
  const text = sentence.replaceAll(/<[^>]+>/g, '<>');
  return QUOTES.some((quote) => literals.includes(`${quote}${text}${quote}`));
}

const rows = rowsOf(page);
const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(read);
const literals = sources.join('').replaceAll(/\$\{[^}]*\}/g, '<>');

describe('docs/articles.md', () => {
  it('has a section for each article, and covers all that they apply, type and see', () => {
    expect(page.match(/^## \d\. /gm)).toHaveLength(5);
    expect(rows.length).toBeGreaterThan(90);
  });

  it('names in each row a test, or a reason', () => {
    const bare = rows.filter((row) => claimsOf(row).length === 0 && !REASON.test(row.shown));
    expect(bare).toEqual([]);
    const silent = rows.filter(({ here, shown }) => shown === '-' && !here.startsWith('not here'));
    expect(silent).toEqual([]);
  });

  it('names only tests that there are', () => {
    const claims = rows.flatMap(claimsOf);
    const quoted = rows.flatMap(({ shown }) => shown.match(/“/g) ?? []);
    expect(claims).toHaveLength(quoted.length);
    expect(claims.filter(({ path, title }) => !hasTest(read(path), title))).toEqual([]);
  });

  it('names only files that there are', () => {
    const paths = [...page.matchAll(PATH)].map(([, path = '']) => path);
    expect(paths.filter((path) => !existsSync(resolve(ROOT, path)))).toEqual([]);
  });

  it('names each example that comes from an article', () => {
    const examples = globSync('examples/**/*article*.yaml', { cwd: ROOT });
    expect(examples.length).toBeGreaterThanOrEqual(5);
    expect(examples.filter((path) => !page.includes(`\`${path}\``))).toEqual([]);
  });

  it('quotes only sentences that albridge logs', () => {
    const sentences = rows.flatMap(sentencesOf);
    expect(sentences.length).toBeGreaterThan(12);
    expect(sentences.filter((sentence) => !isLogged(sentence))).toEqual([]);
  });

  it('speaks of each sentence that an article logs', () => {
    const logged = rows.filter(({ article }) => article.startsWith('log: '));
    expect(logged.length).toBeGreaterThan(12);
    const mute = logged.filter((row) => sentencesOf(row).length === 0);
    expect(mute.filter(({ here }) => !/^not |^as in section 2$/.test(here))).toEqual([]);
  });
});

describe('a page with a claim that does not hold', () => {
  it.each([
    ['another title', 'works'],
    ['the beginning of a title', 'misses no change'],
  ])('is found out by %s', (_name, title) => {
    expect(hasTest(read('test/workloads/config-monitor-crash.test.ts'), title)).toBe(false);
  });

  it('is found out by a sentence that is not logged, or is but a part of one', () => {
    expect(isLogged('Modification noticed')).toBe(false);
    expect(isLogged('Successfully reconciled')).toBe(false);
    expect(isLogged('Pod <pod> created.')).toBe(true);
  });

  it('is found out by a row that names nothing', () => {
    const [row] = rowsOf('| a | b | the same |');
    expect(row && claimsOf(row).length === 0 && !REASON.test(row.shown)).toBe(true);
  });
});

it('the image of the application has what the article does in its container', () => {
  const image = readFileSync(resolve(ROOT, 'examples/flaskapp/Dockerfile'), 'utf8');
  expect(image).toMatch(/^RUN apt-get install .*\bcurl\b|^RUN .*&& apt-get install .*\bcurl\b/m);
  expect(image).toMatch(/^WORKDIR \/app$/m);
});
