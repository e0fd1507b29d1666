import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../../aws/elbv2/traffic.ts';
import { listActions, normaliseActions } from '../graph/actions.ts';
import type {
  DesiredAction,
  DesiredListener,
  DesiredRule,
  ObservedListener,
} from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import { findRule, type ResourceId } from '../graph/resource-id.ts';
import { RULE_WRITES, type Step } from '../graph/steps.ts';
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

/** Whether the default action or a rule of it sends clients to the other one. */
export function leadsTo(
  from: ObservedListener | undefined,
  { id, observed: { listener } }: OwnListener,
): boolean {
  const target = { id, port: listener.port, protocol: listener.protocol };
  const all = from === undefined ? [] : listActions(from);
  return all.some((actions) => {
    const action = normaliseActions(actions, new Map());
    return action !== undefined && findRedirected(action, [target]) !== undefined;
  });
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
