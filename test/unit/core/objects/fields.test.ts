import { describe, expect, it } from 'vitest';
import { diffFields, omitField } from '../../../../src/core/objects/fields.ts';

describe('an object without a field', () => {
  const object = { spec: { replicas: 3, image: 'a' }, alone: { inner: { x: 1 } } };

  it('keeps everything else, and is a copy', () => {
    expect(omitField(object, ['spec', 'replicas'])).toEqual({ ...object, spec: { image: 'a' } });
    expect(object.spec.replicas).toBe(3);
  });

  it('loses what would be left empty', () => {
    expect(omitField(object, ['alone', 'inner', 'x'])).toEqual({ spec: object.spec });
  });

  it('is the same object where there is no such field', () => {
    for (const path of [['gone'], ['spec', 'gone'], ['spec', 'image', 'deeper'], []]) {
      expect(omitField(object, path), path.join('.')).toBe(object);
    }
  });
});

interface Case {
  readonly why: string;
  readonly seen: unknown;
  readonly wanted: unknown;
  readonly paths: readonly string[];
}

const containers = (...items: readonly object[]): object => ({ spec: { containers: items } });

const cases: Readonly<Record<string, Case>> = {
  'what the server added': {
    why: 'defaults are not ours',
    seen: { spec: { image: 'a', policy: 'Always' } },
    wanted: { spec: { image: 'a' } },
    paths: [],
  },
  'another value': {
    why: 'the path leads to it',
    seen: { spec: { image: 'b' } },
    wanted: { spec: { image: 'a' } },
    paths: ['spec.image'],
  },
  'a value of another type': {
    why: '80 and "80" differ',
    seen: { port: '80' },
    wanted: { port: 80 },
    paths: ['port'],
  },
  'a missing value': {
    why: 'the whole of it is missing',
    seen: {},
    wanted: { spec: { a: 1, b: 2 } },
    paths: ['spec'],
  },
  'a sidecar that somebody injected': {
    why: 'a list of named items merges by name',
    seen: containers({ name: 'proxy', image: 'p' }, { name: 'app', image: 'a', tty: false }),
    wanted: containers({ name: 'app', image: 'a' }),
    paths: [],
  },
  'a named item that changed': {
    why: 'the path names it',
    seen: containers({ name: 'proxy' }, { name: 'app', image: 'b' }),
    wanted: containers({ name: 'app', image: 'a' }),
    paths: ['spec.containers[app].image'],
  },
  'a named item that is gone': {
    why: 'the path names it',
    seen: containers({ name: 'proxy' }),
    wanted: containers({ name: 'app' }),
    paths: ['spec.containers[app]'],
  },
  'a longer list without names': {
    why: 'nothing says which item is whose',
    seen: { args: ['a', 'b'] },
    wanted: { args: ['a'] },
    paths: ['args'],
  },
  'another item of a list without names': {
    why: 'the path numbers it',
    seen: { args: ['a', 'b'] },
    wanted: { args: ['a', 'c'] },
    paths: ['args[1]'],
  },
  'an empty list': {
    why: 'wanted empty, not absent',
    seen: { a: [1] },
    wanted: { a: [] },
    paths: ['a'],
  },
  'something else than a list': { why: '', seen: { a: {} }, wanted: { a: ['x'] }, paths: ['a'] },
  'null for a value': { why: '', seen: { a: null }, wanted: { a: { b: 1 } }, paths: ['a'] },
};

describe('the differences', () => {
  it.each(Object.entries(cases))('of %s', (_name, { seen, wanted, paths, why }) => {
    expect(diffFields(seen, wanted), why).toEqual(paths);
  });
});
