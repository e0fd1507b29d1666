/** One rule of a source, and how many rules of AWS it is. */
interface Costly {
  readonly source: string;
  readonly cost: number;
}

/**
 * Shares what is left of a quota: the sources take turns in the order in which they are given, one rule a round,
 * so that none starves another. A rule for which nothing is left is passed over; a cheaper one may still fit.
 */
export function takeTurns<T extends Costly>(rules: readonly T[], left: number): ReadonlySet<T> {
  const queues = new Map<string, T[]>();
  for (const rule of rules) {
    const queue = queues.get(rule.source) ?? [];
    queue.push(rule);
    queues.set(rule.source, queue);
  }
  const served = new Set<T>();
  let rest = left;
  for (let round = 0; [...queues.values()].some((queue) => queue.length > round); round += 1) {
    for (const queue of queues.values()) {
      const rule = queue[round];
      if (rule === undefined || rule.cost > rest) continue;
      served.add(rule);
      rest -= rule.cost;
    }
  }
  return served;
}
