import { describe, expect, it } from 'vitest';
import type { TargetsBench } from '../targets-bench.ts';
import { heal, MINUTE_MS, NEW, OLD, POLL_MS, rolling } from './rolling.ts';

const WHY = 'Health checks failed with these codes: [404]';

/** AWS checks the second pod, and its answer is another than the one that it expects. */
function fail(bench: TargetsBench): void {
  bench.aws.control.setTargetHealth('web', {
    id: NEW,
    health: { state: 'unhealthy', reason: 'Target.ResponseCodeMismatch', description: WHY },
  });
}

describe('a gate that AWS keeps closed', () => {
  it('says why on its pod, once AWS has found the target unhealthy', async () => {
    const { bench, pods } = await rolling();
    await bench.clock.advance(5 * MINUTE_MS);
    expect(pods.events.recorded).toEqual([]);
    fail(bench);
    await bench.clock.advance(POLL_MS + 10_000);
    expect(pods.events.recorded).toMatchObject([
      {
        ...{ key: `web/pod-${NEW}`, kind: 'Pod', type: 'Warning', reason: 'GateClosed' },
        note: `the readiness gate of the pod stays closed: MyIngress web/shop: ${NEW}:8080 is unhealthy, Target.ResponseCodeMismatch: ${WHY}`,
      },
    ]);
  });

  it('says it again every few minutes, so that the event does not end before the pod serves', async () => {
    const { bench, pods } = await rolling();
    fail(bench);
    await bench.clock.advance(61 * MINUTE_MS);
    const { length } = pods.events.recorded;
    expect(length).toBeGreaterThanOrEqual(12);
    expect(length).toBeLessThanOrEqual(16);
    heal(bench);
    await bench.clock.advance(10 * MINUTE_MS);
    expect(pods.events.recorded).toHaveLength(length);
    expect(pods.written).toEqual([`web/pod-${NEW} Healthy`]);
  });

  it('says which targets AWS does not take, once that lasts', async () => {
    const { bench, pods } = await rolling();
    const refused = '8.8.8.8';
    pods.run(refused);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'unready', [refused]: 'unready' });
    await bench.clock.advance(MINUTE_MS - 2_000);
    expect(pods.events.recorded).toEqual([]);
    await bench.clock.advance(MINUTE_MS);
    const [told] = pods.events.recorded;
    expect(told).toMatchObject({ key: `web/pod-${refused}`, reason: 'GateClosed' });
    expect(told?.note).toContain(`MyIngress web/shop: ${refused}:8080: `);
  });
});
