import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ConfigMonitorSpec } from '../../../../../src/apis/config-monitor.ts';
import {
  abbreviateSources,
  areRecordsOf,
  combineData,
  describeSources,
  hashFields,
  listDifferent,
  listSources,
  readRecords,
  type TrimmedSource,
  type WatchedSource,
} from '../../../../../src/controllers/config-monitor/sources/watched-source.ts';

const settings: WatchedSource = { kind: 'ConfigMap', name: 'settings' };
const db: WatchedSource = { kind: 'Secret', name: 'db' };

function data(fields: Readonly<Record<string, string>>): TrimmedSource {
  return { apiVersion: 'v1', kind: 'x', metadata: { name: 'x' }, ...hashFields(fields) };
}

function many(count: number, more: Readonly<Record<string, string>> = {}): TrimmedSource {
  const keys = Array.from({ length: count }, (_, at) => [`k${String(at).padStart(4, '0')}`, 'x']);
  return data({ ...Object.fromEntries(keys), ...more });
}

describe('the data of sources', () => {
  it('of one ConfigMap is hashed as in release 0.1', () => {
    const { hash, sources } = combineData([[settings, data({ 'config.cfg': 'MSG="Hello"' })]]);
    expect(hash).toBe('40bdf7e4acf1a58ec77e52c649feaf305d0b13c0fffc9d88fd05c33a683caba6');
    expect(sources).toEqual([{ ...settings, hash: hash.slice(0, 16) }]);
  });

  it('differs by kind, name, keys and data', () => {
    const one = data({ a: '1' });
    const hashes = [
      combineData([[db, one]]),
      combineData([[settings, one]]),
      combineData([[{ ...db, name: 'other' }, one]]),
      combineData([[{ ...db, keys: ['a'] }, one]]),
      combineData([[{ ...db, keys: ['b'] }, one]]),
      combineData([[db, data({ a: '2' })]]),
      combineData([
        [settings, one],
        [db, one],
      ]),
    ].map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('of some keys is that of these keys, in whatever order they are named', () => {
    const of = (keys: readonly string[], fields: Readonly<Record<string, string>>): string =>
      combineData([[{ ...db, keys }, data(fields)]]).hash;
    expect(of(['a', 'b'], { a: '1', b: '2', c: '3' })).toBe(of(['b', 'a'], { a: '1', b: '2' }));
    expect(of(['a'], { a: '1' })).not.toBe(of(['a'], { a: '2' }));
    expect(of(['a'], {})).not.toBe(of(['a'], { a: '' }));
  });

  it('of a key beyond the 256th changes with any of those', () => {
    const of = (key: string, source: TrimmedSource): string =>
      combineData([[{ ...db, keys: [key] }, source]]).hash;
    const before = many(256, { y: '1', z: '1' });
    const after = many(256, { y: '2', z: '1' });
    expect(before.keyHashes).toHaveLength(256);
    expect(of('z', after)).not.toBe(of('z', before));
    expect(of('k0000', after)).toBe(of('k0000', before));
  });

  it('is hashed with a key where one is given', () => {
    const create = () => createHmac('sha256', 'key');
    const keyed = hashFields({ a: '1' }, {}, create);
    expect(keyed.hash).not.toBe(hashFields({ a: '1' }).hash);
    expect(keyed.keyHashes).not.toEqual(hashFields({ a: '1' }).keyHashes);
    const other = hashFields({ a: '1' }, {}, () => createHmac('sha256', 'other'));
    expect(keyed.hash).not.toBe(other.hash);
  });
});

describe('the sources of an object', () => {
  const spec = (fields: object): ConfigMonitorSpec => fields as ConfigMonitorSpec;

  it('are those of all fields, in a fixed order', () => {
    const keyed = { kind: 'ConfigMap', name: 'a', keys: ['x'] } as const;
    const fields = { secret: 'db', configmap: 'settings', sources: [keyed] };
    expect(listSources(spec(fields))).toEqual([keyed, settings, db]);
    expect(listSources(spec({ configMap: 'settings', configmap: 'settings' }))).toEqual([settings]);
    expect(listSources(undefined)).toEqual([]);
  });

  it('are named shortly in a column, and in words in a sentence', () => {
    expect(abbreviateSources([settings])).toBe('ConfigMap/settings');
    expect(abbreviateSources([settings, db, db])).toBe('ConfigMap/settings +2');
    expect(describeSources([settings, db])).toBe('ConfigMap settings and Secret db');
    expect(describeSources([settings, db, db])).toBe('ConfigMap settings and 2 other sources');
  });

  it('are those on record only with the same keys', () => {
    const { sources } = combineData([[{ ...db, keys: ['a', 'b'] }, data({})]]);
    expect(areRecordsOf(sources, [{ ...db, keys: ['b', 'a'] }])).toBe(true);
    expect(areRecordsOf(sources, [{ ...db, keys: ['a'] }])).toBe(false);
    expect(areRecordsOf(sources, [db])).toBe(false);
    expect(areRecordsOf(sources, [settings])).toBe(false);
    expect(areRecordsOf([], [settings])).toBe(false);
  });

  it('are read out of a status of release 0.1', () => {
    const { hash, sources } = combineData([[settings, data({ a: '1' })]]);
    const status = { configMap: 'settings', configHash: hash };
    expect(readRecords(status, [settings])).toEqual(sources);
    expect(readRecords(status, [{ ...settings, name: 'other' }])).toEqual([]);
    expect(readRecords(status, [{ ...settings, keys: ['a'] }])).toEqual([]);
    expect(readRecords({}, [settings])).toEqual([]);
  });

  it('differ by their own data, and all of them where that is not known', () => {
    const before = combineData([
      [settings, data({ a: '1' })],
      [db, data({ a: '1' })],
    ]).sources;
    const after = combineData([
      [settings, data({ a: '1' })],
      [db, data({ a: '2' })],
    ]).sources;
    expect([...listDifferent(before, after)]).toEqual(['Secret/db']);
    expect([...listDifferent(before, before)]).toEqual(['ConfigMap/settings', 'Secret/db']);
    expect([...listDifferent([], before)]).toEqual(['ConfigMap/settings', 'Secret/db']);
  });
});
