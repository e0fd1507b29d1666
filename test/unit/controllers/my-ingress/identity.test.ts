import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deriveDefaultName,
  desireOwnershipTags,
  identify,
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
