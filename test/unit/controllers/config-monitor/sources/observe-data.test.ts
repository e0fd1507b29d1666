import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from '../bench.ts';

let bench: ConfigMonitorBench;
const A = { kind: 'ConfigMap', name: 'a' } as const;
const B = { kind: 'Secret', name: 'b' } as const;

beforeEach(async () => {
  bench = new ConfigMonitorBench();
  deploy('only-a', { configMapRef: { name: 'a' } });
  deploy('only-b', { secretRef: { name: 'b' } });
  await bench.clock.advance(1_000);
  await bench.start();
  await bench.store('ConfigMap', 'a', { x: '1' });
  await bench.store('Secret', 'b', { x: '1' });
});

afterEach(() => bench.stop());

function deploy(name: string, ...envFrom: readonly object[]): void {
  const spec = { containers: [{ name: 'app', envFrom }] };
  const of = { name, labels: { app: name }, isStateful: false, minReadySeconds: 0, spec };
  bench.cluster.deployAs(of, 4);
}

async function watch(fields: object): Promise<void> {
  await bench.monitor(fields, 'monitor', ['configMap', 'podSelector']);
  await bench.clock.advance(1_000);
}

function names(of: string): readonly string[] {
  return bench.cluster.names.filter((name) => name.startsWith(of));
}

/** How many pods of one Deployment were sent away. */
function evicted(of: string): number {
  return bench.cluster.evicted.filter((name) => name.startsWith(of)).length;
}

function keptOf(before: readonly string[]): readonly string[] {
  return bench.cluster.names.filter((name) => before.includes(name));
}

describe('an edit of the sources during a restart', () => {
  it.each([
    ['adds one', [A, B]],
    ['names other keys', [{ ...A, keys: ['x'] }]],
  ])('restarts the pods with older data all the same where it %s', async (_what, sources) => {
    await watch({ sources: [A] });
    const before = names('only-a');
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(3_000);
    expect(evicted('only-a')).toBe(1);
    await bench.editMonitor({ sources });
    expect(bench.condition('Ready')).toMatch(/^False/);
    expect(bench.message('Ready')).not.toContain('newest data');
    expect(bench.status().pendingPods).toBeGreaterThanOrEqual(3);
    await bench.clock.advance(300_000);
    expect(keptOf(before)).toEqual([]);
    expect(evicted('only-b')).toBe(0);
    expect(bench.condition('Ready')).toBe('True Watching');
    expect(bench.status().rollout).toBeUndefined();
  });

  it('restarts also those that got data that was taken back', async () => {
    await watch({ sources: [A] });
    await bench.store('ConfigMap', 'a', { x: 'bad' });
    await bench.clock.advance(3_000);
    const bad = names('only-a').slice(-1);
    await bench.stop();
    await bench.store('ConfigMap', 'a', { x: '1' });
    await bench.editMonitor({ sources: [A, B] });
    await bench.restart();
    await bench.clock.advance(300_000);
    expect(keptOf(bad)).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('counts those that it has just restarted as unavailable', async () => {
    await watch({ sources: [A], maxUnavailable: 1 });
    const before = names('only-a');
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(3_000);
    expect(keptOf(before)).toHaveLength(3);
    await bench.editMonitor({ sources: [A, B] });
    await bench.clock.advance(3_000);
    expect(keptOf(before)).toHaveLength(3);
    await bench.clock.advance(300_000);
    expect(keptOf(before)).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('is a new baseline where no source stays', async () => {
    await watch({ sources: [A] });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(3_000);
    await bench.editMonitor({ sources: [B] });
    await bench.clock.advance(300_000);
    expect([evicted('only-a'), evicted('only-b')]).toEqual([1, 0]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('an edit of the sources while a change waits', () => {
  it.each([
    ['adds one', [A, B]],
    ['names other keys', [{ ...A, keys: ['x'] }]],
  ])('keeps the change where it %s', async (_what, sources) => {
    await watch({ sources: [A], suspend: true });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(60_000);
    await bench.editMonitor({ sources });
    await bench.clock.advance(60_000);
    expect(bench.condition('Ready')).toBe('False Suspended');
    expect(bench.status().pendingPods).toBe(4);
    await bench.editMonitor({ suspend: false });
    await bench.clock.advance(300_000);
    expect([evicted('only-a'), evicted('only-b')]).toEqual([4, 0]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('keeps it over two edits at once, and in another process', async () => {
    await watch({ sources: [A], debounceSeconds: 20 });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(1_000);
    await bench.editMonitor({ sources: [A, B] });
    await bench.crash();
    await bench.editMonitor({ sources: [{ ...A, keys: ['x'] }] });
    await bench.clock.advance(300_000);
    expect([evicted('only-a'), evicted('only-b')]).toEqual([4, 0]);
  });

  it('forgets the change of a source that it removes', async () => {
    await watch({ sources: [A, B], debounceSeconds: 20 });
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.clock.advance(1_000);
    await bench.editMonitor({ sources: [B] });
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});

describe('an edit of the sources while no operator runs', () => {
  it('hides no change of a source that stays', async () => {
    await watch({ sources: [A] });
    await bench.stop();
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.editMonitor({ sources: [A, B] });
    await bench.restart();
    await bench.clock.advance(300_000);
    expect([evicted('only-a'), evicted('only-b')]).toEqual([4, 0]);
  });

  it.each([
    ['all', [A], [{ ...A, keys: ['x'] }]],
    ['some', [{ ...A, keys: ['x'] }], [{ ...A, keys: ['x', 'y'] }]],
    ['some, and then all', [{ ...A, keys: ['x'] }], [A]],
  ])('hides no change of a source of which %s keys counted', async (_what, before, after) => {
    await watch({ sources: before });
    await bench.stop();
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.editMonitor({ sources: after });
    await bench.restart();
    await bench.clock.advance(300_000);
    expect([evicted('only-a'), evicted('only-b')]).toEqual([4, 0]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('hides no change of keys that a release had stored without their names', async () => {
    await watch({ sources: [{ ...A, keys: ['x'] }] });
    await bench.stop();
    const sources = (bench.status().sources ?? []).map(({ keyNames: _names, ...rest }) => rest);
    bench.kube.server.applyStatus(bench.object(), { ...bench.status(), sources });
    await bench.restart();
    expect(bench.status().sources?.[0]?.keyNames).toEqual(['x']);
    await bench.stop();
    await bench.store('ConfigMap', 'a', { x: '2' });
    await bench.editMonitor({ sources: [{ ...A, keys: ['x', 'y'] }] });
    await bench.restart();
    await bench.clock.advance(300_000);
    expect(evicted('only-a')).toBe(4);
  });

  it('restarts nothing for other keys, though a key has changed that did not count', async () => {
    await watch({ sources: [{ ...A, keys: ['x'] }] });
    await bench.stop();
    await bench.store('ConfigMap', 'a', { x: '1', y: '2' });
    await bench.editMonitor({ sources: [{ ...A, keys: ['x', 'y'] }] });
    await bench.restart();
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });

  it('restarts nothing where no data has changed', async () => {
    await watch({ sources: [A] });
    await bench.stop();
    await bench.store('Secret', 'b', { x: '2' });
    await bench.editMonitor({ sources: [A, B] });
    await bench.restart();
    await bench.clock.advance(300_000);
    expect(bench.cluster.evicted).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Watching');
  });
});
