import { apiVersionOf, type KubeObject, type ResourceKind } from '../core/kube-object.ts';

/**
 * What is held of an object. It must keep of metadata at least name, namespace, uid,
 * resourceVersion and ownerReferences, and give the same result for the same object.
 */
export type Transform = (object: KubeObject) => KubeObject;

/**
 * Makes an object off the wire fit to be held for long and shared by everybody: items of a list
 * carry no apiVersion and kind, so they are stamped; managedFields, often half of an object, is
 * left out, and what `transform` leaves out; and the rest is frozen once instead of being copied for
 * each reader.
 */
export function ingestObject<T extends KubeObject>(
  raw: unknown,
  { kind, transform }: { readonly kind: ResourceKind; readonly transform?: Transform },
): T {
  const object = raw as Readonly<Record<string, unknown>>;
  const metadata = withoutManagedFields(object['metadata'] as Readonly<Record<string, unknown>>);
  const stamped = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  const held = transform === undefined ? stamped : transform(stamped as unknown as KubeObject);
  return deepFreeze(held) as T;
}

/** Rebuilt rather than deleted from: `delete` turns a V8 object into a slow, larger dictionary. */
function withoutManagedFields(
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (name !== 'managedFields') kept[name] = value;
  }
  return kept;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
