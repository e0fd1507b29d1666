import type { KubeObject } from '../objects/kube-object.ts';

/** The action of each event about a repair of what was changed outside albridge: they are counted. */
export const REPAIR = 'Repair';

/** One line under `kubectl describe`; https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  /** Stable CamelCase word, at most 128 characters. */
  readonly reason: string;
  /** The operator's action: a CamelCase verb, at most 128 characters. */
  readonly action: string;
  /** A sentence; cut to 1024 bytes. */
  readonly note: string;
}

/** Never blocks and never throws: a lost event is better than a late pass. */
export interface EventRecorder {
  record(regarding: KubeObject, event: EventDraft): void;
}
