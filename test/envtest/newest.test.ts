import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import { createNewestReader } from '../../src/kube/watch/newest.ts';
import { connect, createNamespace, type KubeAccess, post } from './kube-access.ts';

const NAMESPACE = 'kube-newest';
const CONFIG_MAP: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
};
const SECRET: ResourceKind = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
const { signal } = new AbortController();

let kube: KubeAccess;

beforeAll(async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, NAMESPACE);
});

afterAll(() => kube.transport.close());

/** A transform that leaves the data alone. */
function trim(object: KubeObject): KubeObject {
  const { name, namespace } = object.metadata;
  return { ...object, metadata: { name, namespace } as KubeObject['metadata'] };
}

async function create(kind: ResourceKind, name: string, fields: object): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  await post(kube.client, kind, { apiVersion: 'v1', kind: kind.kind, metadata, ...fields });
}

it('finds the object of one name as the API server has it, and no other', async () => {
  const find = createNewestReader(kube.client, { kind: CONFIG_MAP, transform: trim });
  await create(CONFIG_MAP, 'settings', { data: { a: '1' } });
  await create(CONFIG_MAP, 'settings-2', { data: { a: '2' } });
  expect(await find(`${NAMESPACE}/settings`, signal)).toMatchObject({
    metadata: { name: 'settings', namespace: NAMESPACE },
    data: { a: '1' },
  });
  expect(await find(`${NAMESPACE}/setting`, signal)).toBeUndefined();
  expect(await find('elsewhere/settings', signal)).toBeUndefined();
});

it('leaves out what its selector leaves out', async () => {
  const selected = { kind: SECRET, fieldSelector: 'type!=helm.sh/release.v1', transform: trim };
  const find = createNewestReader(kube.client, selected);
  await create(SECRET, 'db', { stringData: { a: '1' } });
  await create(SECRET, 'release', { type: 'helm.sh/release.v1', stringData: { a: '1' } });
  expect(await find(`${NAMESPACE}/db`, signal)).toMatchObject({ metadata: { name: 'db' } });
  expect(await find(`${NAMESPACE}/release`, signal)).toBeUndefined();
});

it('fails with the name of what was to be read', async () => {
  const find = createNewestReader(kube.client, {
    kind: { ...CONFIG_MAP, plural: 'nothings' },
    transform: trim,
  });
  await expect(find(`${NAMESPACE}/settings`, signal)).rejects.toThrow(
    `read ConfigMap ${NAMESPACE}/settings: `,
  );
});
