// Lives here: the readiness gate of pods: when it opens, and who writes that.
// May import it: src/controllers/targets and src/setup.
// Start with: this file, then decide-gate.ts and readiness-gates.ts.

import { normaliseAddress } from '../../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import { compareVersions, type KubeObject } from '../../../core/objects/kube-object.ts';
import { boundLabels } from '../../../core/objects/trim-metadata.ts';
import { READINESS_GATE } from '../../../pods/pod.ts';

/** A pod with the label as it is held in memory. */
export interface GatedPod extends KubeObject {
  /** One of each address family; none before it has one. */
  readonly ips: readonly string[];
  /** On the network of its node, whose addresses other pods have too. */
  readonly isOnHost?: true;
  /** It has the gate, which is not open yet, and has neither ended nor is being deleted. */
  readonly isGateClosed: boolean;
  /** It has the gate, and nothing else keeps it from being Ready. */
  readonly isUp: boolean;
  /** Why it ends while AWS may still send it requests; undefined: it does not, or ends already. */
  readonly shortShutdown?: ShortShutdown;
}

export type ShortShutdown = 'NoPreStop' | 'GracePeriodTooShort';

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
interface Pod extends KubeObject {
  readonly spec?: {
    readonly hostNetwork?: boolean;
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly terminationGracePeriodSeconds?: number;
    readonly containers?: readonly {
      readonly ports?: readonly object[] | null;
      readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[] | null;
    readonly conditions?: readonly PodCondition[];
  };
}

/** The part of a pod that is kept in memory. */
export function trimGatedPod(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata }: Pod = object;
  const { name, namespace = '', uid = '', resourceVersion = '', labels = {} } = metadata;
  const trimmed: GatedPod = {
    ...{ apiVersion, kind },
    metadata: { name, namespace, uid, resourceVersion, labels: boundLabels(labels) },
    ips: readAddresses(object),
    ...((object as Pod).spec?.hostNetwork === true && { isOnHost: true }),
    ...readGates(object),
    ...omitUndefined({ shortShutdown: judgeShutdown(object) }),
  };
  return trimmed;
}

/** Where both are there, the first of `podIPs` is `podIP`. */
function readAddresses({ status = {} }: Pod): readonly string[] {
  const ips = (status.podIPs ?? []).map(({ ip }) => normaliseAddress(ip));
  return ips.length > 0 || status.podIP === undefined ? ips : [status.podIP];
}

function readGates(pod: Pod): Pick<GatedPod, 'isGateClosed' | 'isUp'> {
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  if (!gates.includes(READINESS_GATE) || isOver(pod)) return { isGateClosed: false, isUp: false };
  const conditions = pod.status?.conditions ?? [];
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === 'True');
  const others = gates.filter((type) => type !== READINESS_GATE);
  const isGateClosed = !isTrue(READINESS_GATE);
  const isLost = !isGateClosed && conditions.some(isTakenAway);
  return { isGateClosed, isUp: isTrue('ContainersReady') && others.every(isTrue) && !isLost };
}

/**
 * Where a node has stopped reporting, its pods lose Ready alone, and it is left without a reason:
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/util/node/controller_utils.go (MarkPodsNotReady).
 * The kubelet gives one, also until it has seen that the gate is open:
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/status/generate.go (GeneratePodReadyCondition)
 */
function isTakenAway({ type, status, reason }: PodCondition): boolean {
  return type === 'Ready' && status === 'False' && reason !== 'ReadinessGatesNotReady';
}

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination */
const DEFAULT_GRACE_SECONDS = 30;

/** How long a hook other than `sleep` takes is not known; a pod that has one passes. */
function judgeShutdown(pod: Pod): ShortShutdown | undefined {
  const { containers, terminationGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = pod.spec ?? {};
  if (containers === undefined || isOver(pod)) return undefined;
  const hooks = listServing(containers).flatMap(({ lifecycle }) => lifecycle?.preStop ?? []);
  if (hooks.length === 0) return 'NoPreStop';
  const longest = Math.max(...hooks.map(({ sleep }) => sleep?.seconds ?? 0));
  return longest < terminationGracePeriodSeconds ? undefined : 'GracePeriodTooShort';
}

type Containers = NonNullable<NonNullable<Pod['spec']>['containers']>;

/** A sidecar that sleeps keeps no other container: where ports are declared, those that declare them count. */
function listServing(containers: Containers): Containers {
  const serving = containers.filter(({ ports }) => (ports ?? []).length > 0);
  return serving.length > 0 ? serving : containers;
}

function isOver({ metadata, status }: Pod): boolean {
  const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return hasEnded || metadata.deletionTimestamp !== undefined;
}

/** True where the labels have every one of the selector; an empty selector selects nothing. */
export function isSelected(
  { metadata: { labels = {} } }: Pick<GatedPod, 'metadata'>,
  selector: Readonly<Record<string, string>>,
): boolean {
  const required = Object.entries(selector);
  return required.length > 0 && required.every(([key, value]) => labels[key] === value);
}

/** The cache has yet to show that the gate is open, as it is since this resourceVersion. */
export function isStale({ metadata }: GatedPod, openSince: string | undefined): boolean {
  const { resourceVersion = '' } = metadata;
  return openSince !== undefined && compareVersions(resourceVersion, openSince) < 0;
}
