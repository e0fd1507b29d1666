import type { KubeObject } from '../../core/objects/kube-object.ts';

/** The parts of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/ that are read. */
export interface Deployment extends KubeObject {
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
  /** Choices that nobody but albridge has made in it (`listHeld`). */
  readonly held?: readonly string[];
}

interface DeploymentSpec {
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly template?: { readonly spec?: PodSpec };
}

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly terminationGracePeriodSeconds?: number;
}

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly readinessProbe?: object;
  readonly lifecycle?: { readonly preStop?: Hook };
}

/** One way of several: https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/ */
export interface Hook {
  readonly sleep?: { readonly seconds: number };
}

/** The article's. */
export const CONTAINER = 'app';

/** The container of the WebApp; others may stand next to it. */
export function findApp({ containers = [] }: PodSpec): Container | undefined {
  return containers.find(({ name }) => name === CONTAINER);
}

/** Counts that are 0 are left out on the wire. */
export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

export interface DeploymentCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/; nothing of it is read. */
export type Service = KubeObject;
