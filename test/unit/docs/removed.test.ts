import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/removed.md'), 'utf8');
const [TAKEN_OUT = '', RENAMED = ''] = PAGE.split('## Tests that have another name');

function listRows(text: string): readonly (readonly string[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

function listPaths(text: string | undefined): readonly string[] {
  return [...(text ?? '').matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, path = '']) => path);
}

const isThere = (path: string): boolean => existsSync(join(ROOT, path));

describe('the page of what was taken out', () => {
  it('names what still catches it by paths that are there', () => {
    const paths = listRows(TAKEN_OUT).flatMap((row) => listPaths(row.at(-1)));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  it('names where a renamed test is now, and nothing is left where it was', () => {
    const rows = listRows(RENAMED).filter(
      ([before, now]) => before !== undefined && listPaths(now).length > 0,
    );
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.flatMap(([, now]) => listPaths(now)).filter((path) => !isThere(path))).toEqual([]);
    const files = rows
      .flatMap(([before]) => listPaths(before))
      .filter((path) => path.endsWith('.ts'));
    expect(files.filter(isThere)).toEqual([]);
  });
});
