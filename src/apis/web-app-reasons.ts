interface ReasonEntry {
  /** `nobody`: there is nothing to heal. */
  readonly healedBy: 'person' | 'time' | 'nobody';
  /** What has happened, one sentence without its full stop. */
  readonly cause: string;
  /** What to do next, imperative, one sentence in lower case without its full stop. */
  readonly next: string;
}

/**
 * Every reason that Ready, Reconciling and Stalled of a WebApp can show, beside those of the API
 * server; the documentation prints this table.
 */
export const webAppReasons = {
  Available: {
    healedBy: 'nobody',
    cause: 'As many pods as wanted serve, all of the newest spec',
    next: 'send traffic to status.url',
  },
  Stopped: {
    healedBy: 'nobody',
    cause: 'No pod is wanted, and none is left',
    next: 'set spec.replicas to start the application again',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to Deployment and Service',
    next: 'remove the annotation albridge.io/paused to go on',
  },
  RollingOut: {
    healedBy: 'time',
    cause: 'Pods are being started or replaced',
    next: 'wait, or look at the pods if it takes long: kubectl get pods -l app=<name>',
  },
  DeploymentPaused: {
    healedBy: 'person',
    cause: 'The Deployment is paused, so its pods are not replaced',
    next: 'kubectl rollout resume deployment/<name>',
  },
  ReplicaFailure: {
    healedBy: 'time',
    cause: 'The cluster refuses to create or delete a pod, mostly because of a quota or a policy',
    next: 'raise the quota or correct what the message names',
  },
  NameConflict: {
    healedBy: 'person',
    cause: 'A Deployment or Service of this name exists and is not of this WebApp',
    next: 'delete or rename it, or give the WebApp another name',
  },
  ProgressDeadlineExceeded: {
    healedBy: 'person',
    cause: 'New pods did not become available within the progress deadline of the Deployment',
    next: 'correct spec.image or spec.port, or look at the events of the pods',
  },
  SpecMissing: {
    healedBy: 'person',
    cause: 'The object was stored without a spec, before the CRD required one',
    next: 'give it spec.image',
  },
} as const satisfies Record<string, ReasonEntry>;

export type WebAppReason = keyof typeof webAppReasons;
