import { describe, expect, it } from 'vitest';
import type { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { createWorkloads } from '../../../../src/kube/write/workloads.ts';
import type { Workload, WorkloadKind } from '../../../../src/pods/workloads.ts';

const annotations = { 'deployment.kubernetes.io/revision': '7' };

async function readWorkload(kind: WorkloadKind, of: object): Promise<Workload | undefined> {
  const request = (): Promise<object> => Promise.resolve({ spec: {}, ...of });
  const workloads = createWorkloads({ request } as unknown as KubeClient);
  return workloads.read({ kind, namespace: 'web', name: 'shop' });
}

async function readRevision(kind: WorkloadKind, of: object): Promise<string | undefined> {
  return (await readWorkload(kind, of))?.revision;
}

describe('the controller of a ReplicaSet', () => {
  it.each([
    ['its Deployment', true, 'd1'],
    ['not another owner', false, undefined],
  ])('is %s', async (_, controller, uid) => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: 'd1' };
    const metadata = { ownerReferences: [{ ...owner, controller }] };
    expect((await readWorkload('ReplicaSet', { metadata }))?.controllerUid).toBe(uid);
  });
});

describe('the revision of a workload', () => {
  it.each([
    ['Deployment', { metadata: { generation: 2, annotations } }, '7'],
    [
      'StatefulSet',
      { metadata: { generation: 2 }, status: { updateRevision: 'shop-5d9c' } },
      'shop-5d9c',
    ],
    ['DaemonSet', { metadata: { generation: 2 } }, undefined],
  ] as const)('of %s is that of the observed template alone', async (kind, object, revision) => {
    const observed = (observedGeneration: number): object => {
      return {
        ...object,
        status: { ...('status' in object && object.status), observedGeneration },
      };
    };
    expect(await readRevision(kind, observed(2))).toBe(revision);
    expect(await readRevision(kind, observed(1))).toBeUndefined();
  });

  it('of a ReplicaSet is known also while it is scaled', async () => {
    const metadata = { generation: 2, annotations };
    expect(await readRevision('ReplicaSet', { metadata, status: { observedGeneration: 1 } })).toBe(
      '7',
    );
  });
});
