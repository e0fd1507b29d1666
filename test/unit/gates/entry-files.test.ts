import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
/** About 15; src/apis has two for each kind and what they share. */
const MOST_FILES = 16;
const ENTRY = /^\/\/ Lives here: .+\n\/\/ May import it: .+\n\/\/ Start with: .+\n/;

/** Generated from the CRDs, one next to each kind: nobody opens them to find a way. */
const isGenerated = (path: string): boolean => path.endsWith('-schema.ts');

function sourcesByFolder(): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const entry of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts') || isGenerated(entry)) continue;
    const folder = dirname(entry);
    folders.set(folder, [...(folders.get(folder) ?? []), entry]);
  }
  return folders;
}

function countEntries(files: readonly string[]): number {
  return files.filter((file) => ENTRY.test(readFileSync(join(SRC, file), 'utf8'))).length;
}

describe('every folder of src', () => {
  const folders = [...sourcesByFolder()].filter(([folder]) => folder !== '.');

  it.each(folders)('%s has one entry file, which opens with the three lines', (_name, files) => {
    expect(countEntries(files)).toBe(1);
  });

  it.each(folders)(`%s holds at most ${MOST_FILES} files`, (_name, files) => {
    expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  });
});
