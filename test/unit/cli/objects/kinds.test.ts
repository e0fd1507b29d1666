import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findKind, OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';

const root = resolve(import.meta.dirname, '../../../..');

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames: string[];
    };
  };
}

const definitions = globSync('crds/*/crd.yaml', { cwd: root }).map((path) => {
  const { group, names } = (parse(readFileSync(resolve(root, path), 'utf8')) as Definition).spec;
  return { group, ...names };
});

describe('the kinds of the command line', () => {
  it('are those of the CRDs, by each of their names', () => {
    expect(definitions).toHaveLength(OUR_KINDS.length);
    for (const { group, kind, plural, shortNames } of definitions) {
      const printed = `${kind.toLowerCase()}.${group}`;
      for (const word of [kind, plural, kind.toLowerCase(), printed, ...shortNames])
        expect(findKind(word).kind).toBe(kind);
    }
  });

  it('refuse another word', () => {
    expect(() => findKind('ingress')).toThrow(/^"ingress" is not a kind of albridge: /);
  });
});
