import type { Condition, Rule } from '../../../aws/elbv2/traffic.ts';
import { normaliseActions } from '../graph/actions.ts';
import type { ObservedListener } from '../graph/graph.ts';
import type { Step } from '../graph/steps.ts';
import { Effort } from '../rules/effort.ts';
import { COMPARED_UNTIL, listProbes, Matcher, type Probe } from '../rules/probes.ts';
import { type Done, findOrder } from './search.ts';

/** A listener that is there, and what of one plan changes where its requests go. */
export interface Transition {
  readonly observed: ObservedListener;
  readonly namesByArn: ReadonlyMap<string, string>;
  /** ModifyListener, SetRulePriorities, CreateRule, ModifyRule and DeleteRule, in the order to prefer. */
  readonly steps: readonly Step[];
  /** Default: that of a plan with one listener. */
  readonly effort?: Effort;
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
  return leaveDeleted(
    order.flatMap((index) => steps[index] ?? []),
    transition,
  );
}

/** A rule that is deleted before the others move is not moved, and what takes its priority needs its deletion. */
function leaveDeleted(
  steps: readonly Step[],
  { observed }: Pick<Transition, 'observed'>,
): readonly Step[] {
  const priorities = new Map(observed.rules.map(({ rule }) => [rule.arn, rule.priority]));
  const freed = new Map<Rule['priority'] | undefined, string>();
  const gone = new Set<string>();
  return steps.flatMap((step): readonly Step[] => {
    if (step.operation === 'DeleteRule') {
      gone.add(step.input.arn);
      freed.set(priorities.get(step.input.arn), step.id);
    }
    const kept = step.operation === 'SetRulePriorities' ? leaveUnmoved(step, gone) : [step];
    return kept.map((one) => ({ ...one, needs: [...one.needs, ...listFreed(one, freed)] }));
  });
}

/** `gone`: ARNs of rules that are deleted before. */
export function leaveUnmoved(
  step: Step<'SetRulePriorities'>,
  gone: ReadonlySet<string>,
): readonly Step[] {
  const priorities = step.input.priorities.filter(({ arn }) => !gone.has(arn));
  return priorities.length === 0 ? [] : [{ ...step, input: { priorities } }];
}

/** The deleted rules whose priorities the step gives to others. */
function listFreed(
  step: Step,
  freed: ReadonlyMap<Rule['priority'] | undefined, string>,
): readonly string[] {
  return listTaken(step).flatMap((priority) => freed.get(priority) ?? []);
}

function listTaken({ operation, input }: Step): readonly number[] {
  if (operation === 'CreateRule') return [input.priority];
  return operation === 'SetRulePriorities' ? input.priorities.map((one) => one.priority) : [];
}

/** A rule's conditions and its answer to a request that meets them. */
interface Version {
  readonly conditions: readonly Condition[];
  /** Equal for two versions that do the same, as are the transforms. */
  readonly action: string;
  readonly transforms: string;
  /** Both. */
  readonly answer: string;
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

/** Tells which rule each request would find after any part of the steps. */
class Course {
  readonly size: number;
  readonly effort: Effort;
  readonly #actors: readonly Actor[];
  readonly #byDefault: { readonly before: string; readonly after: string };
  readonly #moveStep: number;
  readonly #defaultStep: number;
  /** Of each request. */
  readonly #trials: readonly Trial[];

  constructor(transition: Transition) {
    const { steps, effort = new Effort() } = transition;
    this.size = steps.length;
    this.effort = effort;
    this.#actors = listActors(transition);
    this.#byDefault = readDefaults(transition);
    this.#moveStep = steps.findIndex(({ operation }) => operation === 'SetRulePriorities');
    this.#defaultStep = steps.findIndex(({ operation }) => operation === 'ModifyListener');
    const none = steps.map(() => false);
    const all = steps.map(() => true);
    this.#trials = listTables(this.#actors, effort).map((tables) => {
      const ends = [none, all].map((done) => this.#answer(done, tables));
      const hasRule = ends.every(({ isDefault }) => !isDefault);
      return { tables, ends: ends.map(({ answer }) => answer), hasRule };
    });
  }

  /** AWS refuses two rules of one priority. */
  isPossible(done: Done): boolean {
    const at = this.#isMoved(done) ? 1 : 0;
    this.effort.spend(this.#actors.length * 2);
    const there = this.#actors.filter((actor) => pickVersion(actor, done) !== undefined);
    return new Set(there.map(({ priorities }) => priorities[at])).size === there.length;
  }

  /** How many requests are answered as neither before nor after; one without its rule counts for many. */
  measureHarm(done: Done): number {
    return this.#trials.reduce((harm, { tables, ends, hasRule }) => {
      const { answer, isDefault } = this.#answer(done, tables);
      if (ends.includes(answer)) return harm;
      if (!isDefault) return harm + 1;
      return harm + (hasRule ? MISSED : DEFAULTED);
    }, 0);
  }

  #answer(done: Done, tables: Tables): { readonly answer: string; readonly isDefault: boolean } {
    const table = tables[this.#isMoved(done) ? 1 : 0];
    this.effort.spend(table.length + 2);
    for (const { actor, before, after } of table) {
      const isDone = actor.step !== undefined && done[actor.step] === true;
      const met = isDone ? after : before;
      const version = isDone ? actor.after : actor.before;
      if (version !== undefined && met) return { answer: version.answer, isDefault: false };
    }
    const { before, after } = this.#byDefault;
    return { answer: done[this.#defaultStep] === true ? after : before, isDefault: true };
  }

  #isMoved(done: Done): boolean {
    return done[this.#moveStep] === true;
  }
}

/** Of a request that has a rule before and after. */
const MISSED = 1_000;
/** Of one that has a rule on one side: the default action often serves nothing. */
const DEFAULTED = 10;

/** A rule that a request may find. */
interface Row {
  readonly actor: Actor;
  /** Whether the request meets its conditions. */
  readonly before: boolean;
  readonly after: boolean;
}

/** In the order of evaluation, before the rules are moved and after. */
type Tables = readonly [readonly Row[], readonly Row[]];

interface Trial {
  readonly tables: Tables;
  /** Its answers before and after. */
  readonly ends: readonly string[];
  /** Both are those of a rule. */
  readonly hasRule: boolean;
}

/**
 * Of requests that meet a rule which is changed or moved, one for each set of versions of rules that are met: all
 * others see the listener's default change alone.
 */
function listTables(actors: readonly Actor[], effort: Effort): readonly Tables[] {
  const touched = new Set(
    actors.filter(({ step, priorities: [from, to] }) => step !== undefined || from !== to),
  );
  const matcher = new Matcher(effort);
  const bySet = new Map<string, Tables>();
  const isTouched = ({ actor }: Row): boolean => touched.has(actor);
  const changed = listConditions([...touched]);
  const others = listConditions(actors.filter((actor) => !touched.has(actor)));
  for (const probe of listProbes(changed, others, effort)) {
    if (effort.isSpent(COMPARED_UNTIL)) break;
    const rows = actors.flatMap((actor, index) => findRow(actor, index, { probe, matcher }));
    if (!rows.some(isTouched)) continue;
    const key = rows.map(({ index, before, after }) => `${index}${before}${after}`).join(' ');
    if (!bySet.has(key)) bySet.set(key, [sortRows(rows, 0), sortRows(rows, 1)]);
  }
  return [...bySet.values()];
}

function sortRows(rows: readonly Row[], at: 0 | 1): readonly Row[] {
  return rows.toSorted((a, b) => a.actor.priorities[at] - b.actor.priorities[at]);
}

/** Empty: the request never meets the rule. */
function findRow(
  actor: Actor,
  index: number,
  { probe, matcher }: { readonly probe: Probe; readonly matcher: Matcher },
): readonly (Row & { readonly index: number })[] {
  const meets = (version: Version | undefined): boolean =>
    version !== undefined && matcher.matches(version.conditions, probe);
  const before = meets(actor.before);
  const isSame = actor.before?.conditions === actor.after?.conditions;
  const after = isSame ? before : meets(actor.after);
  return before || after ? [{ actor, index, before, after }] : [];
}

function pickVersion(actor: Actor, done: Done): Version | undefined {
  return actor.step !== undefined && done[actor.step] === true ? actor.after : actor.before;
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
    const sorted = rule.transforms.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
    const before = makeVersion(rule.conditions, action, JSON.stringify(sorted));
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
    const after = makeVersion(conditions, JSON.stringify(action), JSON.stringify(transforms));
    return [{ before: undefined, after, step, priorities: [priority, priority] }];
  });
  return [...there, ...created];
}

const OF_ONE_RULE: ReadonlySet<Step['operation']> = new Set(['ModifyRule', 'DeleteRule'] as const);

function changeVersion(before: Version, step: Step | undefined): Version | undefined {
  if (step?.operation === 'DeleteRule') return undefined;
  if (step?.operation !== 'ModifyRule') return before;
  const { conditions = before.conditions, action, transforms } = step.input;
  return makeVersion(
    conditions,
    action === undefined ? before.action : JSON.stringify(action),
    transforms === undefined ? before.transforms : JSON.stringify(transforms),
  );
}

function makeVersion(
  conditions: Version['conditions'],
  action: string,
  transforms: string,
): Version {
  return { conditions, action, transforms, answer: printAnswer(action, transforms) };
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
