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
  /** Guarded by UID: another pod of the same name stays. Throws OperatorError for anything else. */
  evict(pod: KubeObject): Promise<Eviction>;
}
