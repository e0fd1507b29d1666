import type { MyIngress } from '../../apis/my-ingress.ts';
import { readRoutes } from '../../controllers/my-ingress/routes/read-routes.ts';
import type {
  RouteAction,
  RouteListener,
  RouteRule,
  Routes,
} from '../../controllers/my-ingress/routes/routes.ts';
import {
  describeAnswer,
  describeBackend,
  describeBalancer,
  describeConditions,
  describeListener,
  isApplied,
  isPlanned,
  listLeavingListeners,
  listTargets,
  nameBackendOf,
  nameRule,
  type TargetsByService,
} from './my-ingress-parts.ts';
import type { TreeNode } from './tree.ts';

/** The tree of a MyIngress: balancer, listeners, rules, backends, targets. */

interface Scope {
  readonly object: MyIngress;
  readonly routes: Routes;
  readonly targets: TargetsByService;
  /** Backends whose targets have been listed: once is enough. */
  readonly shown: Set<string>;
}

export function growMyIngress(object: MyIngress, targets: TargetsByService): readonly TreeNode[] {
  const routes = readRoutes(object.spec ?? {});
  const scope = { object, routes, targets, shown: new Set<string>() };
  return [growBalancer(scope), ...growOther(scope)];
}

function growBalancer(scope: Scope): TreeNode {
  const balancer = describeBalancer(scope.object);
  return { kind: 'load balancer', ...balancer, children: growListeners(scope) };
}

function growListeners(scope: Scope): readonly TreeNode[] {
  const { routes, object } = scope;
  return [
    ...routes.listeners.map((listener) => growListener(listener, scope)),
    ...listLeavingListeners(object, routes).map(({ port, ...state }) => ({
      ...{ kind: 'listener', name: `${port}`, ...state },
    })),
  ];
}

function growListener(listener: RouteListener, scope: Scope): TreeNode {
  const { port, protocol, defaultAction } = listener;
  const rules = scope.routes.rules.filter((rule) => rule.listeners.includes(port));
  return {
    ...{ kind: 'listener', name: `${port} ${protocol}` },
    ...describeListener(scope.object, port),
    children: [
      ...rules.map((rule) => growRule(rule, scope)),
      growAction({ kind: 'default action', name: '' }, defaultAction, scope),
    ],
  };
}

function growRule(rule: RouteRule, scope: Scope): TreeNode {
  const node = { kind: 'rule', name: `${nameRule(rule)}: ${describeConditions(rule)}` };
  return growAction(node, rule.action, scope);
}

function growAction(
  node: Pick<TreeNode, 'kind' | 'name'>,
  action: RouteAction,
  scope: Scope,
): TreeNode {
  const applied = isApplied(scope.object);
  const pending = isPlanned(scope.object) ? 'see albridge plan' : 'not confirmed: see Ready';
  const state = applied ? 'applied' : pending;
  const health = applied ? ('good' as const) : ('warning' as const);
  if (action.kind !== 'forward') return { ...node, state, health, message: describeAnswer(action) };
  const children = action.to.map(({ backend, weight }) =>
    growBackend(backend, action.to.length > 1 ? `, weight ${weight}` : '', scope),
  );
  return { ...node, state, health, children };
}

/** `key`: the source and the name of the backend. */
function growBackend(key: string, weight: string, scope: Scope): TreeNode {
  const { object, routes, targets, shown } = scope;
  const backend = routes.backends.find((one) => `${one.source}/${one.name}` === key);
  const name = nameBackendOf(key);
  if (backend === undefined)
    return { kind: 'backend', name, state: 'not in the spec', health: 'bad' };
  const isAgain = shown.has(key);
  shown.add(key);
  const service = `Service ${backend.service.name}:${backend.service.port}`;
  const below = isAgain ? [] : listTargets(backend, targets, object);
  return {
    ...{ kind: 'backend', name: `${name} (${service}${weight})` },
    ...describeBackend(object, name),
    ...(below.length > 0 && { children: below }),
  };
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
