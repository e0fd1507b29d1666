import type { KubeObject } from './kube-object.ts';

/** Annotations that every kind understands. */
export const PAUSED_ANNOTATION = 'albridge.io/paused';
export const RECONCILE_REQUESTED_ANNOTATION = 'albridge.io/reconcile-requested-at';

/** `"true"` stops every write to the outside for this object, deletion included. */
export function isPaused(object: KubeObject): boolean {
  return object.metadata.annotations?.[PAUSED_ANNOTATION] === 'true';
}

/** The token of the newest request for a pass; echoed in status.lastHandledReconcileAt. */
export function requestedReconcile(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[RECONCILE_REQUESTED_ANNOTATION];
}
