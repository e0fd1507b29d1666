/** One rule of a source on one port, and how many rules of AWS it is. */
interface Costly {
  readonly source: string;
  readonly rule: { readonly name: string };
  readonly cost: number;
}

/** How many of its hosts and paths its source holds already; `elsewhere`: on other ports alone. */
export type Hold = 'all' | 'some' | 'elsewhere' | 'none';

interface Quota<T> {
  readonly left: number;
  readonly getHold: (one: T) => Hold;
}

interface Turn<T> {
  readonly one: T;
  readonly rank: (typeof RANKS)[number];
}

/** `further`: a port more of a rule that holds another one, or a listener that is added would take rules from others. */
const RANKS = ['all', 'some', 'elsewhere', 'none', 'further'] as const;

/**
 * Shares what is left of a quota: first among what is held, so that neither a newcomer nor an edit takes rules from
 * others. Each time the sources take turns in the order in which they are given, one rule a round, so that none
 * starves another. A rule for which too little is left is passed over; a cheaper one may still fit. Once one is that is
 * held whole, only such ones are served: a newcomer would hold as much as it the next time, and their turns decide then.
 */
export function shareQuota<T extends Costly>(
  candidates: readonly T[],
  { left, getHold }: Quota<T>,
): ReadonlySet<T> {
  const turns = takeTurns(candidates, getHold);
  const served = new Set<T>();
  let rest = left;
  for (const rank of RANKS) {
    const ones = turns.filter((turn) => turn.rank === rank).map(({ one }) => one);
    for (const one of ones) {
      if (one.cost > rest) continue;
      served.add(one);
      rest -= one.cost;
    }
    if (rank === 'all' && ones.some((one) => !served.has(one))) break;
  }
  return served;
}

/** Round by round; those that hold something are the first of their source, so that its next one waits a round. */
function takeTurns<T extends Costly>(
  candidates: readonly T[],
  getHold: Quota<T>['getHold'],
): readonly Turn<T>[] {
  const queues = [...Map.groupBy(candidates, ({ source }) => source).values()].map((own) => {
    const rules = [...Map.groupBy(own, ({ rule }) => rule.name).values()].map((rule) =>
      rankRule(rule, getHold),
    );
    return rules.toSorted((a, b) => findPlace(a) - findPlace(b));
  });
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue[round] ?? []),
  ).flat();
}

function rankRule<T>(rule: readonly T[], getHold: Quota<T>['getHold']): readonly Turn<T>[] {
  const turns = rule.map((one) => ({ one, rank: getHold(one) }));
  const isHeld = (rank: Hold): boolean => rank === 'all' || rank === 'some';
  if (!turns.some(({ rank }) => isHeld(rank))) return turns;
  return turns.map(({ one, rank }) => ({ one, rank: isHeld(rank) ? rank : 'further' }));
}

function findPlace(rule: readonly Pick<Turn<unknown>, 'rank'>[]): number {
  return Math.min(...rule.map(({ rank }) => RANKS.indexOf(rank)));
}
