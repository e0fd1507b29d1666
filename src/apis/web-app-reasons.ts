import type { ReasonEntry } from './core-reasons.ts';
import { podTemplateReasons } from './pod-reasons.ts';

/**
 * Every reason that Ready, Reconciling and Stalled of a WebApp can show, besides those of the API
 * server. The documentation prints this table, and failures are built from it.
 */
export const webAppReasons = {
  Available: {
    healedBy: 'nobody',
    cause: 'All desired pods are available and have the newest spec',
    next: 'send traffic to status.url',
  },
  Stopped: {
    healedBy: 'nobody',
    cause: 'Scaled to 0, and no pod is left',
    next: 'set spec.replicas to start the application again',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to Deployment and Service',
    next: 'remove the annotation albridge.io/paused to continue',
  },
  ObserveMode: {
    healedBy: 'nobody',
    cause: 'ALBRIDGE_MODE of the operator is observe: Deployment and Service are not written',
    next: 'set ALBRIDGE_MODE to reconcile to continue',
  },
  RollingOut: {
    healedBy: 'time',
    cause: 'Pods are being started or replaced',
    next: 'wait; if it takes long, check the pods: kubectl get pods -l app=<name>',
  },
  DeploymentPaused: {
    healedBy: 'person',
    cause: 'The Deployment is paused, so its pods are not replaced',
    next: 'kubectl rollout resume deployment/<name>',
  },
  ReplicaFailure: {
    healedBy: 'time',
    cause: 'The cluster refuses to create or delete a pod, usually because of a quota or a policy',
    next: 'raise the quota, or correct what the message names',
  },
  Replacing: {
    healedBy: 'time',
    cause:
      'The Deployment or Service of an earlier WebApp of this name is still being deleted, or the API server refuses one as existing that it does not show',
    next: 'wait; if it stays, check the admission webhooks',
  },
  NameConflict: {
    healedBy: 'person',
    cause: 'A Deployment or Service of this name exists and does not belong to this WebApp',
    next: 'delete or rename it, or give the WebApp another name',
  },
  ProgressDeadlineExceeded: {
    healedBy: 'person',
    cause: 'New pods did not become available within the progress deadline of the Deployment',
    next: 'correct spec.image or spec.port, or check the events of the pods',
  },
  ...podTemplateReasons,
  SpecMissing: {
    healedBy: 'person',
    cause: 'The object was stored without a spec, before the CRD required one',
    next: 'set spec.image',
  },
} as const satisfies Record<string, ReasonEntry>;

export type WebAppReason = keyof typeof webAppReasons;

/** Events, and reasons of other conditions. */
export const webAppEvents = {
  DeploymentCreated: 'The Deployment was created',
  DeploymentUpdated: 'The Deployment was changed for an edit of the spec',
  DeploymentDeleted: 'A Deployment that is no longer desired was deleted',
  ServiceCreated: 'The Service was created',
  ServiceUpdated: 'The Service was changed for an edit of the spec',
  ServiceDeleted: 'A Service that is no longer desired was deleted',
  DriftRepaired: 'A field was changed outside albridge and repaired; the note names it',
  Attached: 'Exposed is True: the load balancer sends requests here',
  Attaching: 'Exposed is Unknown: the MyIngress has not applied the routes yet',
  LoadBalancerNotActive:
    'Exposed is Unknown: the routes are applied, and the load balancer of the MyIngress is not active',
  NotExposed: 'Exposed is False: spec.expose was removed',
  ExposureUnknown: 'Exposed is Unknown: no controller of MyIngress is at work in this operator',
  IngressNotFound: 'Exposed is False: the namespace has no MyIngress of this name',
  IngressDeleting:
    'Exposed is False: the MyIngress is being deleted, and its load balancer with it',
  NamespaceNotWatched:
    'Exposed is False: the installation does not watch the namespace of the MyIngress',
  NotAllowed:
    'Exposed is False: the MyIngress does not exist, or its spec.allowedNamespaces does not allow this namespace',
  NamespacesUnknown:
    'Exposed is False: the MyIngress selects namespaces by their labels, which cannot be read',
  HostAndPathTaken:
    'Exposed is False: a host and path belongs to another route of the load balancer; choose another one',
  NoListener: 'Exposed is False: the MyIngress has no listener that takes the routes',
  RuleQuotaReached:
    'Exposed is False: the load balancer has 100 rules, the default quota of AWS; name another MyIngress',
  AsExpected: 'Degraded=False: the Deployment can make progress',
  Unknown: 'Available, Progressing or Degraded: the Deployment gives no reason, or is gone',
} as const;
