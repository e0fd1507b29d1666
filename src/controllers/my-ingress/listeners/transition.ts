import type { Condition } from '../../../aws/elbv2/traffic.ts';
import { normaliseActions } from '../graph/actions.ts';
import type { ObservedListener } from '../graph/graph.ts';
import type { Step } from '../graph/steps.ts';
import { listProbes, Matcher, type Probe } from '../rules/probes.ts';

/** A listener that is there, and what of one plan changes where its requests go. */
export interface Transition {
  readonly observed: ObservedListener;
  readonly namesByArn: ReadonlyMap<string, string>;
  /** ModifyListener, SetRulePriorities, CreateRule, ModifyRule and DeleteRule, in the order to prefer. */
  readonly steps: readonly Step[];
}

/**
 * The steps in an order in which every request is answered all the while as before the first one or as
 * after the last one. Where there is no such order: one that leaves few requests with another answer, and above all
 * none without its rule. Pure.
 */
export function orderTransition(transition: Transition): readonly Step[] {
  const { steps } = transition;
  // New rules in the order of evaluation: each takes from the rules behind it what it keeps.
  const isPlain = steps.every(({ operation }) => operation === 'CreateRule');
  if (steps.length < 2 || isPlain) return steps;
  const course = new Course(transition);
  const order = findOrder(course);
  return leaveDeleted(order.flatMap((index) => steps[index] ?? []));
}

/** A rule that is deleted before the others move is not moved. */
function leaveDeleted(steps: readonly Step[]): readonly Step[] {
  const gone = new Set<string>();
  return steps.flatMap((step): readonly Step[] => {
    if (step.operation === 'DeleteRule') gone.add(step.input.arn);
    if (step.operation !== 'SetRulePriorities') return [step];
    const priorities = step.input.priorities.filter(({ arn }) => !gone.has(arn));
    return priorities.length === 0 ? [] : [{ ...step, input: { priorities } }];
  });
}

/** What a listener does with a request that meets the conditions. */
interface Version {
  readonly conditions: readonly Condition[];
  /** Equal for two versions that do the same, as are the transforms. */
  readonly action: string;
  readonly transforms: string;
}

/** A rule through all steps. */
interface Actor {
  /** undefined: not there. */
  readonly before: Version | undefined;
  readonly after: Version | undefined;
  /** The step that leads from the one to the other. */
  readonly step: number | undefined;
  /** Before the rules are moved, and after. */
  readonly priorities: readonly [before: number, after: number];
}

/** Which steps are done, by their index. */
type Done = readonly boolean[];

/** What each request would find after any part of the steps. */
class Course {
  readonly size: number;
  readonly #actors: readonly Actor[];
  readonly #byDefault: { readonly before: string; readonly after: string };
  readonly #moveStep: number;
  readonly #defaultStep: number;
  /** In the order of evaluation, before the rules are moved and after; with the probes that each version meets. */
  readonly #tables: readonly (readonly Row[])[];
  readonly #probes: readonly Probe[];
  readonly #ends: readonly (readonly [before: string, after: string])[];
  #spent = 0;

  constructor(transition: Transition) {
    const { steps } = transition;
    this.size = steps.length;
    this.#actors = listActors(transition);
    this.#byDefault = readDefaults(transition);
    this.#moveStep = steps.findIndex(({ operation }) => operation === 'SetRulePriorities');
    this.#defaultStep = steps.findIndex(({ operation }) => operation === 'ModifyListener');
    const matcher = new Matcher();
    this.#probes = listTouched(this.#actors, matcher);
    const rows = this.#actors.map((actor) => tabulate(actor, this.#probes, matcher));
    this.#tables = ([0, 1] as const).map((at) => {
      return rows.toSorted((a, b) => a.actor.priorities[at] - b.actor.priorities[at]);
    });
    const none = steps.map(() => false);
    const all = steps.map(() => true);
    this.#ends = this.#probes.map((_, probe) => {
      return [this.#answer(none, probe).answer, this.#answer(all, probe).answer];
    });
  }

  /** AWS refuses two rules of one priority. */
  isPossible(done: Done): boolean {
    const at = this.#isMoved(done) ? 1 : 0;
    const there = this.#actors.filter((actor) => pickVersion(actor, done) !== undefined);
    return new Set(there.map(({ priorities }) => priorities[at])).size === there.length;
  }

  /** How many requests are answered as neither before nor after; one without its rule counts for many. */
  measureHarm(done: Done): number {
    this.#spent += this.#probes.length * this.#actors.length;
    return this.#ends.reduce((harm, ends, probe) => {
      const { answer, isDefault } = this.#answer(done, probe);
      if (ends.includes(answer)) return harm;
      return harm + (isDefault ? MISSED : 1);
    }, 0);
  }

  /** True when more search would take longer than a few dozen milliseconds. */
  get isSpent(): boolean {
    return this.#spent > MOST_COMPARED;
  }

  #answer(done: Done, probe: number): { readonly answer: string; readonly isDefault: boolean } {
    const table = this.#tables[this.#isMoved(done) ? 1 : 0] ?? [];
    for (const { actor, before, after } of table) {
      const isDone = actor.step !== undefined && done[actor.step] === true;
      const met = isDone ? after : before;
      const version = isDone ? actor.after : actor.before;
      if (version !== undefined && met[probe] === true) {
        return { answer: printAnswer(version.action, version.transforms), isDefault: false };
      }
    }
    const { before, after } = this.#byDefault;
    return { answer: done[this.#defaultStep] === true ? after : before, isDefault: true };
  }

  #isMoved(done: Done): boolean {
    return done[this.#moveStep] === true;
  }
}

const MISSED = 1_000;
/** Of requests with rules. */
const MOST_COMPARED = 3_000_000;

interface Row {
  readonly actor: Actor;
  /** By probe. */
  readonly before: readonly boolean[];
  readonly after: readonly boolean[];
}

function tabulate(actor: Actor, probes: readonly Probe[], matcher: Matcher): Row {
  const meet = (version: Version | undefined): readonly boolean[] =>
    version === undefined ? [] : probes.map((probe) => matcher.matches(version.conditions, probe));
  const before = meet(actor.before);
  return { actor, before, after: actor.after === actor.before ? before : meet(actor.after) };
}

function pickVersion(actor: Actor, done: Done): Version | undefined {
  return actor.step !== undefined && done[actor.step] === true ? actor.after : actor.before;
}

/**
 * Requests that meet a rule which is changed or moved, one for each set of rules that are met: all others see the
 * listener's default change alone.
 */
function listTouched(actors: readonly Actor[], matcher: Matcher): readonly Probe[] {
  const touched = actors.filter(({ step, priorities: [from, to] }) => {
    return step !== undefined || from !== to;
  });
  const changed = listConditions(touched);
  const others = listConditions(actors.filter((actor) => !touched.includes(actor)));
  const bySet = new Map<string, Probe>();
  for (const probe of listProbes([...changed, ...others])) {
    const met = changed.map((one) => Number(matcher.matches(one, probe)));
    if (!met.includes(1)) continue;
    const rest = others.map((one) => Number(matcher.matches(one, probe)));
    bySet.set(`${met.join('')} ${rest.join('')}`, probe);
  }
  return [...bySet.values()];
}

function listConditions(actors: readonly Actor[]): readonly (readonly Condition[])[] {
  const lists = actors.flatMap(({ before, after }) =>
    [before, after].flatMap((one) => (one === undefined ? [] : [one.conditions])),
  );
  return [...new Set(lists)];
}

function listActors(transition: Transition): readonly Actor[] {
  const { observed, steps } = transition;
  const there = observed.rules.flatMap(({ rule }): readonly Actor[] => {
    if (rule.priority === 'default') return [];
    const action = printAction(rule.actions, transition);
    const transforms = rule.transforms.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    const before = { conditions: rule.conditions, action, transforms: JSON.stringify(transforms) };
    const index = steps.findIndex(({ operation, input }) => {
      return OF_ONE_RULE.has(operation) && 'arn' in input && input.arn === rule.arn;
    });
    const after = changeVersion(before, steps[index]);
    const moved = findMove(steps, rule.arn) ?? rule.priority;
    const step = index < 0 ? undefined : index;
    return [{ before, after, step, priorities: [rule.priority, moved] }];
  });
  const created = steps.flatMap(({ operation, input }, step): readonly Actor[] => {
    if (operation !== 'CreateRule') return [];
    const { conditions, action, transforms, priority } = input;
    const after = {
      ...{ conditions, action: JSON.stringify(action) },
      transforms: JSON.stringify(transforms),
    };
    return [{ before: undefined, after, step, priorities: [priority, priority] }];
  });
  return [...there, ...created];
}

const OF_ONE_RULE: ReadonlySet<Step['operation']> = new Set(['ModifyRule', 'DeleteRule'] as const);

function changeVersion(before: Version, step: Step | undefined): Version | undefined {
  if (step?.operation === 'DeleteRule') return undefined;
  if (step?.operation !== 'ModifyRule') return before;
  const { conditions = before.conditions, action, transforms } = step.input;
  return {
    conditions,
    action: action === undefined ? before.action : JSON.stringify(action),
    transforms: transforms === undefined ? before.transforms : JSON.stringify(transforms),
  };
}

function findMove(steps: readonly Step[], arn: string): number | undefined {
  return steps
    .flatMap(({ operation, input }) => (operation === 'SetRulePriorities' ? input.priorities : []))
    .find((one) => one.arn === arn)?.priority;
}

function readDefaults(transition: Transition): {
  readonly before: string;
  readonly after: string;
} {
  const { observed, steps } = transition;
  const before = printAction(observed.listener.defaultActions, transition);
  const actions = steps.flatMap(({ operation, input }) =>
    operation === 'ModifyListener' ? (input.action ?? []) : [],
  );
  const [action] = actions;
  const after = action === undefined ? before : JSON.stringify(action);
  return { before: printAnswer(before, '[]'), after: printAnswer(after, '[]') };
}

function printAction(
  actions: ObservedListener['listener']['defaultActions'],
  { namesByArn }: Transition,
): string {
  return JSON.stringify(normaliseActions(actions, namesByArn) ?? actions);
}

function printAnswer(action: string, transforms: string): string {
  return `${action} ${transforms}`;
}

interface Node {
  readonly done: Done;
  readonly order: readonly number[];
  /** Of all states so far. */
  readonly harm: number;
  /** The first step that was not tried from here. */
  readonly from: number;
}

/** Of more steps none is compared with all others once the search is over. */
const LONGEST_COMPARED = 40;

/** The least harm first, then what is furthest on, then the order to prefer. */
function findOrder(course: Course): readonly number[] {
  const preferred = Array.from({ length: course.size }, (_, index) => index);
  const seen = new Set<string>();
  let frontier: readonly Node[] = [
    { done: preferred.map(() => false), order: [], harm: 0, from: 0 },
  ];
  while (frontier.length > 0) {
    const best = frontier.reduce((a, b) => (isBetter(b, a) ? b : a));
    if (best.order.length === course.size) return best.order;
    const others = frontier.filter((node) => node !== best);
    const key = `${best.done.map(Number).join('')} ${best.from}`;
    if (seen.has(key)) {
      frontier = others;
      continue;
    }
    seen.add(key);
    if (course.isSpent && course.size > LONGEST_COMPARED) return preferred;
    const next = expand(course, best);
    // From then on straight ahead from the best that was found.
    frontier = course.isSpent && next.length > 0 ? next : [...next, ...others];
  }
  return preferred;
}

function isBetter(a: Node, b: Node): boolean {
  return a.harm < b.harm || (a.harm === b.harm && a.order.length > b.order.length);
}

/** Up to the first step that does no harm; the node itself then stands for those behind it. */
function expand(course: Course, node: Node): readonly Node[] {
  const next: Node[] = [];
  for (let step = node.from; step < course.size; step += 1) {
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
