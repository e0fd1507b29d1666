import type { KubeObject } from '../../../../../src/core/objects/kube-object.ts';

/** A Node as the API server gives it. */
export interface NodeDraft extends KubeObject {
  readonly spec?: object;
  readonly status?: object;
}

interface NodePlan {
  /** Of the condition Ready. */
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly providerID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
}

export function instanceOf(index: number): string {
  return `i-${String(index).padStart(17, '0')}`;
}

export function draftNode(index: number, plan: NodePlan = {}): NodeDraft {
  const { ready = 'True', labels = {}, ...spec } = plan;
  return {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${index}`, labels } },
    spec: { providerID: `aws:///us-east-1a/${instanceOf(index)}`, ...spec },
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status: ready },
      ],
    },
  };
}
