import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/core/kube-object.ts';
import { UnseenWrites } from '../../../src/core/unseen-writes.ts';
import { LifecycleBench } from './lifecycle-bench.ts';
import { type Probe, probe } from './probe.ts';

/** A probe of one UID, as it was at a version. */
function at(resourceVersion: string, uid = 'one'): Probe {
  const made = probe('shop');
  return { ...made, metadata: { ...made.metadata, uid, resourceVersion } };
}

function open(held: Probe | undefined): {
  readonly writes: UnseenWrites<Probe>;
  readonly show: (object: Probe | undefined) => void;
} {
  let shown = held;
  const writes = new UnseenWrites<Probe>({ get: (_key: Key) => shown });
  return { writes, show: (object) => void (shown = object) };
}

describe('our own writes that the cache has not shown', () => {
  it('are newer than what the cache holds, by number and not by text', () => {
    const { writes } = open(at('99'));
    writes.keep(at('100'));
    expect(writes.newest(at('99')).metadata.resourceVersion).toBe('100');
  });

  it('give way to a later state that the cache holds', () => {
    const { writes } = open(at('99'));
    writes.keep(at('100'));
    expect(writes.newest(at('101')).metadata.resourceVersion).toBe('101');
  });

  it('are those of the latest write, in whatever order the answers come', () => {
    const { writes } = open(at('99'));
    writes.keep(at('103'));
    writes.keep(at('101'));
    expect(writes.newest(at('99')).metadata.resourceVersion).toBe('103');
  });

  it('say nothing about another object of that name', () => {
    const { writes } = open(at('99'));
    writes.keep(at('100'));
    expect(writes.newest(at('98', 'two')).metadata.uid).toBe('two');
  });

  it('are forgotten as soon as the cache tells of them or of anything later', () => {
    const { writes } = open(at('99'));
    writes.keep(at('100'));
    writes.seen(at('99'));
    expect(writes.size).toBe(1);
    writes.seen(at('100'));
    expect(writes.size).toBe(0);
  });

  it('are not kept where the cache was faster than the answer, or has let the object go', () => {
    const { writes, show } = open(at('100'));
    writes.keep(at('100'));
    expect(writes.size).toBe(0);
    show(undefined);
    writes.keep(at('101'));
    expect(writes.size).toBe(0);
  });
});

describe('a pass over an object that the cache shows too late', () => {
  it('writes the status that is right again although the old one reads the same', async () => {
    const bench = new LifecycleBench();
    const settled = { kind: 'settled', reason: 'Fine', message: 'all is well' } as const;
    const waiting = { kind: 'waiting', reason: 'Slow', message: 'wait', againAfterMs: 1 } as const;
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
});
