import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type {
  Eviction,
  LivePods,
  PodConditionDraft,
  PodConditionWriter,
  PodEvictor,
  PodGuard,
} from '../../pods/pod-ports.ts';
import type { KubeClient } from '../client/kube-client.ts';
import {
  isConflict,
  isNotFound,
  isOtherObject,
  KubeError,
  translateErrors,
} from '../client/kube-error.ts';
import { buildObjectPath, describeObject } from '../client/resource-path.ts';
import { listAll } from '../watch/list.ts';
import { createApplyRequest } from './server-side-apply.ts';

/** Sends pods of the given kind away, which is the core's Pod, whatever form its callers hold it in. */
export function createPodEvictor(client: KubeClient, podKind: ResourceKind): PodEvictor {
  return {
    evict: (pod, guard) =>
      translateErrors(`evict ${describeObject(pod)}`, () =>
        send(guard, () => evictPod(client, podKind, { pod, guard })),
      ),
    delete: (pod, guard) =>
      translateErrors(`delete ${describeObject(pod)}`, () =>
        send(guard, () => deletePod(client, podKind, { pod, guard })),
      ),
  };
}

interface Sending {
  readonly pod: KubeObject;
  readonly guard: PodGuard;
}

async function send(guard: PodGuard, request: () => Promise<unknown>): Promise<Eviction> {
  try {
    await request();
    return { kind: 'evicted' };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'evicted' };
    if (guard === 'unchanged' && isConflict(error)) return { kind: 'changed' };
    const refusal = classifyRefusal(error);
    if (refusal !== undefined) return refusal;
    throw error;
  }
}

/** https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/eviction-v1/ */
function evictPod(
  client: KubeClient,
  podKind: ResourceKind,
  { pod, guard }: Sending,
): Promise<unknown> {
  const { name, namespace } = pod.metadata;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: createPreconditions(pod, guard) },
  };
  const path = buildObjectPath(podKind, pod, 'eviction');
  return client.request<unknown>({ method: 'POST', path, body: JSON.stringify(eviction) });
}

function deletePod(
  client: KubeClient,
  podKind: ResourceKind,
  { pod, guard }: Sending,
): Promise<unknown> {
  const preconditions = createPreconditions(pod, guard);
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  const path = buildObjectPath(podKind, pod);
  return client.request<unknown>({ method: 'DELETE', path, body: JSON.stringify(options) });
}

function createPreconditions(
  pod: KubeObject,
  guard: PodGuard,
): { readonly uid: string; readonly resourceVersion?: string } {
  const { uid, resourceVersion } = pod.metadata;
  if (uid === undefined) throw new Error(`${describeObject(pod)} without a UID`);
  return { uid, ...(guard === 'unchanged' && resourceVersion && { resourceVersion }) };
}

function classifyRefusal(error: unknown): Eviction | undefined {
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

/** In one page of all pods of a namespace: it is read in one turn of the event loop. */
const MOST_PODS = 100;

/**
 * Lists pods of the given kind, which is the core's Pod, whatever form its callers hold it in. A list
 * without a resourceVersion shows the newest state:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 */
export function createLivePods(client: KubeClient, podKind: ResourceKind): LivePods {
  return {
    uidsOf: (namespace, query, signal) =>
      translateErrors(`list pods of ${namespace}`, async () => {
        const uids = new Set<string>();
        const labels = 'labelSelector' in query ? query : {};
        const isSelected = 'isSelected' in query ? query.isSelected : () => true;
        await listAll({
          client,
          collection: { kind: podKind, namespace, ...labels },
          ...('isSelected' in query && { mostItems: MOST_PODS }),
          signal,
          onItem: (item) => {
            const pod = item as KubeObject;
            if (isSelected(pod)) uids.add(pod.metadata.uid ?? '');
          },
          onRestart: () => uids.clear(),
        });
        return uids;
      }),
  };
}

/** Writes conditions into pods of the given kind, which is the core's Pod. */
export function createPodConditionWriter(
  client: KubeClient,
  podKind: ResourceKind,
): PodConditionWriter {
  return {
    apply: (pod, condition) =>
      translateErrors(`write condition ${condition.type} of ${describeObject(pod)}`, () =>
        applyCondition(client, podKind, { pod, condition }),
      ),
  };
}

/** Conditions are a map by type, so that an apply leaves those of the kubelet alone. */
async function applyCondition(
  client: KubeClient,
  podKind: ResourceKind,
  { pod, condition }: { readonly pod: KubeObject; readonly condition: PodConditionDraft },
): Promise<string | undefined> {
  const { apiVersion, kind, metadata } = pod;
  const { name, namespace, uid } = metadata;
  const status = { conditions: [condition] };
  const applied = { apiVersion, kind, metadata: { name, namespace, uid }, status };
  try {
    const path = buildObjectPath(podKind, pod, 'status');
    const after = await client.request<KubeObject>(createApplyRequest(path, applied));
    return after.metadata.resourceVersion;
  } catch (error) {
    if (isNotFound(error) || isConflict(error) || isOtherObject(error)) return undefined;
    throw error;
  }
}
