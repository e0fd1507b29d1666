import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from './kube-object.ts';
import type { Change } from './object-store.ts';

/**
 * True for a change that a pass could act on. Writes to status alone are not: they are mostly our
 * own, and answering them would make every pass cause the next.
 */
export function isWorthAPass(change: Change<KubeObject>, finalizer?: string): boolean {
  if (change.kind !== 'updated') return true;
  const { object, previous } = change;
  if (object.metadata.generation === undefined) return hasChanged(object, previous);
  return (
    object.metadata.uid !== previous.metadata.uid ||
    object.metadata.generation !== previous.metadata.generation ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    !isDeepStrictEqual(object.metadata.annotations, previous.metadata.annotations) ||
    hasLostFinalizer(object, previous, finalizer)
  );
}

/**
 * ConfigMaps, Services and others are given no generation, so all of the object is compared but its
 * status and what changes with every write.
 */
function hasChanged(object: KubeObject, previous: KubeObject): boolean {
  return !isDeepStrictEqual(contentOf(object), contentOf(previous));
}

function contentOf(object: KubeObject): object {
  const { metadata, status: _status, ...content } = object as KubeObject & { status?: unknown };
  return { ...content, metadata: { ...metadata, resourceVersion: '' } };
}

function hasLostFinalizer(object: KubeObject, previous: KubeObject, finalizer?: string): boolean {
  if (finalizer === undefined) return false;
  const had = previous.metadata.finalizers?.includes(finalizer) ?? false;
  return had && !object.metadata.finalizers?.includes(finalizer);
}
