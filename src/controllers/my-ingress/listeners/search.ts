import type { Effort } from '../rules/effort.ts';

/** Which steps are done, by their index. */
export type Done = readonly boolean[];

/** Steps whose order is searched for. */
export interface Search {
  /** How many there are. */
  readonly size: number;
  readonly effort: Effort;
  isPossible(done: Done): boolean;
  /** Of the moment in which these are done; 0 where nobody notices. */
  measureHarm(done: Done): number;
}

/** Their order: the least harm first, then what is furthest on, then the order of their indices. */
export function findOrder(course: Search): readonly number[] {
  const preferred = Array.from({ length: course.size }, (_, index) => index);
  const { effort } = course;
  const seen = new Set<string>();
  let frontier: readonly Node[] = [
    { done: preferred.map(() => false), order: [], harm: 0, from: 0 },
  ];
  while (frontier.length > 0) {
    effort.spend(frontier.length + course.size * 2);
    const best = frontier.reduce((a, b) => (isBetter(b, a) ? b : a));
    if (best.order.length === course.size || effort.isSpent(1)) return complete(best, preferred);
    const others = frontier.filter((node) => node !== best);
    const key = `${best.done.map(Number).join('')} ${best.from}`;
    if (seen.has(key)) {
      frontier = others;
      continue;
    }
    seen.add(key);
    const next = expand(course, best);
    // From then on straight ahead from the best that was found.
    frontier = effort.isSpent(SEARCHED_UNTIL) && next.length > 0 ? next : [...next, ...others];
  }
  return preferred;
}

/** Of all effort. */
const SEARCHED_UNTIL = 0.85;

/** Appends the rest in the preferred order, in which AWS takes it: rules are moved before others come. */
function complete({ order }: Node, preferred: readonly number[]): readonly number[] {
  const ordered = new Set(order);
  return [...order, ...preferred.filter((step) => !ordered.has(step))];
}

function isBetter(a: Node, b: Node): boolean {
  return a.harm < b.harm || (a.harm === b.harm && a.order.length > b.order.length);
}

/** Up to the first step that does no harm; the node itself then stands for those behind it. */
function expand(course: Search, node: Node): readonly Node[] {
  const next: Node[] = [];
  for (let step = node.from; step < course.size && !course.effort.isSpent(1); step += 1) {
    if (node.done[step] === true) continue;
    const done = node.done.with(step, true);
    if (!course.isPossible(done)) continue;
    const order = [...node.order, step];
    const isLast = order.length === course.size;
    const harm = node.harm + (isLast ? 0 : course.measureHarm(done));
    next.push({ done, order, harm, from: 0 });
    if (harm === node.harm) return [...next, { ...node, from: step + 1 }];
  }
  return next;
}

interface Node {
  readonly done: Done;
  readonly order: readonly number[];
  /** Of all states so far. */
  readonly harm: number;
  /** The first step that was not tried from here. */
  readonly from: number;
}
