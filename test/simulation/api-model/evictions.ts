import { BUDGETS, PODS } from './kinds.ts';
import {
  type DeleteOptions,
  deleteObject,
  liveOf,
  seconds,
  type WriteParts,
} from './object-writes.ts';
import { budgetSpent, conflict, denied, NotModelled, severalBudgets } from './refusal.ts';
import { isObject, type Json, type StoredObject } from './stored-object.ts';

export interface Eviction {
  /** `namespace/name` of the pod. */
  readonly key: string;
  readonly deleteOptions: DeleteOptions;
  readonly by: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

interface Budget extends StoredObject {
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
  };
}

/** The budget's controller will look again in so long. */
const UNSEEN_RETRY_SECONDS = 10;
/** An annotation: a webhook refuses that such a pod is evicted. */
export const GUARDED = { 'simulation/guarded': 'yes' } as const;
/** Who writes into the budget, in the trace. */
const EVICTION_API = 'eviction-api';

/**
 * Deletes a pod if its budget allows: https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 * Throws a Refusal: 404, 409 for another pod of the name, 429 by its budget, 500 where it has two.
 */
export function evictPod(parts: WriteParts, eviction: Eviction): Json {
  const live = liveOf(parts, PODS, eviction.key);
  guard(live, eviction.deleteOptions);
  if (isGuarded(live)) throw denied({ kind: PODS, name: live.metadata.name });
  if (!isBeyondBudgets(live)) askBudget(parts, live);
  disrupt(parts, live, eviction);
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

export function isGuarded({ metadata }: StoredObject): boolean {
  return metadata.annotations?.['simulation/guarded'] === GUARDED['simulation/guarded'];
}

function guard({ metadata }: StoredObject, { preconditions = {} }: DeleteOptions): void {
  const given = { UID: preconditions.uid, ResourceVersion: preconditions.resourceVersion };
  const live = { UID: metadata.uid, ResourceVersion: metadata.resourceVersion };
  for (const field of ['UID', 'ResourceVersion'] as const) {
    if (given[field] === undefined || given[field] === live[field]) continue;
    const why = `Precondition failed: ${field} in precondition: ${given[field]}, ${field} in object meta: ${live[field]}`;
    throw conflict({ kind: PODS, name: metadata.name }, why);
  }
}

/** What is going, has not begun or is over serves nobody. */
function isBeyondBudgets(pod: StoredObject): boolean {
  const { phase = 'Pending' } = statusOf(pod);
  return pod.metadata.deletionTimestamp !== undefined || phase !== 'Running';
}

function askBudget(parts: WriteParts, pod: StoredObject): void {
  const budgets = parts.table.list(BUDGETS) as readonly Budget[];
  const [budget, another] = budgets.filter((one) => selects(one, pod));
  if (another !== undefined) throw severalBudgets();
  if (budget === undefined || isSpareable(budget, pod)) return;
  const { status = {}, metadata } = budget;
  const { observedGeneration = 0, disruptionsAllowed = 0 } = status;
  if (observedGeneration < (metadata.generation ?? 0)) {
    const why = `The disruption budget ${metadata.name} is still being processed by the server.`;
    throw budgetSpent(why, UNSEEN_RETRY_SECONDS);
  }
  if (disruptionsAllowed <= 0) throw budgetSpent(countsOf(budget));
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name]: seconds(parts.clock) };
  const left = { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods };
  parts.table.put(BUDGETS, { ...budget, status: left }, EVICTION_API);
}

function countsOf({ metadata, status = {} }: Budget): string {
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

/** A pod that does not serve is no loss: at once by policy, else where the budget has what it wants. */
function isSpareable({ spec, status = {} }: Budget, pod: StoredObject): boolean {
  const { conditions = [] } = statusOf(pod);
  if (conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return false;
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function selects({ metadata, spec }: Budget, pod: StoredObject): boolean {
  const { selector = {} } = spec;
  if (!isObject(selector) || 'matchExpressions' in selector) {
    throw new NotModelled('a budget that selects by expressions');
  }
  if (metadata.namespace !== pod.metadata.namespace) return false;
  return Object.entries(selector.matchLabels ?? {}).every(
    ([key, value]) => pod.metadata.labels?.[key] === value,
  );
}

/** The pod says by whom it is disrupted before it goes; the preconditions held before that (test/envtest/kube-pods.test.ts). */
function disrupt(parts: WriteParts, pod: StoredObject, { by, deleteOptions }: Eviction): void {
  const context = { kind: PODS, by, manager: 'kube-apiserver', part: 'main' } as const;
  if (pod.metadata.deletionTimestamp !== undefined) return;
  const { conditions = [] } = statusOf(pod);
  const told = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const status = {
    ...statusOf(pod),
    conditions: [...conditions.filter(({ type }) => type !== told.type), told],
  };
  const marked = parts.table.put(PODS, { ...pod, status }, by);
  deleteObject(parts, marked, { options: { ...deleteOptions, preconditions: {} }, context });
}

function statusOf(pod: StoredObject): PodStatus {
  return pod['status'] ?? {};
}
