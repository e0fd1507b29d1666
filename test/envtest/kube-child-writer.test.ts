import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../src/core/objects/kube-object.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { createChildWriter } from '../../src/kube/write/child-writer.ts';
import { createApplyRequest, FIELD_MANAGER } from '../../src/kube/write/server-side-apply.ts';
import { CHILD_NAMESPACE, describeChildWriter } from '../contract/child-writer.ts';
import { CONFIG_MAP, connect, createNamespace, type KubeAccess, read } from './kube-access.ts';

let kube: KubeAccess;

beforeAll(async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, CHILD_NAMESPACE);
});

afterAll(() => kube.transport.close());

describeChildWriter('the writer of children on a real API server', async () => kube.client);

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
  readonly metadata: KubeObject['metadata'] & {
    readonly managedFields?: readonly { readonly manager: string }[];
  };
}

describe("a child of the article's operator", () => {
  const OWNER: OwnerReference = {
    apiVersion: 'apps.example.com/v1',
    kind: 'WebApp',
    name: 'demo-app',
    uid: '3e5d4f0a-0000-4000-8000-000000000001',
    controller: true,
    blockOwnerDeletion: true,
  };
  let name: string;
  let count = 0;

  beforeEach(() => {
    name = `taken-over-${++count}`;
  });

  function child(
    data: ConfigMap['data'],
    metadata: Partial<ConfigMap['metadata']> = {},
  ): ConfigMap {
    const own = { name, namespace: CHILD_NAMESPACE, ownerReferences: [OWNER], ...metadata };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: own, data };
  }

  function createdBy(fieldManager: string, object: ConfigMap): Promise<ConfigMap> {
    return kube.client.request<ConfigMap>({
      method: 'POST',
      path: buildResourcePath(CONFIG_MAP, { namespace: CHILD_NAMESPACE }),
      query: { fieldManager },
      body: JSON.stringify(object),
    });
  }

  function setBy(fieldManager: string, data: ConfigMap['data']): Promise<unknown> {
    return kube.client.request({
      method: 'PATCH',
      path: pathOfChild(),
      query: { fieldManager },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ data }),
    });
  }

  function pathOfChild(): string {
    return buildResourcePath(CONFIG_MAP, { namespace: CHILD_NAMESPACE, name });
  }

  function apply(data: ConfigMap['data'], uid = ''): Promise<unknown> {
    return createChildWriter(kube.client, [CONFIG_MAP]).apply(child(data, { uid }));
  }

  function live(): Promise<ConfigMap> {
    return read<ConfigMap>(kube.client, CONFIG_MAP, child({}));
  }

  it.each([
    ['manager', 'the binary in the image that kubebuilder builds'],
    ['main', 'that of `go run main.go`'],
  ])('loses what %s had set and is not desired: %s', async (manager) => {
    const { metadata } = await createdBy(manager, child({ a: '1', b: '2' }));
    await setBy('somebody-else', { theirs: 'kept' });

    await apply({ a: '1', c: '3' }, metadata.uid);

    const after = await live();
    expect(after.data).toEqual({ a: '1', c: '3', theirs: 'kept' });
    const managers = after.metadata.managedFields?.map((entry) => entry.manager);
    expect(managers?.toSorted()).toEqual([FIELD_MANAGER, 'somebody-else']);
  });

  it('loses it also where an earlier release has applied over it', async () => {
    const { metadata } = await createdBy('manager', child({ a: '1', b: '2' }));
    const before = child({ b: '2', d: '4' }, { uid: metadata.uid ?? '' });
    await kube.client.request(createApplyRequest(pathOfChild(), before));

    await apply({ c: '3' }, metadata.uid);

    expect((await live()).data).toEqual({ c: '3' });
  });

  it.each([
    ['manager', 'another operator of this name, which did not make the child', []],
    ['kubectl-create', 'a person, who brought the child back from a file', [OWNER]],
  ])('keeps what %s has set: %s', async (manager, _why, ownerReferences) => {
    const { metadata } = await createdBy(manager, child({ b: '2' }, { ownerReferences }));

    await apply({ a: '1' }, metadata.uid);

    expect((await live()).data).toEqual({ a: '1', b: '2' });
  });
});
