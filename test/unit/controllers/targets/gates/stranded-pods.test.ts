import { expect, it } from 'vitest';
import { draftService, draftSlice, endpointOf, HTTP_PORT } from '../endpoints.ts';
import { servedBy, TargetsBench } from '../targets-bench.ts';
import { backendOf, PlayedPods } from './played-pods.ts';
import { MINUTE_MS, NEW, OLD, rolling } from './rolling.ts';

const OWNER = 'platform/shared';
const BACKEND = 'WebApp/web/shop/shop';
const SERVICE = { name: 'shop', port: 'http', namespace: 'web' };
const V6 = 'fd00::5';

it('says nothing of a missing address where a dual-stack pod moves between two slices of IPv4', async () => {
  const { bench, pods } = await rolling();
  const address = '10.0.0.7';
  pods.run(address, { ipv6: V6 });
  const v6 = { ...endpointOf(address, 'unready'), addresses: [V6] };
  bench.putSlice(draftSlice('shop', [v6], { suffix: 'v6', addressType: 'IPv6' }));
  bench.putSlice(draftSlice('shop', [endpointOf(address, 'unready')], { suffix: 'b' }));
  await bench.clock.advance(2 * MINUTE_MS);
  expect(pods.events.recorded).toEqual([]);
  bench.putSlice(draftSlice('shop', [], { suffix: 'b' }));
  await bench.clock.advance(100);
  bench.putSlice(draftSlice('shop', [endpointOf(address, 'unready')], { suffix: 'c' }));
  await bench.clock.advance(1_000);
  expect(pods.events.recorded.map(({ note }) => note)).toEqual([]);
});

it('opens the gate of a pod without the port where no action of the balancer names the group', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  const arn = bench.group('web', { isUsed: false });
  bench.runPods({ [OLD]: 'ready' });
  bench.publish(arn, { isNew: true, isUnused: true });
  await bench.clock.settle();
  const withPort = '10.0.0.8';
  pods.run(NEW);
  pods.run(withPort);
  bench.runPods({ [OLD]: 'ready', [withPort]: 'unready' });
  bench.putSlice(draftSlice('shop', [endpointOf(NEW, 'unready')], { suffix: 'b', ports: [] }));
  await bench.clock.advance(5 * MINUTE_MS);
  expect(pods.written).toContain(`web/pod-${withPort} Healthy`);
  await bench.clock.advance(60 * MINUTE_MS);
  expect(pods.written.join()).toContain(`web/pod-${NEW} `);
});

it('opens the gates of a Service of which no pod can be a target, as on a cluster of IPv6 alone, after a while', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  pods.declare(backendOf('shop', { owner: OWNER, backend: BACKEND, service: SERVICE }));
  const arn = bench.group('web');
  const spec = { ports: [HTTP_PORT], selector: { app: 'shop' }, ipFamilies: ['IPv6'] };
  bench.kube.create(draftService('shop', spec));
  bench.putSlice(draftSlice('shop', [endpointOf(V6, 'unready')], { addressType: 'IPv6' }));
  pods.run(V6);
  bench.targets.publish(OWNER, [
    servedBy(arn, { backend: BACKEND, service: SERVICE, isNew: true }),
  ]);
  await bench.clock.advance(60 * MINUTE_MS);
  expect(pods.written).not.toEqual([]);
});
