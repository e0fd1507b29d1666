import { afterEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

afterEach(() => bench.stop());

async function begin(): Promise<readonly string[]> {
  bench = new ConfigMonitorBench();
  bench.cluster.deploy('frontend', 8, { app: 'frontend' });
  await bench.clock.advance(1_000);
  await bench.start();
  await bench.configure('one');
  await bench.monitor();
  return bench.cluster.names;
}

describe('an operator that was down', () => {
  it('acts on what has changed meanwhile, once', async () => {
    const before = await begin();
    await bench.stop();
    await bench.configure('two');
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted.toSorted()).toEqual(before);
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.status().restarts).toBe(1);
  });

  it('restarts nothing where nothing has changed', async () => {
    await begin();
    await bench.restart();
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toEqual([]);
  });
});

/** Where the process ends: at the n-th write of status, or at the n-th eviction. */
async function crashAt(point: 'status' | 'eviction', n: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const life = bench.life;
  const reached = async (): Promise<void> => {
    // A process that has ended does nothing any more.
    if (bench.life !== life) return;
    if (++count < n) return;
    resolve();
    await new Promise(() => {});
  };
  if (point === 'eviction') bench.cluster.beforeEviction = reached;
  else bench.beforeStatus = reached;
  await bench.configure('two');
  for (let step = 0; step < 600 && count < n; step++) await bench.clock.advance(100);
  expect(count, 'the crash comes').toBe(n);
  await promise;
}

describe('a restart of pods whose process dies', () => {
  const points = (['status', 'eviction'] as const).flatMap((point) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => [point, n] as const),
  );

  it.each(points)('at %s %i is finished by the next one', async (point, n) => {
    const before = await begin();
    await crashAt(point, n);
    await bench.crash();
    await bench.clock.advance(60_000);
    expect(bench.cluster.names.filter((name) => before.includes(name))).toEqual([]);
    expect(bench.cluster.evicted.toSorted()).toEqual(before);
    expect(bench.cluster.mostUnready).toBeLessThanOrEqual(2);
    expect(bench.status()).toMatchObject({ restarts: 1, pendingPods: 0 });
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('the record of a restart', () => {
  it('stands before the first pod goes, with all that are to go', async () => {
    const before = await begin();
    const uids = bench.cluster.pods().map(({ metadata }) => metadata.uid);
    const recorded: unknown[] = [];
    bench.cluster.beforeEviction = async () => {
      recorded.push(bench.status().rollout?.pods);
    };
    await bench.change('two', 1_100);
    expect(recorded[0]).toEqual(uids);
    expect(before).toHaveLength(8);
  });
});

describe('a restart that is under way', () => {
  /** The n-th pod is about to be evicted. */
  async function interrupt(n: number, act: () => void): Promise<void> {
    let count = 0;
    bench.cluster.beforeEviction = async () => {
      if (++count === n) act();
    };
    await bench.change('two', 60_000);
  }

  function suspend(isSuspended: boolean): void {
    bench.kube.edit(bench.object(), (live) => {
      return { ...live, spec: { ...live.spec, suspend: isSuspended } };
    });
  }

  it('stops in the middle of a batch once the object is suspended, and is finished later', async () => {
    const before = await begin();
    await bench.editMonitor({ maxUnavailable: '100%' });
    await interrupt(3, () => suspend(true));
    expect(bench.cluster.evicted).toHaveLength(3);
    expect(bench.status()).toMatchObject({ pendingPods: 5, restarts: 1 });
    expect(bench.condition('Ready')).toBe('False Suspended');
    suspend(false);
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted.toSorted()).toEqual(before);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('stops in the middle of a batch once the object is deleted', async () => {
    await begin();
    await bench.editMonitor({ maxUnavailable: '100%' });
    await interrupt(3, () => bench.kube.delete(bench.object()));
    expect(bench.cluster.evicted).toHaveLength(3);
  });

  it('changes no further template once the object is suspended, and is finished later', async () => {
    await begin();
    for (const name of ['admin', 'shop']) bench.cluster.deploy(name, 1, { app: 'frontend' });
    await bench.clock.advance(1_000);
    await bench.editMonitor({ strategy: 'Rollout' });
    const listRestarted = (): readonly string[] =>
      bench.cluster.asked.filter((what) => what.startsWith('restart'));
    const restart = bench.cluster.restart.bind(bench.cluster);
    bench.cluster.restart = (workload, at) => {
      if (listRestarted().length === 0) suspend(true);
      return restart(workload, at);
    };
    await bench.change('two', 60_000);
    expect(listRestarted()).toHaveLength(1);
    suspend(false);
    await bench.clock.advance(60_000);
    expect(listRestarted()).toHaveLength(3);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});
