import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  desireOwnershipTags,
  type Identity,
} from '../../../../src/controllers/my-ingress/identity.ts';
import {
  canAdopt,
  composeConsent,
  describeHolder,
  readOwnership,
} from '../../../../src/controllers/my-ingress/ownership.ts';

const me: Identity = { cluster: 'c1', namespace: 'web', name: 'shop', uid: 'u1' };
const mine = desireOwnershipTags(me);
const PROOFS = ['albridge.io/cluster', 'albridge.io/namespace', 'albridge.io/name'] as const;

function without(key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(mine).filter(([known]) => known !== key));
}

describe('ownership', () => {
  it('is what the three tags prove', () => {
    expect(readOwnership(mine, me)).toEqual({ kind: 'ours' });
    expect(readOwnership({ ...mine, team: 'web' }, me)).toEqual({ kind: 'ours' });
  });

  for (const key of PROOFS) {
    it(`is lost without ${key}`, () => {
      expect(readOwnership(without(key), me).kind).toBe('foreign');
    });

    it(`is another's with another ${key}, or an empty one`, () => {
      expect(readOwnership({ ...mine, [key]: 'other' }, me)).toEqual({ kind: 'foreign' });
      expect(readOwnership({ ...mine, [key]: '' }, me).kind).toBe('foreign');
      expect(readOwnership({ ...mine, [key]: mine[key]?.toUpperCase() ?? '' }, me).kind).toBe(
        'foreign',
      );
    });
  }

  it('is not lost with the records', () => {
    expect(readOwnership(without('albridge.io/uid'), me, true)).toEqual({ kind: 'ours' });
    expect(readOwnership(without('albridge.io/managed-by'), me)).toEqual({ kind: 'ours' });
  });

  it('is not proved without a UID, unless status.alb names the balancer', () => {
    expect(readOwnership(without('albridge.io/uid'), me).kind).toBe('foreign');
  });

  it('of an earlier object of this name is ours, with its UID named', () => {
    const tags = { ...mine, 'albridge.io/uid': 'u0' };
    expect(readOwnership(tags, me)).toEqual({ kind: 'ours', previousUid: 'u0' });
  });

  it('is never read out of tags that albridge has not set', () => {
    const tag = fc.constantFrom(...PROOFS, 'albridge.io/uid', 'albridge.io/managed-by', 'Name');
    const value = fc.constantFrom('c1', 'web', 'shop', 'u1', 'albridge', '');
    fc.assert(
      fc.property(fc.dictionary(tag, value), (tags) => {
        const isOurs = PROOFS.every((key) => tags[key] === mine[key]);
        const hasUid = Object.hasOwn(tags, 'albridge.io/uid');
        expect(readOwnership(tags, me, true).kind).toBe(isOurs ? 'ours' : 'foreign');
        expect(readOwnership(tags, me).kind).toBe(isOurs && hasUid ? 'ours' : 'foreign');
      }),
    );
  });

  it('names the holder as far as the tags show it', () => {
    expect(describeHolder({})).toContain('another tool');
    expect(describeHolder({ 'albridge.io/cluster': 'c9' })).toContain('c9');
    expect(describeHolder(mine)).toBe('MyIngress web/shop of cluster c1');
  });
});

describe('consent to an adoption', () => {
  const cluster = [undefined, 'c1', 'c2'];
  const adopt = [undefined, 'web/shop', 'web/cart', 'shop'];
  const namespace = [undefined, 'web', 'ops'];
  const name = [undefined, 'shop', 'cart'];
  const combinations = cluster.flatMap((c) =>
    adopt.flatMap((a) => namespace.flatMap((s) => name.map((n) => [c, a, s, n] as const))),
  );

  it('takes both tags and no other holder, in each of the combinations', () => {
    expect(combinations).toHaveLength(108);
    const granted = combinations.filter((combination) => {
      const keys = ['cluster', 'adopt', 'namespace', 'name'].map((key) => `albridge.io/${key}`);
      const pairs = keys.flatMap((key, i) =>
        combination[i] === undefined ? [] : [[key, combination[i]]],
      );
      return canAdopt(Object.fromEntries(pairs) as Record<string, string>, me);
    });
    expect(granted).toEqual([
      ['c1', 'web/shop', undefined, undefined],
      ['c1', 'web/shop', undefined, 'shop'],
      ['c1', 'web/shop', 'web', undefined],
      ['c1', 'web/shop', 'web', 'shop'],
    ]);
  });

  it('is none on a balancer that was held before', () => {
    const consented = { 'albridge.io/cluster': 'c1', 'albridge.io/adopt': 'web/shop' };
    expect(canAdopt(consented, me)).toBe(true);
    expect(canAdopt({ ...consented, 'albridge.io/uid': 'u1' }, me)).toBe(false);
  });

  it("fits into a tag for the longest names, and is each object's own", () => {
    const long = { ...me, namespace: 'n'.repeat(63), name: 'x'.repeat(253) };
    const other = { ...long, name: `${'x'.repeat(252)}y` };
    const tags = { 'albridge.io/cluster': 'c1', 'albridge.io/adopt': composeConsent(long) };
    expect(composeConsent(long).length).toBeLessThanOrEqual(256);
    expect([canAdopt(tags, long), canAdopt(tags, other)]).toEqual([true, false]);
  });
});
