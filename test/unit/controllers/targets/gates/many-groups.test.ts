import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../../src/aws/budget/budget-limits.ts';
import { servedBy, TargetsBench } from '../targets-bench.ts';
import { PlayedPods } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD, OPENED } from './rolling.ts';

/** A new leader: a hundred groups of the earlier process wait for their first read, and in the last one a pod is at its gate. */
async function handedOver(
  perSecond: number,
): Promise<{ readonly bench: TargetsBench; readonly pods: PlayedPods }> {
  const pods = new PlayedPods();
  const bench = new TargetsBench({
    gates: pods.attach,
    budget: { ...NO_LIMITS, reads: { burst: 1, perSecond } },
  });
  const arn = bench.group('web');
  const others = Array.from({ length: 100 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
  pods.run(NEW);
  bench.registerOutOfBand(arn, OLD, NEW);
  heal(bench, OLD);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  bench.runPods(1, 'cart');
  const service = { namespace: 'web', name: 'cart', port: 'http' };
  for (const [i, other] of others.entries()) {
    bench.targets.publish(`tenant-${i}/shop`, [servedBy(other, { service })]);
  }
  bench.publish(arn, { isReached: true });
  await bench.clock.advance(1_000);
  return { bench, pods };
}

describe('many groups of an earlier process', () => {
  it('hold up none that a pod at its gate waits for', async () => {
    const { bench, pods } = await handedOver(1);
    heal(bench);
    await bench.clock.advance(30_000);
    expect(pods.written).toEqual(OPENED);
  });

  it('open no gate of a pod that AWS finds unhealthy before AWS was asked about it', async () => {
    const { bench, pods } = await handedOver(0.1);
    const health = { state: 'unhealthy', reason: 'Target.Timeout' } as const;
    bench.aws.control.setTargetHealth('web', { id: NEW, health });
    await bench.clock.advance(11 * MINUTE_MS);
    expect(pods.written).toEqual([]);
  });
});
