import type { Rollout } from '../../apis/config-monitor.ts';
import { OperatorError } from '../../core/operator-error.ts';
import type { Workload } from '../../core/workloads.ts';
import { availableInMs } from './availability.ts';
import { type LeanPod, ownerNameOf, workloadNamed } from './lean-pod.ts';
import type { Scope } from './scope.ts';

/** Pods that share what may be unavailable at a time, and their state. */
export interface Owner {
  /** Undefined for a pod that nobody starts again: it has no owner but itself. */
  readonly name: string | undefined;
  /** How many pods it should have. */
  readonly size: number;
  /** How long a restarted pod must have been ready to count as available. */
  readonly minReadySeconds: number;
  readonly unavailable: readonly LeanPod[];
  readonly availableCount: number;
  /** How soon one more pod is available if it stays ready; Infinity while none is ready. */
  readonly availableInMs: number;
  /** Those that are still to be restarted. */
  readonly pending: readonly LeanPod[];
}

/** How many of its pods are missing or not available. */
export function unavailableCount({ size, unavailable, availableCount }: Owner): number {
  return Math.max(size, unavailable.length + availableCount) - availableCount;
}

/**
 * The pods of a rollout that are still to be restarted, as far as is known now. Status is no proof: a
 * UID in it counts only while the object selects its pod.
 */
export function pendingOf({ pods: uids }: Rollout, scope: Scope): readonly LeanPod[] {
  return uids
    .filter((uid) => scope.selectedUids.has(uid))
    .flatMap((uid) => scope.pods.withUid(uid) ?? []);
}

/** The owners at this very moment. */
export function ownersNow(rollout: Rollout, scope: Scope): readonly Owner[] {
  const pending = Map.groupBy(pendingOf(rollout, scope), ownerNameOf);
  const known = rollout.owners.map((owner) => {
    const { name, pods: size } = owner;
    const minReadySeconds = minReadySecondsOf(owner, scope);
    return ownerNow({ name, size, minReadySeconds, pending: pending.get(name) ?? [] }, scope);
  });
  const isKnown = new Set<string | undefined>(rollout.owners.map(({ name }) => name));
  const others = [...pending].filter(([name]) => !isKnown.has(name));
  return [...known, ...others.flatMap(([name, pods]) => newOwners(name, pods, scope))];
}

/** Of the owner or of the object, whichever is longer. */
export function minReadySecondsOf(
  { minReadySeconds = 0 }: Rollout['owners'][number],
  { spec }: Scope,
): number {
  return Math.max(minReadySeconds, spec.minReadySeconds);
}

/** Pods may have changed hands since the rollout began. */
function newOwners(
  name: string | undefined,
  pending: readonly LeanPod[],
  scope: Scope,
): readonly Owner[] {
  const { minReadySeconds } = scope.spec;
  const of = { size: 0, minReadySeconds };
  if (name !== undefined) return [ownerNow({ ...of, name, pending }, scope)];
  // Nothing waits for a pod without an owner.
  const none = { unavailable: [], availableCount: 0, availableInMs: Number.POSITIVE_INFINITY };
  return pending.map((pod) => ({ ...of, ...none, name, pending: [pod] }));
}

/** A ready pod that is still to be restarted runs with data that is known to work. */
function ownerNow(
  of: Pick<Owner, 'size' | 'minReadySeconds' | 'pending'> & { readonly name: string },
  { object, pods }: Scope,
): Owner {
  const there = pods.ofOwner(object.metadata.namespace, of.name);
  const pending = new Set(of.pending);
  const waits = there.map((pod) => ({
    pod,
    ms:
      pending.has(pod) && pod.state === 'ready' ? 0 : availableInMs(pod, of.minReadySeconds, pods),
  }));
  const unavailable = waits.filter(({ ms }) => ms > 0);
  return {
    ...of,
    unavailable: unavailable.map(({ pod }) => pod),
    availableCount: there.length - unavailable.length,
    availableInMs: Math.min(...unavailable.map(({ ms }) => ms)),
  };
}

/** The workloads of one pass: each is read at most once. */
export class WorkloadsOfPass {
  readonly #scope: Scope;
  readonly #read = new Map<string, Promise<Workload | undefined>>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Undefined where it is gone, or of a kind that others made. */
  async named(ownerName: string | undefined): Promise<Workload | undefined> {
    const { object, workloads } = this.#scope;
    const ref = ownerName && workloadNamed(ownerName, object.metadata.namespace);
    if (!ownerName || !ref) return undefined;
    const reading = this.#read.get(ownerName) ?? workloads.read(ref);
    this.#read.set(ownerName, reading);
    return reading;
  }
}

/**
 * The rollout with the sizes that its owners have now, since somebody may scale them meanwhile: nobody
 * must wait for pods that are not wanted any more, and those that came count when others are missing. A
 * workload is read only where pods are missing; a size that cannot be read stays.
 */
export async function resized(
  rollout: Rollout,
  workloads: WorkloadsOfPass,
  scope: Scope,
): Promise<Rollout> {
  const { namespace } = scope.object.metadata;
  const owners = rollout.owners.map(async (owner) => {
    const count = scope.pods.ofOwner(namespace, owner.name).length;
    if (workloadNamed(owner.name, namespace) === undefined) return owner;
    if (count >= owner.pods) return { ...owner, pods: count };
    const workload = await orRefused(workloads.named(owner.name));
    if (workload instanceof OperatorError) return owner;
    return { ...owner, pods: workload?.wantedPods ?? 0 };
  });
  return { ...rollout, owners: await Promise.all(owners) };
}

/** What a person must heal for one owner must not stop the others: it is given, not thrown. */
export async function orRefused<T>(promise: Promise<T>): Promise<T | OperatorError> {
  return promise.catch((error: unknown) => {
    if (error instanceof OperatorError && error.healedBy === 'person') return error;
    throw error;
  });
}
