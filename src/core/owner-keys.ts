import { LOW_PRIORITY } from './key-queue.ts';
import type { KeySource } from './key-source.ts';
import {
  controllerOf,
  groupOf,
  type Key,
  type KubeObject,
  type ResourceKind,
} from './kube-object.ts';
import { type Change, type ObjectCache, statesOf } from './object-store.ts';

export interface OwnerKind extends Pick<ResourceKind, 'group' | 'kind'> {
  /** Owners of a cluster-scoped kind have keys without a namespace. */
  readonly isClusterScoped?: boolean;
}

/**
 * Puts the controller of every child that appears, changes (its status included), goes or changes
 * hands into the queue; of one that changed hands, both controllers. Owners that are no controllers,
 * and controllers of other kinds, are none of ours; the version of their API does not matter.
 */
export function ownerKeys(
  children: Pick<ObjectCache<KubeObject>, 'subscribe'>,
  owner: OwnerKind,
): KeySource {
  return (enqueue) =>
    children.subscribe((change) => {
      const isInitial = change.kind === 'added' && change.isInitial;
      const options = { priority: isInitial ? LOW_PRIORITY : 0 };
      for (const key of keysOf(change, owner)) enqueue(key, options);
    });
}

function keysOf(change: Change<KubeObject>, owner: OwnerKind): ReadonlySet<Key> {
  return new Set(statesOf(change).flatMap((state) => ownerKeyOf(state, owner) ?? []));
}

function ownerKeyOf(child: KubeObject, owner: OwnerKind): Key | undefined {
  const reference = controllerOf(child);
  if (reference?.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group)
    return undefined;
  const namespace = owner.isClusterScoped ? '' : (child.metadata.namespace ?? '');
  return `${namespace}/${reference.name}`;
}
