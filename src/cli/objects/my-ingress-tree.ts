import type { MyIngress } from '../../apis/my-ingress.ts';
import { readRoutes } from '../../controllers/my-ingress/routes/read-routes.ts';
import {
  OWN_SOURCE,
  type RouteAction,
  type RouteListener,
  type RouteRule,
  type Routes,
} from '../../controllers/my-ingress/routes/routes.ts';
import { findLeadingCondition } from '../../core/objects/conditions.ts';
import { CoreReason } from '../../core/reconcile/operator-error.ts';
import type { TreeNode } from './tree.ts';

/** The tree of a MyIngress: balancer, listeners, rules, backends, targets. */

/** The targets of a Service, by its name; undefined where they cannot be read. */
export type TargetsByService = ReadonlyMap<string, readonly TreeNode[]>;

interface Scope {
  readonly object: MyIngress;
  readonly routes: Routes;
  readonly targets: TargetsByService;
  /** Backends whose targets have been listed: once is enough. */
  readonly shown: Set<string>;
  /** Ready says so for this generation. */
  readonly isApplied: boolean;
  readonly isPlanned: boolean;
}

export function growMyIngress(object: MyIngress, targets: TargetsByService): readonly TreeNode[] {
  const routes = readRoutes(object.spec ?? {});
  const facts = { isApplied: isApplied(object), isPlanned: isPlanned(object) };
  const scope = { object, routes, targets, shown: new Set<string>(), ...facts };
  return [growBalancer(scope), ...growOther(scope)];
}

export function isApplied({ metadata, status }: MyIngress): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

function growBalancer(scope: Scope): TreeNode {
  const balancer = describeBalancer(scope.object);
  return { kind: 'load balancer', ...balancer, children: growListeners(scope) };
}

/** The operator has written the plan of this generation, and writes nothing else. */
function isPlanned({ metadata, status }: MyIngress): boolean {
  const { reason = '' } = findLeadingCondition(status?.conditions ?? []) ?? {};
  const isCurrent = status?.plan?.generation === metadata.generation;
  return isCurrent && (reason === CoreReason.Planned || reason === CoreReason.ObserveMode);
}

const PLANNED = { state: 'planned', health: 'warning' } as const;

function isLater(reported: object | undefined, { isPlanned: planned }: Scope): boolean {
  return planned && reported === undefined;
}

export function describeBalancer(
  object: MyIngress,
): Pick<TreeNode, 'name' | 'state' | 'health' | 'message'> {
  const { alb } = object.status ?? {};
  if (alb?.arn === undefined) {
    const state = isPlanned(object) ? PLANNED : ({ state: 'not there', health: 'bad' } as const);
    return { name: '-', ...state };
  }
  return {
    name: alb.name ?? alb.arn,
    state: alb.state ?? 'unknown',
    health: alb.state === 'active' ? 'good' : 'warning',
    ...(alb.dns && { message: alb.dns }),
  };
}

function growListeners(scope: Scope): readonly TreeNode[] {
  const { routes, object } = scope;
  const leaving = (object.status?.listeners ?? []).filter(
    ({ port }) => !routes.listeners.some((listener) => listener.port === port),
  );
  return [
    ...routes.listeners.map((listener) => growListener(listener, scope)),
    ...leaving.map(({ port, message }) => ({
      ...{ kind: 'listener', name: `${port}`, state: 'to be deleted', health: 'warning' as const },
      ...(message && { message }),
    })),
  ];
}

function growListener(listener: RouteListener, scope: Scope): TreeNode {
  const { port, protocol, defaultAction } = listener;
  const reported = scope.object.status?.listeners?.find((one) => one.port === port);
  const rules = scope.routes.rules.filter((rule) => rule.listeners.includes(port));
  return {
    ...{ kind: 'listener', name: `${port} ${protocol}` },
    ...(isLater(reported, scope) ? PLANNED : describeListener(reported)),
    children: [
      ...rules.map((rule) => growRule(rule, scope)),
      growAction({ kind: 'default action', name: '' }, defaultAction, scope),
    ],
  };
}

export function describeListener(
  reported: { readonly arn?: string; readonly message?: string } | undefined,
): Pick<TreeNode, 'state' | 'health' | 'message'> {
  const state = reported?.arn === undefined ? 'not there' : 'there';
  if (reported?.message) return { state, health: 'bad', message: reported.message };
  return { state, health: state === 'there' ? 'good' : 'warning' };
}

function growRule(rule: RouteRule, scope: Scope): TreeNode {
  const { source, name } = rule;
  const whose = source === OWN_SOURCE ? name : `${name} (of ${source})`;
  const node = { kind: 'rule', name: `${whose}: ${describeConditions(rule)}` };
  return growAction(node, rule.action, scope);
}

export function describeConditions(rule: RouteRule): string {
  const headers = rule.headers?.map(
    ({ name, values, regex }) => `${name}=${values?.join('|') ?? regex}`,
  );
  const queries = rule.queryStrings?.map(({ key = '*', value }) => `${key}=${value}`);
  const parts = [
    describeValues('hosts', rule.hosts),
    describeValues('paths', rule.paths),
    describeValues('methods', rule.methods),
    describeValues('headers', headers),
    describeValues('query', queries),
    describeValues('from', rule.sourceCIDRs),
  ];
  return parts.filter((part) => part !== '').join(', ') || 'every request';
}

function describeValues(what: string, values: readonly string[] | undefined): string {
  return values === undefined || values.length === 0 ? '' : `${what} ${values.join(' ')}`;
}

function growAction(
  node: Pick<TreeNode, 'kind' | 'name'>,
  action: RouteAction,
  scope: Scope,
): TreeNode {
  const { isApplied: applied } = scope;
  const pending = scope.isPlanned ? 'see albridge plan' : 'not confirmed: see Ready';
  const state = applied ? 'applied' : pending;
  const health = applied ? ('good' as const) : ('warning' as const);
  if (action.kind !== 'forward') return { ...node, state, health, message: describeAnswer(action) };
  const children = action.to.map(({ backend, weight }) =>
    growBackend(backend, action.to.length > 1 ? `, weight ${weight}` : '', scope),
  );
  return { ...node, state, health, children };
}

export function describeAnswer(action: Exclude<RouteAction, { readonly kind: 'forward' }>): string {
  if (action.kind === 'fixed-response') return `answers ${action.statusCode}`;
  const { protocol = '#{protocol}', host = '#{host}', port = '#{port}' } = action;
  const { path = '/#{path}', query = '#{query}' } = action;
  return `redirects with ${action.statusCode} to ${protocol}://${host}:${port}${path}?${query}`;
}

/** `key`: the source and the name of the backend. */
function growBackend(key: string, weight: string, scope: Scope): TreeNode {
  const { object, routes, targets, shown } = scope;
  const backend = routes.backends.find((one) => `${one.source}/${one.name}` === key);
  const name = key.startsWith(`${OWN_SOURCE}/`) ? key.slice(OWN_SOURCE.length + 1) : key;
  if (backend === undefined)
    return { kind: 'backend', name, state: 'not in the spec', health: 'bad' };
  const reported = object.status?.backends?.find((one) => one.name === name);
  const isAgain = shown.has(key);
  shown.add(key);
  const service = `Service ${backend.service.name}:${backend.service.port}`;
  const below = backend.targetType === 'ip' && !isAgain ? targets.get(backend.service.name) : [];
  return {
    ...{ kind: 'backend', name: `${name} (${service}${weight})` },
    ...(isLater(reported, scope) ? PLANNED : describeBackend(reported)),
    ...(below && below.length > 0 && { children: below }),
  };
}

type ReportedBackend = NonNullable<MyIngress['status']['backends']>[number];

export function describeBackend(
  reported: ReportedBackend | undefined,
): Pick<TreeNode, 'state' | 'health' | 'message'> {
  if (reported === undefined) return { state: 'not reconciled yet', health: 'warning' };
  const { desired = 0, registered = 0, healthy, message } = reported;
  const known = healthy === undefined ? 'health unknown' : `${healthy} healthy`;
  return {
    state: `${registered}/${desired} targets registered, ${known}`,
    health: rateBackend({ desired, registered, healthy: healthy ?? 0 }),
    ...(message && { message }),
  };
}

function rateBackend({
  desired,
  registered,
  healthy,
}: Record<'desired' | 'registered' | 'healthy', number>): 'good' | 'warning' | 'bad' {
  if (desired === 0 || healthy === 0) return 'bad';
  return registered >= desired && healthy >= desired ? 'good' : 'warning';
}

/** The security group, and the objects that attach routes. */
function growOther({ object }: Scope): readonly TreeNode[] {
  const { owned, attached = [] } = object.status ?? {};
  const group = owned?.securityGroup;
  return [
    ...(group ? [{ kind: 'security group', name: group }] : []),
    ...attached.map(({ kind, namespace, name, reason, message }) => ({
      ...{ kind: `attached ${kind}`, name: `${namespace}/${name}` },
      health: reason === 'Attached' ? ('good' as const) : ('bad' as const),
      state: reason,
      ...(message && { message }),
    })),
  ];
}
