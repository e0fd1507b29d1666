import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../../aws/elbv2/traffic.ts';
import { normaliseActions } from '../graph/actions.ts';
import type {
  DesiredAction,
  DesiredListener,
  DesiredRule,
  ObservedListener,
} from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import { findRule, type ResourceId } from '../graph/resource-id.ts';
import { RULE_WRITES, type Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import { OWN_SOURCE } from '../routes/routes.ts';
import { claimRules, type RuleClaims } from '../rules/claims.ts';
import { normaliseEcho } from '../rules/conditions.ts';
import { areApart } from '../rules/overlap.ts';
import type { OwnListener } from './claims.ts';

/** So that no client is sent to a port before somebody listens there; what redirects all of them comes last. */
export function putRedirectsLast(
  listeners: readonly DesiredListener[],
): readonly DesiredListener[] {
  const rank = ({ action, rules }: DesiredListener): number => {
    if (findRedirected(action, listeners) !== undefined) return 2;
    return Number(rules.some((rule) => findRedirected(rule.action, listeners) !== undefined));
  };
  return listeners.toSorted((a, b) => rank(a) - rank(b));
}

type Target = Pick<DesiredListener, 'id' | 'port'> & { readonly protocol: string };

/** The listener to which the action sends clients. */
function findRedirected(
  action: DesiredAction,
  listeners: readonly Target[],
): ResourceId | undefined {
  if (action.kind !== 'redirect' || action.protocol !== 'HTTPS') return undefined;
  if (action.host !== '#{host}') return undefined;
  return listeners.find(({ port, protocol }) => {
    return protocol === 'HTTPS' && String(port) === action.port;
  })?.id;
}

/** Nobody speaks HTTPS on its port as yet. */
export function isAwaited(
  { port, protocol }: DesiredListener,
  observed: ObservedListener | undefined,
): boolean {
  const isThere = observed?.listener.protocol === 'HTTPS' && observed.listener.port === port;
  return protocol === 'HTTPS' && !isThere;
}

/** Those that the plan does not make, nor those that it does not make for their sake. */
export function listMissing(
  awaited: readonly DesiredListener[],
  canMake: (listener: DesiredListener, missing: readonly DesiredListener[]) => boolean,
): readonly DesiredListener[] {
  return awaited.reduce<readonly DesiredListener[]>(
    (missing) => awaited.filter((one) => !canMake(one, missing)),
    [],
  );
}

/** Redirects of a listener to others that are not there. */
export interface Wait {
  readonly targets: readonly ResourceId[];
  /** All that changes where its requests go waits. Otherwise these new rules alone, as no request loses a rule for them. */
  readonly isWhole: boolean;
  readonly rules: readonly DesiredRule[];
}

/** undefined: nothing of the listener begins to redirect to one of these. */
export function findWait(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
  { targets, context }: { readonly targets: readonly Target[]; readonly context: PlanContext },
): Wait | undefined {
  const claims = claimRules(desired, observed?.rules ?? [], context);
  const begins = (action: DesiredAction, present: readonly Action[] = []): boolean => {
    const target = findRedirected(action, targets);
    const before = normaliseActions(present, new Map());
    return target !== undefined && (!before || findRedirected(before, targets) !== target);
  };
  const isDefault = begins(desired.action, observed?.listener.defaultActions);
  const rules = desired.rules.filter(({ id, action }) => {
    return begins(action, claims.kept.get(id)?.observed.rule.actions);
  });
  const actions = [...(isDefault ? [desired.action] : []), ...rules.map(({ action }) => action)];
  if (actions.length === 0) return undefined;
  const found = actions.flatMap((action) => findRedirected(action, targets) ?? []);
  const isWhole = isDefault || (observed !== undefined && !areBeside(rules, desired, claims));
  return { targets: [...new Set(found)], isWhole, rules };
}

/** A listener of the plan, and what of it waits. */
interface Withholding {
  readonly id: ResourceId;
  readonly waits?: Wait;
  readonly withheld: readonly ResourceId[];
}

/** By the reason for which the listener is not made to which it would redirect. */
export function explainWithheld(
  plans: readonly Withholding[],
  problems: readonly Problem[],
  missing: readonly DesiredListener[],
): readonly Problem[] {
  const causes = problems.filter((one) => missing.some(({ id }) => id === one.id));
  return plans.flatMap(({ id: listener, withheld, waits }) => {
    const [target] = waits?.targets ?? [];
    const redirecting = [listener, ...(waits?.rules ?? []).map(({ id }) => id)];
    const cause = causes.find(({ id }) => id === target) ?? causes[0];
    if (cause === undefined) return [];
    return withheld.map((id): Problem => {
      const what = redirecting.includes(id) ? 'it' : 'its listener';
      const message = `stays as it is until ${target} is made, to which ${what} is to redirect`;
      return { ...cause, id, message, isUntried: true };
    });
  });
}

/** Whether the rules are new, and get no request that an edit takes from another rule. */
function areBeside(
  rules: readonly DesiredRule[],
  desired: DesiredListener,
  { kept, obsolete }: RuleClaims,
): boolean {
  const changed = desired.rules.flatMap(({ id, conditions }) => {
    const before = kept.get(id)?.observed.rule.conditions;
    return before && !isDeepStrictEqual(conditions, normaliseEcho(before)) ? [before] : [];
  });
  const given = [...changed, ...obsolete.map(({ observed }) => observed.rule.conditions)];
  return rules.every(({ id, conditions }) => {
    return !kept.has(id) && given.every((one) => areApart(conditions, one));
  });
}

/** Whether the action sends clients to the listener. */
export function leadsTo(
  action: DesiredAction,
  { id, observed: { listener } }: OwnListener,
): boolean {
  return findRedirected(action, [{ id, port: listener.port, protocol: listener.protocol }]) === id;
}

/** The default action of a listener, or a rule of ours, that redirects. */
export interface Redirect {
  readonly id: ResourceId;
  readonly action: DesiredAction;
}

export function listRedirects(
  { id, observed: { listener, rules } }: OwnListener,
  { identity }: PlanContext,
): readonly Redirect[] {
  const read = (by: ResourceId | undefined, actions: readonly Action[]): readonly Redirect[] => {
    const action = normaliseActions(actions, new Map());
    return by !== undefined && action?.kind === 'redirect' ? [{ id: by, action }] : [];
  };
  const own = rules.filter(({ rule }) => rule.priority !== 'default');
  return [
    ...read(id, listener.defaultActions),
    ...own.flatMap(({ rule, tags }) => read(identifyResource(tags, identity), rule.actions)),
  ];
}

/** Whether it changes where requests go. */
export function reroutes({ operation, input }: Step): boolean {
  if (operation !== 'ModifyListener') {
    return operation === 'CreateListener' || RULE_WRITES.has(operation);
  }
  return [input.action, input.port, input.protocol].some((one) => one !== undefined);
}

/** The rule of an object that attaches it no more, which waits for no matter of the spec; `served` has those of the plan. */
export function isLeaving(
  { id, operation }: Step,
  { served }: { readonly served: ReadonlySet<string> },
): boolean {
  const { rule } = findRule(id) ?? {};
  if (operation !== 'DeleteRule' || rule === undefined) return false;
  return !rule.startsWith(`${OWN_SOURCE}/`) && !served.has(rule);
}
