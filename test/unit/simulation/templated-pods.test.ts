import { describe, expect, it } from 'vitest';
import { PODS } from '../../simulation/api-model/kinds.ts';
import type { Commit } from '../../simulation/api-model/object-table.ts';
import { definedKind } from '../../simulation/served-definition.ts';
import { ReplacedPods } from '../../simulation/templated-pods.ts';
import type { Stage } from '../../simulation/world/stage.ts';

const OWNER = definedKind('MyApp');
const env = [{ name: 'MODE', value: 'fast' }];
const podTemplate = { spec: { containers: [{ name: 'shop', env }] } };

const owner = {
  metadata: { namespace: 'web', name: 'shop', uid: 'owner' },
  spec: { image: 'nginx:1', podTemplate },
};

function podWith(more: object = {}): object {
  const ownerReferences = [{ kind: 'MyApp', name: 'shop', uid: 'owner', controller: true }];
  return {
    metadata: { namespace: 'web', name: 'shop-pod', uid: 'pod', ownerReferences },
    spec: { containers: [{ name: 'shop', image: 'nginx:1', env, ...more }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

interface Deletion {
  readonly pod?: object;
  /** From the last edit of the owner on. */
  readonly afterMs?: number;
  readonly by?: string;
  /** What the owner was before its last edit. */
  readonly editedFrom?: object;
  readonly isCutOff?: boolean;
}

/** The promises that break when a pod is deleted. */
function judge({
  pod = podWith(),
  afterMs = 200_000,
  by = 'replica-0',
  editedFrom = {},
  isCutOff = false,
}: Deletion): readonly string[] {
  const broken: string[] = [];
  let nowMs = 0;
  const stage = {
    clock: { monotonicMs: () => nowMs },
    report: (promise: string) => broken.push(promise),
    isCutOff: () => isCutOff,
  };
  const pods = new ReplacedPods(stage as unknown as Stage, OWNER);
  const first = { ...owner, spec: { ...owner.spec, ...editedFrom } };
  for (const object of [first, owner]) {
    pods.onCommit({ kind: OWNER, type: 'MODIFIED', object, by: 'users' } as unknown as Commit);
  }
  nowMs = afterMs;
  const deletion = { kind: PODS, type: 'DELETED', object: pod, before: pod, by };
  pods.onCommit(deletion as unknown as Commit);
  return broken;
}

describe('a pod that the operator of the simulation deletes', () => {
  it('breaks a promise where it is as its owner wants it', () => {
    expect(judge({})).toEqual(['replaced-once']);
  });

  it.each<[string, Deletion]>([
    ['a moment after an edit of the number of pods', { editedFrom: { replicas: 3 }, afterMs: 10 }],
    [
      'soon after an edit that is seen at once',
      { editedFrom: { image: 'nginx:0' }, afterMs: 6000 },
    ],
  ])('breaks it %s', (_name, deletion) => {
    expect(judge(deletion)).toEqual(['replaced-once']);
  });

  it.each<[string, Deletion]>([
    ['it has another image', { pod: podWith({ image: 'nginx:2' }) }],
    ['it lacks the variables of the template', { pod: podWith({ env: [] }) }],
    ['its owner was edited a short time ago', { editedFrom: { image: 'nginx:0' }, afterMs: 1000 }],
    ['the edit may be unseen', { editedFrom: { image: 'nginx:0' }, afterMs: 9000, isCutOff: true }],
    [
      'another banner is desired',
      { pod: podWith({ env: [...env, { name: 'BANNER', value: 'x' }] }) },
    ],
    ['it was one too many', { editedFrom: { replicas: 0 }, afterMs: 1000 }],
    ['a person has deleted it', { by: 'users' }],
  ])('breaks none where %s', (_name, deletion) => {
    expect(judge(deletion)).toEqual([]);
  });
});
