import type {
  DesiredAction,
  DesiredGraph,
  ObservedGraph,
} from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import type { Operation } from '../../../../../src/controllers/my-ingress/graph/steps.ts';

/** AWS as data, as far as it decides how many writes an edit takes and which rule a request finds. */
export interface Model {
  /** By name, what of a target group is changed in place. */
  readonly groups: ReadonlyMap<string, string>;
  /** By port. */
  readonly listeners: ReadonlyMap<number, ModelListener>;
}

interface ModelListener {
  readonly action: ModelAction;
  /** By id. */
  readonly rules: ReadonlyMap<string, ModelRule>;
}

interface ModelRule {
  readonly priority: number;
  readonly paths: readonly string[];
  readonly action: ModelAction;
}

interface ModelAction {
  readonly text: string;
  /** Names of the target groups that it needs. */
  readonly groups: readonly string[];
}

/** Those that are counted: tags, attributes and security groups come on top, whatever the order. */
export const COUNTED: ReadonlySet<Operation> = new Set<Operation>([
  ...(['CreateTargetGroup', 'ModifyTargetGroup', 'DeleteTargetGroup'] as const),
  ...(['CreateListener', 'ModifyListener', 'DeleteListener'] as const),
  ...(['CreateRule', 'ModifyRule', 'DeleteRule', 'SetRulePriorities'] as const),
]);

/** How many resources there are before or after. */
export function countResources(...models: readonly Model[]): number {
  return new Set(
    models.flatMap(({ groups, listeners }) => [
      ...groups.keys(),
      ...[...listeners].flatMap(([port, { rules }]) => [port, ...rules.keys()]),
    ]),
  ).size;
}

export function readObserved({ targetGroups, listeners }: ObservedGraph): Model {
  const names = new Map(targetGroups.map(({ targetGroup: { arn, name } }) => [arn, name]));
  const actionOf = (actions: readonly unknown[]): ModelAction => {
    const [action] = actions as readonly ({ readonly kind: string } & Arns)[];
    if (action?.kind !== 'forward') return { text: JSON.stringify(action), groups: [] };
    const to = (action.targetGroups ?? []).map(({ arn, weight }) => {
      return { name: names.get(arn) ?? arn, weight };
    });
    return describeForward(to);
  };
  return {
    groups: new Map(
      targetGroups.map(({ targetGroup: { name, healthCheck } }) => [name, healthCheck.path]),
    ),
    listeners: new Map(
      listeners.map(({ listener, rules }) => {
        const own = rules.map(({ rule, tags }) => {
          const { priority, conditions, actions } = rule;
          const paths = readPaths(conditions);
          const id = tags['albridge.io/resource'] ?? '';
          return [id, { priority: Number(priority), paths, action: actionOf(actions) }] as const;
        });
        const action = actionOf(listener.defaultActions);
        return [listener.port, { action, rules: new Map(own) }];
      }),
    ),
  };
}

interface Arns {
  readonly targetGroups?: readonly { readonly arn: string; readonly weight: number }[];
}

/** Priorities are those of the order: only that counts. */
export function readDesired({ targetGroups, listeners }: DesiredGraph): Model {
  return {
    groups: new Map(targetGroups.map(({ name, healthCheck }) => [name, healthCheck.path])),
    listeners: new Map(
      listeners.map(({ port, action, rules }) => {
        const own = rules.map(({ id, conditions, action: then }, index) => {
          const paths = readPaths(conditions);
          return [id, { priority: index + 1, paths, action: readAction(then) }] as const;
        });
        return [port, { action: readAction(action), rules: new Map(own) }];
      }),
    ),
  };
}

function readAction(action: DesiredAction): ModelAction {
  if (action.kind === 'forward') return describeForward(action.targetGroups);
  return { text: JSON.stringify(action), groups: [] };
}

function describeForward(
  to: readonly { readonly name: string; readonly weight: number }[],
): ModelAction {
  const parts = to.map(({ name, weight }) => `${name}:${weight}`);
  return { text: parts.toSorted().join(), groups: to.map(({ name }) => name) };
}

function readPaths(conditions: readonly { readonly field: string }[]): readonly string[] {
  return conditions.flatMap((one) => ('values' in one ? (one.values as readonly string[]) : []));
}

export interface Edit {
  readonly before: Model;
  readonly after: Model;
  /** Of requests. */
  readonly paths: readonly string[];
}

interface Finding {
  readonly by: 'rule' | 'default' | 'nobody';
  /** What is done. */
  readonly answer?: string;
}

/**
 * Whether a listener is missing that is there before and after, or a request finds the default action that finds a
 * rule before and after, and is answered otherwise than by these.
 */
export function hasHole(now: Model, { before, after, paths }: Edit): boolean {
  return [...before.listeners.keys()].some((port) => {
    if (!after.listeners.has(port)) return false;
    return paths.some((path) => {
      const found = find(now, port, path);
      const ends = [before, after].map((one) => find(one, port, path));
      const isFound = ends.every(({ by }) => by === 'rule');
      const isOther = ends.every(({ answer }) => answer !== found.answer);
      return found.by === 'nobody' || (isFound && found.by === 'default' && isOther);
    });
  });
}

function find({ listeners }: Model, port: number, path: string): Finding {
  const listener = listeners.get(port);
  if (listener === undefined) return { by: 'nobody' };
  const [met] = [...listener.rules.values()]
    .filter(({ paths }) => paths.includes(path))
    .toSorted((a, b) => a.priority - b.priority);
  return met === undefined
    ? { by: 'default', answer: listener.action.text }
    : { by: 'rule', answer: met.action.text };
}

interface Question extends Edit {
  /** More writes are not tried. */
  readonly most: number;
}

/**
 * The least number of writes that lead from the one to the other and never let a request miss a rule, over all
 * orders and detours that AWS allows; undefined: there is no way with so few.
 */
export function findLeastWrites(question: Question): number | undefined {
  for (let most = countDifferences(question.before, question.after); ; most += 1) {
    if (most > question.most) return undefined;
    if (isReachable(question, most)) return most;
  }
}

function isReachable(edit: Edit, most: number): boolean {
  const { before, after } = edit;
  const tried = new Map<string, number>();
  const visit = (now: Model, left: number): boolean => {
    const missing = countDifferences(now, after);
    if (missing === 0) return true;
    if (missing > left) return false;
    const key = printModel(now);
    if ((tried.get(key) ?? -1) >= left) return false;
    tried.set(key, left);
    return listNext(now, edit).some((next) => {
      return !hasHole(next, edit) && visit(next, left - 1);
    });
  };
  return visit(before, most);
}

/** No write repairs more than one of them. */
function countDifferences(now: Model, after: Model): number {
  const groups = countUnequal(now.groups, after.groups, (a, b) => a === b);
  const ports = new Set([...now.listeners.keys(), ...after.listeners.keys()]);
  const ofListeners = [...ports].map((port) => {
    const [is, shall] = [now.listeners.get(port), after.listeners.get(port)];
    // It takes its rules with it.
    if (shall === undefined) return 1;
    const rules = countUnequal(is?.rules ?? new Map(), shall.rules, isSameRule);
    const own = is?.action.text === shall.action.text ? 0 : 1;
    return rules + own + (is === undefined || isInOrder(is, shall) ? 0 : 1);
  });
  return groups + ofListeners.reduce((sum, count) => sum + count, 0);
}

function countUnequal<T>(
  now: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (a: T, b: T) => boolean,
): number {
  const names = new Set([...now.keys(), ...after.keys()]);
  return [...names].filter((name) => {
    const [is, shall] = [now.get(name), after.get(name)];
    return is === undefined || shall === undefined || !isSame(is, shall);
  }).length;
}

function isSameRule(a: ModelRule, b: ModelRule): boolean {
  return a.action.text === b.action.text && a.paths.join() === b.paths.join();
}

function isInOrder(is: ModelListener, shall: ModelListener): boolean {
  const kept = sortRules(is).filter((id) => shall.rules.has(id));
  const order = sortRules(shall).filter((id) => is.rules.has(id));
  return kept.join(' ') === order.join(' ');
}

function sortRules({ rules }: ModelListener): readonly string[] {
  return [...rules].toSorted(([, a], [, b]) => a.priority - b.priority).map(([id]) => id);
}

/** Everything that one write can lead to; what is neither before nor after leads nowhere sooner. */
function listNext(now: Model, { before, after }: Edit): readonly Model[] {
  return [
    ...listGroupWrites(now, after),
    ...[...new Set([...now.listeners.keys(), ...after.listeners.keys()])].flatMap((port) => {
      return listListenerWrites(now, port, { before, after });
    }),
  ];
}

function listGroupWrites(now: Model, after: Model): readonly Model[] {
  const used = new Set(
    [...now.listeners.values()].flatMap(({ action, rules }) => [
      ...action.groups,
      ...[...rules.values()].flatMap((rule) => rule.action.groups),
    ]),
  );
  const set = [...after.groups].map(([name, check]) => new Map([...now.groups, [name, check]]));
  const deleted = [...now.groups.keys()]
    .filter((name) => !used.has(name))
    .map((name) => new Map([...now.groups].filter(([one]) => one !== name)));
  return [...set, ...deleted].map((groups) => ({ ...now, groups }));
}

function listListenerWrites(
  now: Model,
  port: number,
  { before, after }: Omit<Edit, 'paths'>,
): readonly Model[] {
  const is = now.listeners.get(port);
  const ends = [before, after].flatMap((one) => one.listeners.get(port) ?? []);
  const isServed = ({ groups }: ModelAction): boolean =>
    groups.every((name) => now.groups.has(name));
  const put = (listener: ModelListener): Model => {
    return { ...now, listeners: new Map([...now.listeners, [port, listener]]) };
  };
  const actions = ends.map(({ action }) => action).filter(isServed);
  if (is === undefined) return actions.map((action) => put({ action, rules: new Map() }));
  const versions = ends.flatMap(({ rules }) => [...rules]).map(([id, rule]) => ({ id, rule }));
  const rules = versions.filter(({ rule }) => isServed(rule.action));
  const given = new Set(
    [...(before.listeners.get(port)?.rules.values() ?? [])].map((rule) => rule.priority),
  );
  const changed = [
    ...rules.flatMap(({ id, rule }) => writeRule(is, { id, rule, given })),
    ...[...is.rules.keys()].map((id) => new Map([...is.rules].filter(([one]) => one !== id))),
    ...permute([...is.rules.keys()]).map((order) => {
      const moved = order.flatMap((id, index) => {
        const rule = is.rules.get(id);
        return rule === undefined ? [] : [[id, { ...rule, priority: (index + 1) * GAP }] as const];
      });
      return new Map(moved);
    }),
  ];
  return [
    ...actions.map((action) => put({ ...is, action })),
    ...changed.map((one) => put({ ...is, rules: one })),
    { ...now, listeners: new Map([...now.listeners].filter(([one]) => one !== port)) },
  ];
}

const GAP = 64;

interface RuleWrite {
  readonly id: string;
  readonly rule: ModelRule;
  /** Priorities of before: within one edit none goes from one rule to another but by SetRulePriorities. */
  readonly given: ReadonlySet<number>;
}

/** Changed where it is, or made in each gap between two others. */
function writeRule(
  { rules }: ModelListener,
  { id, rule, given }: RuleWrite,
): readonly ReadonlyMap<string, ModelRule>[] {
  const is = rules.get(id);
  if (is !== undefined) {
    const both = { ...rule, priority: is.priority };
    const some = [both, { ...is, paths: rule.paths }, { ...is, action: rule.action }];
    return some.map((one) => new Map([...rules, [id, one]]));
  }
  const taken = [0, ...[...rules.values()].map(({ priority }) => priority)];
  return taken
    .toSorted((a, b) => a - b)
    .flatMap((low, index, all) => {
      const priority = findFree(low, all[index + 1] ?? low + 2 * GAP, given);
      return priority === undefined ? [] : [new Map([...rules, [id, { ...rule, priority }]])];
    });
}

/** As far from both ends as possible. */
function findFree(low: number, high: number, given: ReadonlySet<number>): number | undefined {
  const middle = Math.floor((low + high) / 2);
  const numbers = Array.from({ length: high - low - 1 }, (_, index) => low + 1 + index);
  return numbers
    .filter((one) => !given.has(one))
    .toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
}

function permute(ids: readonly string[]): readonly (readonly string[])[] {
  if (ids.length < 2) return [ids];
  return ids.flatMap((first) => {
    return permute(ids.filter((one) => one !== first)).map((rest) => [first, ...rest]);
  });
}

function printModel({ groups, listeners }: Model): string {
  const ofListeners = [...listeners]
    .toSorted(([a], [b]) => a - b)
    .map(([port, one]) => {
      const rules = sortRules(one).map((id) => {
        const { priority = 0, paths = [], action } = one.rules.get(id) ?? {};
        return `${id} ${priority} ${paths.join()} ${action?.text}`;
      });
      return `${port} ${one.action.text} ${rules.join('; ')}`;
    });
  const ofGroups = [...groups].map((one) => one.join(' ')).toSorted();
  return [...ofGroups, ...ofListeners].join('\n');
}
