import { describe, expect, it } from 'vitest';
import { diffFields, omitField, omitKeys } from '../../../../src/core/objects/fields.ts';

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

describe('a record without some keys', () => {
  it('keeps the others, and is a copy', () => {
    const record = { a: '1', b: '2' };
    expect(omitKeys(record, ['b', 'gone'])).toEqual({ a: '1' });
    expect(record).toEqual({ a: '1', b: '2' });
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
  'values that say nothing': {
    why: 'the server leaves them out',
    seen: { spec: {} },
    wanted: { spec: { tty: false, delay: 0, text: '', env: [] } },
    paths: [],
  },
  'a token that is mounted again': {
    why: 'where it is not said, it is mounted',
    seen: { spec: {} },
    wanted: { spec: { automountServiceAccountToken: false } },
    paths: ['spec.automountServiceAccountToken'],
  },
  'a quantity in another form': {
    why: 'the server stores 500m for 0.5',
    seen: { resources: { limits: { cpu: '500m' } }, value: '500m' },
    wanted: { resources: { limits: { cpu: 0.5 } }, value: '0.5' },
    paths: ['value'],
  },
  'a volume that is mounted twice': {
    why: 'both items have its name',
    seen: {
      mounts: [
        { name: 'tmp', mountPath: '/a' },
        { name: 'tmp', mountPath: '/b' },
      ],
    },
    wanted: {
      mounts: [
        { name: 'tmp', mountPath: '/a' },
        { name: 'tmp', mountPath: '/c' },
      ],
    },
    paths: ['mounts[1].mountPath'],
  },
  'a sidecar that someone injected': {
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
