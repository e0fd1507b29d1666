/** `namespace/name` of an application: its Deployment, and the beginning of all names around it. */
export type AppKey = `${string}/${string}`;

/**
 * What a ConfigMap holds. Programs that read a text beginning with `bad` start and never get ready;
 * those that read one beginning with `frail` get ready and end seconds later.
 */
export interface Content {
  readonly text: string;
  /** Goes into binaryData, in base64. */
  readonly blob?: string;
}

export interface MonitorPlan {
  readonly strategy?: 'Evict' | 'Delete' | 'Rollout';
  readonly maxUnavailable?: number | string;
  readonly debounceSeconds?: number;
  readonly minIntervalSeconds?: number;
  readonly progressDeadlineSeconds?: number;
  readonly unmanagedPods?: 'Evict' | 'Skip';
  readonly suspend?: boolean;
  /** Of the article, instead of configMap. */
  readonly isLowerCase?: boolean;
}

export type ConfigAction =
  /** Makes the ConfigMap, or gives it this content. */
  | { readonly do: 'fill'; readonly at: AppKey; readonly content: Content }
  /** Changes labels and annotations, not data. */
  | { readonly do: 'label'; readonly at: AppKey; readonly value: string }
  | { readonly do: 'remove'; readonly at: AppKey }
  /** The annotation of the article; null takes it off. */
  | { readonly do: 'annotate'; readonly at: AppKey; readonly selector: string | null }
  /** Makes a StatefulSet of that name. */
  | { readonly do: 'deploySet'; readonly at: AppKey; readonly replicas: number }
  /** Makes the Deployment, or scales it. */
  | { readonly do: 'deploy' | 'scale'; readonly at: AppKey; readonly replicas: number }
  /** A pod that nobody would start again, or one of a Job. */
  | { readonly do: 'addPod'; readonly at: AppKey; readonly of: 'nobody' | 'Job' }
  | {
      readonly do: 'monitor' | 'editMonitor';
      readonly at: AppKey;
      readonly index: number;
      readonly plan: MonitorPlan;
    }
  /** Whoever may write /status names all pods there that the object does not select. */
  | { readonly do: 'forge'; readonly at: AppKey; readonly index: number }
  /** From now on a webhook refuses that the pod is evicted. */
  | { readonly do: 'guard'; readonly at: AppKey; readonly nth: number }
  /** Somebody's own ConfigMonitor of the name that albridge would give; `leave` takes it away. */
  | { readonly do: 'squat' | 'leave'; readonly at: AppKey }
  | {
      readonly do: 'unmonitor' | 'pause' | 'goOn';
      readonly at: AppKey;
      readonly index: number;
    }
  /** What befalls one of its pods. */
  | {
      readonly do: 'pod';
      readonly at: AppKey;
      readonly nth: number;
      readonly what: 'deleted' | 'failed';
    }
  /** A PodDisruptionBudget; null takes it away. */
  | {
      readonly do: 'budget';
      readonly at: AppKey;
      readonly index: number;
      readonly minAvailable: number | null;
    };
