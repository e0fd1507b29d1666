import { describe, expect, it } from 'vitest';
import { Children } from '../../../../src/core/children/children.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { ControllerBench, DONE } from '../controller/controller-bench.ts';

const OWNER = { group: 'tests.albridge.io', kind: 'Probe' } as const;

function part(name: string): KubeObject {
  const metadata = { name, namespace: 'web' };
  return { apiVersion: 'tests.albridge.io/v1', kind: 'Part', metadata };
}

function ownedPart(name: string, { apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name: owner, uid = '' } = metadata;
  const reference = { apiVersion, kind, name: owner, uid, controller: true };
  const draft = part(name);
  return { ...draft, metadata: { ...draft.metadata, ownerReferences: [reference] } };
}

interface SetUp {
  readonly bench: ControllerBench;
  readonly cache: FakeCache<KubeObject>;
  readonly children: Children<KubeObject>;
}

/** A controller whose pass makes a Part of a new name, as generateName does, where it sees none. */
function setUp(): SetUp {
  const bench = new ControllerBench();
  const cache = bench.kube.cache('Part');
  const writer = bench.kube.childWriter();
  const children = new Children({ cache, writer, owner: OWNER, clock: bench.clock });
  let made = 0;
  bench.reconcile = async (object) => {
    const own = children.forOwner(object);
    if (own.listOwned().length === 0) await own.writer.create(ownedPart(`part-${made++}`, object));
    return DONE;
  };
  return { bench, cache, children };
}

describe('the children of a controller', () => {
  it('are made again once at most for an owner that is gone behind a silent watch', async () => {
    const { bench, children, cache } = setUp();
    const owner = bench.store('one');
    bench.start({ children: [children] });
    await bench.clock.settle();
    bench.cache.hold();
    bench.kube.delete(owner);
    for (let i = 0; i < 3; i++) {
      for (const part of cache.listOwned(owner.metadata.uid ?? '')) bench.kube.delete(part);
      await bench.clock.advance(6_000);
    }
    expect(bench.kube.writes.filter(({ verb }) => verb === 'create')).toHaveLength(2);
    await bench.controller.stop(new Error('done'));
  });

  it('have the status of their owner written once where one is made again', async () => {
    const { bench, children, cache } = setUp();
    const owner = bench.store('one');
    bench.start({ children: [children] });
    await bench.clock.settle();
    const countStatuses = (): number =>
      bench.kube.writes.filter(({ verb }) => verb === 'applyStatus').length;
    const before = countStatuses();
    for (const part of cache.listOwned(owner.metadata.uid ?? '')) bench.kube.delete(part);
    await bench.clock.settle();
    const [made] = cache.listOwned(owner.metadata.uid ?? '');
    for (const theirs of ['a', 'b']) {
      bench.kube.editMeta(made as KubeObject, { labels: { theirs } });
      await bench.clock.settle();
    }
    expect(countStatuses()).toBe(before + 1);
    await bench.controller.stop(new Error('done'));
  });

  it('put their owner into its queue when they change and when they go', async () => {
    const { bench, children, cache } = setUp();
    const owner = bench.store('one');
    bench.start({ children: [children] });
    await bench.clock.settle();
    const [only] = cache.listOwned(owner.metadata.uid ?? '');
    const before = bench.passesOf(owner);
    bench.kube.editMeta(only as KubeObject, { labels: { theirs: 'yes' } });
    await bench.clock.settle();
    expect(bench.passesOf(owner)).toBe(before + 1);
    bench.kube.delete(only as KubeObject);
    await bench.clock.settle();
    expect(bench.kube.server.list('Part').map(({ metadata }) => metadata.name)).toEqual(['part-1']);
    await bench.controller.stop(new Error('done'));
  });

  it('are not made twice while the cache lags (behaviour 18)', async () => {
    const { bench, children, cache } = setUp();
    const owner = bench.store('one');
    cache.hold();
    bench.start({ children: [children] });
    await bench.clock.settle();
    bench.edit(owner);
    await bench.clock.settle();
    expect(bench.kube.server.list('Part')).toHaveLength(1);
    expect(bench.passesOf(owner), 'the second pass waits').toBe(1);
    cache.catchUp();
    await bench.clock.settle();
    expect(bench.passesOf(owner)).toBeGreaterThan(1);
    expect(bench.kube.server.list('Part')).toHaveLength(1);
    await bench.controller.stop(new Error('done'));
  });

  it('hold a pass back for five seconds at most, and that is counted', async () => {
    const { bench, children, cache } = setUp();
    const owner = bench.store('one');
    bench.reconcile = async (object) => {
      if (bench.passesOf(owner) === 1)
        await children.forOwner(object).writer.create(part('seen-late'));
      return DONE;
    };
    cache.hold();
    bench.start({ children: [children] });
    await bench.clock.settle();
    bench.edit(owner);
    await bench.clock.advance(4_900);
    expect(bench.passesOf(owner)).toBe(1);
    await bench.clock.advance(200);
    expect(bench.passesOf(owner)).toBe(2);
    expect(bench.metrics.valueOf(coreMetrics.staleReads, { controller: 'probe' })).toBe(1);
    expect(cache.waiting, 'nobody is left waiting').toBe(0);
    await bench.controller.stop(new Error('done'));
  });

  it('of one owner do not hold up another owner', async () => {
    const { bench, children, cache } = setUp();
    bench.store('one');
    cache.hold();
    bench.start({ children: [children] });
    await bench.clock.settle();
    const other = bench.store('two');
    await bench.clock.settle();
    expect(bench.passesOf(other)).toBe(1);
    await bench.controller.stop(new Error('done'));
  });
});
