/**
 * What is told besides the reasons of the leading condition, which is an event too when it changes: by
 * kind, for the documentation. docs/mirror.ts compares it with what the code says.
 */
export const eventReasons = {
  MyIngress: {
    CreatedALB: 'The load balancer was created',
    UpdatedALB: 'The load balancer was changed for an edit of the spec',
    DriftRepaired:
      'The load balancer was changed outside albridge; the note says what was put back',
    AdoptedALB: 'An existing load balancer was adopted by the consent of its owner',
    TookOverALB: 'A load balancer of an earlier object of this name was taken over',
    ALBVanished: 'Warning: the load balancer was deleted outside albridge; it is created again',
    DeletedALB: 'The load balancer was deleted',
    RetainedALB: 'deletionPolicy Retain: the load balancer stays, without the tags of albridge',
    LeftALB: "Warning: the load balancer stays, because its tags say that it is not this object's",
  },
  WebApp: {
    DeploymentCreated: 'The Deployment was created',
    DeploymentUpdated: 'The Deployment was changed for an edit of the spec',
    DeploymentDeleted: 'A Deployment that is no longer desired was deleted',
    ServiceCreated: 'The Service was created',
    ServiceUpdated: 'The Service was changed for an edit of the spec',
    ServiceDeleted: 'A Service that is no longer desired was deleted',
    DriftRepaired: 'A field was changed outside albridge; the note names it',
  },
  ImmortalContainer: {
    PodCreated: 'The first pod was created',
    PodReplaced: 'The pod was created again; the note says why, and which start it is',
    PodMended: 'Labels or an owner reference of the pod were repaired',
  },
  MyApp: {
    PodCreated: 'A pod was created',
    PodDeleted: 'A pod above spec.replicas was deleted',
    PodReplaced: 'A pod was deleted to make room for its successor; the note says why',
    PodMended: 'Labels or an owner reference of a pod were repaired',
  },
  ConfigMonitor: {
    BaselineRecorded: 'The ConfigMap was read for the first time; nothing is restarted for that',
    ConfigChanged: 'The data of the ConfigMap has changed',
    ChangesTooOften: 'Warning: the data has changed again within spec.minIntervalSeconds',
    PodEvicted: 'A pod was evicted',
    PodDeleted: 'A pod was deleted, with spec.strategy Delete',
    WorkloadRestarted: 'A workload was restarted by its template, with spec.strategy Rollout',
    UnmanagedPod: 'Warning: a pod without a controller is restarted, and nothing starts it again',
    RolloutComplete: 'All pods have been restarted and are available',
    AnnotationFollowed:
      'The ConfigMonitor of an annotated ConfigMap was created, changed or deleted',
  },
} as const;

/** Of conditions besides Ready, Reconciling and Stalled, by kind. */
export const conditionReasons = {
  WebApp: {
    AsExpected: 'Degraded=False: nothing keeps the Deployment from going on',
    Unknown: 'Available or Progressing, where the Deployment gives no reason',
  },
  ConfigMonitor: {
    Found: 'ConfigMapFound=True: the ConfigMap exists',
    NotFound: 'ConfigMapFound=False: there is no ConfigMap of this name',
  },
} as const;

/** Of PodReady, where the pod gives no reason of its own. */
export const podReadyReasons = {
  NoPod: 'PodReady=False: there is no pod',
  PodPending: 'PodReady=False: the pod has not started yet',
  PodReady: 'PodReady=True: the pod is ready',
  PodNotReady: 'PodReady=False: the pod is not ready',
} as const;

/** Of every kind: the engine's own, as `ReasonEntry` has them. */
export const coreReasons = {
  DeadlineExceeded: {
    healedBy: 'time',
    cause: 'The pass took longer than its time limit',
    next: 'wait, the pass is repeated',
  },
  InternalError: {
    healedBy: 'time',
    cause: 'A bug in albridge',
    next: "report it with the operator's log lines of this object",
  },
  LeadershipLost: {
    healedBy: 'time',
    cause: 'This replica lost the lease, so it no longer writes; seen in the log alone',
    next: 'wait for the replica that holds the lease',
  },
} as const;

/** Why the process ended with 78 before it began, next to a setting that cannot be read. */
export const startReasons = {
  AddressUnusable: {
    cause: 'Nothing can listen at ALBRIDGE_METRICS_ADDRESS',
    next: 'set another address or port',
  },
  LogFormatUnusable: {
    cause: 'LOG_FORMAT=pretty needs pino-pretty, which only a development install has',
    next: 'set LOG_FORMAT=json',
  },
} as const;
