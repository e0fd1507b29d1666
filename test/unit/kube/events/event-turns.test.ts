import { describe, expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import type { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { CREATED, dropped, FAILING, OK, setUp, shop } from './recorder-bench.ts';

const noSignal = new AbortController().signal;

describe('events', () => {
  it('of a namespace whose events fail hold up those of no other', async () => {
    const { recorder, clock, metrics, stored } = setUp((_, path) =>
      path.includes('/namespaces/bad/') ? FAILING : undefined,
    );
    for (let i = 0; i < 3000; i++) {
      recorder.record(shop(`uid-${i}`, 'shop', 'bad'), CREATED);
      await clock.settle();
    }

    recorder.record(shop('healthy'), CREATED);
    await clock.settle();

    expect(stored.size).toBe(1);
    expect(dropped(metrics, 'queue_full')).toBe(0);
    expect(clock.pendingTimers).toBe(512);
  });

  /** The webhook of every namespace but web fails after its 10 s, and its events are there first. */
  async function writeNextTo(slow: readonly string[]): Promise<{
    readonly delaysMs: readonly number[];
    readonly metrics: RecordingMetrics;
  }> {
    const writtenAtMs: number[] = [];
    const { recorder, clock, metrics } = setUp(async (_, path) => {
      if (path.includes('/namespaces/web/')) writtenAtMs.push(clock.monotonicMs());
      else await sleep(clock, 10_000, noSignal);
      return path.includes('/namespaces/web/') ? OK : FAILING;
    });
    for (const namespace of slow) {
      for (let i = 0; i < 500; i++)
        recorder.record(shop(`${namespace}-${i}`, 'a', namespace), CREATED);
    }
    await clock.advance(45_000); // each has been found to be slow
    const sinceMs = clock.monotonicMs();
    for (let i = 0; i < 2000; i++) recorder.record(shop(`web-${i}`), CREATED);
    await clock.advance(1000);
    return { delaysMs: writtenAtMs.map((atMs) => atMs - sinceMs), metrics };
  }

  it.each([1, 10])(
    'of %i namespaces with slow webhooks delay and drop none of another',
    async (count) => {
      const slow = Array.from({ length: count }, (_, index) => `slow-${index}`);
      const { delaysMs, metrics } = await writeNextTo(slow);

      expect(delaysMs).toEqual(Array.from({ length: 2000 }, () => 0));
      expect(dropped(metrics, 'queue_full') > 0).toBe(count === 10);
    },
  );

  it('that wait for another try give way to those of a smaller namespace', async () => {
    let isAway = false;
    const { recorder, clock, stored } = setUp((_, path) =>
      isAway || path.includes('/namespaces/bad/') ? FAILING : undefined,
    );
    for (let i = 0; i < 600; i++) recorder.record(shop(`bad-${i}`, 'a', 'bad'), CREATED);
    await clock.settle();
    isAway = true;
    for (let i = 0; i < 5; i++) recorder.record(shop(`web-${i}`, `web-${i}`), CREATED);
    await clock.settle();
    isAway = false;
    await clock.advance(15_000);

    expect(stored.size).toBe(5);
    expect(clock.pendingTimers).toBeLessThanOrEqual(512);
  });

  it('are written four at once for one namespace, and eight in all', async () => {
    const { recorder, clock, transport } = setUp(() => 'hang');
    const underWay: number[] = [];
    for (const namespace of ['a', 'b', 'c']) {
      for (let i = 0; i < 9; i++)
        recorder.record(shop(`${namespace}-${i}`, 'a', namespace), CREATED);
      await clock.settle();
      underWay.push(transport.requests.length);
    }
    expect(underWay).toEqual([4, 8, 8]);
  });
});
