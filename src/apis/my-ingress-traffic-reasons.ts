import type { ReasonEntry } from './core-reasons.ts';

/** Why a backend has no targets. */
export const backendReasons = {
  ServiceNotFound: {
    healedBy: 'time',
    cause: 'The Service of a backend does not exist; its target group is empty',
    next: 'create the Service, or correct its name in spec.backends',
  },
  ServicePortNotFound: {
    healedBy: 'time',
    cause: 'The Service of a backend has no TCP port of this name or number',
    next: 'correct the port in spec.backends, or add it to the Service',
  },
  TargetPortNotFound: {
    healedBy: 'time',
    cause: 'The pods of the Service of a backend have no port of the name that is its targetPort',
    next: 'correct targetPort of the Service, or give the port of the container that name',
  },
  NoReadyEndpoints: {
    healedBy: 'time',
    cause: 'The Service of a backend has no ready endpoints; the load balancer answers 503',
    next: 'check that the selector of the Service matches pods, and that they become ready',
  },
  UnusableEndpoints: {
    healedBy: 'time',
    cause:
      'The Service of a backend has endpoints, none of them with an address of its ipAddressType',
    next: 'give the Service that address family in spec.ipFamilies, or correct ipAddressType in spec.backends',
  },
  ExternalNameService: {
    healedBy: 'person',
    cause: 'The Service of a backend is of type ExternalName, which has no endpoints',
    next: 'name a Service with a selector, or one with EndpointSlices of its own',
  },
  NodePortNotFound: {
    healedBy: 'time',
    cause: 'The Service of a backend with targetType instance has no node port',
    next: 'set the type of the Service to NodePort or LoadBalancer, or targetType to ip in spec.backends',
  },
  NoReadyNodes: {
    healedBy: 'time',
    cause: 'A backend has targetType instance, and no node of the cluster can be a target',
    next: 'check that nodes are Ready, are EC2 instances and are not excluded from load balancers',
  },
  NodesUnknown: {
    healedBy: 'time',
    cause:
      'A backend has targetType instance, and the nodes of the cluster could not be read yet; its targets stay as they are',
    next: 'check that the ClusterRole albridge-nodes lets the operator list and watch nodes',
  },
  BackendUnsupported: {
    healedBy: 'person',
    cause:
      'A backend has targetType instance, and an operator that serves single namespaces does not read nodes; its targets stay as they are',
    next: 'set targetType to ip in spec.backends, or install albridge for the whole cluster',
  },
} as const satisfies Record<string, ReasonEntry>;

/** The condition AttachmentsAccepted, and what status.attached says of each object. */
export const attachingConditions = {
  Accepted: 'AttachmentsAccepted is True: all routes that other objects attach are served',
  Attached: 'In status.attached: all routes of the object are served',
  Attaching: 'In status.attached: a part of the routes of the object is applied within seconds',
  HostAndPathTaken:
    'AttachmentsAccepted is False: a host and path belongs to the spec or to another object that had it first; the message names both sides',
  NoListener:
    'AttachmentsAccepted is False: the MyIngress has no listener that takes the routes of an object',
  RuleQuotaReached:
    'AttachmentsAccepted is False: the load balancer has 100 rules, the default quota of AWS, and an object is beyond it',
  NotAllowed:
    'Of an object that may not attach: it shows in the object alone, never in the status of the MyIngress',
  NamespacesUnknown:
    'AttachmentsAccepted is False: spec.allowedNamespaces selects by labels, and the labels of namespaces cannot be read',
} as const;

/** The condition CertificatesValid. */
export const certificateConditions = {
  CertificateExpiring:
    'CertificatesValid is False: a certificate that was found for a listener expires within 21 days',
  CertificatesCurrent:
    'CertificatesValid is True: no certificate that was found expires within 21 days',
  CertificatesNamed: 'Every HTTPS listener names its certificates again',
} as const;

/** The condition TargetsHealthy. */
export const healthConditions = {
  Healthy: 'TargetsHealthy is True: AWS reports every target healthy',
  TargetsUnhealthy:
    'TargetsHealthy is False: AWS reports fewer healthy targets than there should be',
  TargetsInitial: 'TargetsHealthy is False: AWS has not finished checking new targets',
  HealthUnknown: 'TargetsHealthy is Unknown: AWS has not reported the health of every target yet',
  NoTargets: 'TargetsHealthy is False: a backend has no targets',
} as const;

/** The condition PodsOutlastRequests. */
export const shutdownConditions = {
  NoPreStop:
    'PodsOutlastRequests is False: a pod has no preStop hook, and may end while AWS still sends it requests',
  GracePeriodTooShort:
    'PodsOutlastRequests is False: the preStop sleep of a pod takes all of its terminationGracePeriodSeconds',
  PodsUnknown:
    'PodsOutlastRequests is Unknown: readiness gates are off, or a backend has no Service with its port',
  PreStopSet: 'PodsOutlastRequests is True again: every pod that is known has both',
} as const;

/** The readiness gate of a pod. */
export const gateReasons = {
  NoBackend: "Of a pod's readiness gate: no backend that gets requests selects the pod",
  GateClosed:
    'A Warning on a pod: its readiness gate stays closed; the note has the MyIngress and why AWS does not send requests to the pod',
  NoAnswer:
    "Of a pod's readiness gate, and a Warning on the pod: AWS has not reported its health for 10 minutes, so the gate was opened anyway",
} as const;
