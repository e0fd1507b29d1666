import { apiVersionOf, type KubeObject, type ResourceKind } from '../core/kube-object.ts';

/**
 * Makes an object off the wire fit to be held for long and shared by everybody: items of a list
 * carry no apiVersion and kind, so they are stamped; managedFields, often half of an object, is
 * left out; and all of it is frozen once instead of being copied for each reader.
 */
export function ingestObject<T extends KubeObject>(raw: unknown, kind: ResourceKind): T {
  const object = raw as Readonly<Record<string, unknown>>;
  const metadata = withoutManagedFields(object['metadata'] as Readonly<Record<string, unknown>>);
  const stamped = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  return deepFreeze(stamped) as T;
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
