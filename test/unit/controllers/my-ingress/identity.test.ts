import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canAdopt,
  composeConsent,
  deriveDefaultName,
  describeHolder,
  desireOwnershipTags,
  type Identity,
  identify,
  readOwnership,
} from '../../../../src/controllers/my-ingress/identity.ts';
import { draftOf } from './drafts.ts';

const CLUSTER = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const cases: Readonly<
  Record<string, { namespace: string; name: string; cluster?: string; gives: string; why: string }>
> = {
  'a plain name': {
    namespace: 'web',
    name: 'shop',
    gives: 'shop-alb-3c9f99a3',
    why: 'the head is the name as it is',
  },
  'the same name in another namespace': {
    namespace: 'team',
    name: 'shop',
    gives: 'shop-alb-7a6e653b',
    why: 'names of balancers are unique in an account, names of objects in a namespace',
  },
  'the same object of another cluster': {
    cluster: 'other',
    namespace: 'web',
    name: 'shop',
    gives: 'shop-alb-2b42b16c',
    why: 'clusters share accounts',
  },
  'parts that read alike when joined': {
    cluster: 'a',
    namespace: 'b-c',
    name: 'd',
    gives: 'd-alb-04b6d9b1',
    why: 'the parts are length-prefixed before they are hashed',
  },
  'the other parts that read alike': {
    cluster: 'a',
    namespace: 'b',
    name: 'c-d',
    gives: 'c-d-alb-2763bfdf',
    why: 'its twin above has another hash',
  },
  'a name with dots': {
    namespace: 'web',
    name: 'shop.example.com',
    gives: 'shop-example-com-alb-5f04b631',
    why: 'AWS allows no dots',
  },
  'a head that starts with internal-': {
    namespace: 'web',
    name: 'internal-shop',
    gives: 'int-shop-alb-63ca9f5b',
    why: 'AWS keeps that beginning for itself',
  },
  'a head that starts with internal and a dot': {
    namespace: 'web',
    name: 'internal.shop',
    gives: 'int-shop-alb-adb6e7be',
    why: 'the dot becomes a hyphen first',
  },
  'a head that is internal': {
    namespace: 'web',
    name: 'internal',
    gives: 'int-alb-3ba52ea9',
    why: 'the hyphen of -alb- makes the forbidden beginning',
  },
  'a head that only begins like internal': {
    namespace: 'web',
    name: 'internals',
    gives: 'internals-alb-8abea503',
    why: 'internals- is nobody else’s',
  },
  'a name of 63 characters': {
    namespace: 'web',
    name: 'a'.repeat(63),
    gives: 'aaaaaaaaaaaaaaaaaaa-alb-fddd4aba',
    why: 'the head is cut to 19',
  },
  'a name of 253 characters': {
    namespace: 'web',
    name: `${'b'.repeat(125)}.${'c'.repeat(127)}`,
    gives: 'bbbbbbbbbbbbbbbbbbb-alb-4dc13690',
    why: 'the longest name that Kubernetes allows',
  },
  'a cut that falls behind a hyphen': {
    namespace: 'web',
    name: 'eighteen-letters-x-and-more',
    gives: 'eighteen-letters-x-alb-91498a64',
    why: 'the head has no hyphen at its edges',
  },
  'letters beyond ASCII': {
    namespace: 'web',
    name: 'café-größe',
    gives: 'caf--gr-e-alb-1ccbc72c',
    why: 'each run of them is one hyphen, and the hash counts bytes',
  },
};

describe('the default name, frozen for good: balancers out there carry it', () => {
  for (const [name, { gives, why, cluster = CLUSTER, ...object }] of Object.entries(cases)) {
    it(`of ${name} is ${gives}, because: ${why}`, () => {
      expect(deriveDefaultName({ cluster, ...object })).toBe(gives);
    });
  }

  it('ends in the hash of the length-prefixed parts', () => {
    const hash = createHash('sha256').update('1:a3:b-c1:d').digest('hex').slice(0, 8);
    expect(deriveDefaultName({ cluster: 'a', namespace: 'b-c', name: 'd' })).toBe(`d-alb-${hash}`);
  });

  it('is a name that AWS accepts, whatever the object is called', () => {
    const label = fc
      .stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/)
      .filter((text) => text.length > 0);
    const named = fc.array(fc.oneof(label, fc.constant('internal')), {
      minLength: 1,
      maxLength: 8,
    });
    const joined = fc.tuple(named, fc.constantFrom('.', '-')).map(([parts, by]) => parts.join(by));
    fc.assert(
      fc.property(joined, label, fc.string(), (name, namespace, cluster) => {
        const given = deriveDefaultName({ cluster, namespace, name });
        expect(given).toMatch(/^(?!internal-)(?!-)[A-Za-z0-9-]{1,32}(?<!-)$/);
      }),
    );
  });
});

describe('the ownership tags', () => {
  it('say which object of which cluster, which incarnation of it, and who manages', () => {
    const object = draftOf('shop');
    const stored = { ...object, metadata: { ...object.metadata, uid: 'uid-7' } };
    expect(desireOwnershipTags(identify('c1', stored))).toEqual({
      'albridge.io/cluster': 'c1',
      'albridge.io/namespace': 'web',
      'albridge.io/name': 'shop',
      'albridge.io/uid': 'uid-7',
      'albridge.io/managed-by': 'albridge',
    });
  });
});

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
