import { describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../../../src/core/objects/kube-object.ts';
import type { Transform } from '../../../../src/core/objects/trim-metadata.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { IndexedCache } from '../../../../src/kube/watch/object-cache.ts';
import { type Watched, Watches } from '../../../../src/kube/watch/watches.ts';
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
