import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Children } from '../../src/core/children/children.ts';
import { ensureOwned, type OwnedChange } from '../../src/core/children/owned-objects.ts';
import { Controller } from '../../src/core/controller/controller.ts';
import type { CoreStatus } from '../../src/core/controller/status.ts';
import { getKey, type KubeObject, type ResourceKind } from '../../src/core/objects/kube-object.ts';
import type { ObjectCache } from '../../src/core/ports/cache.ts';
import { coreMetrics } from '../../src/core/ports/metrics.ts';
import { type Outcome, settled } from '../../src/core/reconcile/outcome.ts';
import { KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeTransport } from '../../src/kube/client/kube-transport.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { IndexedCache } from '../../src/kube/watch/object-cache.ts';
import { Reflector } from '../../src/kube/watch/reflector.ts';
import { createChildWriter } from '../../src/kube/write/child-writer.ts';
import { createObjectWriter } from '../../src/kube/write/object-writer.ts';
import { systemClock } from '../../src/system-clock.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { RecordingEvents } from '../fakes/recording-events.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import {
  CONFIG_MAP,
  connect,
  createDefinition,
  createNamespace,
  type KubeAccess,
  post,
  read,
} from './kube-access.ts';
import { eventually } from './reflector-harness.ts';

const NAMESPACE = 'children';
const DEPLOYMENT: ResourceKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
};
const OWNER: ResourceKind = {
  group: 'children.albridge.io',
  version: 'v1',
  kind: 'Parent',
  plural: 'parents',
};
const GROUP_OF_OTHERS: ResourceKind = { ...OWNER, kind: 'Guardian', plural: 'guardians' };

interface Parent extends KubeObject {
  readonly spec?: { readonly size?: number };
  readonly status?: CoreStatus;
}

interface Deployment extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly paused?: boolean };
}

const stops: (() => Promise<unknown>)[] = [];
let kube: KubeAccess;
let count = 0;
let name = '';

beforeAll(async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, NAMESPACE);
  await createDefinition(kube.client, OWNER);
  await createDefinition(kube.client, GROUP_OF_OTHERS);
});

beforeEach(() => {
  name = `object-${++count}`;
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await kube.transport.close();
});

function createParent(kind = OWNER, called = name): Promise<Parent> {
  const metadata = { name: called, namespace: NAMESPACE };
  const apiVersion = `${kind.group}/${kind.version}`;
  return post<Parent>(kube.client, kind, { apiVersion, kind: kind.kind, metadata });
}

function ownedBy(owner: KubeObject, isController = true): object {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: isController };
}

function configMap(called: string, ownerReferences: readonly object[] = []): KubeObject {
  const metadata = { name: called, namespace: NAMESPACE, ownerReferences };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata } as KubeObject;
}

function deployment(spec: object = {}): Deployment {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'nginx' }];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  } as Deployment;
}

function patch(kind: ResourceKind, called: string, body: object): Promise<unknown> {
  return patchAt(buildResourcePath(kind, { namespace: NAMESPACE, name: called }), body);
}

function patchAt(path: string, body: object): Promise<unknown> {
  return kube.client.request({
    method: 'PATCH',
    path,
    query: { fieldManager: 'somebody-else' },
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
}

async function cacheOf<T extends KubeObject>(
  kind: ResourceKind,
  client: KubeClient = kube.client,
): Promise<ObjectCache<T>> {
  const log = new SilentLogger();
  const metrics = new RecordingMetrics();
  const cache = new IndexedCache<T>({ kind, log, metrics });
  const options = { client, kind, cache, clock: systemClock, log, metrics, namespace: NAMESPACE };
  const reflector = new Reflector(options);
  stops.push(() => reflector.stop());
  await reflector.synced;
  return cache;
}

/** The real transport, whose watches can be made to show nothing for a while. */
function delayable(): { readonly client: KubeClient; hold(): void; release(): void } {
  let opened = Promise.resolve();
  let release = (): void => {};
  const transport: KubeTransport = {
    request: async (request) => {
      const response = await kube.transport.request(request);
      return request.lane === 'watch' ? { ...response, body: late(response.body) } : response;
    },
  };
  async function* late(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      await opened;
      yield chunk;
    }
  }
  return {
    client: new KubeClient({ transport, clock: systemClock, metrics: new RecordingMetrics() }),
    hold: () => {
      opened = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
  };
}

interface Running {
  readonly passes: () => number;
  /** The object as the controller knows it. */
  readonly seen: () => Parent | undefined;
  readonly metrics: RecordingMetrics;
}

/** A controller of this test's object whose pass is `act`. */
async function control(
  children: Children<KubeObject>,
  act: (object: Parent) => Promise<void>,
): Promise<Running> {
  let passes = 0;
  const metrics = new RecordingMetrics();
  const cache = await cacheOf<Parent>(OWNER);
  const controller = new Controller<Parent>({
    name: 'parent',
    cache,
    writer: createObjectWriter<Parent>(kube.client, OWNER),
    reconciler: {
      reconcile: async (object): Promise<Outcome> => {
        if (object.metadata.name !== name) return settled('Other', 'of another test');
        passes += 1;
        await act(object);
        return settled('Done', 'done');
      },
    },
    children: [children],
    concurrency: 4,
    deadlineMs: 60_000,
    backoff: { firstMs: 100, maxMs: 1000 },
    clock: systemClock,
    events: new RecordingEvents(),
    log: new SilentLogger(),
    metrics,
  });
  controller.start();
  stops.push(() => controller.stop(new Error('done')));
  return { passes: () => passes, seen: () => cache.get(`${NAMESPACE}/${name}`), metrics };
}

describe('a child that the cache does not show yet (behaviour 18)', () => {
  it('is created once, though the next pass starts before the watch delivers it', async () => {
    const slow = delayable();
    const cache = await cacheOf(CONFIG_MAP, slow.client);
    const writer = createChildWriter(kube.client, [CONFIG_MAP]);
    // The time after which a pass goes on without the watch does not come.
    const children = new Children({ cache, writer, owner: OWNER, clock: new ManualClock() });
    let made = 0;
    const { passes, seen } = await control(children, async (object) => {
      const own = children.forOwner(object);
      if (own.listOwned().length > 0) return;
      await own.writer.create(configMap(`${name}-${made++}`, [ownedBy(object)]));
    });
    slow.hold();
    const parent = await createParent();
    await eventually(() => expect(made).toBe(1));
    await patch(OWNER, name, { spec: { size: 1 } });
    await patch(OWNER, name, { spec: { size: 2 } });
    await eventually(() => expect(seen()).toMatchObject({ spec: { size: 2 } }));
    expect({ passes: passes(), made }).toEqual({ passes: 1, made: 1 });
    slow.release();
    await eventually(() => expect(passes()).toBeGreaterThan(1));
    expect(made).toBe(1);
    expect(cache.listOwned(parent.metadata.uid ?? '')).toHaveLength(1);
  });

  it('holds a pass back for five seconds where the watch is out, and that is counted', async () => {
    const slow = delayable();
    const cache = await cacheOf(CONFIG_MAP, slow.client);
    const writer = createChildWriter(kube.client, [CONFIG_MAP]);
    const children = new Children({ cache, writer, owner: OWNER, clock: systemClock });
    const beganAtMs: number[] = [];
    const { passes, metrics } = await control(children, async (object) => {
      beganAtMs.push(performance.now());
      if (passes() > 1) return;
      await children.forOwner(object).writer.create(configMap(`${name}-out`, [ownedBy(object)]));
    });
    slow.hold();
    await createParent();
    await eventually(() => expect(passes()).toBe(1));
    await patch(OWNER, name, { spec: { size: 1 } });
    await eventually(() => expect(passes()).toBe(2));
    const [firstMs = 0, secondMs = 0] = beganAtMs;
    expect(secondMs - firstMs).toBeGreaterThan(4_900);
    expect(metrics.valueOf(coreMetrics.staleReads)).toBe(1);
    slow.release();
  });
});

describe('a change of a child (behaviour 19)', () => {
  interface Family {
    /** Passes that each owner got since it was last asked. */
    readonly woken: () => readonly string[];
    /** The same since the beginning. */
    readonly everWoken: () => readonly string[];
    readonly mother: Parent;
    readonly other: Parent;
  }

  async function family(kind: ResourceKind): Promise<Family> {
    const cache = await cacheOf(kind);
    const writer = createChildWriter(kube.client, [kind]);
    const children = new Children({ cache, writer, owner: OWNER, clock: systemClock });
    const keys: string[] = [];
    stops.push(async () => stop());
    const all = new Set<string>();
    const stop = children.source((key) => {
      keys.push(key);
      if (isOfThisTest(key)) all.add(key);
    });
    const isOfThisTest = (key: string): boolean => key.startsWith(`${NAMESPACE}/${name}-`);
    const mother = await createParent(OWNER, `${name}-mother`);
    const other = await createParent(OWNER, `${name}-other`);
    const mine = (): readonly string[] => {
      return [...new Set(keys.splice(0).filter(isOfThisTest))].sort();
    };
    return { mother, other, woken: mine, everWoken: () => [...all].sort() };
  }

  it('wakes its controller: created, edited, its status written, deleted', async () => {
    const { mother, woken } = await family(DEPLOYMENT);
    const owner = [getKey(mother)];
    const owned = deployment();
    const metadata = { ...owned.metadata, ownerReferences: [ownedBy(mother)] };
    await post(kube.client, DEPLOYMENT, { ...owned, metadata } as KubeObject);
    await eventually(() => expect(woken()).toEqual(owner));
    await patch(DEPLOYMENT, name, { spec: { paused: true } });
    await eventually(() => expect(woken()).toEqual(owner));
    const path = buildResourcePath(DEPLOYMENT, { namespace: NAMESPACE, name });
    await patchAt(`${path}/status`, { status: { availableReplicas: 0, replicas: 1 } });
    await eventually(() => expect(woken()).toEqual(owner));
    await kube.client.request({ method: 'DELETE', path });
    await eventually(() => expect(woken()).toEqual(owner));
  });

  it('that gives it to another controller wakes both', async () => {
    const { mother, other, woken } = await family(CONFIG_MAP);
    await post(kube.client, CONFIG_MAP, configMap(name, [ownedBy(mother)]));
    await eventually(() => expect(woken()).toEqual([getKey(mother)]));
    await patch(CONFIG_MAP, name, { metadata: { ownerReferences: [ownedBy(other)] } });
    await eventually(() => expect(woken()).toEqual([getKey(mother), getKey(other)].sort()));
    await patch(CONFIG_MAP, name, { metadata: { ownerReferences: null } });
    await eventually(() => expect(woken()).toEqual([getKey(other)]));
  });

  it('wakes no owner that does not control it, and no controller of another kind', async () => {
    const { mother, other, woken, everWoken } = await family(CONFIG_MAP);
    const guardian = await createParent(GROUP_OF_OTHERS, `${name}-mother`);
    const references = [ownedBy(mother, false), ownedBy(guardian)];
    await post(kube.client, CONFIG_MAP, configMap(name, references));
    await patch(CONFIG_MAP, name, { data: { a: '1' } });
    // Told in the order of the writes: once the owner of the last one is woken, nobody else will be.
    await post(kube.client, CONFIG_MAP, configMap(`${name}-last`, [ownedBy(other)]));
    await eventually(() => expect(woken().at(-1)).toBe(getKey(other)));
    expect(everWoken()).toEqual([getKey(other)]);
  });
});

describe('a field that is left to others (behaviour 21)', () => {
  const LEAVING = [['spec', 'replicas']] as const;

  async function setUp(): Promise<{
    readonly ensure: (
      spec: object,
      createOnlyFields?: typeof LEAVING,
    ) => Promise<readonly OwnedChange[]>;
    readonly live: () => Promise<Deployment>;
  }> {
    const writer = createChildWriter(kube.client, [DEPLOYMENT]);
    const owner = await createParent();
    const live = (): Promise<Deployment> => read<Deployment>(kube.client, DEPLOYMENT, deployment());
    const ensure: Awaited<ReturnType<typeof setUp>>['ensure'] = async (spec, createOnlyFields) => {
      const seen = await live().catch(() => undefined);
      const observed = { get: () => seen, listOwned: () => [] };
      const changes: OwnedChange[] = [];
      const onChange = (change: OwnedChange): void => void changes.push(change);
      const desired = [deployment(spec)];
      const options = createOnlyFields === undefined ? {} : { createOnlyFields };
      const { signal } = new AbortController();
      await ensureOwned(owner, { desired, observed, writer, signal, onChange, ...options });
      return changes;
    };
    return { ensure, live };
  }

  const scaleTo = (replicas: number): Promise<unknown> =>
    patchAt(`${buildResourcePath(DEPLOYMENT, { namespace: NAMESPACE, name })}/scale`, {
      spec: { replicas },
    });

  it('keeps its value when we release it, even if no one else ever set it', async () => {
    const { ensure, live } = await setUp();
    await ensure({ replicas: 3, minReadySeconds: 1 });
    await ensure({ replicas: 3, minReadySeconds: 2 });
    await ensure({ replicas: 3, minReadySeconds: 2 }, LEAVING);
    expect((await live()).spec).toMatchObject({ replicas: 3, minReadySeconds: 2 });
  });

  it('is not reverted for an autoscaler, while other fields are', async () => {
    const { ensure, live } = await setUp();
    await ensure({ replicas: 3, paused: true }, LEAVING);
    await scaleTo(7);
    expect(await ensure({ replicas: 3, paused: true }, LEAVING)).toEqual([]);
    await patch(DEPLOYMENT, name, { spec: { paused: false } });
    const [repair] = await ensure({ replicas: 3, paused: true }, LEAVING);
    expect(repair).toMatchObject({ kind: 'repaired', differences: ['spec.paused'] });
    expect((await live()).spec).toMatchObject({ replicas: 7, paused: true });
  });

  it('is ours again as soon as it is no longer left', async () => {
    const { ensure, live } = await setUp();
    await ensure({ replicas: 3 }, LEAVING);
    await scaleTo(7);
    await ensure({ replicas: 3 });
    expect((await live()).spec.replicas).toBe(3);
    expect(await ensure({ replicas: 3 })).toEqual([]);
  });
});
