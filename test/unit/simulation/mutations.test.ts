import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTATIONS } from '../../simulation/mutations.ts';

describe('a planted bug has its place in the source', () => {
  it.each(Object.entries(MUTATIONS))('%s', (_, { file, find, replace }) => {
    const source = readFileSync(resolve(import.meta.dirname, '../../../src', file), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  });
});

describe('the tables of promises in docs/reliability.md', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/reliability.md'), 'utf8');
  const cells = [...page.matchAll(/^\|.*\|.*\|([^|]*)\|$/gm)].flatMap(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) =>
    [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
  );

  it('name every planted bug', () => {
    expect(Object.keys(MUTATIONS).filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('name no other', () => {
    expect(listed.filter((name) => MUTATIONS[name ?? ''] === undefined)).toEqual([]);
  });
});
