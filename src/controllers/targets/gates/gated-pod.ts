// Lives here: the readiness gate of pods: when it opens, and who writes that.
// May import it: controllers/targets and src/setup.
// Start with: this file, then decide-gate.ts and readiness-gates.ts.

import type { KubeObject } from '../../../core/objects/kube-object.ts';
import { boundLabels } from '../../../core/objects/trim-metadata.ts';

/** The readiness gate, whether a person wrote it or the admission policy. */
export const READINESS_GATE = 'albridge.io/targets-healthy';

/** On every pod with the gate: no other pod is watched. */
export const GATE_LABELS = { 'albridge.io/readiness-gate': 'true' } as const;

/** A pod with the label as it is held in memory. */
export interface GatedPod extends KubeObject {
  /** Empty before it has one. */
  readonly ip: string;
  /** It has the gate, which is not open yet, and has neither ended nor is being deleted. */
  readonly isGateClosed: boolean;
  /** It has the gate, and nothing else keeps it from being Ready. */
  readonly isUp: boolean;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
interface Pod extends KubeObject {
  readonly spec?: { readonly readinessGates?: readonly { readonly conditionType: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** The part of a pod that is kept in memory. */
export function trimGatedPod(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, status = {} }: Pod = object;
  const { name, namespace = '', uid = '', resourceVersion = '', labels = {} } = metadata;
  const trimmed: GatedPod = {
    ...{ apiVersion, kind },
    metadata: { name, namespace, uid, resourceVersion, labels: boundLabels(labels) },
    ip: status.podIP ?? '',
    ...readGates(object),
  };
  return trimmed;
}

function readGates(pod: Pod): Pick<GatedPod, 'isGateClosed' | 'isUp'> {
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  if (!gates.includes(READINESS_GATE) || isOver(pod)) return { isGateClosed: false, isUp: false };
  const conditions = pod.status?.conditions ?? [];
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === 'True');
  const others = gates.filter((type) => type !== READINESS_GATE);
  return {
    isGateClosed: !isTrue(READINESS_GATE),
    isUp: isTrue('ContainersReady') && others.every(isTrue),
  };
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
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
