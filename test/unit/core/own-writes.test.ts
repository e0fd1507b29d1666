import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../src/core/kube-object.ts';
import { OwnWrites } from '../../../src/core/own-writes.ts';
import type { FakeCache } from '../../fakes/fake-cache.ts';
import { FakeKube } from '../../fakes/fake-kube.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { type Probe, probe } from './probe.ts';

describe('OwnWrites', () => {
  it('lets a key pass at once that we never wrote', async () => {
    const { ownWrites, cache, signal } = open();
    cache.hold();
    expect(await ownWrites.areVisible('web/one', signal)).toBe(true);
  });

  it('waits until the cache has seen our last write, then forgets it', async () => {
    const { ownWrites, cache, clock, signal, write } = open();
    cache.hold();
    const key = await write(1);
    await write(2);
    const visible = ownWrites.areVisible(key, signal);
    await clock.advance(3000);
    cache.catchUp();
    expect(await visible).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    expect(cache.waiting).toBe(0);
  });

  it('keeps the newest version whatever the order in which answers come, 100 after 99', async () => {
    const { ownWrites, cache, clock, signal } = open();
    const versions = ['99', '100', '98'];
    for (const resourceVersion of versions) {
      ownWrites.record('web/one', probe('one', { resourceVersion }));
    }
    const asked: string[] = [];
    cache.hasReached = async (version) => {
      asked.push(version);
      return true;
    };
    expect(await ownWrites.areVisible('web/one', signal)).toBe(true);
    expect(asked).toEqual(['100']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('opens after 5 s all the same, says so, and does not wait for that write again', async () => {
    const { ownWrites, cache, clock, signal, write } = open();
    cache.hold();
    const key = await write(1);
    const visible = ownWrites.areVisible(key, signal);
    await clock.advance(4999);
    expect(cache.waiting).toBe(1);
    await clock.advance(1);
    expect(await visible).toBe(false);
    expect(await ownWrites.areVisible(key, signal)).toBe(true);
    expect(cache.waiting).toBe(0);
  });

  it('ends its wait with the signal and remembers the write', async () => {
    const { ownWrites, cache, clock, write } = open();
    cache.hold();
    const key = await write(1);
    const stopping = new AbortController();
    const visible = ownWrites.areVisible(key, stopping.signal);
    const stopped = new Error('stopping');
    stopping.abort(stopped);
    await expect(visible).rejects.toBe(stopped);
    expect(clock.pendingTimers).toBe(0);
    cache.catchUp();
    expect(await ownWrites.areVisible(key, new AbortController().signal)).toBe(true);
  });

  it('has nothing to remember of a write to an object that was gone', async () => {
    const { ownWrites, cache, signal } = open();
    cache.hold();
    ownWrites.record('web/one', undefined);
    expect(await ownWrites.areVisible('web/one', signal)).toBe(true);
  });
});

interface OwnWritesBench {
  readonly clock: ManualClock;
  readonly cache: FakeCache<Probe>;
  readonly ownWrites: OwnWrites<Probe>;
  readonly signal: AbortSignal;
  readonly write: (observedGeneration: number) => Promise<ReturnType<typeof keyOf>>;
}

function open(): OwnWritesBench {
  const clock = new ManualClock();
  const kube = new FakeKube();
  const cache = kube.cache<Probe>('Probe');
  const ownWrites = new OwnWrites(clock, cache);
  const object = kube.create(probe());
  const write = async (observedGeneration: number): Promise<ReturnType<typeof keyOf>> => {
    const written = await kube.writer<Probe>().applyStatus(object, { observedGeneration });
    ownWrites.record(keyOf(object), written);
    return keyOf(object);
  };
  return { clock, cache, ownWrites, write, signal: new AbortController().signal };
}
