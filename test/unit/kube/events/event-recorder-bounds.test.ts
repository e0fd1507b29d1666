import { expect, it } from 'vitest';
import { CREATED, dropped, setUp, shop } from './recorder-bench.ts';

type Bench = ReturnType<typeof setUp>;

/** One event about each of so many other objects. */
async function recordOthers({ recorder, clock }: Bench, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    recorder.record(shop(`other-${i}`, `other-${i}`), CREATED);
    if (i % 2000 === 0) await clock.settle();
  }
  await clock.settle();
}

it('counts on the last 8,192 events, and begins older ones again', async () => {
  const bench = setUp();
  const { recorder, clock, stored } = bench;
  recorder.record(shop('oldest', 'oldest'), CREATED);
  recorder.record(shop('second', 'second'), CREATED);
  await recordOthers(bench, 8191);

  recorder.record(shop('second', 'second'), CREATED);
  recorder.record(shop('oldest', 'oldest'), CREATED);
  await clock.settle();

  const counts = (name: string): readonly unknown[] =>
    [...stored].filter(([key]) => key.startsWith(name)).map(([, { series }]) => series?.count);
  expect([counts('second'), counts('oldest')]).toEqual([[2], [undefined, undefined]]);
});

it('limits the events about the last 4,096 objects', async () => {
  const bench = setUp();
  const { recorder, clock, metrics } = bench;
  const uids = ['oldest', 'second'];
  for (const uid of uids) {
    for (let i = 0; i < 25; i++) recorder.record(shop(uid), { ...CREATED, note: `${i}` });
  }
  await recordOthers(bench, 4095);
  expect(dropped(metrics, 'rate_limited')).toBe(0);

  recorder.record(shop('second'), { ...CREATED, note: 'one too many' });
  expect(dropped(metrics, 'rate_limited')).toBe(1);
  recorder.record(shop('oldest'), { ...CREATED, note: 'one more' });
  await clock.settle();

  expect(dropped(metrics, 'rate_limited')).toBe(1);
});

it('writes no repetition above the limit, though one was written during another write before', async () => {
  const { recorder, clock, transport } = setUp();
  recorder.record(shop(), CREATED);
  recorder.record(shop(), CREATED);
  for (let i = 2; i < 24; i++) {
    await clock.settle();
    recorder.record(shop(), CREATED);
  }
  await clock.settle();
  expect(transport.requests).toHaveLength(24);

  recorder.record(shop(), CREATED);
  recorder.record(shop(), CREATED);
  await clock.settle();

  expect(transport.requests).toHaveLength(25);
});
