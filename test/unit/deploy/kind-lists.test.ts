import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderKindLists } from '../../../deploy/kind-lists.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}

/** How code names a kind: as in ALBRIDGE_KINDS, as a plural, as a kind, as a file. */
const KIND_WORDS: readonly RegExp[] = [
  /\bmy-?ingress/i,
  /\bconfig-?monitor/i,
  /\bimmortal-?container/i,
  /\bmy-?app(?![a-z])/i,
  /\bweb-?app(?![a-z])/i,
];

/** Files that name four kinds or more, comments and generated files aside. */
function filesWithLists(): readonly string[] {
  const paths = globSync('{src,crds,deploy,docs,test/{gates,surroundings}}/**/*.ts', { cwd: ROOT });
  return paths.toSorted().filter((path) => {
    const text = read(path).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    return KIND_WORDS.filter((word) => word.test(text)).length >= 4;
  });
}

describe('lists of kinds', () => {
  it.each(Object.entries(renderKindLists()))('%s is what npm run gen writes', (path, text) => {
    expect(read(path)).toBe(text);
  });

  it('get a kind that is planted in the registry, and a definition that is planted in crds', () => {
    const planted = renderKindLists(['webapp', 'teapot'], ['teapots.example.com']);
    expect(planted['src/apis/kind-names.ts']).toContain("  'webapp',\n  'teapot',\n] as const;");
    expect(planted['deploy/components/kustomization.yaml']).toMatch(
      /\n {2}- webapp\n {2}- teapot\n$/,
    );
    expect(planted['crds/kustomization.yaml']).toMatch(
      /resources:\n {2}- teapots\.example\.com\n$/,
    );
  });

  it('are kept by hand in one place', () => {
    expect(filesWithLists()).toEqual([
      // The policies of each kind, as its component has them.
      'deploy/policies.ts',
      // Generated.
      'src/apis/kind-names.ts',
      'src/cli/doctor/operator-rights.ts',
      // What the command line shows of each; test/unit/cli compares it with the CRDs.
      'src/cli/objects/kinds.ts',
      'src/setup/definitions/kind-fields.ts',
      'src/setup/kinds.ts',
      // The least of each that the API server admits, for tests of the whole operator.
      'test/surroundings/other-kinds.ts',
    ]);
  });
});
