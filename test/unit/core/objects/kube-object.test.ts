import { describe, expect, it } from 'vitest';
import {
  compareVersions,
  formatApiVersion,
  getKey,
  splitKey,
} from '../../../../src/core/objects/kube-object.ts';
import { probe } from '../controller/probe.ts';

describe('getKey and splitKey', () => {
  it('undo each other, also for what is cluster-scoped', () => {
    expect(getKey(probe('one'))).toBe('web/one');
    expect(splitKey('web/one')).toEqual({ namespace: 'web', name: 'one' });
    const { namespace: _none, ...metadata } = probe('node').metadata;
    expect(getKey({ ...probe(), metadata })).toBe('/node');
    expect(splitKey('/node')).toEqual({ namespace: '', name: 'node' });
  });
});

describe('formatApiVersion', () => {
  it('leaves the empty group out', () => {
    const pod = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' };
    expect(formatApiVersion(pod)).toBe('v1');
    expect(formatApiVersion({ ...pod, group: 'apps' })).toBe('apps/v1');
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
