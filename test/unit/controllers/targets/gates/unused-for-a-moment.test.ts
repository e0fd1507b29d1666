import { expect, it } from 'vitest';
import { draftSlice, endpointOf } from '../endpoints.ts';
import { TargetsBench } from '../targets-bench.ts';
import { backendOf, PlayedPods } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD } from './rolling.ts';

/** A broken rollout: the new pod lacks the named port, and the old one serves. */
async function losePort(): Promise<{ bench: TargetsBench; pods: PlayedPods; arn: string }> {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  pods.declare(backendOf('shop'));
  const arn = bench.group('web');
  bench.runPods({ [OLD]: 'ready' });
  bench.publish(arn, { isNew: true, isReached: true });
  await bench.clock.settle();
  heal(bench, OLD);
  await bench.clock.advance(MINUTE_MS);
  pods.run(NEW);
  bench.putSlice(draftSlice('shop', [endpointOf(NEW, 'unready')], { suffix: 'b', ports: [] }));
  await bench.clock.advance(5 * MINUTE_MS);
  expect(pods.written).toEqual([]);
  return { bench, pods, arn };
}

it('keeps the gate of a pod without the port while a pass makes again a listener that others have deleted', async () => {
  const { bench, pods, arn } = await losePort();
  bench.publish(arn, { isUnused: true });
  await bench.clock.advance(500);
  bench.publish(arn, { isReached: true });
  await bench.clock.advance(MINUTE_MS);
  expect(pods.written).toEqual([]);
});

it('so it keeps that of a pod that AWS finds unhealthy', async () => {
  const { bench, pods, arn } = await losePort();
  bench.putSlice(draftSlice('shop', [], { suffix: 'b', ports: [] }));
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  await bench.clock.advance(1_000);
  const health = { state: 'unhealthy', reason: 'Target.Timeout' } as const;
  bench.aws.control.setTargetHealth('web', { id: NEW, health });
  await bench.clock.advance(MINUTE_MS);
  bench.publish(arn, { isUnused: true });
  await bench.clock.advance(500);
  bench.publish(arn, { isReached: true });
  await bench.clock.advance(MINUTE_MS);
  expect(pods.written).toEqual([]);
});
