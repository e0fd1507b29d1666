import type { Rollout } from '../../apis/config-monitor.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import type { Workload } from '../../pods/workloads.ts';
import type { PodIndex, Undecided } from './pod-index.ts';
import type { Scope } from './scope.ts';
import { getController, nameOwner, parseWorkload, type TrimmedPod } from './transforms.ts';

/** Pods that share what may be unavailable at a time, and their state. */
export interface Owner {
  /** Undefined for a pod that nobody starts again: it has no owner but itself. */
  readonly name: string | undefined;
  /** The desired number of pods. */
  readonly size: number;
  /** Of a StatefulSet; 0 of others. */
  readonly firstOrdinal: number;
  /** Time that a restarted pod must have been ready to count as available. */
  readonly minReadySeconds: number;
  readonly unavailable: readonly TrimmedPod[];
  readonly available: readonly TrimmedPod[];
  /** Time until one more pod is available if it stays ready; Infinity while none is ready. */
  readonly availableInMs: number;
  /** Those that are still to be restarted. */
  readonly pending: readonly TrimmedPod[];
}

/** Number of its pods that are missing or not available. */
export function countUnavailable({ size, unavailable, available }: Owner): number {
  return Math.max(size - available.length, unavailable.length);
}

/** Those that would be selected, had they not lost their controller. */
export function listOrphans({
  orphans,
  pods,
}: Pick<Scope, 'orphans' | 'pods'>): readonly TrimmedPod[] {
  return [...orphans].flatMap((uid) => pods.getByUid(uid) ?? []);
}

/**
 * The pods of a rollout that are still to be restarted, as far as is known now. Status is no proof: a
 * UID in it counts only while the object selects its pod.
 */
export function listPending(
  { pods: uids }: Rollout,
  scope: Scope,
  undecided: Undecided = 'gone',
): readonly TrimmedPod[] {
  return uids
    .filter((uid) => scope.selectedUids.has(uid))
    .flatMap((uid) => scope.pods.getByUid(uid, undecided) ?? []);
}

/** The owners at this very moment. */
export function observeGroups(
  rollout: Rollout,
  scope: Scope,
  undecided: Undecided = 'gone',
): readonly Owner[] {
  const pending = Map.groupBy(listPending(rollout, scope, undecided), nameOwner);
  const unproven = new Set(rollout.between);
  const known = rollout.owners.map((owner) => {
    const { name, pods: size, firstOrdinal = 0 } = owner;
    const minReadySeconds = chooseMinReadySeconds(owner, scope);
    const of = { name, size, firstOrdinal, minReadySeconds, pending: pending.get(name) ?? [] };
    return observeGroup({ ...of, unproven, undecided }, scope);
  });
  const isKnown = new Set<string | undefined>(rollout.owners.map(({ name }) => name));
  const others = [...pending].filter(([name]) => !isKnown.has(name));
  return [
    ...known,
    ...others.flatMap(([name, pods]) =>
      observeNewGroups(name, { pending: pods, unproven, undecided }, scope),
    ),
  ];
}

/** Of the owner or of the object, whichever is longer. */
export function chooseMinReadySeconds(
  { minReadySeconds = 0 }: Rollout['owners'][number],
  { spec }: Scope,
): number {
  return Math.max(minReadySeconds, spec.minReadySeconds);
}

interface Pending {
  readonly pending: readonly TrimmedPod[];
  /** UIDs of pods that another change may have restarted, with data that may not work. */
  readonly unproven: ReadonlySet<string>;
  readonly undecided: Undecided;
}

/** Pods may have changed hands since the rollout began. */
function observeNewGroups(
  name: string | undefined,
  { pending, ...rest }: Pending,
  scope: Scope,
): readonly Owner[] {
  const { minReadySeconds } = scope.spec;
  const of = { size: 0, firstOrdinal: 0, minReadySeconds };
  if (name !== undefined) return [observeGroup({ ...of, ...rest, name, pending }, scope)];
  // Nothing waits for a pod without an owner.
  const none = { unavailable: [], available: [], availableInMs: Number.POSITIVE_INFINITY };
  return pending.map((pod) => ({ ...of, ...none, name, pending: [pod] }));
}

function observeGroup(
  {
    unproven,
    undecided,
    ...of
  }: Pick<Owner, 'size' | 'firstOrdinal' | 'minReadySeconds'> & Pending & { readonly name: string },
  { object, pods }: Scope,
): Owner {
  const there = pods.listByOwner(object.metadata.namespace, of.name, undecided);
  const proven = new Set(of.pending.filter(({ metadata }) => !unproven.has(metadata.uid)));
  const waits = there.map((pod) => {
    const neededMs = chooseNeededMs(pod, of, proven.has(pod));
    return { pod, ms: computeAvailableInMs(pod, neededMs, pods) };
  });
  const [unavailable, available] = partition(waits, ({ ms }) => ms > 0);
  return {
    ...of,
    unavailable: unavailable.map(({ pod }) => pod),
    available: available.map(({ pod }) => pod),
    availableInMs: Math.min(...unavailable.map(({ ms }) => ms)),
  };
}

export function partition<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** Restarts its pods from the highest ordinal down. */
export function isOrdered(ownerName: string | undefined): boolean {
  return ownerName?.startsWith('StatefulSet/') === true;
}

/** The workloads of one pass: each is read at most once. */
export class WorkloadReader {
  readonly #scope: Scope;
  readonly #read = new Map<string, Promise<Workload | undefined>>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Undefined where it is gone, or of a kind that others made. */
  async named(ownerName: string | undefined): Promise<Workload | undefined> {
    const { object, workloads } = this.#scope;
    const ref = ownerName && parseWorkload(ownerName, object.metadata.namespace);
    if (!ownerName || !ref) return undefined;
    const reading = this.#read.get(ownerName) ?? workloads.read(ref);
    this.#read.set(ownerName, reading);
    return reading;
  }

  /** One for each ReplicaSet that controls pods of a Deployment; undefined for one that is gone. */
  replicaSetsOf(pods: readonly TrimmedPod[]): Promise<readonly (Workload | undefined)[]> {
    const names = new Set(pods.map((pod) => getController(pod)?.name));
    return Promise.all([...names].map((name) => this.named(`ReplicaSet/${name}`)));
  }
}

/**
 * Updates the sizes of the owners, which may be scaled during the rollout: it
 * must not wait for pods that are no longer desired, and new pods count when others are missing. A
 * workload is read only where pods are missing; a size that cannot be read stays.
 */
export async function resizeOwners(
  rollout: Rollout,
  workloads: WorkloadReader,
  scope: Scope,
): Promise<Rollout> {
  const { namespace } = scope.object.metadata;
  const owners = rollout.owners.map(async (owner) => {
    const count = scope.pods.listByOwner(namespace, owner.name).length;
    if (parseWorkload(owner.name, namespace) === undefined) return owner;
    if (count >= owner.pods) return { ...owner, pods: count };
    const size = await catchRefusal(readSize(owner.name, workloads, scope));
    if (size instanceof OperatorError) return owner;
    const { desiredPods = 0, firstOrdinal } = size ?? {};
    return { ...owner, pods: desiredPods, ...(firstOrdinal !== undefined && { firstOrdinal }) };
  });
  return { ...rollout, owners: await Promise.all(owners) };
}

/**
 * undefined: there is no such workload. The ReplicaSets of a Deployment that is deleted without them keep their pods
 * (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#orphaned-dependents).
 */
export async function readSize(
  ownerName: string,
  workloads: WorkloadReader,
  { object, pods }: Scope,
): Promise<(Partial<Workload> & Pick<Workload, 'desiredPods'>) | undefined> {
  const workload = await workloads.named(ownerName);
  if (workload !== undefined || !ownerName.startsWith('Deployment/')) return workload;
  const there = pods.listByOwner(object.metadata.namespace, ownerName);
  const sets = (await workloads.replicaSetsOf(there)).flatMap((set) => set ?? []);
  if (sets.length === 0) return undefined;
  return { desiredPods: sets.reduce((sum, set) => sum + set.desiredPods, 0) };
}

/** A failure that only a person heals must not stop the other owners: it is returned, not thrown. */
export async function catchRefusal<T>(promise: Promise<T>): Promise<T | OperatorError> {
  return promise.catch((error: unknown) => {
    if (error instanceof OperatorError && error.healedBy === 'person') return error;
    throw error;
  });
}

/**
 * A container that has run for so long is sound: the kubelet then forgets its restarts
 * (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy).
 */
export const SOUND_AFTER_MS = 600_000;

/**
 * A ready pod that no change has restarted yet runs with data that is known to work. One whose container has restarted
 * may have been started for the change of another ConfigMonitor, with data that does not; a StatefulSet, whose pods go
 * in their order, does not wait for it.
 */
function chooseNeededMs(
  { restarts }: TrimmedPod,
  { minReadySeconds, name }: Pick<Owner, 'minReadySeconds' | 'name'>,
  isProven: boolean,
): number {
  const minReadyMs = minReadySeconds * 1000;
  if (isProven) return restarts === 0 || isOrdered(name) ? 0 : minReadyMs;
  return restarts === 0 ? minReadyMs : Math.max(minReadyMs, SOUND_AFTER_MS);
}

/** Time until a pod counts as available if it stays ready, in ms; Infinity while it is not ready. */
function computeAvailableInMs(pod: TrimmedPod, neededMs: number, pods: PodIndex): number {
  if (pod.state !== 'ready') return Number.POSITIVE_INFINITY;
  // Whole: a timer of less than a millisecond may fire before any time has passed.
  return Math.max(0, Math.ceil(neededMs - pods.readyForMs(pod)));
}

/**
 * The reason why a pod does not count as available, as the end of a sentence that begins with its name. The same
 * for each restart of its container: a pod that crashes again and again must not be a write each time.
 */
export function describeUnavailable(
  { state, restarts }: TrimmedPod,
  minReadySeconds: number,
): string {
  if (restarts > 0) return 'has restarted';
  return state === 'ready' ? `has been ready for less than ${minReadySeconds} s` : 'is not ready';
}
