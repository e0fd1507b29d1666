import type { ReasonEntry } from './core-reasons.ts';

/**
 * Every reason that Ready, Reconciling and Stalled of a ConfigMonitor can show, besides those of the
 * API server. The documentation prints this table, and failures are built from it.
 */
export const configMonitorReasons = {
  Watching: {
    healedBy: 'nobody',
    cause: 'All selected pods were started with the newest data',
    next: 'edit the ConfigMap or Secret to restart the pods',
  },
  Suspended: {
    healedBy: 'nobody',
    cause:
      'The field spec.suspend stops all restarts; status.pendingPods counts the pods that wait',
    next: 'set spec.suspend to false to continue',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops all restarts',
    next: 'remove the annotation albridge.io/paused to continue',
  },
  ObserveMode: {
    healedBy: 'nobody',
    cause: 'ALBRIDGE_MODE of the operator is observe: no pod is restarted',
    next: 'set ALBRIDGE_MODE to reconcile to continue',
  },
  ConfigMapMissing: {
    healedBy: 'time',
    cause: 'The ConfigMap does not exist; no pod is restarted, because it might not start again',
    next: 'create the ConfigMap, or correct spec.configMap or spec.sources',
  },
  SecretMissing: {
    healedBy: 'time',
    cause:
      'The Secret does not exist, or is of a type that is not watched; no pod is restarted, because it might not start again',
    next: 'create the Secret, or correct spec.secret or spec.sources',
  },
  SecretsOff: {
    healedBy: 'person',
    cause:
      'The object names a Secret, and albridge is installed without the right to watch Secrets',
    next: 'add the component deploy/components/secrets to your overlay (Helm: secrets.enabled=true), or remove the Secret from the object',
  },
  SecretsUnread: {
    healedBy: 'time',
    cause:
      'The Secrets of the namespace have not been read yet, or the right to watch them is missing',
    next: 'wait; if it takes long, grant what the message names, as deploy/components/secrets does',
  },
  Debouncing: {
    healedBy: 'time',
    cause: 'The data has changed, and the quiet period spec.debounceSeconds is not over',
    next: 'wait',
  },
  MinInterval: {
    healedBy: 'time',
    cause: 'The data changed again within spec.minIntervalSeconds',
    next: 'wait, and find out what changes it so often',
  },
  RolloutStarted: {
    healedBy: 'time',
    cause: 'Pods are being restarted',
    next: 'wait',
  },
  WaitingForReady: {
    healedBy: 'time',
    cause:
      'Restarted pods are missing or not available yet, and no more may be unavailable at the same time',
    next: 'wait; if it takes long, check the pod that the message names',
  },
  PDBBlocked: {
    healedBy: 'time',
    cause: 'A PodDisruptionBudget does not allow a pod to be evicted now; albridge retries',
    next: 'check the budget (kubectl get pdb); a single pod with minAvailable 1 is never evicted',
  },
  MultiplePDBs: {
    healedBy: 'person',
    cause: 'Two PodDisruptionBudgets select the same pod, and Kubernetes never evicts such a pod',
    next: 'make one of the budgets select other pods, or set spec.strategy to Delete',
  },
  ProgressDeadlineExceeded: {
    healedBy: 'person',
    cause:
      'Restarted pods did not become available within spec.progressDeadlineSeconds; pods that were not restarted yet keep running',
    next: 'fix the data, or see kubectl describe <what>',
  },
  WorkloadPaused: {
    healedBy: 'person',
    cause: 'A Deployment of the selected pods is paused, and spec.strategy is Rollout',
    next: 'kubectl rollout resume <workload>',
  },
  TemplateReset: {
    healedBy: 'person',
    cause:
      'Something removed the annotation kubectl.kubernetes.io/restartedAt from a template after the restart, and spec.strategy is Rollout or the Deployment has a single replica',
    next: 'let the tool that applies the workload keep the annotation, then kubectl rollout restart <workload>; or set spec.strategy to Evict',
  },
  TooManyPods: {
    healedBy: 'person',
    cause: 'More pods are selected than one object can keep track of',
    next: 'select fewer pods with each of several ConfigMonitors',
  },
  NameConflict: {
    healedBy: 'person',
    cause:
      'albridge creates a ConfigMonitor for an annotated ConfigMap, and another one of that name exists',
    next: 'delete or rename that ConfigMonitor, or remove the annotation',
  },
  Replacing: {
    healedBy: 'time',
    cause:
      'The ConfigMonitor of an earlier ConfigMap of this name is still being deleted, or the API server refuses one as existing that it does not show',
    next: 'wait; if it stays, check the admission webhooks',
  },
  NamespaceClosed: {
    healedBy: 'person',
    cause:
      'The annotation magalix.com/podDeleteMatch has no effect in kube-system, kube-public, kube-node-lease and the namespace of albridge',
    next: 'remove the annotation, and restart the pods with kubectl rollout restart',
  },
  InvalidSelector: {
    healedBy: 'person',
    cause: 'The annotation magalix.com/podDeleteMatch of a ConfigMap is not a label selector',
    next: 'write it as kubectl get pods -l takes it, such as app=frontend,tier!=test',
  },
  SpecMissing: {
    healedBy: 'person',
    cause:
      'The object was stored with nothing to watch or with an empty selector, before the CRD refused that',
    next: 'set spec.configMap, and remove spec.podSelector or give it labels',
  },
} as const satisfies Record<string, ReasonEntry>;

export type ConfigMonitorReason = keyof typeof configMonitorReasons;

/** Events, and reasons of other conditions. */
export const configMonitorEvents = {
  BaselineRecorded: 'The sources were read for the first time; no pod is restarted',
  HashKeyChanged:
    'Warning: the key by which Secrets are hashed is another one; changes made meanwhile restart nothing',
  ConfigChanged: 'The data of a ConfigMap or Secret changed',
  ChangesTooOften: 'Warning: the data changed again within spec.minIntervalSeconds',
  PodEvicted: 'A pod was evicted',
  PodDeleted: 'A pod was deleted, with spec.strategy Delete',
  WorkloadRestarted: 'A workload was restarted by its template, with spec.strategy Auto or Rollout',
  UnmanagedPod: 'Warning: a pod without a controller is restarted, and nothing recreates it',
  RolloutComplete: 'All pods were restarted and are available',
  RestartStarted: 'On the source and on each workload: its pods are being restarted for new data',
  RestartComplete: 'On the source and on each workload: its pods are restarted and available',
  SingleReplica:
    'Warning: a workload with one pod is restarted, and is unavailable until the new pod is ready',
  AnnotationFollowed: 'The ConfigMonitor of an annotated ConfigMap was created, changed or deleted',
  DriftRepaired:
    'The ConfigMonitor of an annotated ConfigMap was changed outside albridge and repaired',
  Found: 'ConfigMapFound=True or SourcesFound=True: all that is watched exists',
  NotFound: 'ConfigMapFound=False or SourcesFound=False: the message names what does not exist',
} as const;
