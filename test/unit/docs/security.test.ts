import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

/** "name" of a test, with the file that was named last before it. */
async function citations(
  page: string,
): Promise<readonly (readonly [file: string, name: string])[]> {
  const text = await readFile(resolve(ROOT, page), 'utf8');
  let file = '';
  return [...text.matchAll(/`(test\/[\w/.-]+)`|"([^"]+)"/g)].flatMap(([, path, name]) => {
    file = path ?? file;
    return name === undefined ? [] : [[file, name] as const];
  });
}

it.each(['SECURITY.md', 'docs/security.md'])('%s names only tests that exist', async (page) => {
  const cited = await citations(page);
  expect(cited.length).toBeGreaterThan(30);
  for (const [file, name] of cited) {
    const source = await readFile(resolve(ROOT, file), 'utf8');
    const isThere = [`'${name}'`, `"${name}"`, `\`${name}\``].some((one) => source.includes(one));
    expect(isThere, `${file}: ${name}`).toBe(true);
  }
});
