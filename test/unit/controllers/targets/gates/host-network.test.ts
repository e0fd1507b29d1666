import { describe, expect, it } from 'vitest';
import { draftService, draftSlice, endpointOf, HTTP_PORT, type PodState } from '../endpoints.ts';
import { SHOP, servedBy, TargetsBench } from '../targets-bench.ts';
import { PlayedPods } from './played-pods.ts';
import { MINUTE_MS, POLL_MS } from './rolling.ts';

const NODE = '10.0.0.4';

function endpointNamed(pod: string, state: PodState): object {
  return { ...endpointOf(NODE, state), targetRef: { kind: 'Pod', namespace: 'web', name: pod } };
}

/** Two pods on the network of one node, each with its own number of the named port. */
function putPods(bench: TargetsBench, old: PodState, next: PodState): void {
  bench.putSlice(draftSlice('shop', [endpointNamed('old', old)]));
  const ports = [{ name: 'http', port: 9090, protocol: 'TCP' }];
  bench.putSlice(draftSlice('shop', [endpointNamed('next', next)], { suffix: 'b', ports }));
}

async function rollingOnHost(): Promise<{ bench: TargetsBench; pods: PlayedPods; arn: string }> {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  const arn = bench.group('web');
  bench.kube.create(draftService('shop', { ports: [HTTP_PORT], selector: { app: 'shop' } }));
  bench.putSlice(draftSlice('shop', [endpointNamed('old', 'ready')]));
  bench.targets.publish(SHOP, [servedBy(arn, { isNew: true })]);
  await bench.clock.settle();
  bench.check('web', 'healthy');
  await bench.clock.advance(MINUTE_MS);
  pods.run(NODE, { name: 'next', hostNetwork: true });
  putPods(bench, 'ready', 'unready');
  await bench.clock.advance(1_000);
  return { bench, pods, arn };
}

describe('a pod at its gate that has its address in common with another one', () => {
  it('does not keep that one registered, which is not ready', async () => {
    const { bench, arn } = await rollingOnHost();
    expect(bench.registered(arn)).toEqual([`${NODE}:8080`, `${NODE}:9090`]);
    putPods(bench, 'unready', 'unready');
    await bench.clock.advance(MINUTE_MS);
    expect(bench.registered(arn)).toEqual([`${NODE}:9090`]);
  });

  it('does not wait for the health of that one', async () => {
    const { bench, pods } = await rollingOnHost();
    bench.aws.control.setTargetHealth('web', {
      ...{ id: NODE, port: 8080 },
      health: { state: 'unhealthy', reason: 'Target.Timeout' },
    });
    bench.aws.control.setTargetHealth('web', {
      ...{ id: NODE, port: 9090 },
      health: { state: 'healthy' },
    });
    await bench.clock.advance(MINUTE_MS + POLL_MS);
    expect(pods.written).toEqual(['web/next Healthy']);
  });

  it('does not get the health of that one while its own slice lags', async () => {
    const { bench, pods } = await rollingOnHost();
    bench.check('web', 'initial');
    bench.kube.delete(draftSlice('shop', [], { suffix: 'b' }));
    await bench.clock.advance(POLL_MS);
    bench.aws.control.setTargetHealth('web', {
      ...{ id: NODE, port: 8080 },
      health: { state: 'healthy' },
    });
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
  });
});
