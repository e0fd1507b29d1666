import { afterAll, inject } from 'vitest';
import { describeObjectStore } from '../contract/object-store.ts';
import { openStore, PROBE, STORE_NAMESPACE } from '../contract/store-over-client.ts';
import { connect, createDefinition, createNamespace } from './kube-access.ts';

const running: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const stop of running) await stop();
});

describeObjectStore('the adapter to a real API server', async () => {
  const kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, STORE_NAMESPACE);
  await createDefinition(kube.client, PROBE);
  const { store, stop } = await openStore(kube.client);
  running.push(stop, () => kube.transport.close());
  return store;
});
