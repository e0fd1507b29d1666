import { describe, expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { startSeries } from '../../../../src/kube/events/event-series.ts';
import { EventTurns } from '../../../../src/kube/events/event-turns.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
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

describe('two namespaces', () => {
  const clock = new ManualClock();

  /** A write in each namespace that took so long. */
  function write(turns: EventTurns, tookMs: number, namespaces: readonly string[]): void {
    for (const namespace of namespaces) {
      const series = startSeries(clock, shop('uid', 'shop', namespace), CREATED);
      turns.add(series);
      expect(turns.take()).toBe(series);
      turns.finish(series, tookMs);
    }
  }

  function countWriters(turns: EventTurns, namespaces: readonly string[]): number {
    for (const namespace of namespaces) {
      for (let i = 0; i < 8; i++)
        turns.add(startSeries(clock, shop(`uid-${i}`, 'shop', namespace), CREATED));
    }
    let writers = 0;
    while (turns.take() !== undefined) writers++;
    return writers;
  }

  it('that were slow have six writers, and eight again after a quick write', () => {
    const [slow, quick] = [new EventTurns(), new EventTurns()];
    write(slow, 1000, ['a', 'b']);
    write(quick, 1000, ['a', 'b']);
    write(quick, 999, ['a', 'b']);
    expect([slow, quick].map((turns) => countWriters(turns, ['a', 'b']))).toEqual([6, 8]);
  });

  it.each([
    [['oldest', 'second'], 8],
    [['second', 'third'], 6],
  ])('of the last 1,024 that were slow have six writers: %s', (namespaces, writers) => {
    const turns = new EventTurns();
    const later = Array.from({ length: 1022 }, (_, index) => `later-${index}`);
    write(turns, 1000, ['oldest', 'second', 'third', ...later]);
    expect(countWriters(turns, namespaces)).toBe(writers);
  });
});
