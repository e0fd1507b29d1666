import { afterEach, beforeEach, expect, it } from 'vitest';
import { draftService } from '../controllers/targets/endpoints.ts';
import { draftNode, instanceOf } from '../controllers/targets/instances/nodes.ts';
import { ServedBench } from './served-bench.ts';

const MINUTE_MS = 60_000;

let bench: ServedBench;

beforeEach(async () => {
  bench = new ServedBench();
  await bench.start();
});
afterEach(() => bench.stop());

it('BackendsResolved does not go on to say that there are no endpoints once there are some that crash', async () => {
  bench.createIngress();
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.condition('BackendsResolved')).toContain('Service shop has no endpoints');
  bench.runPods({ '10.0.0.4': 'unready', '10.0.0.5': 'unready' });
  await bench.clock.advance(10 * MINUTE_MS);
  expect(bench.condition('BackendsResolved')).toContain(
    'has 2 endpoints and none of them is ready',
  );
});

it('BackendsResolved is not True of a backend that has no target because the nodes are not read yet', async () => {
  bench.silent = /nodes/;
  bench.createIngress({ targetType: 'instance' });
  const shown: string[] = [];
  for (let n = 0; n < 20; n++) {
    await bench.clock.advance(500);
    shown.push(bench.condition('BackendsResolved'));
  }
  expect(shown.filter((one) => one.startsWith('True'))).toEqual([]);
});

it('no start of the operator says that a backend is resolved whose nodes may not be read', async () => {
  bench.silent = /nodes/;
  bench.createIngress({ targetType: 'instance' });
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.condition('BackendsResolved')).toContain('False NodesUnknown');
  const before = bench.events;
  await bench.stop();
  await bench.start();
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.events.filter((one) => !before.includes(one))).toEqual([]);
});

it.each([300, 3_000])(
  'a start of the operator whose list of nodes takes %i ms is no event',
  async (ms) => {
    const { spec } = draftService('shop');
    const ports = (spec.ports ?? []).map((port) => ({ ...port, nodePort: 30_080 }));
    bench.send('PATCH', '/api/v1/namespaces/web/services/shop', {
      spec: { ...spec, ports, type: 'NodePort' },
    });
    bench.aws.control.putInstance({ id: instanceOf(0), subnetId: 'subnet-a', state: 'running' });
    const node = draftNode(0);
    bench.send('POST', '/api/v1/nodes', node);
    bench.send('PATCH', '/api/v1/nodes/node-0/status', { status: node.status });
    bench.runPods({ '10.0.0.4': 'ready' });
    bench.createIngress({ targetType: 'instance' });
    await bench.clock.advance(5_000);
    bench.check(instanceOf(0), { state: 'healthy' });
    await bench.clock.advance(5 * MINUTE_MS);
    expect(bench.status.targets).toBe('1/1');
    expect(bench.condition('BackendsResolved')).toContain('True Resolved');
    expect(bench.condition('TargetsHealthy')).toContain('True Healthy');
    const before = bench.events;
    await bench.stop();
    bench.slow = { paths: /nodes/, ms };
    await bench.start();
    const shown = new Set<string>();
    for (let n = 0; n < 200; n++) {
      await bench.clock.advance(100);
      shown.add(
        `${bench.status.targets} ${bench.condition('BackendsResolved').split(':')[0]} ${bench.condition('TargetsHealthy').split(':')[0]}`,
      );
    }
    await bench.clock.advance(5 * MINUTE_MS);
    expect(bench.events.filter((one) => !before.includes(one))).toEqual([]);
    expect([...shown]).toEqual(['1/1 True Resolved True Healthy']);
  },
);
