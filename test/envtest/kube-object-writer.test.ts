import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { ObjectWriter } from '../../src/core/ports/writers.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { createObjectWriter } from '../../src/kube/write/object-writer.ts';
import { describeObjectWriter, WIDGET, WRITER_NAMESPACE } from '../contract/object-writer.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import {
  connect,
  createDefinition,
  createNamespace,
  type KubeAccess,
  post,
} from './kube-access.ts';

let kube: KubeAccess;

afterAll(() => kube.transport.close());

describeObjectWriter('the writer on a real API server', async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, WRITER_NAMESPACE);
  await createDefinition(kube.client, WIDGET);
  return kube.client;
});

/** It comes with an older CRD: `added` is not in the schema. */
describe('a status with a field that the CRD does not have', () => {
  type Widget = KubeObject & { readonly status?: object };

  const [ready, stalled] = [
    { type: 'Ready', status: 'True' },
    { type: 'Stalled', status: 'True' },
  ];
  const kept = { conditions: [ready, stalled], phase: 'Active', step: { name: 'one' } };

  function open(name: string): { create(): Promise<Widget>; writer: ObjectWriter<Widget> } {
    const metadata = { name, namespace: WRITER_NAMESPACE };
    const widget = { apiVersion: 'writer.albridge.test/v1', kind: 'Widget', metadata };
    const create = (): Promise<Widget> => post<Widget>(kube.client, WIDGET, widget);
    return { create, writer: createObjectWriter<Widget>(kube.client, WIDGET) };
  }

  it('is stored without it, and the next one fits also where others have edited meanwhile', async () => {
    const { create, writer } = open('older');
    const first = await writer.applyStatus(await create(), {
      ...kept,
      step: { name: 'one', added: 'new' },
    });
    expect(first?.status).toEqual(kept);
    await kube.client.request({
      method: 'PATCH',
      path: buildResourcePath(WIDGET, { namespace: WRITER_NAMESPACE, name: 'older' }),
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { labels: { edited: 'yes' } } }),
    });

    const second = await writer.applyStatus(
      first as Widget,
      { ...kept, step: { name: 'two', added: 'new' } },
      ({ status }) => isDeepStrictEqual(status, first?.status),
    );

    expect(second?.status).toEqual({ ...kept, step: { name: 'two' } });
  });

  it('leaves nothing behind that a later one without it could not take away', async () => {
    const { create, writer } = open('upgraded');
    const older = { ...kept, step: { name: 'one', added: 'new' } };
    const first = await writer.applyStatus(await create(), older);

    const second = await writer.applyStatus(first as Widget, { conditions: [ready] });

    expect(second?.status).toEqual({ conditions: [ready] });
  });
});

describe('a refusal (behaviour 9)', () => {
  it('names verb and resource where the right is missing', async () => {
    const cluster = accessCluster(inject('controlPlane'));
    await cluster.kubectl(['create', 'serviceaccount', 'powerless', '-n', WRITER_NAMESPACE]);
    const powerless = connect(
      await cluster.serviceAccountKubeconfig(WRITER_NAMESPACE, 'powerless'),
    );
    const adding = createObjectWriter(powerless.client, WIDGET).addFinalizer(
      await post<KubeObject>(kube.client, WIDGET, {
        apiVersion: 'writer.albridge.test/v1',
        kind: 'Widget',
        metadata: { name: 'powerless', namespace: WRITER_NAMESPACE },
      }),
      'albridge.io/load-balancer',
    );

    await expect(adding).rejects.toMatchObject({ reason: 'Forbidden', healedBy: 'person' });
    await expect(adding).rejects.toThrow(/cannot patch resource "widgets" in API group/);
    await powerless.transport.close();
  });
});
