import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kubeMetrics } from '../../src/kube/client/kube-metrics.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import type { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts';
import { type Connection, connect, editIn, eventually, follow } from './reflector-harness.ts';

let plane: ControlPlane;
let proxy: TcpProxy;
let admin: Connection;
let connection: Connection;

beforeAll(async () => {
  plane = await startControlPlane();
  proxy = await startTcpProxy(Number(new URL(plane.url).port));
  admin = connect(plane);
});

beforeEach(() => {
  connection = connect(plane, { port: proxy.port });
});

afterEach(async () => {
  proxy.restore();
  await connection.close();
});

afterAll(async () => {
  await proxy?.stop();
  await admin?.close();
  await plane?.stop();
});

/** How often it has read everything. One that starts beside it may need a request more for that. */
function listsOf(metrics: RecordingMetrics): number | undefined {
  return metrics.valueOf(kubeMetrics.lists, { name: 'configmaps' });
}

describe('a reflector whose API server goes away', () => {
  it('behaviour 4: after its position is lost reads everything again and reports exactly what differs', async () => {
    const namespace = 'reflector-gone';
    const editor = await editIn(admin.client, namespace);
    await editor.createMany('o', 50);
    const { reflector, changes, seen, cache, metrics } = follow(connection.client, {
      namespace,
      watchSeconds: 2,
    });
    await reflector.synced;
    seen.length = 0;
    proxy.swallow({ alsoNew: true });
    await Promise.all([0, 1, 2].map((index) => editor.remove(`o-${index}`)));
    await Promise.all([10, 11, 12, 13, 14].map((index) => editor.set(`o-${index}`, { new: '1' })));
    await editor.create('o-new');
    await plane.compactEtcd();
    // A restarted server remembers no history from before its start.
    await plane.killApiServer();
    await plane.startApiServer();
    proxy.cut();
    proxy.restore();
    await eventually(() => expect(changes().length).toBeGreaterThanOrEqual(9), 60_000);
    expect(changes().toSorted()).toEqual([
      'added o-new',
      ...[0, 1, 2].map((index) => `deleted o-${index}`),
      ...[10, 11, 12, 13, 14].map((index) => `updated o-${index}`),
    ]);
    expect(listsOf(metrics)).toBe(2);
    expect(cache.list()).toHaveLength(48);
    seen.length = 0;
    await editor.remove('o-20');
    await eventually(() => expect(changes()).toEqual(['deleted o-20']));
    await reflector.stop();
  });

  it('behaviour 7: backs off while the server is down, keeps its cache, and reports nothing twice', async () => {
    const namespace = 'reflector-dead';
    const editor = await editIn(admin.client, namespace);
    await editor.createMany('o', 20);
    const { reflector, changes, seen, cache, metrics } = follow(connection.client, { namespace });
    await reflector.synced;
    seen.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const askedBefore = connection.asked.length;
    await plane.killApiServer();
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(cache.list()).toHaveLength(20);
    const whileDead = connection.asked.length - askedBefore;
    expect(whileDead).toBeGreaterThanOrEqual(2);
    expect(whileDead).toBeLessThanOrEqual(5);
    expect(listsOf(metrics)).toBe(1);
    expect(reflector.findFault()).toMatch(/^watch configmaps in namespace reflector-dead: /);
    await plane.startApiServer();
    await editor.create('after');
    await eventually(() => expect(changes()).toEqual(['added after']), 60_000);
    expect(listsOf(metrics)).toBeLessThanOrEqual(2);
    await eventually(() => expect(reflector.findFault()).toBeUndefined());
    await reflector.stop();
  });
});
