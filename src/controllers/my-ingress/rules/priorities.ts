/** 1 to 50000; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateRule.html */
const MAX_PRIORITY = 50_000;
const GAP = 100;

/** A rule of ours that is there: `key` is what `order` calls it. */
export interface PlacedRule {
  readonly key: string;
  readonly priority: number;
}

export interface PriorityQuestion {
  /** Keys of the rules that should be there, in the order of evaluation. */
  readonly order: readonly string[];
  /** All of ours, also those that will be deleted; each keeps working until then. */
  readonly placed: readonly PlacedRule[];
  /** Priorities of rules of others, which nobody moves. */
  readonly foreign: ReadonlySet<number>;
}

/**
 * A priority for each rule of the order and for each placed one; pure. New rules go into the gaps between
 * those that are there, and nobody moves. Only where the order is another one, or a gap is used up, all
 * are numbered anew, with gaps of 100.
 */
export function assignPriorities(question: PriorityQuestion): ReadonlyMap<string, number> {
  return fillGaps(question) ?? renumber(question);
}

/** undefined: not possible without moving a rule. */
function fillGaps({
  order,
  placed,
  foreign,
}: PriorityQuestion): ReadonlyMap<string, number> | undefined {
  const assigned = new Map(placed.map(({ key, priority }) => [key, priority]));
  const taken = new Set([...assigned.values(), ...foreign]);
  let after = 0;
  for (let at = 0; at < order.length; ) {
    const rest = order.slice(at);
    const next = rest.findIndex((key) => assigned.has(key));
    const added = next === -1 ? rest : rest.slice(0, next);
    const before = next === -1 ? undefined : assigned.get(rest[next] ?? '');
    const numbers = listNumbersBetween({ after, before, taken, count: added.length });
    if (numbers === undefined) return undefined;
    added.forEach((key, index) => assigned.set(key, numbers[index] ?? 0));
    after = before ?? MAX_PRIORITY;
    at += added.length + (before === undefined ? 0 : 1);
  }
  return assigned;
}

interface Gap {
  readonly after: number;
  /** undefined: behind all. */
  readonly before: number | undefined;
  readonly taken: ReadonlySet<number>;
  readonly count: number;
}

function listNumbersBetween(gap: Gap): readonly number[] | undefined {
  const { after, before, taken, count } = gap;
  if (before === undefined) return listNumbersBehind(gap);
  if (before <= after) return undefined;
  const free: number[] = [];
  for (let number = after + 1; number < before; number += 1) {
    if (!taken.has(number)) free.push(number);
  }
  if (free.length < count) return undefined;
  return Array.from({ length: count }, (_, index) => {
    return free[Math.floor(((index + 1) * free.length) / (count + 1))] ?? 0;
  });
}

function listNumbersBehind({ after, taken, count }: Gap): readonly number[] | undefined {
  const numbers: number[] = [];
  const gap = Math.max(1, Math.min(GAP, Math.floor((MAX_PRIORITY - after) / (count + 1))));
  let last = after;
  while (numbers.length < count) {
    last = findFree(last + gap, taken);
    numbers.push(last);
  }
  return last <= MAX_PRIORITY ? numbers : undefined;
}

/** Rules that will be deleted stay behind all that they follow now, so that they catch no more than now. */
function renumber({ order, placed, foreign }: PriorityQuestion): ReadonlyMap<string, number> {
  const keys = mergeOrders(order, placed);
  const gap = Math.max(1, Math.min(GAP, Math.floor(MAX_PRIORITY / (keys.length + 1))));
  const assigned = new Map<string, number>();
  let last = 0;
  for (const key of keys) {
    last = findFree(last + gap, foreign);
    assigned.set(key, last);
  }
  return assigned;
}

function mergeOrders(order: readonly string[], placed: readonly PlacedRule[]): readonly string[] {
  const places = new Map(order.map((key, place) => [key, place]));
  const followers = new Map<number, string[]>();
  let last = -1;
  for (const { key } of placed.toSorted((a, b) => a.priority - b.priority)) {
    const place = places.get(key);
    if (place === undefined) followers.set(last, [...(followers.get(last) ?? []), key]);
    else last = Math.max(last, place);
  }
  return [
    ...(followers.get(-1) ?? []),
    ...order.flatMap((key, place) => [key, ...(followers.get(place) ?? [])]),
  ];
}

function findFree(from: number, taken: ReadonlySet<number>): number {
  let number = from;
  while (taken.has(number)) number += 1;
  return number;
}
