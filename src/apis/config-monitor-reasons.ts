interface ReasonEntry {
  /** `nobody`: there is nothing to heal. */
  readonly healedBy: 'person' | 'time' | 'nobody';
  /** What has happened, one sentence without its full stop. */
  readonly cause: string;
  /** What to do next, imperative, one sentence in lower case without its full stop. */
  readonly next: string;
}

/**
 * Every reason that Ready, Reconciling and Stalled of a ConfigMonitor can show, beside those of the
 * API server; the documentation prints this table.
 */
export const configMonitorReasons = {
  Watching: {
    healedBy: 'nobody',
    cause: 'All selected pods have been started with the newest data',
    next: 'edit the ConfigMap: the pods are restarted',
  },
  Suspended: {
    healedBy: 'nobody',
    cause: 'spec.suspend stops every restart; status.pendingPods says how many pods wait',
    next: 'set spec.suspend to false to go on',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every restart',
    next: 'remove the annotation albridge.io/paused to go on',
  },
  ConfigMapMissing: {
    healedBy: 'time',
    cause: 'There is no ConfigMap of this name; no pod is restarted, for it might not start again',
    next: 'create the ConfigMap, or correct spec.configMap',
  },
  Debouncing: {
    healedBy: 'time',
    cause: 'The data has changed, and the quiet period of spec.debounceSeconds is not over',
    next: 'wait',
  },
  MinInterval: {
    healedBy: 'time',
    cause: 'The data has changed again before spec.minIntervalSeconds were over',
    next: 'wait, and find out who changes it so often',
  },
  RolloutStarted: {
    healedBy: 'time',
    cause: 'Pods are being restarted',
    next: 'wait',
  },
  WaitingForReady: {
    healedBy: 'time',
    cause:
      'Restarted pods are missing, not ready, or not ready for long enough, and no more may be unavailable at a time',
    next: 'wait, or check the pod that the message names if it takes long',
  },
  PDBBlocked: {
    healedBy: 'time',
    cause: 'A PodDisruptionBudget does not allow a pod to be evicted now; albridge keeps asking',
    next: 'look at its budget: kubectl get pdb; a single pod with minAvailable 1 is never evicted',
  },
  MultiplePDBs: {
    healedBy: 'person',
    cause: 'Two PodDisruptionBudgets select one pod, and then Kubernetes evicts it never',
    next: 'make one of the budgets select other pods, or set spec.strategy to Delete',
  },
  ProgressDeadlineExceeded: {
    healedBy: 'person',
    cause:
      'Restarted pods did not become available within spec.progressDeadlineSeconds; the pods that were not restarted yet go on running',
    next: 'correct the data, which begins the restart anew, or help the pod that the message names',
  },
  WorkloadPaused: {
    healedBy: 'person',
    cause: 'spec.strategy is Rollout, and a Deployment of the selected pods is paused',
    next: 'kubectl rollout resume the Deployment that the message names',
  },
  TooManyPods: {
    healedBy: 'person',
    cause: 'More pods are selected than one object can keep count of',
    next: 'select fewer pods by each of several ConfigMonitors',
  },
  NameConflict: {
    healedBy: 'person',
    cause:
      'An annotated ConfigMap gets a ConfigMonitor of its own, and one of that name exists already',
    next: 'delete or rename that ConfigMonitor, or take the annotation off',
  },
  Replacing: {
    healedBy: 'time',
    cause: 'The ConfigMonitor of an earlier ConfigMap of this name is still being deleted',
    next: 'wait',
  },
  NamespaceClosed: {
    healedBy: 'person',
    cause:
      'The annotation magalix.com/podDeleteMatch has no effect in kube-system, kube-public, kube-node-lease and the namespace of albridge',
    next: 'remove the annotation, and restart the pods with kubectl rollout restart',
  },
  InvalidSelector: {
    healedBy: 'person',
    cause: 'The annotation magalix.com/podDeleteMatch of a ConfigMap is no list of labels',
    next: 'write it as label=value, with commas between several',
  },
  SpecMissing: {
    healedBy: 'person',
    cause: 'The object was stored without a ConfigMap or a selector, before the CRD required them',
    next: 'give it spec.configMap and spec.podSelector',
  },
} as const satisfies Record<string, ReasonEntry>;

export type ConfigMonitorReason = keyof typeof configMonitorReasons;
