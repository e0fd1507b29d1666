import { afterAll, inject } from 'vitest';
import { CHILD_NAMESPACE, describeChildWriter } from '../contract/child-writer.ts';
import { connect, createNamespace, type KubeAccess } from './kube-access.ts';

let kube: KubeAccess;

afterAll(() => kube.transport.close());

describeChildWriter('the writer of children on a real API server', async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, CHILD_NAMESPACE);
  return kube.client;
});
