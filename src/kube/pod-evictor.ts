import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import type { Eviction, PodEvictor } from '../core/pod-evictor.ts';
import type { KubeClient } from './kube-client.ts';
import { isNotFound, KubeError, translated } from './kube-error.ts';
import { describe, objectPath } from './resource-path.ts';

/** Sends pods of the given kind away, which is the core's Pod, whatever form its callers hold it in. */
export function createPodEvictor(client: KubeClient, podKind: ResourceKind): PodEvictor {
  return {
    evict: (pod) => translated(`evict ${describe(pod)}`, () => evictPod(client, podKind, pod)),
    delete: (pod) => translated(`delete ${describe(pod)}`, () => deletePod(client, podKind, pod)),
  };
}

/** https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/eviction-v1/ */
async function evictPod(
  client: KubeClient,
  podKind: ResourceKind,
  pod: KubeObject,
): Promise<Eviction> {
  const { name, namespace } = pod.metadata;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: onlyThis(pod) },
  };
  try {
    const path = objectPath(podKind, pod, 'eviction');
    await client.request<unknown>({ method: 'POST', path, body: JSON.stringify(eviction) });
    return { kind: 'evicted' };
  } catch (error) {
    const refusal = isNotFound(error) ? { kind: 'evicted' as const } : refusalOf(error);
    if (refusal !== undefined) return refusal;
    throw error;
  }
}

async function deletePod(
  client: KubeClient,
  podKind: ResourceKind,
  pod: KubeObject,
): Promise<Eviction> {
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: onlyThis(pod) };
  const path = objectPath(podKind, pod);
  try {
    await client.request<unknown>({ method: 'DELETE', path, body: JSON.stringify(options) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return { kind: 'evicted' };
}

function onlyThis(pod: KubeObject): { readonly uid: string } {
  const { uid } = pod.metadata;
  if (uid === undefined) throw new Error(`${describe(pod)} without a UID`);
  return { uid };
}

function refusalOf(error: unknown): Eviction | undefined {
  if (!(error instanceof KubeError)) return undefined;
  const { message } = error;
  if (isBlocked(error)) return { kind: 'blocked', message };
  return isAmbiguous(error) ? { kind: 'ambiguous', message } : undefined;
}

/** The API server has other reasons for 429 as well, such as being too busy. */
function isBlocked({ status, details }: KubeError): boolean {
  const isOfBudget = details?.causes.some(({ reason }) => reason === 'DisruptionBudget');
  return status === 429 && isOfBudget === true;
}

/**
 * Several budgets are answered with a bare 500 that has neither reason nor details, so its words are
 * all that there is: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/registry/core/pod/storage/eviction.go
 */
function isAmbiguous({ status, reason, message }: KubeError): boolean {
  return status === 500 && reason === '' && message.includes('more than one PodDisruptionBudget');
}
