import { getController, isBeingDeleted, type KubeObject } from '../objects/kube-object.ts';
import { hasSameName, isWrittenAs } from './owned-objects.ts';

/**
 * The state of a child that cannot be changed once it exists, such as a pod: it is deleted, and
 * recreated when the deletion is complete. `ensureOwned` creates and repairs.
 */
export type ChildState<T extends KubeObject> =
  /** Nothing observed, or a foreign object: `ensureOwned` creates, or refuses. */
  | { readonly kind: 'absent' }
  /** Of an earlier owner of this name, which the garbage collector removes. */
  | { readonly kind: 'stale'; readonly child: T }
  | { readonly kind: 'terminating'; readonly child: T }
  /** Written when something else was desired. */
  | { readonly kind: 'outdated'; readonly child: T }
  | { readonly kind: 'current'; readonly child: T };

/** `observed` is what the cache shows under the name of `desired`. */
export function classifyChild<T extends KubeObject>(
  owner: KubeObject,
  observed: T | undefined,
  desired: KubeObject,
): ChildState<T> {
  const controller = observed && getController(observed);
  if (observed === undefined || controller === undefined) return { kind: 'absent' };
  if (controller.uid !== owner.metadata.uid) {
    return hasSameName(controller, owner) ? { kind: 'stale', child: observed } : { kind: 'absent' };
  }
  if (isBeingDeleted(observed)) return { kind: 'terminating', child: observed };
  return { kind: isWrittenAs(observed, desired) ? 'current' : 'outdated', child: observed };
}
