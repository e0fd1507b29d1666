import { afterAll, inject } from 'vitest';
import { describePodEviction, EVICTION_NAMESPACE } from '../contract/pod-eviction.ts';
import { connect, createNamespace, type KubeAccess } from './kube-access.ts';

let kube: KubeAccess;

afterAll(() => kube.transport.close());

describePodEviction('the eviction of pods by a real API server', async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, EVICTION_NAMESPACE);
  return kube.client;
});
