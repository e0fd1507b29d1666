import { expect, it } from 'vitest';
import { draftSlice, endpointOf } from '../endpoints.ts';
import { MINUTE_MS, NEW, OLD, rolling } from './rolling.ts';

/** The template of a rolling update has lost the named port of the container: AWS never hears of the new pod. */
async function losePort(): Promise<Awaited<ReturnType<typeof rolling>>> {
  const ground = await rolling();
  const { bench } = ground;
  bench.runPods({ [OLD]: 'ready' });
  bench.putSlice(draftSlice('shop', [endpointOf(NEW, 'unready')], { suffix: 'b', ports: [] }));
  return ground;
}

it('says on the pod why it is no target, where its slice has no port of the Service', async () => {
  const { bench, pods } = await losePort();
  await bench.clock.advance(5 * MINUTE_MS);
  expect(pods.events.recorded).toMatchObject([{ key: `web/pod-${NEW}`, reason: 'GateClosed' }]);
});

it('does not say that AWS has not answered where AWS answers and the pod is no target', async () => {
  const { bench, pods } = await losePort();
  await bench.clock.advance(15 * MINUTE_MS);
  expect(pods.written).toEqual([]);
  expect(pods.events.recorded.map(({ reason }) => reason)).not.toContain('NoAnswer');
});
