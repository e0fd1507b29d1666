import type { CoreStatus } from '../../../../src/core/controller/status.ts';
import type { KubeObject, ObjectMeta } from '../../../../src/core/objects/kube-object.ts';

export const PROBE_FINALIZER = 'albridge.io/probe';

/** A kind that exists only in these tests: a size that the world should have. */
export interface Probe extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status?: ProbeStatus;
}

export interface ProbeStatus extends CoreStatus {
  readonly arn?: string;
}

/** Not stored yet: no uid, no versions. */
export function probe(name = 'one', metadata: Partial<ObjectMeta> = {}): Probe {
  return {
    apiVersion: 'tests.albridge.io/v1',
    kind: 'Probe',
    metadata: { name, namespace: 'web', ...metadata },
    spec: { size: 1 },
  };
}
