import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import type { KubeClient } from '../../src/kube/client/kube-client.ts';
import { buildObjectPath } from '../../src/kube/client/resource-path.ts';
import { IndexedCache } from '../../src/kube/watch/object-cache.ts';
import { Reflector } from '../../src/kube/watch/reflector.ts';
import { createChildWriter } from '../../src/kube/write/child-writer.ts';
import { readLive } from '../../src/kube/write/live-object.ts';
import { createObjectWriter } from '../../src/kube/write/object-writer.ts';
import { systemClock } from '../../src/system-clock.ts';
import { CONFIG_MAP, post } from '../envtest/kube-access.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import type { People, StoreChild, StoreObject, StoreUnderTest } from './object-store.ts';

/** The kind that `openStore` needs to be served, with every field of spec and status allowed. */
export const PROBE: ResourceKind = {
  group: 'store.albridge.test',
  version: 'v1',
  kind: 'Probe',
  plural: 'probes',
};
export const STORE_NAMESPACE = 'object-store';

export interface OpenStore {
  readonly store: StoreUnderTest;
  readonly stop: () => Promise<void>;
}

/** The operator's own caches and writers over any API server that serves PROBE in STORE_NAMESPACE. */
export async function openStore(client: KubeClient): Promise<OpenStore> {
  const probes = await follow<StoreObject>(client, PROBE);
  const children = await follow<StoreChild>(client, CONFIG_MAP);
  const store: StoreUnderTest = {
    cache: probes.cache,
    childCache: children.cache,
    writer: createObjectWriter<StoreObject>(client, PROBE),
    childWriter: createChildWriter(client, [CONFIG_MAP]),
    draft: (name) => ({
      apiVersion: 'store.albridge.test/v1',
      kind: 'Probe',
      metadata: { namespace: STORE_NAMESPACE, name },
      ...{ spec: { size: 1 } },
    }),
    withEditedSpec: (object) => ({ ...object, spec: { size: 2 } }),
    people: peopleOf(client),
  };
  const stop = async (): Promise<void> => {
    await probes.stop();
    await children.stop();
  };
  return { store, stop };
}

async function follow<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
): Promise<{ readonly cache: IndexedCache<T>; readonly stop: () => Promise<void> }> {
  const log = new SilentLogger();
  const metrics = new RecordingMetrics();
  const cache = new IndexedCache<T>({ kind, log, metrics });
  const options = { client, kind, cache, clock: systemClock, log, metrics };
  const reflector = new Reflector<T>({ ...options, namespace: STORE_NAMESPACE });
  await reflector.synced;
  return { cache, stop: () => reflector.stop() };
}

function peopleOf(client: KubeClient): People {
  const pathOf = (object: KubeObject): string => buildObjectPath(kindOf(object), object);
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
  return object.kind === PROBE.kind ? PROBE : CONFIG_MAP;
}
