import type { KubeObject } from './kube-object.ts';

/** What the eviction API answered; `message` is its own sentence. */
export type Eviction =
  /** The pod goes, or is gone. */
  | { readonly kind: 'evicted' }
  /** A disruption budget does not allow it now. */
  | { readonly kind: 'blocked'; readonly message: string }
  /** Two disruption budgets select the pod: it is refused until a person changes that. */
  | { readonly kind: 'ambiguous'; readonly message: string };

/** https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/ */
export interface PodEvictor {
  /** Guarded by UID: Conflict where another pod has taken the name. Throws OperatorError. */
  evict(pod: KubeObject): Promise<Eviction>;
  /** The same without asking any budget. */
  delete(pod: KubeObject): Promise<Eviction>;
}
