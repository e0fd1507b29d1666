import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigMonitorStatus } from '../../../../src/apis/config-monitor.ts';
import { PAUSED_ANNOTATION } from '../../../../src/core/objects/annotations.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  bench.cluster.deploy('frontend', 8, { app: 'frontend' });
  await bench.clock.advance(1_000);
  await bench.start();
  await bench.configure('one');
});

afterEach(() => bench.stop());

/** The first pod goes by another hand; gives the name of the one that comes instead. */
async function replaceOne(): Promise<string> {
  const before = bench.cluster.names;
  bench.kube.delete(bench.cluster.pods()[0] as never);
  await bench.clock.advance(1_000);
  const [fresh = ''] = bench.cluster.names.filter((name) => !before.includes(name));
  return fresh;
}

async function resume(): Promise<void> {
  await bench.editMonitor({ suspend: false });
  await bench.clock.advance(60_000);
}

async function pause(value: 'true' | 'false'): Promise<void> {
  bench.kube.edit(bench.object(), (live) => {
    return { ...live, metadata: { ...live.metadata, annotations: { [PAUSED_ANNOTATION]: value } } };
  });
  await bench.clock.advance(60_000);
}

function store(change: Partial<NonNullable<ConfigMonitorStatus['change']>> | undefined): void {
  const { change: before, ...status } = bench.status();
  const stored = change && { ...before, ...change };
  bench.kube.server.applyStatus(bench.object(), { ...status, ...(stored && { change: stored }) });
}

describe('a change that waits', () => {
  it('while the operator is replaced restarts, in the end, only pods that are older than it', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two');
    const fresh = await replaceOne();
    await bench.restart();
    expect(bench.status().pendingPods).toBe(7);
    await resume();
    expect(bench.cluster.evicted).toHaveLength(7);
    expect(bench.cluster.names).toContain(fresh);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('for its least interval is known to a successor too', async () => {
    await bench.monitor({ minIntervalSeconds: 300 });
    await bench.change('two');
    await bench.change('three');
    const fresh = await replaceOne();
    bench.cluster.evicted.length = 0;
    await bench.crash();
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted).toHaveLength(7);
    expect(bench.cluster.names).toContain(fresh);
  });

  it('is reported once, however many processes see it', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two');
    const { lastChangeTime } = bench.status();
    await bench.restart();
    await bench.clock.advance(60_000);
    expect(bench.told('ConfigChanged')).toHaveLength(1);
    expect(bench.status().lastChangeTime).toBe(lastChangeTime);
  });

  it('and is taken back, seen by another process, restarts the pods that were started in between', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two');
    const odd = await replaceOne();
    await bench.restart();
    await bench.change('one');
    await resume();
    expect(bench.cluster.evicted).toEqual([odd]);
  });

  it('and is taken back restarts the pods that were waiting to start when it came', async () => {
    await bench.monitor({ suspend: true });
    bench.cluster.isBroken = true;
    const odd = await replaceOne();
    await bench.change('two');
    // Its containers start now, and read what is there.
    bench.cluster.heal();
    await bench.change('one');
    await resume();
    expect(bench.cluster.evicted).toEqual([odd]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('and is taken back leaves alone a pod whose containers run, ready or not', async () => {
    await bench.monitor({ suspend: true });
    const [pod] = bench.cluster.pods();
    const containerStatuses = [{ name: 'app', restartCount: 0, state: { running: {} } }];
    const conditions = [{ type: 'Ready', status: 'False' }];
    bench.kube.server.applyStatus(pod as never, {
      phase: 'Running',
      conditions,
      containerStatuses,
    });
    await bench.change('two');
    await bench.change('one');
    await resume();
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('and is taken back restarts pods that an edit of the selector has added meanwhile', async () => {
    bench.cluster.deploy('backend', 2, { app: 'backend' });
    const added = bench.cluster.podsOf('backend').map(({ metadata }) => metadata.name);
    await bench.monitor({ suspend: true });
    await bench.change('two');
    await bench.editMonitor({ podSelector: { app: 'backend' } });
    await bench.change('one');
    await resume();
    expect(bench.cluster.evicted).toEqual(added);
  });

  it('while the object is paused leaves alone who came since', async () => {
    await bench.monitor();
    await pause('true');
    await bench.change('two', 60_000);
    const fresh = await replaceOne();
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('Unknown Paused');
    await pause('false');
    expect(bench.cluster.evicted).toHaveLength(7);
    expect(bench.cluster.names).toContain(fresh);
  });

  it('restarts pods that an edit of the selector adds: that they are younger is not known', async () => {
    bench.cluster.deploy('backend', 2, { app: 'backend' });
    const added = bench.cluster.podsOf('backend').map(({ metadata }) => metadata.name);
    await bench.monitor({ suspend: true });
    await bench.change('two');
    await bench.editMonitor({ podSelector: { app: 'backend' } });
    await bench.restart();
    await resume();
    expect(bench.cluster.evicted).toEqual(added);
  });

  it('is gone from status when the pods are restarted, and when it is taken back', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two');
    expect(bench.status().change?.pods).toHaveLength(8);
    await bench.change('one');
    expect(bench.status().change).toBeUndefined();
    await bench.change('three');
    await resume();
    expect(bench.status().change).toBeUndefined();
  });
});

describe('a change that waits, of which one pass sees an edit of the selector and other data', () => {
  async function editBoth(text: string): Promise<void> {
    bench.kube.edit(bench.configMap, (live) => ({ ...live, data: { 'config.cfg': text } }));
    await bench.editMonitor({ podSelector: { app: 'other' } });
  }

  it('restarts no pod once it is selected again, where it was taken back', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two', 1_000);
    await editBoth('one');
    await bench.editMonitor({ podSelector: { app: 'frontend' } });
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.status().deselectedPods).toBeUndefined();
  });

  it('restarts the pods once they are selected again, where it had been taken back before', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two', 1_000);
    bench.before = bench.cluster.names;
    bench.cluster.scale('frontend', 9);
    const between = bench.cluster.pods().at(-1) as never;
    await bench.change('one', 1_000);
    await editBoth('three');
    bench.kube.delete(between);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(20_000);
    await bench.editMonitor({ podSelector: { app: 'frontend' } });
    await bench.clock.advance(300_000);
    expect(bench.kept()).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('a status whose change does not help', () => {
  it('of an earlier release, which kept none, makes a successor take all pods for older', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two');
    await bench.stop();
    store(undefined);
    await bench.restart();
    await resume();
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('relative to data that is not on record any more counts for nothing', async () => {
    await bench.monitor({ suspend: true });
    await bench.change('two');
    await bench.stop();
    store({ recorded: 'of long ago', pods: [] });
    await bench.restart();
    await resume();
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('has no room for more than 5000 pods: they count as older than the change', async () => {
    await bench.monitor({ suspend: true });
    const { cluster } = bench;
    const list = cluster.uidsOf.bind(cluster);
    const others = Array.from({ length: 4_993 }, (_, nth) => `another-${nth}`);
    cluster.uidsOf = async (...of) => new Set([...(await list(...of)), ...others]);
    await bench.change('two');
    expect(bench.status().change).toBeUndefined();
    cluster.uidsOf = list;
    await replaceOne();
    await bench.restart();
    await resume();
    expect(cluster.evicted).toHaveLength(8);
  });
});

describe('a change that the watch of the ConfigMap shows late', () => {
  /** The watch shows `two`, and nothing after that. */
  async function hideAfterTwo(): Promise<void> {
    const changed = bench.configure('two');
    bench.life.sources.hold();
    await changed;
  }

  it('restarts the pods for the newest data, and not once more when the watch shows it', async () => {
    await bench.monitor();
    const hidden = hideAfterTwo();
    await bench.configure('three');
    await hidden;
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.condition('Ready')).toBe('True Watching');
    bench.life.sources.catchUp();
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts no pod where the newest data is what was there before', async () => {
    await bench.monitor();
    const hidden = hideAfterTwo();
    await bench.configure('one');
    await hidden;
    await bench.clock.advance(120_000);
    bench.life.sources.catchUp();
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts no pod while the source is gone, and those that are older once it is back', async () => {
    await bench.monitor();
    const hidden = hideAfterTwo();
    bench.kube.delete(bench.configMap);
    await hidden;
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.message('Ready')).toContain('the watch of ConfigMap settings lags behind');
    await bench.configure('three');
    bench.life.sources.catchUp();
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it.each([
    ['restarts each pod once, for the data that is there when the quiet period ends', 'three', 8],
    ['restarts no pod where it has been taken back when the quiet period ends', 'one', 0],
  ])('%s', async (_, text, restarted) => {
    await bench.monitor({ debounceSeconds: 5 });
    await bench.change('two', 1_000);
    bench.life.sources.hold();
    await bench.change(text, 60_000);
    bench.life.sources.catchUp();
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(restarted);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts no pod where the source is gone when the quiet period ends', async () => {
    await bench.monitor({ debounceSeconds: 5 });
    await bench.change('two', 1_000);
    bench.life.sources.hold();
    bench.kube.delete(bench.configMap);
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.message('Ready')).toContain('the watch of ConfigMap settings lags behind');
  });

  it('is acted on after 30 s, although each second brings other data that is shown too late', async () => {
    await bench.monitor();
    for (let second = 0; second < 45; second++) {
      bench.life.sources.catchUp();
      const changed = bench.configure(`${second}`);
      bench.life.sources.hold();
      await bench.configure(`${second} and a half`);
      await changed;
      await bench.clock.advance(1_000);
    }
    expect(bench.cluster.evicted.length).toBeGreaterThan(0);
  });

  it('is on record while the object is paused', async () => {
    await bench.monitor();
    await pause('true');
    const hidden = hideAfterTwo();
    await bench.configure('three');
    await hidden;
    await bench.clock.advance(5_000);
    expect(bench.status().change?.pods).toHaveLength(8);
    bench.life.sources.catchUp();
    await pause('false');
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(8);
  });

  it('is on record with an edit of the sources in the middle of a restart', async () => {
    const a = { kind: 'ConfigMap', name: 'settings' } as const;
    const b = { kind: 'ConfigMap', name: 'more' } as const;
    const old = bench.cluster.names;
    await bench.store('ConfigMap', 'more', { a: '1' });
    await bench.monitor({ sources: [a], minReadySeconds: 30 }, 'monitor', ['configMap']);
    await bench.change('two', 6_000);
    const restarted = bench.cluster.evicted.length;
    expect(restarted).toBe(2);
    bench.life.sources.hold();
    await bench.configure('three');
    await bench.editMonitor({ sources: [a, b] });
    bench.life.sources.catchUp();
    await bench.clock.advance(5_000);
    // Those that have just come have proved nothing: they go first, and no old one beside them.
    const next = bench.cluster.evicted.slice(restarted);
    expect(next.filter((name) => old.includes(name))).toEqual([]);
  });
});

describe('data that was taken back, with strategy Rollout', () => {
  it('evicts the one pod that may have data that was taken back, and leaves the template alone', async () => {
    await bench.monitor({ strategy: 'Rollout', suspend: true });
    bench.cluster.isBroken = true;
    const before = bench.cluster.names;
    await bench.cluster.kubelet.delete(`web/${before[0]}`);
    await bench.change('two', 5_000);
    await bench.change('one', 5_000);
    bench.cluster.heal();
    await bench.clock.advance(5_000);
    const kept = bench.cluster.names.filter((name) => before.includes(name));
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(60_000);
    expect(bench.told('WorkloadRestarted')).toEqual([]);
    expect(bench.cluster.names).toEqual(expect.arrayContaining(kept));
    expect(bench.cluster.evicted).toHaveLength(1);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

/** The next list of pods is answered at once, the one after it a second later. */
function delaySecondList(): void {
  const { clock, cluster } = bench;
  const list = cluster.uidsOf.bind(cluster);
  let count = 0;
  cluster.uidsOf = async (...of) => {
    count += 1;
    if (count === 2) await new Promise<void>((resolve) => void clock.setTimer(1_000, resolve));
    return list(...of);
  };
}

describe('a change that two objects of one ConfigMap have noted', () => {
  it('and that was taken back restarts no pod that starts later, though its status is written late', async () => {
    await bench.monitor({ debounceSeconds: 20 });
    await bench.monitor({ debounceSeconds: 20 }, 'other');
    await bench.change('two', 5_000);
    delaySecondList();
    bench.beforeStatus = () => new Promise((resolve) => void bench.clock.setTimer(2_000, resolve));
    await bench.change('one', 10_000);
    const fresh = await replaceOne();
    await bench.clock.advance(60_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.cluster.names).toContain(fresh);
  });

  it('restarts each pod once, though the watch lags behind what one of them has begun', async () => {
    await bench.monitor({ podSelector: { app: 'frontend', tier: 'web' }, debounceSeconds: 0 });
    await bench.monitor({ podSelector: { tier: 'web' }, debounceSeconds: 0 }, 'other');
    bench.cluster.deploy('site', 4, { app: 'frontend', tier: 'web' });
    await bench.clock.advance(1_000);
    bench.life.objects.hold();
    // Its own status is written, and it waits for that to be visible: 5 s at most.
    bench.cluster.deploy('batch', 1, { tier: 'web' });
    await bench.clock.advance(1_000);
    await bench.change('two', 8_000);
    bench.life.objects.catchUp();
    await bench.clock.advance(120_000);
    expect(bench.cluster.evicted).toHaveLength(5);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.condition('Ready', 'other')).toBe('True Watching');
  });
});
