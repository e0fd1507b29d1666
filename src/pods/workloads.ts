/** Names what keeps a number of pods running, one of the built-in kinds of the group apps. */
export interface WorkloadRef {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
}

export const WORKLOAD_KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'] as const;

export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** The part of a workload that matters to restart its pods. */
export interface Workload extends WorkloadRef {
  readonly uid: string;
  /** Of a ReplicaSet: its Deployment, if it has one. */
  readonly controllerUid?: string;
  /** Of the state that was read. */
  readonly resourceVersion?: string;
  readonly desiredPods: number;
  readonly minReadySeconds: number;
  /** It replaces its pods by itself when their template changes. */
  readonly followsTemplate: boolean;
  /** Of a StatefulSet whose ordinals do not start at 0. */
  readonly firstOrdinal?: number;
  /** Pods of a StatefulSet below this ordinal keep the template that they have: its partition. */
  readonly rollsFromOrdinal: number;
  /**
   * When its template changes it starts a new pod before it ends an old one, and so does not lack its only pod
   * meanwhile.
   */
  readonly surges: boolean;
  /** A Deployment with spec.paused. */
  readonly isPaused: boolean;
  /** RFC 3339; when its pods were last restarted by a change of the template. */
  readonly restartedAt?: string;
  /**
   * Of its template: of a StatefulSet as its pods have it in `controller-revision-hash`, of a Deployment and its
   * ReplicaSets a number. Absent where its controller has yet to observe the template.
   */
  readonly revision?: string;
}

/** Reads past every cache; throws OperatorError. */
export interface Workloads {
  /** undefined: there is none of that name. */
  read(ref: WorkloadRef): Promise<Workload | undefined>;
  /**
   * As `kubectl rollout restart` does; guarded by UID and resourceVersion, so that of two who have
   * read the same state one restarts it. `at` is RFC 3339.
   */
  restart(workload: Workload, at: string): Promise<void>;
}
