import { afterEach, describe, expect, it } from 'vitest';
import { KIND_NAMES } from '../../../src/apis/kind-names.ts';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { coreMetrics } from '../../../src/core/ports/metrics.ts';
import type { KubeRequest } from '../../../src/kube/client/kube-transport.ts';
import { Operator } from '../../../src/operator.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import {
  type Answer,
  collection,
  ScriptedStream,
  ScriptedTransport,
} from '../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';

let operator: Operator;

afterEach(() => operator.stop(new Error('the test is over')));

interface Started {
  readonly clock: ManualClock;
  readonly log: SilentLogger;
  readonly metrics: RecordingMetrics;
}

/** An operator that leads once `acquired` resolves, over an API server that answers each watch so. */
function start(
  answer: (path: string, query: KubeRequest['query']) => Answer,
  {
    acquired = Promise.resolve(),
    named = { clusterId: 'c1' },
  }: { readonly acquired?: Promise<void>; readonly named?: { readonly clusterId?: string } } = {},
): Started {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const metrics = new RecordingMetrics();
  const transport = new ScriptedTransport(({ path, query }) => answer(path, query));
  const leadership = { isLeader: () => true };
  const api = { send: () => Promise.reject(new Error('nothing asks AWS')) };
  operator = new Operator(
    { transport, api, clock, log, metrics, leadership, acquired },
    {
      ...{ mode: 'reconcile', kinds: KIND_NAMES, readinessGates: true, ...named },
      aws: { region: 'us-east-1', budget: NO_LIMITS, backendSecurityGroups: [] },
      ...{ sweepIntervalMs: 300_000, concurrency: 1, identity: 'a', podName: 'a', namespaces: [] },
    },
  );
  operator.start().catch(() => {}); // it rejects with the reason of the stop
  return { clock, log, metrics };
}

function listStarted(log: SilentLogger): readonly unknown[] {
  const started = log.lines.filter(({ message }) => message === 'controller started');
  return started.map(({ fields }) => fields['controller']);
}

describe('no controller works before each of its caches is filled, and the others do not wait for it', () => {
  it.each(['myingresses', 'services', 'endpointslices', 'pods'])(
    'no target is taken out on the word of %s that are not there yet',
    async (kind) => {
      const { clock, log } = start((path) => (path.endsWith(`/${kind}`) ? 'hang' : collection()));
      await clock.advance(20_000);
      expect(listStarted(log)).not.toContain('myingress');
      expect(listStarted(log)).toContain('configmap');
    },
  );
});

describe('a standby that takes over', () => {
  const version = { metadata: { resourceVersion: '9' }, items: [] };
  const quiet = (): Answer => ({ stream: new ScriptedStream() });
  const busy = (): Answer => ({
    ...{ status: 503, headers: { 'retry-after': '5' } },
    json: { kind: 'Status', code: 503, reason: 'ServiceUnavailable', message: 'busy' },
  });

  interface Standby extends Started {
    readonly acquire: () => void;
    /** The watch of EndpointSlices that is open first. */
    readonly slices: ScriptedStream;
    /** That of WebApps. */
    readonly apps: ScriptedStream;
    /** Requests for EndpointSlices. */
    readonly count: () => number;
  }

  /** Watches of EndpointSlices are answered so once their first state is there; those of WebApps may not be. */
  function standBy(answer: () => Answer, areAppsGone = false): Standby {
    const slices = collection() as { readonly stream: ScriptedStream };
    const apps = collection() as { readonly stream: ScriptedStream };
    const missing = { kind: 'Status', code: 404, reason: 'NotFound', message: 'no such kind' };
    const counts = { slices: 0, apps: 0 };
    const ask = (query: KubeRequest['query'], later: Answer): Answer => {
      if (query?.['watch'] !== 'true') return { status: 200, json: version };
      return query['sendInitialEvents'] === 'true' ? collection() : later;
    };
    const acquired = Promise.withResolvers<void>();
    const started = start(
      (path, query) => {
        if (path.endsWith('/endpointslices')) {
          counts.slices += 1;
          return counts.slices === 1 ? slices : ask(query, answer());
        }
        if (!path.endsWith('/webapps')) return ask(query, quiet());
        counts.apps += 1;
        if (counts.apps === 1) return apps;
        return areAppsGone ? { status: 404, json: missing } : ask(query, quiet());
      },
      { acquired: acquired.promise },
    );
    const streams = { slices: slices.stream, apps: apps.stream };
    return { ...started, ...streams, acquire: acquired.resolve, count: () => counts.slices };
  }

  it('takes no target out while the watch of slices is refused', async () => {
    let answer = busy;
    const { clock, log, slices, acquire } = standBy(() => answer());
    await clock.advance(10_000);
    slices.break();
    await clock.advance(10_000);
    acquire();
    await clock.advance(20_000);
    expect(listStarted(log)).not.toContain('myingress');
    expect(listStarted(log)).toContain('configmap');
    answer = quiet;
    await clock.advance(15_000);
    expect(listStarted(log)).toContain('myingress');
  });

  it('takes no target out by a watch of slices that may be dead, and opens it again', async () => {
    const { clock, log, count, acquire } = standBy(quiet);
    await clock.advance(10_000);
    expect(count()).toBe(1);
    acquire();
    await clock.settle();
    expect(listStarted(log)).toEqual([]);
    expect(count()).toBe(3); // the version of the server, and the watch
    await clock.advance(1000);
    expect(listStarted(log)).toContain('myingress');
  });

  it('waits no longer than a minute, and logs what is behind', async () => {
    const { clock, log, acquire } = standBy(() => 'hang');
    await clock.advance(10_000);
    acquire();
    await clock.advance(59_000);
    expect(listStarted(log)).not.toContain('myingress');
    await clock.advance(1000);
    expect(listStarted(log)).toContain('myingress');
    const message = 'cannot confirm the cache, working with it as it is';
    const lines = log.shown.filter((line) => line.message === message);
    expect(lines.map(({ fields }) => fields['resource'])).toEqual([
      'endpointslices.discovery.k8s.io',
    ]);
  });

  it('waits for no kind that others bring along and that is gone by now', async () => {
    const { clock, log, acquire, apps } = standBy(quiet, true);
    await clock.advance(10_000);
    apps.break();
    await clock.advance(5000);
    acquire();
    await clock.advance(6000);
    expect(listStarted(log)).toContain('myingress');
    expect(listStarted(log)).not.toContain('webapp');
  });

  it('waits for no second state where the first has just come', async () => {
    const { clock, log, count, acquire } = standBy(quiet);
    await clock.advance(4000);
    acquire();
    await clock.settle();
    expect(listStarted(log)).toContain('myingress');
    expect(count()).toBe(1);
  });
});

it('only MyIngress waits for a cluster id that it may not read', async () => {
  const forbidden = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'forbidden' };
  const { clock, log } = start(
    (path) => (path.endsWith('/kube-system') ? { status: 403, json: forbidden } : collection()),
    { named: {} },
  );
  await clock.advance(20_000);
  expect(listStarted(log)).not.toContain('myingress');
  expect(listStarted(log)).toContain('configmap');
});

it('a ConfigMap without the annotation costs no reconcile', async () => {
  const metadata = { namespace: 'web', name: 'settings', uid: 'uid-1', resourceVersion: '6' };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  const { clock, log, metrics } = start((path) =>
    path.endsWith('/configmaps') ? collection(configMap) : collection(),
  );
  await clock.advance(1_000);
  expect(listStarted(log)).toContain('configmap');
  expect(metrics.valueOf(coreMetrics.reconcileTotal, { controller: 'configmap' })).toBe(0);
});
