import type { Rollout } from '../../apis/config-monitor.ts';
import type { Workload } from '../../core/workloads.ts';
import { type LeanPod, ownerNameOf, workloadNamed } from './lean-pod.ts';
import type { Scope } from './scope.ts';

/** Pods that share what may be unready at a time, and how they get on. */
export interface Owner {
  /** Undefined for a pod that nobody starts again: it has no owner but itself. */
  readonly name: string | undefined;
  /** How many pods it should have. */
  readonly size: number;
  readonly unready: readonly LeanPod[];
  readonly readyCount: number;
  /** Those that are still to be restarted. */
  readonly pending: readonly LeanPod[];
}

/** How many of its pods are missing or not ready. */
export function unreadyCount({ size, unready, readyCount }: Owner): number {
  return Math.max(size, unready.length + readyCount) - readyCount;
}

/** The pods of a rollout that are still to be restarted, as far as is known now. */
function pendingOf({ pods: uids }: Rollout, { pods }: Scope): readonly LeanPod[] {
  return uids.flatMap((uid) => pods.withUid(uid) ?? []);
}

/** How the owners get on at this very moment. */
export function ownersNow(rollout: Rollout, scope: Scope): readonly Owner[] {
  const pending = Map.groupBy(pendingOf(rollout, scope), ownerNameOf);
  const known = rollout.owners.map(({ name, pods }) => {
    return ownerNow({ name, size: pods, pending: pending.get(name) ?? [] }, scope);
  });
  const isKnown = new Set<string | undefined>(rollout.owners.map(({ name }) => name));
  const others = [...pending].filter(([name]) => !isKnown.has(name));
  return [...known, ...others.flatMap(([name, pods]) => newOwners(name, pods, scope))];
}

/** Pods may have changed hands since the rollout began. */
function newOwners(
  name: string | undefined,
  pending: readonly LeanPod[],
  scope: Scope,
): readonly Owner[] {
  if (name !== undefined) return [ownerNow({ name, size: 0, pending }, scope)];
  return pending.map((pod) => ({
    name,
    size: 0,
    unready: pod.state === 'ready' ? [] : [pod],
    readyCount: pod.state === 'ready' ? 1 : 0,
    pending: [pod],
  }));
}

function ownerNow(
  of: { readonly name: string; readonly size: number; readonly pending: readonly LeanPod[] },
  { object, pods }: Scope,
): Owner {
  const there = pods.ofOwner(object.metadata.namespace, of.name);
  const unready = there.filter(({ state }) => state !== 'ready');
  return { ...of, unready, readyCount: there.length - unready.length };
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
 * The rollout with the sizes that its owners have now: nobody must wait for pods that are not wanted
 * any more, since somebody has scaled down. Asked only where pods are missing.
 */
export async function resized(
  rollout: Rollout,
  workloads: WorkloadsOfPass,
  scope: Scope,
): Promise<Rollout> {
  const { namespace } = scope.object.metadata;
  const owners = rollout.owners.map(async (owner) => {
    const isShort = scope.pods.ofOwner(namespace, owner.name).length < owner.pods;
    if (!isShort || workloadNamed(owner.name, namespace) === undefined) return owner;
    const wanted = (await workloads.named(owner.name))?.wantedPods ?? 0;
    return { ...owner, pods: Math.min(owner.pods, wanted) };
  });
  return { ...rollout, owners: await Promise.all(owners) };
}
