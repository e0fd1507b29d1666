import { afterAll, inject } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/kube-object.ts';
import { createChildWriter } from '../../src/kube/child-writer.ts';
import type { KubeClient } from '../../src/kube/kube-client.ts';
import { readLive } from '../../src/kube/live-object.ts';
import { createObjectCache, type WritableCache } from '../../src/kube/object-cache.ts';
import { createObjectWriter } from '../../src/kube/object-writer.ts';
import { startReflector } from '../../src/kube/reflector.ts';
import { objectPath } from '../../src/kube/resource-path.ts';
import { systemClock } from '../../src/system-clock.ts';
import {
  describeObjectStore,
  type People,
  type StoreChild,
  type StoreObject,
  type StoreUnderTest,
} from '../contract/object-store.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import {
  CONFIG_MAP,
  connect,
  createDefinition,
  createNamespace,
  type KubeAccess,
  post,
} from './kube-access.ts';

const KIND: ResourceKind = {
  group: 'store.albridge.test',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
};
const NAMESPACE = 'object-store';

const running: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const stop of running) await stop();
});

describeObjectStore('the adapter to a real API server', async () => {
  const kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, NAMESPACE);
  await createDefinition(kube.client, KIND);
  const probes = await follow<StoreObject>(kube, KIND);
  const children = await follow<StoreChild>(kube, CONFIG_MAP);
  running.push(probes.stop, children.stop, () => kube.transport.close());
  return storeOf(kube, probes.cache, children.cache);
});

function storeOf(
  { client }: KubeAccess,
  cache: WritableCache<StoreObject>,
  childCache: WritableCache<StoreChild>,
): StoreUnderTest {
  const metadata = { namespace: NAMESPACE };
  return {
    cache,
    childCache,
    writer: createObjectWriter<StoreObject>(client, KIND),
    childWriter: createChildWriter(client, [CONFIG_MAP]),
    draft: (name) => ({
      apiVersion: 'store.albridge.test/v1',
      kind: 'Probe',
      metadata: { ...metadata, name },
      ...{ spec: { size: 1 } },
    }),
    withEditedSpec: (object) => ({ ...object, spec: { size: 2 } }),
    people: peopleOf(client),
  };
}

async function follow<T extends KubeObject>(
  { client, metrics }: KubeAccess,
  kind: ResourceKind,
): Promise<{ readonly cache: WritableCache<T>; readonly stop: () => Promise<void> }> {
  const log = new SilentLogger();
  const cache = createObjectCache<T>({ kind, log, metrics });
  const options = { client, kind, cache, clock: systemClock, log, metrics };
  const reflector = startReflector<T>({ ...options, namespace: NAMESPACE });
  await reflector.synced;
  return { cache, stop: () => reflector.stop() };
}

function peopleOf(client: KubeClient): People {
  const pathOf = (object: KubeObject): string => objectPath(kindOf(object), object);
  const get = <T extends KubeObject>(object: T): Promise<T | undefined> =>
    readLive(client, kindOf(object), object);
  return {
    get,
    create: (draft) => post(client, kindOf(draft), draft),
    edit: async (object, change) => {
      const live = (await get(object)) ?? object;
      return client.request({
        method: 'PUT',
        path: pathOf(object),
        query: { fieldManager: 'people' },
        body: JSON.stringify(change(live)),
      });
    },
    delete: async (object) => {
      await client.request({ method: 'DELETE', path: pathOf(object) });
    },
  };
}

function kindOf(object: KubeObject): ResourceKind {
  return object.kind === KIND.kind ? KIND : CONFIG_MAP;
}
