import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isNotFound } from '../client/kube-error.ts';
import { buildObjectPath } from '../client/resource-path.ts';

/** The object of this name, past the cache; undefined if the API server says that there is none. */
export async function readLive<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
  object: T,
): Promise<T | undefined> {
  try {
    return await client.request<T>({ method: 'GET', path: buildObjectPath(kind, object) });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** This very object, past the cache: another one that took its name counts as absent. */
export async function findLive<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
  object: T,
): Promise<T | undefined> {
  const live = await readLive(client, kind, object);
  return live?.metadata.uid === object.metadata.uid ? live : undefined;
}
