import { describe, expect, it } from 'vitest';
import { classifyChild } from '../../../../src/core/children/child-state.ts';
import { ensureOwned } from '../../../../src/core/children/owned-objects.ts';
import type { KubeObject, OwnerReference } from '../../../../src/core/objects/kube-object.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { type Probe, probe } from '../controller/probe.ts';

type Part = KubeObject & { readonly spec: object };

function part(spec: object): Part {
  const metadata = { name: 'part', namespace: 'web' };
  return { apiVersion: 'tests.albridge.io/v1', kind: 'Part', metadata, spec };
}

const desired = part({ size: 1 });

/** What `ensureOwned` makes of the desired part, and its owner. */
async function made(): Promise<{ readonly owner: Probe; readonly child: Part }> {
  const kube = new FakeKube();
  const owner = kube.create(probe());
  const observed = kube.cache<Part>('Part');
  const { signal } = new AbortController();
  await ensureOwned(owner, { desired: [desired], observed, writer: kube.childWriter(), signal });
  return { owner, child: kube.get(desired) as Part };
}

function ownedBy(child: Part, reference: Partial<OwnerReference>): Part {
  const [ours] = child.metadata.ownerReferences ?? [];
  const ownerReferences = [{ ...(ours as OwnerReference), ...reference }];
  return { ...child, metadata: { ...child.metadata, ownerReferences } };
}

describe('the place of a child that is replaced rather than changed', () => {
  const cases: Readonly<
    Record<string, { why: string; seen: (child: Part) => Part | undefined; is: string }>
  > = {
    'with nothing in it': { why: 'to be created', seen: () => undefined, is: 'absent' },
    'with what was created': { why: 'as desired', seen: (child) => child, is: 'current' },
    'with what others have changed': {
      why: 'it was written as it is desired; mending is for ensureOwned',
      seen: (child) => ({ ...child, spec: { size: 9, theirs: true } }),
      is: 'current',
    },
    'with what others have taken the annotations from': {
      why: 'nothing else of it differs',
      seen: (child) => ({ ...child, metadata: { ...child.metadata, annotations: {} } }),
      is: 'current',
    },
    'with what others have taken the annotations from, of another spec': {
      why: 'its fields tell',
      seen: (child) => ({
        ...child,
        metadata: { ...child.metadata, annotations: {} },
        spec: { size: 9 },
      }),
      is: 'outdated',
    },
    'with what is being deleted': {
      why: 'its successor cannot be created yet',
      seen: (child) => ({
        ...child,
        metadata: { ...child.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      }),
      is: 'terminating',
    },
    'with what has no owner': {
      why: 'foreign: ensureOwned refuses it',
      seen: (child) => ({ ...child, metadata: { ...child.metadata, ownerReferences: [] } }),
      is: 'absent',
    },
    'with what belongs to another owner': {
      why: 'foreign: ensureOwned refuses it',
      seen: (child) => ownedBy(child, { name: 'other', uid: 'uid-77' }),
      is: 'absent',
    },
    'with what belongs to the same name of another kind': {
      why: 'foreign: it lives',
      seen: (child) => ownedBy(child, { kind: 'Other', uid: 'uid-77' }),
      is: 'absent',
    },
    'with what belongs to the same name in another group': {
      why: 'foreign: it lives',
      seen: (child) => ownedBy(child, { apiVersion: 'other.example/v1', uid: 'uid-77' }),
      is: 'absent',
    },
    'with what an earlier owner of this name has left': {
      why: 'the garbage collector takes it, whatever version its reference names',
      seen: (child) => ownedBy(child, { apiVersion: 'tests.albridge.io/v9', uid: 'uid-77' }),
      is: 'stale',
    },
  };

  it.each(Object.entries(cases))('%s', async (_name, { seen, is, why }) => {
    const { owner, child } = await made();
    expect(classifyChild(owner, seen(child), desired).kind, why).toBe(is);
  });

  it('with what was desired before is outdated', async () => {
    const { owner, child } = await made();
    expect(classifyChild(owner, child, part({ size: 2 }))).toEqual({ kind: 'outdated', child });
    expect(classifyChild(owner, child, part({ size: 1, more: true })).kind).toBe('outdated');
    expect(classifyChild(owner, child, part({})).kind, 'a field is no longer desired').toBe(
      'outdated',
    );
  });
});
