import { describe, expect, it } from 'vitest';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import { KeyQueue, LOW_PRIORITY, type TakenKey } from '../../../../src/core/queue/key-queue.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const DAY_MS = 86_400_000;

describe('KeyQueue', () => {
  it('hands out in the order of the adds', async () => {
    const { queue } = open();
    for (const key of ['a/1', 'a/2', 'a/3'] as const) queue.add(key);
    expect(await takeAll(queue)).toEqual(['a/1', 'a/2', 'a/3']);
  });

  it('does not lose a key whose delay is not a number', async () => {
    const { queue } = open();
    queue.add('a/1');
    await queue.take();
    queue.add('a/1', { afterMs: Number.NaN });
    queue.done('a/1');
    expect(await takeAll(queue)).toEqual(['a/1']);
  });

  it('hands out higher priority first, and a raised one after its new equals', async () => {
    const { queue } = open();
    queue.add('a/low', { priority: LOW_PRIORITY });
    queue.add('a/raised', { priority: LOW_PRIORITY });
    queue.add('a/edit');
    queue.add('a/urgent', { priority: 10 });
    queue.add('a/raised');
    expect(await takeAll(queue)).toEqual(['a/urgent', 'a/edit', 'a/raised', 'a/low']);
  });

  it('hands out a key of another namespace next to the first of 500', async () => {
    const { queue } = open();
    for (let i = 0; i < 500; i++) queue.add(`tenant/${i}`);
    queue.add('neighbour/shop');
    queue.add('neighbour/cart');
    queue.add('tenant/urgent', { priority: 10 });
    expect((await takeAll(queue)).slice(0, 6)).toEqual([
      'tenant/urgent',
      'tenant/0',
      'neighbour/shop',
      'tenant/1',
      'neighbour/cart',
      'tenant/2',
    ]);
  });

  it('keeps the place of a key that is added again with no more priority', async () => {
    const { queue } = open();
    queue.add('a/1');
    queue.add('a/2');
    queue.add('a/1', { priority: LOW_PRIORITY });
    queue.add('a/1', { afterMs: 1000 });
    expect(await takeAll(queue)).toEqual(['a/1', 'a/2']);
  });

  it('keeps one record per key', async () => {
    const { queue } = open();
    for (let i = 0; i < 1000; i++) queue.add('a/1', { priority: i % 7, afterMs: i % 3 });
    expect(queue.size).toBe(1);
    expect(await takeAll(queue)).toEqual(['a/1']);
    expect(queue.size).toBe(0);
  });

  it('merges to the earliest time and the highest priority', async () => {
    const { clock, queue } = open();
    queue.add('a/1', { priority: 5, afterMs: 5000 });
    queue.add('a/1', { priority: 1, afterMs: 1000 });
    queue.add('a/1', { priority: 2, afterMs: 9000 });
    const taken = queue.take();
    await clock.advance(999);
    expect(queue.size).toBe(1);
    await clock.advance(1);
    expect(await taken).toEqual({ key: 'a/1', priority: 5, waitedMs: 0 });
    await clock.advance(10_000);
    expect(queue.size).toBe(0);
  });

  it('does not let a delay put off what is ready', async () => {
    const { queue } = open();
    queue.add('a/1');
    queue.add('a/1', { afterMs: DAY_MS, priority: 3 });
    expect(await takeAll(queue)).toEqual(['a/1']);
  });

  it('holds a key back while it is worked on, then hands it out once more', async () => {
    const { clock, queue } = open();
    queue.add('a/1');
    await queue.take();
    for (let i = 0; i < 1000; i++) queue.add('a/1');
    const next = watched(queue.take());
    await clock.advance(DAY_MS);
    expect(next.value).toBeUndefined();
    queue.done('a/1');
    await clock.settle();
    expect(next.value?.key).toBe('a/1');
    queue.done('a/1');
    expect(queue.size).toBe(0);
  });

  it('holds back a key whose time comes while it is worked on', async () => {
    const { clock, queue } = open();
    queue.add('a/1');
    await queue.take();
    queue.add('a/1', { afterMs: 100 });
    const next = watched(queue.take());
    await clock.advance(200);
    expect(next.value).toBeUndefined();
    queue.done('a/1');
    await clock.settle();
    expect(next.value?.key).toBe('a/1');
  });

  it('leaves a delay standing that outlives the work', async () => {
    const { clock, queue } = open();
    queue.add('a/1');
    await queue.take();
    queue.add('a/1', { afterMs: 100 });
    queue.done('a/1');
    const next = watched(queue.take());
    await clock.advance(99);
    expect(next.value).toBeUndefined();
    await clock.advance(1);
    expect(next.value?.key).toBe('a/1');
  });

  it('does not hand out a delay of 40 days now, and does after 40 days', async () => {
    const { clock, queue } = open();
    queue.add('a/1', { afterMs: 40 * DAY_MS });
    const taken = watched(queue.take());
    await clock.advance(40 * DAY_MS - 1);
    expect(taken.value).toBeUndefined();
    await clock.advance(1);
    expect(taken.value?.key).toBe('a/1');
  });

  it('arms one timer whatever the number of delays, and none when nothing is delayed', async () => {
    const { clock, queue } = open();
    for (let i = 0; i < 1000; i++) queue.add(`a/${i}`, { afterMs: 10_000 - i });
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(20_000);
    expect(clock.pendingTimers).toBe(0);
    expect(await takeAll(queue)).toHaveLength(1000);
  });

  it('says how long a ready key has waited', async () => {
    const { clock, queue } = open();
    queue.add('a/1', { afterMs: 1000 });
    await clock.advance(3500);
    expect((await queue.take())?.waitedMs).toBe(2500);
  });

  it('sends every taker home on shutdown, forgets what waits and takes no more', async () => {
    const { clock, queue } = open();
    const takers = [queue.take(), queue.take()];
    queue.shutDown();
    expect(await Promise.all(takers)).toEqual([undefined, undefined]);
    queue.add('a/1');
    queue.add('a/2', { afterMs: 10 });
    expect(await queue.take()).toBeUndefined();
    expect(queue.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops ready and delayed keys on shutdown and lets a running one be given back', async () => {
    const { clock, queue } = open();
    queue.add('a/running');
    await queue.take();
    queue.add('a/running');
    queue.add('a/ready');
    queue.add('a/delayed', { afterMs: 10 });
    queue.shutDown();
    queue.done('a/running');
    await clock.advance(100);
    expect(await queue.take()).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives its observer the depth by priority: what is ready, not what is delayed', async () => {
    const clock = new ManualClock();
    const depths = new Map<number, number>();
    let adds = 0;
    const queue = new KeyQueue(clock, {
      recordAdd: () => void adds++,
      recordDepth: (priority, depth) => void depths.set(priority, depth),
    });
    queue.add('a/1');
    queue.add('a/2');
    queue.add('a/3', { priority: LOW_PRIORITY });
    queue.add('a/4', { afterMs: 10 });
    queue.add('a/3', { priority: 0 });
    expect([...depths]).toEqual([
      [0, 3],
      [LOW_PRIORITY, 0],
    ]);
    await clock.advance(10);
    expect(depths.get(0)).toBe(4);
    await takeAll(queue);
    expect(depths.get(0)).toBe(0);
    expect(adds).toBe(5);
  });
});

function open(): { readonly clock: ManualClock; readonly queue: KeyQueue } {
  const clock = new ManualClock();
  return { clock, queue: new KeyQueue(clock) };
}

/** Takes what is ready and gives each key back at once. */
async function takeAll(queue: KeyQueue): Promise<readonly Key[]> {
  const keys: Key[] = [];
  for (let ready = queue.size; ready > 0; ready--) {
    const taken = (await queue.take()) as TakenKey;
    keys.push(taken.key);
    queue.done(taken.key);
  }
  return keys;
}

function watched<T>(promise: Promise<T>): { value: T | undefined } {
  const box: { value: T | undefined } = { value: undefined };
  void promise.then((value) => {
    box.value = value;
  });
  return box;
}
