import { apiVersionOf, type KubeObject, type ResourceKind } from '../core/kube-object.ts';
import type { ChildWriter } from '../core/object-store.ts';
import type { KubeClient } from './kube-client.ts';
import { isConflict, isNotFound, translated } from './kube-error.ts';
import { findLive, readLive } from './live-object.ts';
import { describe, objectPath } from './resource-path.ts';
import { applyRequest } from './server-side-apply.ts';

/** Writes children of the given kinds; every method throws OperatorError. */
export function createChildWriter(client: KubeClient, kinds: readonly ResourceKind[]): ChildWriter {
  const kindOf = kindFinder(kinds);
  return {
    apply: (child) =>
      translated(`apply ${describe(child)}`, () =>
        client.request<KubeObject>(applyRequest(objectPath(kindOf(child), child), child)),
      ),
    delete: (child) =>
      translated(`delete ${describe(child)}`, () => deleteChild(client, kindOf(child), child)),
    get: (child) =>
      translated(`read ${describe(child)}`, () => readLive(client, kindOf(child), child)),
  };
}

function kindFinder(kinds: readonly ResourceKind[]): (child: KubeObject) => ResourceKind {
  const byName = new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
  return ({ apiVersion, kind }) => {
    const found = byName.get(`${apiVersion} ${kind}`);
    if (!found) throw new Error(`${apiVersion} ${kind} is not among the kinds of this writer`);
    return found;
  };
}

/** Background: what the child owns goes after it, by the garbage collector. */
async function deleteChild(
  client: KubeClient,
  kind: ResourceKind,
  child: KubeObject,
): Promise<void> {
  const { uid } = child.metadata;
  if (uid === undefined) throw new Error(`delete of ${describe(child)} without a UID`);
  try {
    await client.request<unknown>({
      method: 'DELETE',
      path: objectPath(kind, child),
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid },
        propagationPolicy: 'Background',
      }),
    });
  } catch (error) {
    if (isNotFound(error)) return;
    if (isConflict(error) && !(await findLive(client, kind, child))) return;
    throw error;
  }
}
