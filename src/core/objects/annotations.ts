import { boundText } from './digests.ts';
import type { KubeObject } from './kube-object.ts';

/** Annotations that every kind understands. */
export const PAUSED_ANNOTATION = 'albridge.io/paused';
export const MODE_ANNOTATION = 'albridge.io/mode';
export const RECONCILE_REQUESTED_ANNOTATION = 'albridge.io/reconcile-requested-at';

/** On every child; changes when a field is no longer desired, which the remaining fields cannot show. */
export const DESIRED_HASH_ANNOTATION = 'albridge.io/desired-hash';

/** On the template of a workload's pods, and so on its pods; kubectl's own key, so that both see each other's restarts. */
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** `"true"` stops every write to the outside for this object, deletion included. */
export function isPaused(object: KubeObject): boolean {
  return object.metadata.annotations?.[PAUSED_ANNOTATION] === 'true';
}

/** `plan`, or any other value: a mistyped one must not write. The object's plan goes into its status, and nothing else is written. */
export function isPlanOnly(object: KubeObject): boolean {
  return (object.metadata.annotations?.[MODE_ANNOTATION] ?? '') !== '';
}

/** The token of the newest request for a pass, bounded; echoed in status.lastHandledReconcileAt. */
export function getReconcileRequest(object: KubeObject): string | undefined {
  const token = object.metadata.annotations?.[RECONCILE_REQUESTED_ANNOTATION];
  return token === undefined ? undefined : boundText(token);
}
