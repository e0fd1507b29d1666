import { describe, expect, it } from 'vitest';
import type { TrimmedSource } from '../../../../src/controllers/config-monitor/sources/watched-source.ts';
import {
  createSecretTransform,
  nameOwner,
  type TrimmedConfigMap,
  type TrimmedPod,
  trimConfigMap,
  trimPod,
} from '../../../../src/controllers/config-monitor/transforms.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';

type Data = Readonly<Record<string, string>>;

function configMap(data?: Data, binaryData?: Data): KubeObject {
  const metadata = {
    name: 'settings',
    namespace: 'web',
    uid: 'uid-1',
    resourceVersion: '7',
    labels: { app: 'x' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
  };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data, binaryData } as KubeObject;
}

function hashOf(data?: Data, binaryData?: Data): string {
  return (trimConfigMap(configMap(data, binaryData)) as TrimmedConfigMap).hash;
}

describe('the hash of a ConfigMap', () => {
  it.each([
    ['a value', { a: '1' }, { a: '2' }],
    ['a key', { a: '1' }, { b: '1' }],
    ['where a value ends', { a: '1;b=2' }, { a: '1', b: '2' }],
    ['where a key ends', { ab: 'c' }, { a: 'bc' }],
    ['an empty value', { a: '' }, {}],
  ])('distinguishes %s', (_name, one, other) => {
    expect(hashOf(one as Data)).not.toBe(hashOf(other as Data));
  });

  it('distinguishes data from binaryData', () => {
    expect(hashOf({ a: 'MQ==' })).not.toBe(hashOf(undefined, { a: 'MQ==' }));
  });

  it('does not distinguish the order of keys, nor a missing field from an empty one', () => {
    expect(hashOf({ a: '1', b: '2' })).toBe(hashOf({ b: '2', a: '1' }));
    expect(hashOf()).toBe(hashOf({}, {}));
  });

  it('is frozen: what older versions have stored is compared with it', () => {
    expect(hashOf({ 'config.cfg': 'MSG="Welcome to Kubernetes!"' })).toBe(
      'bda0bd03ccb6366917c73ec3a29446766444910d8254aee284f63e8b65661b1e',
    );
  });
});

describe('what is held of a ConfigMap', () => {
  it('has neither its data nor its labels, and of its annotations only ours', () => {
    const held = trimConfigMap(configMap({ secret: 'x'.repeat(1000) }));
    expect(JSON.stringify(held)).not.toContain('xxx');
    expect(held.metadata).toEqual({
      name: 'settings',
      namespace: 'web',
      uid: 'uid-1',
      resourceVersion: '7',
    });
  });

  it('is small, whatever is in its annotations', () => {
    const long = 'x'.repeat(250_000);
    const annotations = {
      'magalix.com/podDeleteMatch': long,
      'albridge.io/reconcile-requested-at': long,
    };
    const { metadata, ...rest } = configMap();
    const held = trimConfigMap({ ...rest, metadata: { ...metadata, annotations } });
    expect(JSON.stringify(held).length).toBeLessThan(1000);
  });

  it('keeps an annotation of ten long labels', () => {
    const labels = 'example.com/a-label-of-some-length=a-value-of-some-length,'.repeat(17);
    const annotations = { 'magalix.com/podDeleteMatch': labels };
    const { metadata, ...rest } = configMap();
    const held = trimConfigMap({ ...rest, metadata: { ...metadata, annotations } });
    expect(held.metadata.annotations).toEqual(annotations);
  });
});

describe('what is held of a pod', () => {
  it('is small, whatever labels, annotations and owners it has', () => {
    const labels = Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`l${i}`, 'x']));
    const [apiVersion, kind, name, uid] = Array(4).fill('x'.repeat(250_000)) as string[];
    const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
    const annotations = { 'kubectl.kubernetes.io/restartedAt': name, another: name };
    const metadata = {
      name: 'p',
      namespace: 'web',
      uid: 'u',
      labels,
      annotations,
      ownerReferences,
    };
    const held = trimPod({ apiVersion: 'v1', kind: 'Pod', metadata } as unknown as KubeObject);
    expect(JSON.stringify(held).length).toBeLessThan(2000);
  });
});

describe('the owner of a pod', () => {
  const owners: Readonly<
    Record<string, { kind: string; apiVersion: string; name: string; is: string }>
  > = {
    'a Deployment behind its ReplicaSet': {
      ...{ kind: 'ReplicaSet', apiVersion: 'apps/v1', name: 'shop-5d9c' },
      is: 'Deployment/shop',
    },
    'a ReplicaSet without an owner': {
      ...{ kind: 'ReplicaSet', apiVersion: 'apps/v1', name: 'shop' },
      is: 'ReplicaSet/shop',
    },
    'a StatefulSet': {
      ...{ kind: 'StatefulSet', apiVersion: 'apps/v1', name: 'db' },
      is: 'StatefulSet/db',
    },
    'a kind of that name of others': {
      ...{ kind: 'StatefulSet', apiVersion: 'apps.kruise.io/v1', name: 'db' },
      is: 'StatefulSet/db of apps.kruise.io',
    },
    'a kind of the core': {
      ...{ kind: 'ReplicationController', apiVersion: 'v1', name: 'shop' },
      is: 'ReplicationController/shop of v1',
    },
  };

  it.each(Object.entries(owners))('is %s', (_name, { is, ...reference }) => {
    const metadata = {
      name: 'pod',
      labels: { 'pod-template-hash': '5d9c' },
      ownerReferences: [{ ...reference, uid: 'u', controller: true }],
    };
    const pod = trimPod({ apiVersion: 'v1', kind: 'Pod', metadata }) as TrimmedPod;
    expect(nameOwner(pod)).toBe(is);
  });
});

describe('a Secret in memory', () => {
  const trim = createSecretTransform(Buffer.alloc(32, 'k'));
  const of = (name: string, namespace = 'web'): TrimmedSource =>
    trim({
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
      metadata: {
        ...{ name, namespace, uid: 'u', resourceVersion: '1' },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'hunter2' },
      },
      data: { password: 'hunter2' },
    } as KubeObject) as TrimmedSource;

  it('has neither data nor annotations', () => {
    expect(JSON.stringify(of('db'))).not.toContain('hunter2');
    expect(of('db').metadata).not.toHaveProperty('annotations');
  });

  it('has a hash that shows neither its data nor that another one has the same', () => {
    const plain = trimConfigMap({ ...of('db'), data: { password: 'hunter2' } } as KubeObject);
    expect(of('db').hash).not.toBe((plain as TrimmedSource).hash);
    expect(of('db')).toEqual(of('db'));
    expect(of('db').hash).not.toBe(of('other').hash);
    expect(of('db').keyHashes).not.toEqual(of('db', 'other').keyHashes);
  });
});
