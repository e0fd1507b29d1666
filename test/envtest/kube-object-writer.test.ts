import { afterAll, describe, expect, inject, it } from 'vitest';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
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
