import type { LeanPod } from './lean-pod.ts';
import { type Owner, unreadyCount } from './owners.ts';

/**
 * The pods of one owner that may go now: those that are not ready, which nobody misses, and of the
 * ready ones as many as may still become unready.
 */
export function batchOf(owner: Owner, maxUnavailable: number | string): readonly LeanPod[] {
  const [unready, ready] = partition(owner.pending, ({ state }) => state !== 'ready');
  if (owner.name === undefined) return owner.pending;
  const room = budgetOf(owner, maxUnavailable) - unreadyCount(owner);
  return [...unready, ...ready.slice(0, Math.max(0, room))];
}

/** `25%` of 8 is 2, of 1 is 1: rounded up, at least 1. */
function budgetOf(owner: Owner, maxUnavailable: number | string): number {
  const size = Math.max(owner.size, owner.readyCount + owner.unready.length);
  const text = String(maxUnavailable);
  const number = Number.parseInt(text, 10);
  return Math.max(1, text.endsWith('%') ? Math.ceil((size * number) / 100) : number);
}

function partition<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
