import { expect, it } from 'vitest';
import { draftService, draftSlice, endpointOf, HTTP_PORT } from '../endpoints.ts';
import { SHOP, servedBy, TargetsBench } from '../targets-bench.ts';
import { PlayedPods } from './played-pods.ts';
import { MINUTE_MS } from './rolling.ts';

const NODE = '10.0.0.4';

it('a pod on the network of its node, of a Service that publishes pods which are not Ready, opens by its health', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  const arn = bench.group('web');
  const conditions = { ready: true, serving: false, terminating: false };
  bench.kube.create(draftService('shop', { ports: [HTTP_PORT], selector: { app: 'shop' } }));
  bench.targets.publish(SHOP, [servedBy(arn, { isNew: true })]);
  pods.run(NODE, { hostNetwork: true });
  bench.putSlice(draftSlice('shop', [{ ...endpointOf(NODE), conditions }]));
  await bench.clock.settle();
  bench.check('web', 'healthy');
  await bench.clock.advance(MINUTE_MS);
  expect(pods.written).toEqual([`web/pod-${NODE} Healthy`]);
});
