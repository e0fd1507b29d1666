import {
  controllerOf,
  groupOf,
  isBeingDeleted,
  type KubeObject,
  type OwnerReference,
} from './kube-object.ts';
import { isWrittenAs } from './owned-objects.ts';

/**
 * What stands under the name of a child that cannot be changed once it is there, such as a pod: it
 * is deleted, and created anew when it is gone. Creating and mending is for `ensureOwned`.
 */
export type Place<T extends KubeObject> =
  /** Nothing that can be seen, or something foreign: `ensureOwned` creates, or refuses. */
  | { readonly kind: 'vacant' }
  /** Of an earlier owner of this name, which the garbage collector removes. */
  | { readonly kind: 'leftover'; readonly child: T }
  | { readonly kind: 'leaving'; readonly child: T }
  /** Written when something else was desired. */
  | { readonly kind: 'outdated'; readonly child: T }
  | { readonly kind: 'standing'; readonly child: T };

/** `seen` is what the cache shows under the name of `desired`. */
export function placeOf<T extends KubeObject>(
  owner: KubeObject,
  seen: T | undefined,
  desired: KubeObject,
): Place<T> {
  const controller = seen && controllerOf(seen);
  if (seen === undefined || controller === undefined) return { kind: 'vacant' };
  if (controller.uid !== owner.metadata.uid) {
    return isOfSameName(controller, owner) ? { kind: 'leftover', child: seen } : { kind: 'vacant' };
  }
  if (isBeingDeleted(seen)) return { kind: 'leaving', child: seen };
  return { kind: isWrittenAs(seen, desired) ? 'standing' : 'outdated', child: seen };
}

/** Two objects of one name do not live at once, so the one with the other UID is gone. */
function isOfSameName({ apiVersion, kind, name }: OwnerReference, owner: KubeObject): boolean {
  return (
    kind === owner.kind &&
    name === owner.metadata.name &&
    groupOf(apiVersion) === groupOf(owner.apiVersion)
  );
}
