import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../../../src/core/objects/kube-object.ts';
import type { Change } from '../../../../src/core/ports/cache.ts';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import { IndexedCache } from '../../../../src/kube/watch/object-cache.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

const kind: ResourceKind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

interface Seed {
  readonly name: string;
  readonly rv: string;
  readonly uid?: string;
  readonly owner?: string;
}

function raw({ name, rv, uid = `uid-${name}`, owner }: Seed): object {
  const references = [
    { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'not-the-controller' },
    { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: owner, controller: true },
  ];
  return {
    metadata: {
      name,
      namespace: 'web',
      uid,
      resourceVersion: rv,
      managedFields: [{ manager: 'kubectl' }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      ...(owner !== undefined && { ownerReferences: references }),
    },
    data: { nested: { deep: ['x'] } },
  };
}

let log: SilentLogger;
let metrics: RecordingMetrics;
let cache: IndexedCache<KubeObject>;
let seen: string[];

function seed(...seeds: readonly Seed[]): KubeObject[] {
  return seeds.map((one) => cache.ingest(raw(one)));
}

function describeChange(change: Change<KubeObject>): string {
  const { name, resourceVersion } = change.object.metadata;
  const text = `${change.kind} ${name}@${resourceVersion}`;
  if (change.kind === 'added') return change.isInitial ? `initially ${text}` : text;
  if (change.kind === 'deleted') return text;
  return `${text} after ${change.previous.metadata.resourceVersion}`;
}

beforeEach(() => {
  log = new SilentLogger();
  metrics = new RecordingMetrics();
  cache = new IndexedCache({ kind, log, metrics });
  seen = [];
});

function watchCache(): () => void {
  return cache.subscribe((change) => seen.push(describeChange(change)));
}

describe('objects of the cache', () => {
  it('are stamped, stripped of metadata that is not read and frozen all the way down', () => {
    const [object] = seed({ name: 'a', rv: '1' });
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'web', uid: 'uid-a', resourceVersion: '1' },
      data: { nested: { deep: ['x'] } },
    });
    const { data } = object as unknown as { data: { nested: { deep: string[] } } };
    expect(() => data.nested.deep.push('y')).toThrow(TypeError);
    expect(Object.isFrozen(object?.metadata)).toBe(true);
  });

  it('carry the apiVersion of their group', () => {
    const grouped = new IndexedCache({
      kind: { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
      log,
      metrics,
    });
    const object = grouped.ingest(raw({ name: 'a', rv: '1' }));
    expect(object).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment' });
  });
});

describe('replace', () => {
  it('reports deletions with the last state known, additions and updates, and is silent on the rest', () => {
    cache.replace(
      seed({ name: 'same', rv: '1' }, { name: 'gone', rv: '2' }, { name: 'old', rv: '3' }),
      '3',
    );
    watchCache();
    seen.length = 0;
    cache.replace(
      seed({ name: 'same', rv: '1' }, { name: 'old', rv: '5' }, { name: 'new', rv: '6' }),
      '6',
    );
    expect(seen.toSorted()).toEqual(['added new@6', 'deleted gone@2', 'updated old@5 after 3']);
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['same', 'old', 'new']);
  });

  it('takes an object of the same name and another UID as the end of the one and the birth of the other', () => {
    cache.replace(seed({ name: 'a', rv: '1', uid: 'first' }), '1');
    watchCache();
    seen.length = 0;
    cache.replace(seed({ name: 'a', rv: '9', uid: 'second' }), '9');
    expect(seen).toEqual(['deleted a@1', 'added a@9']);
  });

  it('shows every subscriber the new state whole', () => {
    const sizes: number[] = [];
    cache.subscribe(() => sizes.push(cache.list().length));
    cache.replace(seed({ name: 'a', rv: '1' }, { name: 'b', rv: '2' }), '2');
    expect(sizes).toEqual([2, 2]);
  });

  it('marks additions as initial only the first time', () => {
    watchCache();
    cache.replace(seed({ name: 'a', rv: '1' }), '1');
    cache.replace(seed({ name: 'a', rv: '1' }, { name: 'b', rv: '2' }), '2');
    cache.apply({ type: 'ADDED', object: seed({ name: 'c', rv: '3' })[0] as KubeObject });
    expect(seen).toEqual(['initially added a@1', 'added b@2', 'added c@3']);
  });
});

describe('apply', () => {
  it('adds, updates and deletes; the deleted object is the last state sent', () => {
    watchCache();
    const [first, second, third] = seed(
      { name: 'a', rv: '1' },
      { name: 'a', rv: '2' },
      { name: 'a', rv: '3' },
    ) as [KubeObject, KubeObject, KubeObject];
    cache.apply({ type: 'ADDED', object: first });
    expect(cache.get('web/a')).toBe(first);
    cache.apply({ type: 'MODIFIED', object: second });
    expect(cache.get('web/a')).toBe(second);
    cache.apply({ type: 'DELETED', object: third });
    expect(cache.get('web/a')).toBeUndefined();
    expect(seen).toEqual(['added a@1', 'updated a@2 after 1', 'deleted a@3']);
  });

  it('is silent on a state it holds and on the deletion of what it does not hold', () => {
    const [object] = seed({ name: 'a', rv: '1' }) as [KubeObject];
    cache.apply({ type: 'ADDED', object });
    watchCache();
    seen.length = 0;
    cache.apply({ type: 'ADDED', object });
    cache.apply({ type: 'DELETED', object: seed({ name: 'b', rv: '4' })[0] as KubeObject });
    expect(seen).toEqual([]);
  });
});

describe('listOwned', () => {
  it('follows the controller reference through update, re-parenting and deletion', () => {
    const names = (uid: string): string[] => cache.listOwned(uid).map((o) => o.metadata.name);
    cache.replace(
      seed(
        { name: 'a', rv: '1', owner: 'p' },
        { name: 'b', rv: '2', owner: 'p' },
        { name: 'c', rv: '3' },
      ),
      '3',
    );
    expect(names('p')).toEqual(['a', 'b']);
    expect(names('not-the-controller')).toEqual([]);
    const [moved, freed] = seed({ name: 'a', rv: '4', owner: 'q' }, { name: 'b', rv: '5' }) as [
      KubeObject,
      KubeObject,
    ];
    cache.apply({ type: 'MODIFIED', object: moved });
    cache.apply({ type: 'MODIFIED', object: freed });
    expect([names('p'), names('q')]).toEqual([[], ['a']]);
    cache.apply({ type: 'DELETED', object: moved });
    expect(names('q')).toEqual([]);
    expect(cache.get('web/a')).toBeUndefined();
  });

  it('returns the latest state', () => {
    cache.replace(seed({ name: 'a', rv: '1', owner: 'p' }), '1');
    cache.apply({
      type: 'MODIFIED',
      object: seed({ name: 'a', rv: '2', owner: 'p' })[0] as KubeObject,
    });
    expect(cache.listOwned('p').map((o) => o.metadata.resourceVersion)).toEqual(['2']);
  });
});

describe('subscribers', () => {
  it('get what is held as initial adds, then changes, until they leave', () => {
    cache.replace(seed({ name: 'a', rv: '1' }), '1');
    const leave = watchCache();
    cache.apply({ type: 'ADDED', object: seed({ name: 'b', rv: '2' })[0] as KubeObject });
    leave();
    cache.apply({ type: 'ADDED', object: seed({ name: 'c', rv: '3' })[0] as KubeObject });
    expect(seen).toEqual(['initially added a@1', 'added b@2']);
  });

  it('that throw are logged and counted, and the others are still called', () => {
    cache.subscribe(() => {
      throw new Error('broken mapper');
    });
    watchCache();
    cache.replace(seed({ name: 'a', rv: '1' }, { name: 'b', rv: '2' }), '2');
    expect(seen).toEqual(['initially added a@1', 'initially added b@2']);
    expect(metrics.valueOf(kubeMetrics.subscriberErrors, { name: 'configmaps' })).toBe(2);
    expect(log.lines.map(({ level, fields }) => [level, fields['key']])).toEqual([
      ['error', 'web/a'],
      ['error', 'web/b'],
    ]);
  });

  it('that join during a change see each object once', () => {
    const late: string[] = [];
    let hasJoined = false;
    cache.subscribe(() => {
      if (!hasJoined) cache.subscribe((change) => late.push(describeChange(change)));
      hasJoined = true;
    });
    cache.replace(seed({ name: 'a', rv: '1' }, { name: 'b', rv: '2' }), '2');
    expect(late).toEqual(['initially added a@1', 'initially added b@2']);
  });

  it('that leave during a change hear no more of it', () => {
    const leave = cache.subscribe((change) => {
      seen.push(describeChange(change));
      leave();
    });
    cache.replace(seed({ name: 'a', rv: '1' }, { name: 'b', rv: '2' }), '2');
    expect(seen).toEqual(['initially added a@1']);
  });

  it('registered twice are called twice, and leave one by one', () => {
    const onChange = (change: Change<KubeObject>): void => void seen.push(describeChange(change));
    const leave = cache.subscribe(onChange);
    cache.subscribe(onChange);
    leave();
    cache.replace(seed({ name: 'a', rv: '1' }), '1');
    expect(seen).toEqual(['initially added a@1']);
  });
});

describe('hasReached', () => {
  const never = new AbortController().signal;

  const moves: Record<string, { move: () => void; why: string }> = {
    'an event': {
      move: () =>
        cache.apply({ type: 'ADDED', object: seed({ name: 'a', rv: '100' })[0] as KubeObject }),
      why: 'our own write came back',
    },
    'a deletion': {
      move: () =>
        cache.apply({ type: 'DELETED', object: seed({ name: 'a', rv: '100' })[0] as KubeObject }),
      why: 'the object is gone meanwhile',
    },
    'a bookmark': { move: () => cache.bookmark('100'), why: 'nothing else happened' },
    'a list': { move: () => cache.replace([], '100'), why: 'a relist sees everything before it' },
  };
  it.each(Object.entries(moves))('resolves when %s moves the cache there', async (_, { move }) => {
    cache.replace([], '9');
    const reached = cache.hasReached('100', never);
    cache.bookmark('99');
    await expect(Promise.race([reached, Promise.resolve('waits')])).resolves.toBe('waits');
    move();
    await expect(reached).resolves.toBe(true);
    await expect(cache.hasReached('100', never)).resolves.toBe(true);
  });

  it('compares versions as numbers, and an older bookmark does not move the cache back', async () => {
    cache.bookmark('1000');
    cache.bookmark('999');
    await expect(cache.hasReached('1000', never)).resolves.toBe(true);
    await expect(cache.hasReached('999', never)).resolves.toBe(true);
  });

  it('resolves to false when the signal aborts first, and leaves no listener behind', async () => {
    const giveUp = new AbortController();
    const reached = cache.hasReached('5', giveUp.signal);
    giveUp.abort();
    await expect(reached).resolves.toBe(false);
    await expect(cache.hasReached('5', giveUp.signal)).resolves.toBe(false);
    await expect(cache.hasReached('5', AbortSignal.abort())).resolves.toBe(false);
  });

  it('lets go of the signal when it resolves', async () => {
    const { signal } = new AbortController();
    const reached = cache.hasReached('5', signal);
    cache.bookmark('5');
    await reached;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('follows a list back after the store was restored', async () => {
    cache.bookmark('1000');
    cache.replace([], '10');
    await expect(cache.hasReached('10', never)).resolves.toBe(true);
    await expect(cache.hasReached('1000', AbortSignal.abort())).resolves.toBe(false);
  });

  it('has counted the jump back when it reports an older state', () => {
    cache.replace(seed({ name: 'a', rv: '1000' }), '1000');
    const rewinds: number[] = [];
    cache.subscribe((change) => {
      if (change.kind === 'updated') rewinds.push(cache.countRewinds());
    });
    cache.replace(seed({ name: 'a', rv: '10' }), '10');
    expect(rewinds).toEqual([1]);
  });
});
