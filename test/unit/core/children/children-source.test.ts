import { describe, expect, it } from 'vitest';
import { createOwnerSource } from '../../../../src/core/children/children.ts';
import type { Key, KubeObject, OwnerReference } from '../../../../src/core/objects/kube-object.ts';
import type { Change } from '../../../../src/core/ports/cache.ts';
import { LOW_PRIORITY } from '../../../../src/core/queue/key-queue.ts';

const OWNER = { group: 'apps.example.com', kind: 'WebApp' } as const;
const reference = {
  apiVersion: 'apps.example.com/v1',
  kind: 'WebApp',
  name: 'shop',
  uid: 'uid-shop',
  controller: true,
};

function child(...ownerReferences: readonly OwnerReference[]): KubeObject {
  const metadata = { name: 'child', namespace: 'web', ownerReferences };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

const added = (object: KubeObject, isInitial = false): Change<KubeObject> => ({
  kind: 'added',
  object,
  isInitial,
});
const updated = (previous: KubeObject, object: KubeObject): Change<KubeObject> => ({
  kind: 'updated',
  object,
  previous,
});

interface Case {
  readonly why: string;
  readonly change: Change<KubeObject>;
  readonly keys: readonly Key[];
}

const shop = child(reference);
const cases: Readonly<Record<string, Case>> = {
  appears: { why: 'its owner may wait for it', change: added(shop), keys: ['web/shop'] },
  changes: { why: 'its status included', change: updated(shop, shop), keys: ['web/shop'] },
  goes: {
    why: 'it must come back',
    change: { kind: 'deleted', object: shop },
    keys: ['web/shop'],
  },
  'changes hands': {
    why: 'one controller lost it, the other got it',
    change: updated(shop, child({ ...reference, name: 'other', uid: 'uid-other' })),
    keys: ['web/shop', 'web/other'],
  },
  'loses its controller': {
    why: 'it has become somebody elses',
    change: updated(shop, child()),
    keys: ['web/shop'],
  },
  'has an owner that is no controller': {
    why: 'any number of objects may own it so',
    change: added(child({ ...reference, controller: false })),
    keys: [],
  },
  'has no owner': { why: 'it is foreign', change: added(child()), keys: [] },
  'has a controller of another kind': {
    why: 'the kind alone does not tell: groups share names',
    change: added(child({ ...reference, apiVersion: 'other.example.com/v1' })),
    keys: [],
  },
  'has a controller of another version': {
    why: 'it is the same object in another form',
    change: added(child({ ...reference, apiVersion: 'apps.example.com/v2alpha1' })),
    keys: ['web/shop'],
  },
  'has a controller of the core group': {
    why: 'its apiVersion has no slash',
    change: added(child({ ...reference, apiVersion: 'v1', kind: 'ConfigMap' })),
    keys: [],
  },
};

function enqueuedBy(
  change: Change<KubeObject>,
  owner: Parameters<typeof createOwnerSource>[1] = OWNER,
): readonly { readonly key: Key; readonly priority: number | undefined }[] {
  const enqueued: { key: Key; priority: number | undefined }[] = [];
  const children = {
    subscribe: (onChange: (change: Change<KubeObject>) => void) => {
      onChange(change);
      return () => {};
    },
  };
  createOwnerSource(
    children,
    owner,
  )((key, options) => enqueued.push({ key, priority: options?.priority }));
  return enqueued;
}

describe('the owners of a child that', () => {
  it.each(Object.entries(cases))('%s', (_name, { change, keys, why }) => {
    expect(
      enqueuedBy(change).map(({ key }) => key),
      why,
    ).toEqual(keys);
  });

  it('is there at the start wait behind what people do', () => {
    expect(enqueuedBy(added(shop, true))).toEqual([{ key: 'web/shop', priority: LOW_PRIORITY }]);
    expect(enqueuedBy(added(shop))).toEqual([{ key: 'web/shop', priority: 0 }]);
  });

  it('is in a namespace and they are not', () => {
    const owner = { ...OWNER, isClusterScoped: true };
    expect(enqueuedBy(added(shop), owner)).toMatchObject([{ key: '/shop' }]);
  });

  it('belongs to a ConfigMap are found too', () => {
    const owned = child({ ...reference, apiVersion: 'v1', kind: 'ConfigMap' });
    const owner = { group: '', kind: 'ConfigMap' };
    expect(enqueuedBy(added(owned), owner)).toMatchObject([{ key: 'web/shop' }]);
  });

  it('changes after the source was stopped are left alone', () => {
    let stopped = 0;
    const children = { subscribe: () => () => void stopped++ };
    createOwnerSource(children, OWNER)(() => {})();
    expect(stopped).toBe(1);
  });
});
