import { afterAll } from 'vitest';
import { CHILD_NAMESPACE, describeChildWriter } from '../../contract/child-writer.ts';
import { describeObjectStore } from '../../contract/object-store.ts';
import { describeObjectWriter, WIDGET, WRITER_NAMESPACE } from '../../contract/object-writer.ts';
import { describePodEviction, EVICTION_NAMESPACE } from '../../contract/pod-eviction.ts';
import { openStore, PROBE, STORE_NAMESPACE } from '../../contract/store-over-client.ts';
import { customKind, startModel } from './model-bench.ts';

const running: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const stop of running) await stop();
});

describeObjectStore('the API server model, as a store', async () => {
  const { client } = startModel([customKind(PROBE)], STORE_NAMESPACE);
  const { store, stop } = await openStore(client);
  running.push(stop);
  return store;
});

describeObjectWriter('the API server model, under the writer', async () => {
  return startModel([customKind(WIDGET)], WRITER_NAMESPACE).client;
});

describeChildWriter('the API server model, under the writer of children', async () => {
  return startModel([], CHILD_NAMESPACE).client;
});

describePodEviction('the API server model, asked to evict', async () => {
  return startModel([], EVICTION_NAMESPACE).client;
});
