// Lives here: what several kinds know of pods: shape, state, ports, workloads.
// May import it: src/controllers, src/kube/write and src/setup. It imports src/core and src/apis.
// Start with: this file, then pod-state.ts.

/** On every pod that albridge makes: the pods that it watches are those with this label. */
export const podLabels = { 'app.kubernetes.io/managed-by': 'albridge' } as const;

/** The readiness gate that waits for healthy targets, whoever wrote it: docs/zero-downtime.md */
export const READINESS_GATE = 'albridge.io/targets-healthy';

/** On every pod with the gate: no other pod is watched for it. */
export const GATE_LABELS = { 'albridge.io/readiness-gate': 'true' } as const;

/**
 * Of every pod that is made from an image alone: no token of the namespace's ServiceAccount, and what
 * Pod Security `restricted` asks for, less runAsNonRoot and dropped capabilities: the articles' images
 * start as root. https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export const podLimits = {
  automountServiceAccountToken: false,
  securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
} as const;

/** The same for its container. */
export const containerLimits = { securityContext: { allowPrivilegeEscalation: false } } as const;

/** The parts of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ that are read. */
export interface Pod {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: PodMetadata;
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

/** Times are RFC 3339. */
interface PodMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  /** The latest time of its deletion: the time of its deletion and the grace it was given. */
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface PodSpec {
  readonly nodeName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
}

export interface PodStatus {
  readonly phase?: string;
  /** The reason for the phase of the pod as a whole, such as Evicted. */
  readonly reason?: string;
  readonly message?: string;
  readonly startTime?: string;
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** At most one of them is there. */
export interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: ContainerEnd;
}

export interface ContainerEnd {
  readonly reason?: string;
  readonly exitCode?: number;
  readonly startedAt?: string | null;
  readonly finishedAt?: string | null;
}
