import type { KubeObject } from '../core/objects/kube-object.ts';

/** The eviction API's answer; `message` is its own sentence. */
export type Eviction =
  /** The pod is being deleted, or is gone. */
  | { readonly kind: 'evicted' }
  /** A disruption budget does not allow it now. */
  | { readonly kind: 'blocked'; readonly message: string }
  /** Two disruption budgets select the pod: it is refused until a person changes that. */
  | { readonly kind: 'ambiguous'; readonly message: string }
  /** The pod is another than the given one by now, and stays. Of the guard `unchanged` only. */
  | { readonly kind: 'changed' };

/**
 * `same`: by UID, Conflict where another pod has taken the name. `unchanged`: by resourceVersion too.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/
 */
export type PodGuard = 'same' | 'unchanged';

/** https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/ */
export interface PodEvictor {
  /** Throws OperatorError. */
  evict(pod: KubeObject, guard: PodGuard): Promise<Eviction>;
  /** The same without asking any budget. */
  delete(pod: KubeObject, guard: PodGuard): Promise<Eviction>;
}

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions */
export interface PodConditionDraft {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly lastTransitionTime: string;
}

/** Writes conditions of ours into the status of pods. */
export interface PodConditionWriter {
  /**
   * Guarded by UID; the others' conditions stay. Returns the pod's resourceVersion with the condition, or
   * undefined where the pod is gone or another one has its name. Throws OperatorError.
   */
  apply(pod: KubeObject, condition: PodConditionDraft): Promise<string | undefined>;
}

/** Which pods of a namespace: those with these labels, as `kubectl get pods -l` takes it, or those of a test. */
export type LivePodsQuery =
  | { readonly labelSelector: string }
  | { readonly isSelected: (pod: KubeObject) => boolean };

/** The pods that there are, past every cache. */
export interface LivePods {
  /** Their UIDs; throws OperatorError. */
  uidsOf(
    namespace: string,
    query: LivePodsQuery,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;
}
