import { expect, it } from 'vitest';
import { heal, MINUTE_MS, NEW, rolling } from './rolling.ts';

it('no gate of a pod that is gone is called opened', async () => {
  const { bench, pods } = await rolling();
  pods.cache.hold();
  const metadata = { namespace: 'web', name: `pod-${NEW}` };
  bench.kube.delete({ apiVersion: 'v1', kind: 'Pod', metadata });
  heal(bench);
  await bench.clock.advance(MINUTE_MS);
  pods.cache.catchUp();
  await bench.clock.advance(1_000);
  expect(pods.written).toEqual([]);
  const messages = bench.log.lines.map(({ message }) => message);
  expect(messages.filter((one) => one === 'readiness gate opened')).toEqual([]);
});
