import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { EventDraft } from '../../src/core/ports/events.ts';
import { eventKind } from '../../src/kube/client/built-in-kinds.ts';
import { kubeMetrics } from '../../src/kube/client/kube-metrics.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { KubeEventRecorder } from '../../src/kube/events/event-recorder.ts';
import { systemClock } from '../../src/system-clock.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import {
  connect,
  createNamespace,
  type KubeAccess,
  startDeletingNamespace,
} from './kube-access.ts';

const DRAFT: EventDraft = {
  type: 'Normal',
  reason: 'Created',
  action: 'CreateLoadBalancer',
  note: 'created ALB shop-alb',
};

interface StoredEvent extends KubeObject {
  readonly eventTime: string;
  readonly note: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

let kube: KubeAccess;

beforeAll(() => {
  kube = connect(inject('controlPlane').kubeconfigPath);
});

afterAll(() => kube.transport.close());

function recorderFor(access: KubeAccess): KubeEventRecorder {
  const { client, metrics } = access;
  const log = new SilentLogger();
  return new KubeEventRecorder({
    client,
    metrics,
    log,
    clock: systemClock,
    reportingInstance: 'pod-1',
  });
}

function shop(namespace: string): KubeObject {
  const metadata = { name: 'shop', namespace, uid: `uid-of-${namespace}`, resourceVersion: '7' };
  return { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress', metadata };
}

async function eventsIn(namespace: string): Promise<readonly StoredEvent[]> {
  const path = buildResourcePath(eventKind, { namespace });
  const list = await kube.client.request<{ readonly items: StoredEvent[] }>({
    method: 'GET',
    path,
  });
  return list.items;
}

const soon = (): AbortSignal => AbortSignal.timeout(120_000);

describe('events (behaviour 23)', () => {
  it('that are identical are one object whose series counts to 100', async () => {
    const namespace = await createNamespace(kube.client, 'events-series');
    const recorder = recorderFor(kube);
    for (let i = 0; i < 100; i++) {
      recorder.record(shop(namespace), DRAFT);
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }

    await recorder.drain(soon());

    const events = await eventsIn(namespace);
    expect(events).toMatchObject([{ note: DRAFT.note, series: { count: 100 } }]);
    expect(events[0]?.eventTime).toMatch(/\.\d{6}Z$/);
    expect(events[0]?.series?.lastObservedTime).toMatch(/\.\d{6}Z$/);
  });

  it('that differ are limited to 25 for one object', async () => {
    const namespace = await createNamespace(kube.client, 'events-limit');
    const recorder = recorderFor(kube);
    for (let i = 0; i < 1000; i++) recorder.record(shop(namespace), { ...DRAFT, note: `${i}` });

    await recorder.drain(soon());

    expect(await eventsIn(namespace)).toHaveLength(25);
  });

  it('take the longest texts that the API server accepts', async () => {
    const namespace = await createNamespace(kube.client, 'events-long');
    const recorder = recorderFor(kube);
    const reason = 'R'.repeat(200);
    recorder.record(shop(namespace), { ...DRAFT, reason, action: reason, note: 'é'.repeat(5000) });

    await recorder.drain(soon());

    expect(await eventsIn(namespace)).toMatchObject([{ note: 'é'.repeat(512) }]);
  });

  it('show under kubectl describe', async () => {
    const namespace = await createNamespace(kube.client, 'events-describe');
    const { kubectl } = accessCluster(inject('controlPlane'));
    await kubectl(['create', 'configmap', 'shop', '-n', namespace]);
    const object = await kube.client.request<KubeObject>({
      method: 'GET',
      path: `/api/v1/namespaces/${namespace}/configmaps/shop`,
    });
    const recorder = recorderFor(kube);
    recorder.record(object, DRAFT);
    recorder.record(object, DRAFT);
    await recorder.drain(soon());

    const { stdout } = await kubectl(['describe', 'configmap', 'shop', '-n', namespace]);

    expect(stdout).toMatch(/Normal\s+Created\s+.*created ALB shop-alb/);
  });

  it.each([
    ['is being deleted', 'events-leaving', true],
    ['is gone', 'events-gone', false],
  ])('about an object whose namespace %s are dropped, without a loop', async (_, name, exists) => {
    const access = connect(inject('controlPlane').kubeconfigPath);
    if (exists) {
      await createNamespace(kube.client, name);
      await startDeletingNamespace(kube.client, name);
    }
    const recorder = recorderFor(access);
    recorder.record(shop(name), DRAFT);

    await recorder.drain(soon());

    const { metrics, transport } = access;
    expect(metrics.valueOf(kubeMetrics.eventsDropped, { cause: 'namespace_gone' })).toBe(1);
    expect(metrics.valueOf(kubeMetrics.requests)).toBe(1);
    await transport.close();
  });
});
