// Written by crds/mirror.ts from crds/configmonitors.magalix.com/crd.yaml; edit that file, then run `npm run gen`.

/** The spec after admission: what has a default is there. */
export type ConfigMonitorSpec = {
  readonly configMap?: string;
  readonly configmap?: string;
  readonly secret?: string;
  readonly sources?: readonly {
    readonly kind: 'ConfigMap' | 'Secret';
    readonly name: string;
    readonly keys?: readonly string[];
  }[];
  readonly podSelector?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
  readonly strategy: 'Auto' | 'Evict' | 'Delete' | 'Rollout';
  readonly maxUnavailable: number | string;
  readonly debounceSeconds: number;
  readonly minIntervalSeconds: number;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  readonly unmanagedPods: 'Evict' | 'Skip';
  readonly suspend: boolean;
};

/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */
export type ConfigMonitorStatus = {
  readonly observedGeneration: number;
  readonly lastHandledReconcileAt?: string;
  readonly configMap?: string;
  readonly source?: string;
  readonly sources?: readonly {
    readonly kind: 'ConfigMap' | 'Secret';
    readonly name: string;
    readonly keys?: string;
    readonly keyNames?: readonly string[];
    readonly hash: string;
  }[];
  readonly hashKey?: string;
  readonly configHash?: string;
  readonly shortHash?: string;
  readonly lastChangeTime?: string;
  readonly restartedSelection?: string;
  readonly lastRestartTime?: string;
  readonly restarts?: number;
  readonly matchedPods?: number;
  readonly pendingPods?: number;
  readonly progress?: string;
  readonly change?: {
    readonly hash: string;
    readonly recorded: string;
    readonly selector: string;
    readonly sources?: readonly string[];
    readonly pods: readonly string[];
    readonly between: readonly string[];
  };
  readonly deselectedPods?: readonly string[];
  readonly rollout?: {
    readonly hash: string;
    readonly selector?: string;
    readonly sources?: readonly {
      readonly kind: 'ConfigMap' | 'Secret';
      readonly name: string;
      readonly keys?: string;
      readonly keyNames?: readonly string[];
      readonly hash: string;
    }[];
    readonly startTime: string;
    readonly progressTime: string;
    readonly total: number;
    readonly unready: number;
    readonly pods: readonly string[];
    readonly between?: readonly string[];
    readonly owners: readonly {
      readonly name: string;
      readonly uid?: string;
      readonly pods: number;
      readonly firstOrdinal?: number;
      readonly minReadySeconds?: number;
    }[];
  };
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly observedGeneration?: number;
    readonly lastTransitionTime: string;
    readonly reason: string;
    readonly message: string;
  }[];
};
