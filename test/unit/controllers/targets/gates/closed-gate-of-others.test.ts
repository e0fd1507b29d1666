import { expect, it } from 'vitest';
import { TargetsBench } from '../targets-bench.ts';
import { PlayedPods } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD, POLL_MS, rolling } from './rolling.ts';

const REFUSED = '8.8.8.8';
const THIRD = '10.0.0.6';

/** AWS does not take the target of a third pod. */
async function refusing(): ReturnType<typeof rolling> {
  const ground = await rolling();
  const { bench, pods } = ground;
  pods.run(REFUSED);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready', [REFUSED]: 'unready' });
  await bench.clock.advance(3 * MINUTE_MS);
  return ground;
}

it('says nothing on a pod about the target of another pod that AWS does not take', async () => {
  const { bench, pods } = await refusing();
  pods.run(THIRD);
  await bench.clock.advance(500);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready', [REFUSED]: 'unready', [THIRD]: 'unready' });
  await bench.clock.advance(1_000);
  heal(bench, THIRD);
  await bench.clock.advance(2 * POLL_MS);
  expect(pods.written).toContain(`web/pod-${THIRD} Healthy`);
  const told = pods.events.recorded.filter(({ key }) => key !== `web/pod-${REFUSED}`);
  expect(told.map(({ key, note }) => `${key} ${note}`)).toEqual([]);
});

it('says nothing on a pod whose target is taken, where AWS denies that others are taken out', async () => {
  const { bench, pods } = await rolling();
  heal(bench);
  await bench.clock.advance(MINUTE_MS);
  bench.refuse('DeregisterTargets', 'AccessDenied', { forMs: 60 * MINUTE_MS });
  bench.runPods({ [NEW]: 'ready' });
  await bench.clock.advance(3 * MINUTE_MS);
  pods.run(THIRD);
  await bench.clock.advance(500);
  bench.runPods({ [NEW]: 'ready', [THIRD]: 'unready' });
  await bench.clock.advance(1_000);
  heal(bench, THIRD);
  await bench.clock.advance(2 * POLL_MS);
  expect(pods.written).toContain(`web/pod-${THIRD} Healthy`);
  expect(pods.events.recorded.map(({ key, note }) => `${key} ${note}`)).toEqual([]);
});

it('says nothing on a pod that is up a moment before its slice has it, as in a scale from 0', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  const arn = bench.group('web');
  bench.runPods({});
  bench.publish(arn, { isNew: true });
  await bench.clock.advance(10 * MINUTE_MS);
  pods.run(NEW);
  await bench.clock.advance(200);
  bench.runPods({ [NEW]: 'unready' });
  await bench.clock.advance(1_000);
  heal(bench);
  await bench.clock.advance(2 * POLL_MS);
  expect(pods.written).toContain(`web/pod-${NEW} Healthy`);
  expect(pods.events.recorded.map(({ note }) => note)).toEqual([]);
});

it('says within minutes what AWS says of the pod itself, whatever is wrong with another one', async () => {
  const { bench, pods } = await refusing();
  pods.run(THIRD);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready', [REFUSED]: 'unready', [THIRD]: 'unready' });
  await bench.clock.advance(1_000);
  bench.aws.control.setTargetHealth('web', {
    id: THIRD,
    health: { state: 'unhealthy', reason: 'Target.Timeout' },
  });
  await bench.clock.advance(MINUTE_MS);
  const told = pods.events.recorded.filter(({ key }) => key === `web/pod-${THIRD}`);
  expect(told.map(({ note }) => note).join()).toContain(`${THIRD}:8080 is unhealthy`);
});

it('names the target of the pod itself, also where AWS does not take many', async () => {
  const { bench, pods } = await rolling();
  const refused = ['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4', '8.8.8.5'];
  for (const address of refused) pods.run(address);
  const unready = Object.fromEntries(refused.map((address) => [address, 'unready' as const]));
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready', ...unready });
  await bench.clock.advance(3 * MINUTE_MS);
  const own = pods.events.recorded.filter(({ key, note }) => {
    return note.includes(`${key.replace('web/pod-', '')}:8080`);
  });
  expect(pods.events.recorded).toHaveLength(refused.length);
  expect(own.map(({ key }) => key)).toHaveLength(refused.length);
});
