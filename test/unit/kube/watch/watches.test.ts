import { describe, expect, it } from 'vitest';
import {
  getKey,
  type KubeObject,
  type ResourceKind,
} from '../../../../src/core/objects/kube-object.ts';
import type { Transform } from '../../../../src/core/objects/trim-metadata.ts';
import type { ObjectCache } from '../../../../src/core/ports/cache.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { IndexedCache } from '../../../../src/kube/watch/object-cache.ts';
import { joinCaches, type Watched, Watches } from '../../../../src/kube/watch/watches.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

const pods: ResourceKind = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' };
const services: ResourceKind = { group: '', version: 'v1', kind: 'Service', plural: 'services' };
const lean: Transform = ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata });

function setUp(): { readonly watches: Watches; readonly transport: ScriptedTransport } {
  const clock = new ManualClock();
  const metrics = new RecordingMetrics();
  const transport = new ScriptedTransport(() => 'hang');
  const client = new KubeClient({ transport, clock, metrics });
  return {
    transport,
    watches: new Watches({ client, clock, metrics, log: new SilentLogger() }),
  };
}

interface Case {
  readonly why: string;
  readonly second: Watched;
  readonly requests: number;
}

const first: Watched = { kind: pods, transform: lean };
const cases: Readonly<Record<string, Case>> = {
  'the same': { why: 'one watch on the wire serves both', second: { ...first }, requests: 1 },
  'another kind': { why: '', second: { ...first, kind: services }, requests: 2 },
  'another group': {
    why: 'metrics.k8s.io has pods too',
    second: { ...first, kind: { ...pods, group: 'metrics.k8s.io' } },
    requests: 2,
  },
  'another version': {
    why: '',
    second: { ...first, kind: { ...pods, version: 'v2' } },
    requests: 2,
  },
  'another namespace': { why: '', second: { ...first, namespace: 'web' }, requests: 2 },
  'another selector': { why: '', second: { ...first, labelSelector: 'a=b' }, requests: 2 },
  'other fields': { why: '', second: { ...first, fieldSelector: 'a=b' }, requests: 2 },
  'more of each object': { why: 'one would miss fields', second: { kind: pods }, requests: 2 },
};

describe('two who watch', () => {
  it.each(Object.entries(cases))('%s', async (_name, { second, requests, why }) => {
    const { transport, watches } = setUp();
    const one = watches.watch(first);
    const other = watches.watch(second);
    expect(transport.requests, why).toHaveLength(requests);
    expect(one.cache === other.cache, why).toBe(requests === 1);
    await watches.stop();
  });

  it('end together', async () => {
    const { transport, watches } = setUp();
    watches.watch(first);
    watches.watch({ kind: services });
    await watches.stop();
    expect(transport.requests.every(({ signal }) => signal?.aborted)).toBe(true);
  });
});

describe('a cache with a transform', () => {
  const raw = {
    metadata: { name: 'a', namespace: 'web', uid: 'u', resourceVersion: '1' },
    spec: { secret: 'x' },
  };

  function cacheOf(transform: Transform): IndexedCache<KubeObject> {
    const log = new SilentLogger();
    return new IndexedCache<KubeObject>({
      kind: pods,
      transform,
      log,
      metrics: new RecordingMetrics(),
    });
  }

  it('holds what the transform leaves, frozen', () => {
    const cache = cacheOf(lean);
    cache.replace([cache.ingest(raw)], '1');
    const held = cache.get('web/a');
    expect(held).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'web', uid: 'u', resourceVersion: '1' },
    });
    expect(Object.isFrozen(held?.metadata)).toBe(true);
  });

  it('gives the transform kind and apiVersion, which items of a list lack', () => {
    const seen: KubeObject[] = [];
    const cache = cacheOf((object) => {
      seen.push(object);
      return object;
    });
    cache.ingest(raw);
    expect(seen).toMatchObject([{ apiVersion: 'v1', kind: 'Pod', spec: { secret: 'x' } }]);
  });
});

describe('one cache over two namespaces', () => {
  const aborted = AbortSignal.abort();

  /** The web namespace is at version 9; db is at 5, after etcd was restored from a backup. */
  function join(): {
    readonly cache: ObjectCache<KubeObject>;
    readonly web: IndexedCache<KubeObject>;
    readonly db: IndexedCache<KubeObject>;
  } {
    const options = { kind: pods, log: new SilentLogger(), metrics: new RecordingMetrics() };
    const [web, db] = [new IndexedCache(options), new IndexedCache(options)];
    web.replace([ownedPod('web', 'a')], '9');
    db.replace([], '8');
    db.replace([ownedPod('db', 'b'), ownedPod('db', 'c')], '5');
    const byNamespace = new Map(Object.entries({ web, db }));
    return { cache: joinCaches<KubeObject>(byNamespace), web, db };
  }

  it('has the objects of both, by key and by owner', () => {
    const { cache } = join();
    const names = (objects: readonly KubeObject[]): readonly string[] =>
      objects.map(({ metadata }) => metadata.name);
    const keys = ['web/a', 'db/b', 'db/a', 'other/a'] as const;
    const found = keys.map((key) => cache.get(key)?.metadata.name);
    expect(found).toEqual(['a', 'b', undefined, undefined]);
    expect(names(cache.list())).toEqual(['a', 'b', 'c']);
    expect(names(cache.listOwned('shop'))).toEqual(['a', 'b', 'c']);
    expect(cache.listOwned('other')).toEqual([]);
  });

  it('has reached a written version once the namespace of the written key has', async () => {
    const { cache, db } = join();
    expect(await cache.hasReached('9', aborted, 'web/a')).toBe(true);
    expect(await cache.hasReached('9', aborted, 'db/b')).toBe(false);
    const reached = cache.hasReached('9', new AbortController().signal, 'db/b');
    db.bookmark('9');
    expect(await reached).toBe(true);
  });

  it.each([undefined, 'other/a'] as const)(
    'waits for no version of the key %s',
    async (written) => {
      expect(await join().cache.hasReached('99', aborted, written)).toBe(true);
    },
  );

  it('counts the rewinds of the namespace of a key', () => {
    const { cache } = join();
    const keys = ['web/a', 'db/b', 'other/a'] as const;
    expect(keys.map((key) => cache.countRewinds(key))).toEqual([0, 1, 0]);
  });

  it('reports the changes of both until its subscriber leaves', () => {
    const { cache, web, db } = join();
    const seen: string[] = [];
    const leave = cache.subscribe(({ kind, object }) => seen.push(`${kind} ${getKey(object)}`));
    expect(seen.splice(0)).toEqual(['added web/a', 'added db/b', 'added db/c']);
    for (const one of [web, db]) one.replace([], '20');
    expect(seen.splice(0)).toEqual(['deleted web/a', 'deleted db/b', 'deleted db/c']);
    leave();
    web.replace([ownedPod('web', 'a')], '21');
    db.replace([ownedPod('db', 'b')], '21');
    expect(seen).toEqual([]);
  });
});

function ownedPod(namespace: string, name: string): KubeObject {
  const owner = { apiVersion: 'v1', kind: 'Shop', name: 'shop', uid: 'shop', controller: true };
  const metadata = { namespace, name, uid: `${namespace}-${name}`, resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, ownerReferences: [owner] } };
}
