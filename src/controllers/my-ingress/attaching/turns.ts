/** One rule of a source on one port, and how many rules of AWS it is. */
interface Costly {
  readonly source: string;
  readonly rule: { readonly name: string };
  readonly cost: number;
}

interface Quota<T> {
  readonly left: number;
  readonly isHeld: (one: T) => boolean;
}

/**
 * Shares what is left of a quota: the sources take turns in the order in which they are given, one rule a round,
 * so that none starves another. A rule for which nothing is left is passed over; a cheaper one may still fit. A rule
 * that holds a port gets other ones after all the rest, or a listener that is added would take rules from others.
 */
export function shareQuota<T extends Costly>(
  candidates: readonly T[],
  { left, isHeld }: Quota<T>,
): ReadonlySet<T> {
  const rules = groupRules(candidates);
  const first = rules.map((rule) => (rule.some(isHeld) ? rule.filter(isHeld) : rule));
  const further = rules.map((rule, index) => rule.filter((one) => !first[index]?.includes(one)));
  const served = takeTurns(first, left);
  return new Set([...served, ...takeTurns(further, left - sumCosts(served))]);
}

/** The candidates of each rule, in their order. */
function groupRules<T extends Costly>(candidates: readonly T[]): readonly (readonly T[])[] {
  const byRule = Map.groupBy(candidates, ({ source, rule }) => `${source} ${rule.name}`);
  return [...byRule.values()];
}

function takeTurns<T extends Costly>(
  rules: readonly (readonly T[])[],
  left: number,
): ReadonlySet<T> {
  const waiting = rules.filter((rule) => rule.length > 0);
  const queues = [...Map.groupBy(waiting, ([one]) => one?.source).values()];
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  const served = new Set<T>();
  let rest = left;
  for (let round = 0; round < longest; round += 1) {
    for (const one of queues.flatMap((queue) => queue[round] ?? [])) {
      if (one.cost > rest) continue;
      served.add(one);
      rest -= one.cost;
    }
  }
  return served;
}

function sumCosts(served: ReadonlySet<Costly>): number {
  return [...served].reduce((total, { cost }) => total + cost, 0);
}
