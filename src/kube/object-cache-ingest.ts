import { apiVersionOf, type KubeObject, type ResourceKind } from '../core/kube-object.ts';
import { boundMetadata } from '../core/lean-metadata.ts';

/**
 * What is held of an object. It must keep of metadata at least name, namespace, uid,
 * resourceVersion and the controller among the ownerReferences, bound what a user can make large, and
 * give the same result for the same object.
 */
export type Transform = (object: KubeObject) => KubeObject;

/**
 * Makes an object off the wire fit to be held for long and shared by everybody: items of a list
 * carry no apiVersion and kind, so they are stamped; what `transform` leaves out, by default
 * metadata that is not read, is left out; and the rest is frozen once instead of being copied for
 * each reader.
 */
export function ingestObject<T extends KubeObject>(
  raw: unknown,
  { kind, transform = withLeanMetadata }: { kind: ResourceKind; transform?: Transform },
): T {
  const stamped = { ...(raw as KubeObject), apiVersion: apiVersionOf(kind), kind: kind.kind };
  return deepFreeze(transform(stamped)) as T;
}

export function withLeanMetadata<T extends KubeObject>(object: T): T {
  return { ...object, metadata: boundMetadata(object.metadata) };
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
