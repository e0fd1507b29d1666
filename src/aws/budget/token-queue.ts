/** A place in the queue of those who were told to come back. */
export interface Waiter {
  readonly order: number;
  readonly count: number;
  /** From here on its tokens are kept for it as they come, */
  keptFromMs: number;
  /** and here it has all of them. */
  dueMs: number;
}

type Waiters = Map<string, Waiter>;

/** The waiters of one namespace, oldest first. */
export interface Queue {
  /** Those of passes that have begun, then all others. */
  readonly lanes: readonly [underWay: Waiters, others: Waiters];
  /** Number of its last grant, 0 before the first: on a tie the queue that waits longer goes first. */
  lastGrant: number;
}

/** Claims of one number of rounds are compared by `lastGrant`, then by `order`. */
export interface Place {
  /** Turns of the same namespace that go first. */
  readonly round: number;
  readonly lastGrant: number;
  readonly order: number;
}

/** Behind every turn. */
export const END: Place = { round: Number.POSITIVE_INFINITY, lastGrant: 0, order: 0 };

/** The tokens of the waiters ahead of a place that take at most so many, and of the largest of them. */
export function countAhead(
  queues: Iterable<Queue>,
  place: Place,
  counted: { readonly keptBeforeMs: number; readonly most: number },
): { readonly tokens: number; readonly most: number } {
  const ahead = { tokens: 0, most: 0 };
  for (const { lanes, lastGrant } of queues) {
    // One record for all waiters of a queue: thousands may wait in it.
    const at = { round: 0, lastGrant, order: 0 };
    for (const waiters of lanes) addAhead(ahead, waiters, { at, place, ...counted });
  }
  return ahead;
}

function addAhead(
  ahead: { tokens: number; most: number },
  waiters: Waiters,
  given: {
    readonly at: { round: number; order: number; readonly lastGrant: number };
    readonly place: Place;
    readonly keptBeforeMs: number;
    readonly most: number;
  },
): void {
  const { at, place, keptBeforeMs, most } = given;
  for (const { order, count, keptFromMs } of waiters.values()) {
    at.order = order;
    // Within a queue the places come in order.
    if (!isAhead(at, place)) return;
    at.round++;
    if (keptFromMs >= keptBeforeMs || count > most) continue;
    ahead.tokens += count;
    ahead.most = Math.max(ahead.most, count);
  }
}

export function delay(turn: Waiter, keptFromMs: number, dueMs = keptFromMs): void {
  turn.keptFromMs = Math.max(turn.keptFromMs, keptFromMs);
  turn.dueMs = Math.max(turn.dueMs, dueMs);
}

/** The place of one that is known, or the one at the end of its lane. */
export function findPlace(
  { lanes, lastGrant }: Queue,
  order: number,
  known: Waiter | undefined,
): Place {
  const [underWay, others] = lanes;
  const isUnderWay = order < 0;
  const before = isUnderWay ? 0 : underWay.size;
  const lane = isUnderWay ? underWay : others;
  const round = before + (known === undefined ? lane.size : countBefore(lane, order));
  return { round, lastGrant, order };
}

function countBefore(waiters: Waiters, order: number): number {
  let count = 0;
  for (const waiter of waiters.values()) {
    if (waiter.order >= order) break;
    count++;
  }
  return count;
}

export function createQueue(): Queue {
  return { lanes: [new Map(), new Map()], lastGrant: 0 };
}

export function findWaiter({ lanes: [underWay, others] }: Queue, key: string): Waiter | undefined {
  return underWay.get(key) ?? others.get(key);
}

export function removeWaiter({ lanes }: Queue, key: string): void {
  for (const waiters of lanes) waiters.delete(key);
}

export function countWaiters({ lanes: [underWay, others] }: Queue): number {
  return underWay.size + others.size;
}

export function listWaiters({ lanes }: Queue): readonly Waiter[] {
  return lanes.flatMap((waiters) => [...waiters.values()]);
}

/** One that is known keeps its place; each lane stays in the order of its waiters. */
export function enqueue({ lanes: [underWay, others] }: Queue, key: string, waiter: Waiter): void {
  const lane = waiter.order < 0 ? underWay : others;
  lane.set(key, waiter);
}

export function isAhead(a: Place, b: Place): boolean {
  if (a.round !== b.round) return a.round < b.round;
  return a.lastGrant === b.lastGrant ? a.order < b.order : a.lastGrant < b.lastGrant;
}
