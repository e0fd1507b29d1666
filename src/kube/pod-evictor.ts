import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import type { Eviction, PodEvictor } from '../core/pod-evictor.ts';
import type { KubeClient } from './kube-client.ts';
import { isConflict, isNotFound, KubeError, translated } from './kube-error.ts';
import { findLive } from './live-object.ts';
import { describe, objectPath } from './resource-path.ts';

/** Evicts pods of the given kind, which is the core's Pod, whatever form its callers hold it in. */
export function createPodEvictor(client: KubeClient, podKind: ResourceKind): PodEvictor {
  return {
    evict: (pod) => translated(`evict ${describe(pod)}`, () => evictPod(client, podKind, pod)),
  };
}

/** https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/eviction-v1/ */
async function evictPod(
  client: KubeClient,
  podKind: ResourceKind,
  pod: KubeObject,
): Promise<Eviction> {
  const { name, namespace, uid } = pod.metadata;
  if (uid === undefined) throw new Error(`eviction of ${describe(pod)} without a UID`);
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid } },
  };
  try {
    const path = objectPath(podKind, pod, 'eviction');
    await client.request<unknown>({ method: 'POST', path, body: JSON.stringify(eviction) });
    return { kind: 'evicted' };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) return refusal;
    if (isNotFound(error)) return { kind: 'evicted' };
    if (isConflict(error) && !(await findLive(client, podKind, pod))) return { kind: 'evicted' };
    throw error;
  }
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
