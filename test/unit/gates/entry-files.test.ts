import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findFaults } from '../../gates/entry-lines.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** About 15; src/apis has two for each kind and what they share. */
const MOST_FILES = 16;

/** Generated from the CRDs: they are read to find a type, never a way. */
const isGenerated = (path: string): boolean => path.startsWith('src/apis/types/');

const paths = globSync('{src,localstack}/**/*.ts', { cwd: ROOT }).filter(
  (path) => !isGenerated(path),
);

describe('the folders of src and localstack', () => {
  it('each have one entry file, whose lines name exactly who imports the folder', () => {
    const sources = paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);
    expect(sources.length).toBeGreaterThan(300);
    expect(findFaults(Object.fromEntries(sources))).toEqual([]);
  });

  it.each(Object.entries(Object.groupBy(paths, (path) => dirname(path))))(
    `%s holds at most ${MOST_FILES} files`,
    (_name, files) => {
      expect(files?.length).toBeLessThanOrEqual(MOST_FILES);
    },
  );
});

describe('src/core', () => {
  it('knows no kind of Kubernetes', () => {
    const core = globSync('src/core/**/*.ts', { cwd: ROOT });
    expect(core.length).toBeGreaterThan(25);
    const naming = core.filter((path) =>
      /\b(?:Pod|Deployment|ReplicaSet|ConfigMap|Service)\b/.test(
        readFileSync(join(ROOT, path), 'utf8'),
      ),
    );
    expect(naming).toEqual([]);
  });
});
