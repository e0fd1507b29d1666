/** Next actions for the reasons of conditions besides Ready, where their messages name none; kinds.ts gives them to the kinds. */

export const podSteps = {
  NoPod: 'run albridge doctor: it checks whether the operator runs and may create pods',
  PodPending: 'read the events of the pod: kubectl describe pod',
  PodNotReady:
    'check the readiness probe and the log of the pod: kubectl describe pod, kubectl logs',
} as const;

/** Of a load balancer, its targets, and what attaches to it. */
export const balancerSteps = {
  TargetsUnhealthy:
    'check that the security groups of the pods admit the load balancer, and that the pods answer the health check of the backend with its path and port (docs/troubleshooting.md)',
  HealthUnknown: 'wait a minute; if it persists, run albridge doctor: it checks AWS reads',
  NoTargets:
    'check that the selector of the Service matches pods, and that they are ready: kubectl get endpointslices -l kubernetes.io/service-name=SERVICE',
  NoPreStop: 'add the preStop hook of docs/zero-downtime.md to the pods',
  GracePeriodTooShort:
    'raise terminationGracePeriodSeconds of the pods above the preStop sleep (docs/zero-downtime.md)',
  PodsUnknown:
    'switch readiness gates on (docs/zero-downtime.md), or correct the Service and port of the backend',
  CertificateExpiring: 'import or request a newer one in ACM: it is used within an hour',
  HostAndPathTaken: 'choose another host or path for one of the two that the message names',
  NoListener: 'add the listener to spec.listeners, or correct the object that attaches',
  RuleQuotaReached: 'attach some objects to another MyIngress',
  NamespacesUnknown:
    'grant the operator list and watch of namespaces, or name the namespaces in spec.allowedNamespaces',
} as const;

export const sourceSteps = {
  NotFound: 'create what the message names, or correct its name in the spec',
} as const;

/** Of routes on the load balancer of another object. */
export const exposureSteps = {
  Attaching: 'wait a minute; if it persists, ask albridge why about the MyIngress',
  ExposureUnknown: 'wait a minute; if it persists, add myingress to ALBRIDGE_KINDS of the operator',
  IngressDeleting: 'name another MyIngress in spec.expose.ingress',
  NamespaceNotWatched:
    'name a MyIngress of a namespace in ALBRIDGE_NAMESPACES, or add this one to that setting',
  NamespacesUnknown:
    'ask the owner of the MyIngress to name the namespaces in spec.allowedNamespaces',
} as const;
