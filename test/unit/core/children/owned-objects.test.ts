import { beforeEach, describe, expect, it } from 'vitest';
import { ensureOwned } from '../../../../src/core/children/owned-objects.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import {
  OperatorError,
  type OperatorErrorOptions,
} from '../../../../src/core/reconcile/operator-error.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { type Probe, probe } from '../controller/probe.ts';

interface Part extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

describe('ensureOwned', () => {
  let kube: FakeKube;
  let cache: FakeCache<Part>;
  let owner: Probe;
  const { signal } = new AbortController();

  beforeEach(() => {
    kube = new FakeKube();
    cache = kube.cache<Part>('Part');
    owner = kube.create(probe());
  });

  const ensure = (...desired: readonly Part[]): Promise<void> =>
    ensureOwned(owner, { desired, observed: cache, writer: kube.childWriter(), signal });
  const verbs = (): readonly string[] => kube.writes.map(({ verb, key }) => `${verb} ${key}`);
  const specOf = (name: string): Part['spec'] | undefined => kube.get(part(name))?.spec;

  it('creates what is missing, with the owner as its controller', async () => {
    await ensure(part('a', { size: 1 }), part('b'));
    expect(verbs()).toEqual(['create web/a', 'create web/b']);
    expect(kube.get(part('a'))?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'tests.albridge.io/v1',
        kind: 'Probe',
        name: 'one',
        uid: owner.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(cache.listOwned(owner.metadata.uid as string)).toHaveLength(2);
  });

  it('writes nothing in a second pass, whatever the server and others have added', async () => {
    const desired = part('a', { size: 1, list: [{ port: 80 }] });
    await ensure(desired);
    kube.edit(desired, (live) => ({
      ...live,
      metadata: { ...live.metadata, labels: { theirs: 'yes' } },
      spec: { ...live.spec, defaulted: true, list: [{ port: 80, protocol: 'TCP' }] },
    }));
    const before = verbs().length;
    await ensure(desired);
    expect(verbs()).toHaveLength(before);
  });

  it('writes no further child once its pass is over, however many are missing or too many', async () => {
    await ensure(part('old'), part('older'));
    const before = verbs().length;
    const pass = new AbortController();
    const desired = [part('a'), part('b'), part('c')];
    const ensuring = ensureOwned(owner, {
      ...{ desired, observed: cache, writer: kube.childWriter(), signal: pass.signal },
      onChange: () => pass.abort(new Error('the pass is over')),
    });
    await expect(ensuring).rejects.toThrow('the pass is over');
    expect(verbs().slice(before)).toEqual(['delete web/old']);
    const pruning = ensureOwned(owner, {
      ...{ desired: [], observed: cache, writer: kube.childWriter(), signal: pass.signal },
    });
    await expect(pruning).rejects.toThrow('the pass is over');
    expect(verbs()).toHaveLength(before + 1);
  });

  it('reads a spec that many children share once, however long it is', async () => {
    let reads = 0;
    const spec = {
      get text() {
        reads += 1;
        return 'x'.repeat(1000);
      },
    };
    const desired = Array.from({ length: 50 }, (_, at) => ({ ...part(`a-${at}`), spec }));
    const silent = { ...kube.childWriter(), create: async () => undefined, get: async () => owner };
    const observed = { get: () => undefined, listOwned: () => [] };
    await ensureOwned(owner, {
      desired,
      observed,
      writer: silent,
      isFollowed: () => true,
      signal,
    });
    expect(reads).toBe(1);
  });

  const drifts: Record<string, { why: string; change: (live: Part) => Part }> = {
    'a changed field': {
      why: 'somebody edited it',
      change: (live) => ({ ...live, spec: { ...live.spec, size: 2 } }),
    },
    'a longer list': {
      why: 'lists are compared item by item',
      change: (live) => ({ ...live, spec: { ...live.spec, list: [{ port: 80 }, { port: 81 }] } }),
    },
    'a missing field': {
      why: 'somebody removed it',
      change: (live) => ({ ...live, spec: { list: [{ port: 80 }] } }),
    },
  };

  it.each(Object.entries(drifts))('applies again after %s', async (_name, { change, why }) => {
    const desired = part('a', { size: 1, list: [{ port: 80 }] });
    await ensure(desired);
    kube.edit(desired, change);
    await ensure(desired);
    expect(specOf('a'), why).toEqual(desired.spec);
    expect(verbs().at(-1), why).toBe('apply web/a');
  });

  it('removes a field that is no longer desired, which is seen from the hash alone', async () => {
    await ensure(part('a', { size: 1, extra: 'yes' }));
    await ensure(part('a', { size: 1 }));
    expect(specOf('a')).toEqual({ size: 1 });
    const before = verbs().length;
    await ensure(part('a', { size: 1 }));
    expect(verbs()).toHaveLength(before);
  });

  it('prunes what is ours and no longer desired, and nothing else', async () => {
    const stranger = kube.create(part('stranger'));
    await ensure(part('a'), part('b'));
    await ensure(part('b'));
    expect(kube.get(part('a'))).toBeUndefined();
    expect(kube.get(part('b'))).toBeDefined();
    expect(kube.get(stranger)).toBeDefined();
  });

  it('does not delete again what is on its way out', async () => {
    await ensure(part('a'));
    kube.editMeta(part('a'), { finalizers: ['example.com/slow'] });
    await ensure();
    await ensure();
    expect(verbs()).toEqual(['create web/a', 'delete web/a']);
  });

  it.each([
    ['without a controller', undefined, 'has no controller'],
    ['of another controller', 'uid-of-another', 'belongs to Probe other'],
  ])('refuses a foreign object %s, and ensures the others', async (_what, uid, says) => {
    await ensure(part('old'));
    const foreign = kube.create(ownedPart('a', uid));
    await expect(ensure(part('a', { size: 9 }), part('b'))).rejects.toMatchObject({
      reason: 'NameConflict',
      healedBy: 'person',
      message: expect.stringContaining(says),
    });
    expect(verbs()).toEqual(['create web/old', 'delete web/old', 'create web/b']);
    expect(kube.get(part('a'))).toEqual(foreign);
  });

  it('throws the first refusal that a person heals, and writes what is not refused', async () => {
    const refuse = (name: string, healedBy: 'person' | 'time'): void =>
      kube.refuse('create', `web/${name}`, failure(name, { healedBy }));
    refuse('a', 'time');
    refuse('b', 'person');
    refuse('c', 'person');
    const desired = ['a', 'b', 'c', 'd'].map((name) => part(name));
    await expect(ensure(...desired)).rejects.toThrow('no b');
    expect(kube.server.list('Part').map(({ metadata }) => metadata.name)).toEqual(['d']);
    await expect(ensure(part('a'), part('e'))).rejects.toThrow('no a');
    expect(kube.server.list('Part').map(({ metadata }) => metadata.name)).toEqual(['e']);
  });

  it('writes nothing more once the API server is away', async () => {
    kube.refuse('create', 'web/a', failure('a', { healedBy: 'time', isUnanswered: true }));
    await expect(ensure(part('a'), part('b'))).rejects.toThrow('no a');
    expect(kube.server.list('Part')).toEqual([]);
  });

  it('ensures a child behind any number of foreign objects', async () => {
    const desired = Array.from({ length: 12 }, (_, at) => part(`a-${at}`));
    for (const foreign of desired.slice(0, 11)) kube.create(foreign);
    await expect(ensure(...desired)).rejects.toMatchObject({ reason: 'NameConflict' });
    expect(kube.get(part('a-11'))).toBeDefined();
  });

  it('refuses a foreign object that the cache does not show yet', async () => {
    cache.hold();
    const foreign = kube.create(part('a', { size: 9 }));
    await expect(ensure(part('a', { size: 1 }))).rejects.toMatchObject({ reason: 'NameConflict' });
    expect(kube.get(part('a'))).toEqual(foreign);
  });

  it('finds its own child behind a cache that lags: applied, not made twice', async () => {
    cache.hold();
    await ensure(part('a', { size: 1 }));
    await ensure(part('a', { size: 2 }));
    expect(specOf('a')).toEqual({ size: 2 });
    expect(kube.server.list('Part')).toHaveLength(1);
  });

  it('is a Conflict where the child was created again behind the cache', async () => {
    await ensure(part('a', { size: 1 }));
    cache.hold();
    kube.delete(part('a'));
    const foreign = kube.create(part('a', { size: 9 }));
    await expect(ensure(part('a', { size: 2 }))).rejects.toMatchObject({ reason: 'Conflict' });
    expect(kube.get(part('a'))).toEqual(foreign);
  });

  it('creates again what someone deleted', async () => {
    await ensure(part('a', { size: 1 }));
    kube.delete(part('a'));
    await ensure(part('a', { size: 1 }));
    expect(specOf('a')).toEqual({ size: 1 });
  });

  it('keeps the annotations that are desired beside its own', async () => {
    const annotated = {
      ...part('a'),
      metadata: { ...part('a').metadata, annotations: { a: 'b' } },
    };
    await ensure(annotated);
    expect(kube.get(part('a'))?.metadata.annotations).toMatchObject({ a: 'b' });
  });

  function ownedPart(name: string, uid: string | undefined): Part {
    const draft = part(name);
    if (uid === undefined) return draft;
    const { apiVersion, kind } = owner;
    const reference = { apiVersion, kind, name: 'other', uid, controller: true };
    return { ...draft, metadata: { ...draft.metadata, ownerReferences: [reference] } };
  }
});

function failure(
  name: string,
  options: Pick<OperatorErrorOptions, 'healedBy' | 'isUnanswered'>,
): OperatorError {
  return new OperatorError({ reason: 'Refused', message: `no ${name}`, ...options });
}

function part(name: string, spec: Part['spec'] = {}): Part {
  return {
    apiVersion: 'tests.albridge.io/v1',
    kind: 'Part',
    metadata: { name, namespace: 'web' },
    spec,
  };
}
