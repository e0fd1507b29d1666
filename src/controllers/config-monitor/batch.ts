import type { LeanPod } from './lean-pod.ts';
import { type Owner, unavailableCount } from './owners.ts';

/** The default of the CRD. */
const DEFAULT_MAX_UNAVAILABLE = '25%';

/** Pods of one owner. */
export interface Batch {
  /** May be restarted now. */
  readonly pods: readonly LeanPod[];
  /** Each of them may take the place of one that is refused. */
  readonly spares: readonly LeanPod[];
}

/**
 * Pods that are not ready go first, since they serve nobody; of the ready ones as many go as may
 * still become unavailable. A StatefulSet goes as it rolls by itself: from its highest ordinal down,
 * one after the other (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#rolling-updates).
 */
export function batchOf(owner: Owner, maxUnavailable: number | string): Batch {
  const { name, pending } = owner;
  if (name === undefined) return { pods: pending, spares: [] };
  const isOrdered = name.startsWith('StatefulSet/');
  const [unready, ready] = partition(
    isOrdered ? pending.toSorted(byOrdinal) : pending,
    ({ state }) => state !== 'ready',
  );
  const budget = budgetOf(owner, maxUnavailable, isOrdered);
  const room = Math.max(0, budget - unavailableCount(owner));
  const pods = [...unready, ...ready.slice(0, room)];
  if (!isOrdered) return { pods, spares: ready.slice(room) };
  const roomInAll = budget - (unavailableCount(owner) - unready.length);
  return { pods: pods.slice(0, Math.max(0, roomInAll)), spares: [] };
}

/** `25%` of 8 is 2, of 1 is 1: rounded up, at least 1. */
function budgetOf(owner: Owner, maxUnavailable: number | string, isOrdered: boolean): number {
  if (isOrdered && maxUnavailable === DEFAULT_MAX_UNAVAILABLE) return 1;
  const size = Math.max(owner.size, owner.availableCount + owner.unavailable.length);
  const text = String(maxUnavailable);
  const number = Number.parseInt(text, 10);
  return Math.max(1, text.endsWith('%') ? Math.ceil((size * number) / 100) : number);
}

/** `db-10` before `db-9`. */
function byOrdinal(one: LeanPod, other: LeanPod): number {
  return ordinalOf(other) - ordinalOf(one);
}

export function ordinalOf({ metadata: { name } }: LeanPod): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

function partition<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
