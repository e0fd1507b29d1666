import { GATE_LABELS } from '../../../src/pods/pod.ts';
import type { StoredObject } from '../api-model/stored-object.ts';
import { conditionsOf } from '../owner-invariants.ts';

/** Neither over nor on its way out. */
export function isActive(pod: StoredObject): boolean {
  const { phase } = (pod['status'] ?? {}) as { readonly phase?: string };
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  return pod.metadata.deletionTimestamp === undefined && !isOver;
}

/** It serves: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-status */
export function isReady(pod: StoredObject): boolean {
  if (!isActive(pod)) return false;
  return conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** Its containers are ready. */
export function isUp(pod: StoredObject): boolean {
  if (!isActive(pod)) return false;
  const isTrue = (name: string): boolean =>
    conditionsOf(pod).some(({ type, status }) => type === name && status === 'True');
  return isTrue('ContainersReady');
}

/** It is behind a Service in a world with readiness gates. */
export function isGated({ metadata }: StoredObject): boolean {
  return Object.entries(GATE_LABELS).every(([key, value]) => metadata.labels?.[key] === value);
}

/** It has all of these labels. */
export function isSelected(pod: StoredObject, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** At whose address its own word counts before that of its slice. */
export function isGoing(pod: StoredObject, address: string): boolean {
  return isGated(pod) && !isActive(pod) && addressesOf(pod).includes(address);
}

export function addressesOf(pod: StoredObject): readonly string[] {
  const { podIPs = [] } = (pod['status'] ?? {}) as {
    readonly podIPs?: readonly { readonly ip: string }[];
  };
  return podIPs.map(({ ip }) => ip);
}
