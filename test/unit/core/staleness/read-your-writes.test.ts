import { describe, expect, it } from 'vitest';
import { getKey } from '../../../../src/core/objects/kube-object.ts';
import { ReadYourWrites } from '../../../../src/core/staleness/read-your-writes.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { LifecycleBench } from '../controller/lifecycle-bench.ts';
import { type Probe, probe } from '../controller/probe.ts';

const KEY = 'web/one';
const never = new AbortController().signal;

describe('a pass that begins while the cache lags', () => {
  it('does not wait for a key that we never wrote', async () => {
    const { writes, cache } = open();
    cache.hold();
    expect(await writes.areVisible(KEY, never)).toBe(true);
  });

  it('waits until the cache shows our last write, which is then forgotten', async () => {
    const { writes, cache, clock, write } = open();
    cache.hold();
    await write(1);
    await write(2);
    const visible = writes.areVisible(KEY, never);
    await clock.advance(3000);
    cache.catchUp();
    expect(await visible).toBe(true);
    expect(writes.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(cache.waiting).toBe(0);
  });

  it('goes on after 5 s, says that it reads stale, and does not wait for that write again', async () => {
    const { writes, cache, clock, write } = open();
    cache.hold();
    await write(1);
    const visible = writes.areVisible(KEY, never);
    await clock.advance(4999);
    expect(cache.waiting).toBe(1);
    await clock.advance(1);
    expect(await visible).toBe(false);
    expect(await writes.areVisible(KEY, never)).toBe(false);
    expect(cache.waiting).toBe(0);
    cache.catchUp();
    expect(await writes.areVisible(KEY, never)).toBe(true);
    expect(writes.size).toBe(0);
  });

  it('ends its wait with the signal and remembers the write', async () => {
    const { writes, cache, clock, write } = open();
    cache.hold();
    await write(1);
    const stopping = new AbortController();
    const visible = writes.areVisible(KEY, stopping.signal);
    const stopped = new Error('stopping');
    stopping.abort(stopped);
    await expect(visible).rejects.toBe(stopped);
    expect(clock.pendingTimers).toBe(0);
    expect(writes.size).toBe(1);
    cache.catchUp();
    expect(await writes.areVisible(KEY, never)).toBe(true);
  });

  it('remembers a write that was answered while it waited for the one before', async () => {
    const { writes, cache, stored, write } = open();
    cache.hold();
    await write(1);
    const visible = writes.areVisible(KEY, never);
    cache.catchUp();
    writes.record(KEY, at(stored, '100'));
    expect(await visible).toBe(true);
    expect(writes.size).toBe(1);
  });

  it('remembers the newest write, by number, in whatever order the answers come', () => {
    const { writes, stored } = open();
    const versions = ['99', '100', '98'];
    for (const resourceVersion of versions) writes.record(KEY, at(stored, resourceVersion));
    expect(writes.pickNewest(stored).metadata.resourceVersion).toBe('100');
    writes.record(KEY, undefined);
    expect(writes.pickNewest(stored).metadata.resourceVersion).toBe('100');
  });

  it('writes the status that is right again although the old one reads the same', async () => {
    const bench = new LifecycleBench();
    const settled = { kind: 'settled', reason: 'Fine', message: 'all is well' } as const;
    const waiting = {
      kind: 'waiting',
      reason: 'Slow',
      message: 'wait',
      requeueAfterMs: 1,
    } as const;
    await bench.run({ reconcile: async () => settled });
    bench.cache.hold();
    await bench.run({ reconcile: async () => waiting });
    expect(bench.condition('Ready')).toBe('False Slow');
    const late = bench.run({ reconcile: async () => settled });
    await bench.clock.advance(6000);
    await late;
    expect(bench.condition('Ready')).toBe('True Fine');
    bench.cache.catchUp();
  });

  it('is guarded by the version of our last write, so that it needs no second request', async () => {
    const bench = new LifecycleBench();
    const versions: (string | undefined)[] = [];
    bench.beforeStatus = ({ metadata }) => void versions.push(metadata.resourceVersion);
    await bench.run({
      reconcile: async (_, pass) => {
        await pass.ensureFinalizer();
        versions.push(bench.live?.metadata.resourceVersion);
        pass.report({ arn: 'one' });
        await pass.recordNow();
        versions.push(bench.live?.metadata.resourceVersion);
        return { kind: 'settled', reason: 'Fine', message: 'all is well' };
      },
    });
    const [finalized, first, recorded, second] = versions;
    expect([first, second]).toEqual([finalized, recorded]);
  });
});

it('holds the answers of 4,096 keys at most', () => {
  const { writes, stored } = open();
  for (let index = 0; index < 5000; index++) writes.record(`web/${index}`, at(stored, '100'));
  expect(writes.size).toBe(4096);
});

function at(object: Probe, resourceVersion: string): Probe {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

interface Bench {
  readonly clock: ManualClock;
  readonly cache: FakeCache<Probe>;
  readonly writes: ReadYourWrites<Probe>;
  readonly stored: Probe;
  readonly write: (observedGeneration: number) => Promise<void>;
}

function open(): Bench {
  const clock = new ManualClock();
  const kube = new FakeKube();
  const stored = kube.create(probe());
  const cache = kube.cache<Probe>('Probe');
  const writes = new ReadYourWrites<Probe>(clock, cache);
  const write = async (observedGeneration: number): Promise<void> =>
    writes.record(
      getKey(stored),
      await kube.writer<Probe>().applyStatus(stored, { observedGeneration }),
    );
  return { clock, cache, writes, stored, write };
}
