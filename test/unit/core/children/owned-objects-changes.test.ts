import { beforeEach, describe, expect, it } from 'vitest';
import { ensureOwned, type OwnedChange } from '../../../../src/core/children/owned-objects.ts';
import type { FieldPath } from '../../../../src/core/objects/fields.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { type Probe, probe } from '../controller/probe.ts';

interface Part extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

const REPLICAS: FieldPath = ['spec', 'replicas'];

let kube: FakeKube;
let cache: FakeCache<Part>;
let owner: Probe;
let changes: OwnedChange[];

beforeEach(() => {
  kube = new FakeKube();
  cache = kube.cache<Part>('Part');
  owner = kube.create(probe());
  changes = [];
});

function part(spec: Part['spec']): Part {
  const metadata = { name: 'a', namespace: 'web' };
  return { apiVersion: 'tests.albridge.io/v1', kind: 'Part', metadata, spec };
}

function ensure(
  desired: readonly Part[],
  createOnlyFields: readonly FieldPath[] = [],
): Promise<void> {
  const onChange = (change: OwnedChange): void => void changes.push(change);
  const writer = kube.childWriter();
  const { signal } = new AbortController();
  return ensureOwned(owner, {
    desired,
    observed: cache,
    writer,
    signal,
    createOnlyFields,
    onChange,
  });
}

function told(): readonly string[] {
  return changes
    .splice(0)
    .map((change) =>
      'differences' in change ? `${change.kind} ${change.differences.join(', ')}` : change.kind,
    );
}

function edit(spec: Part['spec']): void {
  kube.edit(part({}), (live) => ({ ...live, spec: { ...live.spec, ...spec } }));
}

const live = (): Part['spec'] | undefined => kube.get(part({}))?.spec;

describe('the result of ensureOwned', () => {
  it('is one change for each write that had an effect, and nothing for a second pass', async () => {
    await ensure([part({ size: 1 })]);
    expect(told()).toEqual(['created']);
    await ensure([part({ size: 1 })]);
    expect(told()).toEqual([]);
    await ensure([part({ size: 2 })]);
    expect(told()).toEqual(['updated spec.size']);
    await ensure([]);
    expect(told()).toEqual(['deleted']);
  });

  it('is a repair where others have removed the annotations', async () => {
    await ensure([part({ size: 1 })]);
    told();
    kube.editMeta(part({}), { annotations: {} });
    await ensure([part({ size: 1 })]);
    expect(told()).toEqual(['repaired ']);
  });

  it('is a repair where others have removed ours, and have an annotation of their own', async () => {
    const one = part({ size: 1 });
    const desired = { ...one, metadata: { ...one.metadata, annotations: { ours: 'yes' } } };
    await ensure([desired]);
    told();
    kube.editMeta(part({}), { annotations: { theirs: 'yes' } });
    await ensure([desired]);
    expect(told()).toEqual(['repaired metadata.annotations.ours']);
  });

  it('distinguishes a repair from an update by what was desired before', async () => {
    await ensure([part({ size: 1, color: 'red' })]);
    told();
    edit({ size: 9 });
    await ensure([part({ size: 1, color: 'red' })]);
    expect(told()).toEqual(['repaired spec.size']);
    edit({ size: 9 });
    await ensure([part({ size: 1, color: 'blue' })]);
    expect(told()).toEqual(['updated spec.size, spec.color']);
  });

  it('names no field where one was only to be removed', async () => {
    await ensure([part({ size: 1, color: 'red' })]);
    told();
    await ensure([part({ size: 1 })]);
    expect(told()).toEqual(['updated ']);
    expect(live()).toEqual({ size: 1 });
  });

  it('is nothing where the cache lagged and the world was right already', async () => {
    cache.hold();
    await ensure([part({ size: 1 })]);
    await ensure([part({ size: 1 })]);
    expect(told()).toEqual(['created']);
    expect(kube.writes.map(({ verb }) => verb)).toEqual(['create', 'create']);
  });

  it('comes as soon as a write is done, also when a later one fails', async () => {
    const second = { ...part({}), metadata: { name: 'b', namespace: 'web' } };
    const failing = kube.childWriter();
    const writer = {
      ...failing,
      create: (child: KubeObject) =>
        child.metadata.name === 'b' ? Promise.reject(new Error('no')) : failing.create(child),
    };
    const onChange = (change: OwnedChange): void => void changes.push(change);
    const { signal } = new AbortController();
    const owned = { desired: [part({}), second], observed: cache, writer, signal, onChange };
    await expect(ensureOwned(owner, owned)).rejects.toThrow('no');
    expect(told()).toEqual(['created']);
  });
});

describe('a field that is left to others', () => {
  it('is ours in the create alone', async () => {
    await ensure([part({ size: 1, replicas: 3 })], [REPLICAS]);
    expect(live()).toEqual({ size: 1, replicas: 3 });
    edit({ replicas: 7 });
    await ensure([part({ size: 1, replicas: 3 })], [REPLICAS]);
    await ensure([part({ size: 1, replicas: 4 })], [REPLICAS]);
    expect(kube.writes.map(({ verb }) => verb)).toEqual(['create']);
    expect(live()).toEqual({ size: 1, replicas: 7 });
  });

  it('keeps its value through an update of the rest', async () => {
    await ensure([part({ size: 1, replicas: 3 })], [REPLICAS]);
    edit({ replicas: 7 });
    await ensure([part({ size: 2, replicas: 3 })], [REPLICAS]);
    expect(live()).toEqual({ size: 2, replicas: 7 });
  });

  it('keeps its value when it is left, and is ours again when it is no longer left', async () => {
    await ensure([part({ size: 1, replicas: 3 })]);
    edit({ replicas: 3 });
    await ensure([part({ size: 1, replicas: 3 })], [REPLICAS]);
    expect(live()).toEqual({ size: 1, replicas: 3 });
    edit({ replicas: 7 });
    await ensure([part({ size: 1, replicas: 3 })], [REPLICAS]);
    expect(live()).toEqual({ size: 1, replicas: 7 });
    told();
    await ensure([part({ size: 1, replicas: 3 })]);
    expect(live()).toEqual({ size: 1, replicas: 3 });
    expect(told()).toEqual(['updated spec.replicas']);
  });
});
