import { describe, expect, it } from 'vitest';
import { apiVersionOf, compareVersions, keyOf, splitKey } from '../../../src/core/kube-object.ts';
import { probe } from './probe.ts';

describe('keyOf and splitKey', () => {
  it('undo each other, also for what is cluster-scoped', () => {
    expect(keyOf(probe('one'))).toBe('web/one');
    expect(splitKey('web/one')).toEqual({ namespace: 'web', name: 'one' });
    const { namespace: _none, ...metadata } = probe('node').metadata;
    expect(keyOf({ ...probe(), metadata })).toBe('/node');
    expect(splitKey('/node')).toEqual({ namespace: '', name: 'node' });
  });
});

describe('apiVersionOf', () => {
  it('leaves the empty group out', () => {
    const pod = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' };
    expect(apiVersionOf(pod)).toBe('v1');
    expect(apiVersionOf({ ...pod, group: 'apps' })).toBe('apps/v1');
  });
});

const versions: Record<string, { why: string; a: string; b: string; order: number }> = {
  equal: { why: 'the same', a: '10', b: '10', order: 0 },
  'one digit more': { why: 'text order would say otherwise', a: '9', b: '10', order: -1 },
  'same length': { why: 'text order', a: '21', b: '12', order: 1 },
  'beyond a double': {
    why: 'numbers would call these equal',
    a: '9007199254740993',
    b: '9007199254740992',
    order: 1,
  },
};

describe('compareVersions', () => {
  it.each(Object.entries(versions))('%s', (_name, { a, b, order, why }) => {
    expect(Math.sign(compareVersions(a, b)), why).toBe(order);
    expect(Math.sign(compareVersions(b, a)), why).toBe(order === 0 ? 0 : -order);
  });
});
