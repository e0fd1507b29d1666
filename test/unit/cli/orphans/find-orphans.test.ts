import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { findOrphans, type Owned } from '../../../../src/cli/orphans/find-orphans.ts';
import { deriveDefaultName } from '../../../../src/controllers/my-ingress/identity.ts';
import { getKey } from '../../../../src/core/objects/kube-object.ts';
import { draftOf } from '../../controllers/my-ingress/drafts.ts';

const CLUSTER = 'blue';
const TAGS = {
  'albridge.io/cluster': CLUSTER,
  'albridge.io/namespace': 'web',
  'albridge.io/name': 'shop',
  'albridge.io/uid': 'u1',
  'albridge.io/resource': 'target-group/spec/web',
};

function arnOf(name: string): string {
  return `arn:aws:elasticloadbalancing:eu-central-1:111122223333:loadbalancer/app/${name}/0123`;
}

const NAME = deriveDefaultName({ cluster: CLUSTER, namespace: 'web', name: 'shop' });
const BALANCER: Owned = { kind: 'load-balancer', id: arnOf(NAME), tags: TAGS };
const GROUP: Owned = { kind: 'target-group', id: 'arn:tg', tags: TAGS };
const SECURITY_GROUP: Owned = { kind: 'security-group', id: 'sg-1', tags: TAGS };
const ALL = [SECURITY_GROUP, GROUP, BALANCER];

function find(
  owned: readonly Owned[],
  objects: readonly MyIngress[] = [],
  namespace?: string,
): readonly string[] {
  const byKey = new Map(objects.map((object) => [getKey(object), object] as const));
  return findOrphans(owned, { cluster: CLUSTER, byKey, namespace }).map(({ kind }) => kind);
}

function without(key: keyof typeof TAGS): readonly Owned[] {
  const { [key]: _, ...tags } = TAGS;
  return ALL.map((owned) => ({ ...owned, tags }));
}

describe('orphans', () => {
  it('are listed in the order of their deletion', () => {
    expect(find(ALL)).toEqual(['load-balancer', 'target-group', 'security-group']);
  });

  it('are marked where they were adopted', () => {
    const adopted = { ...BALANCER, tags: { ...TAGS, 'albridge.io/adopt': 'web/shop' } };
    const objects = { cluster: CLUSTER, byKey: new Map() };
    const marks = findOrphans([adopted, GROUP], objects).map(({ isAdopted }) => isAdopted);
    expect(marks).toEqual([true, false]);
  });

  it('know the adopted balancer of their object, which may use them', () => {
    const adopted = { ...BALANCER, tags: { ...TAGS, 'albridge.io/adopt': 'web/shop' } };
    const other = { ...GROUP, id: 'arn:tg-2', tags: { ...TAGS, 'albridge.io/name': 'other' } };
    const objects = { cluster: CLUSTER, byKey: new Map() };
    const found = findOrphans([adopted, GROUP, other], objects);
    expect(found.map((one) => [one.id, one.adopted])).toEqual([
      [BALANCER.id, undefined],
      ['arn:tg-2', undefined],
      ['arn:tg', BALANCER.id],
    ]);
  });

  it('are never what lacks a tag that proves whose it is', () => {
    expect(find(without('albridge.io/cluster'))).toEqual([]);
    expect(find(without('albridge.io/namespace'))).toEqual([]);
    expect(find(without('albridge.io/name'))).toEqual([]);
    expect(find(without('albridge.io/uid'))).toEqual([]);
    expect(find(without('albridge.io/resource'))).toEqual(['load-balancer']);
  });

  it('are never what belongs to another cluster, or to another namespace than the given one', () => {
    const tags = { ...TAGS, 'albridge.io/cluster': 'green' };
    expect(find(ALL.map((owned) => ({ ...owned, tags })))).toEqual([]);
    expect(find(ALL, [], 'api')).toEqual([]);
    expect(find(ALL, [], 'web')).toHaveLength(3);
  });

  it('are never what an object stands for', () => {
    expect(find(ALL, [draftOf('shop')])).toEqual([]);
    const recorded = { ...BALANCER, id: arnOf('other') };
    const shop = draftOf('shop');
    const holder = { ...shop, status: { ...shop.status, alb: { arn: recorded.id } } };
    expect(find([recorded], [holder])).toEqual([]);
    expect(find([recorded], [draftOf('shop', { adopt: { arn: recorded.id } })])).toEqual([]);
  });

  it('are the balancer of an earlier object of that name, with nothing beside it', () => {
    const earlier = { ...BALANCER, id: arnOf('other') };
    expect(find([earlier, GROUP, SECURITY_GROUP], [draftOf('shop')])).toEqual(['load-balancer']);
  });

  it('are never of an object that is being deleted: the operator is at it', () => {
    const shop = draftOf('shop');
    const leaving = {
      ...shop,
      metadata: { ...shop.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    expect(find([{ ...BALANCER, id: arnOf('other') }, GROUP], [leaving])).toEqual([]);
  });
});
