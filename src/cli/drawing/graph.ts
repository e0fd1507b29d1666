// Lives here: the drawing of a MyIngress, computed from spec, status and targets.
// May import it: src/cli/commands and src/cli/ui.
// Start with: this file, then place.ts and svg.ts.

import type { MyIngress } from '../../apis/my-ingress.ts';
import { getSource } from '../../controllers/my-ingress/attaching/attaching-object.ts';
import { readRoutes } from '../../controllers/my-ingress/routes/read-routes.ts';
import {
  getBackendKey,
  nameBackend,
  OWN_SOURCE,
  type RouteAction,
  type RouteBackend,
  type RouteListener,
  type RouteRule,
  type Routes,
} from '../../controllers/my-ingress/routes/routes.ts';
import {
  describeAnswer,
  describeBackend,
  describeBalancer,
  describeConditions,
  describeListener,
  isApplied,
  listLeavingListeners,
  listTargets,
  nameBackendOf,
  type TargetsByService,
} from '../objects/my-ingress-parts.ts';
import type { TreeNode } from '../objects/tree.ts';

/** From left to right. */
export const COLUMNS = ['balancer', 'listener', 'rule', 'backend', 'target'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Box {
  readonly id: string;
  readonly column: Column;
  readonly name: string;
  /** Each begins a line. */
  readonly notes: readonly string[];
  /** For screen readers and for the title; whoever sees the drawing has the mark instead. */
  readonly aside?: string;
  readonly health?: TreeNode['health'] | undefined;
}

export interface Line {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

export interface Graph {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

interface Scope {
  readonly object: MyIngress;
  readonly routes: Routes;
  readonly targets: TargetsByService;
}

/** Boxes in the order of their columns, rules in the order of evaluation; pure. */
export function composeGraph(object: MyIngress, targets: TargetsByService): Graph {
  const routes = readRoutes(object.spec ?? {});
  const scope = { object, routes, targets };
  const parts = [
    { boxes: [boxBalancer(object)], lines: [] },
    ...routes.listeners.map(({ port, protocol }) => {
      return graphListener(port, `${port} ${protocol}`, describeListener(object, port));
    }),
    ...listLeavingListeners(object, routes).map(({ port, ...state }) => {
      return graphListener(port, `${port}`, state);
    }),
    ...routes.rules.map((rule) => graphRule(rule, scope)),
    { boxes: boxUnread(scope), lines: [] },
    ...routes.listeners.map((listener) => graphDefault(listener, scope)),
    ...routes.backends.map((backend) => graphBackend(backend, scope)),
  ];
  return {
    boxes: parts.flatMap(({ boxes }) => boxes),
    lines: parts.flatMap(({ lines }) => lines),
  };
}

const BALANCER = 'balancer';

function boxBalancer(object: MyIngress): Box {
  const { name, state, health, message } = describeBalancer(object);
  return {
    health,
    id: BALANCER,
    column: 'balancer',
    name,
    notes: [join(state, message)],
  };
}

function graphListener(
  port: number,
  name: string,
  described: Omit<TreeNode, 'kind' | 'name'>,
): Graph {
  const { state, health, message } = described;
  const id = `listener ${port}`;
  return {
    boxes: [{ health, id, column: 'listener', name, notes: [join(state, message)] }],
    lines: [{ from: BALANCER, to: id }],
  };
}

function graphRule(rule: RouteRule, scope: Scope): Graph {
  const { source, name, listeners, action } = rule;
  const id = `rule ${source}/${name}`;
  const place = scope.routes.rules.indexOf(rule) + 1;
  const box = { id, column: 'rule' as const, name: `${place}. ${name}` };
  const owner = source === OWN_SOURCE ? [] : [`of ${source}`];
  const notes = [...owner, describeConditions(rule)];
  return graphAction({ ...box, notes, listeners }, action, scope);
}

/** Objects that have rules in AWS by status, and that could not be read. */
function boxUnread({ object, routes }: Scope): readonly Box[] {
  const known = new Set(
    routes.rules.map(({ source }) => source).filter((one) => one !== OWN_SOURCE),
  );
  const served = (object.status?.attached ?? []).filter(({ reason }) => reason === 'Attached');
  const unread = served.filter((one) => !known.has(getSource(one)));
  if (unread.length === 0) return [];
  const name = `rules of ${unread.length} ${unread.length === 1 ? 'object' : 'objects'}, not drawn`;
  const notes = ['attached, and could not be read'];
  return [{ id: 'unread rules', column: 'rule', name, notes, health: 'warning' }];
}

function graphDefault({ port, defaultAction }: RouteListener, scope: Scope): Graph {
  const box = { id: `default ${port}`, column: 'rule' as const, name: `default of ${port}` };
  const notes = ['what no rule matches'];
  return graphAction({ ...box, notes, listeners: [port] }, defaultAction, scope);
}

function graphAction(
  { listeners, notes, ...box }: Omit<Box, 'health'> & { readonly listeners: readonly number[] },
  action: RouteAction,
  { object }: Scope,
): Graph {
  const health = rateAction(action, object);
  const incoming = listeners.map((port) => ({ from: `listener ${port}`, to: box.id }));
  if (action.kind !== 'forward') {
    const boxes = [{ ...box, health, notes: [...notes, describeAnswer(action)] }];
    return { boxes, lines: incoming };
  }
  const outgoing = action.to.map(({ backend, weight }) => ({
    ...{ from: box.id, to: `backend ${backend}` },
    ...(action.to.length > 1 && { label: `${weight}` }),
  }));
  return { boxes: [{ ...box, health, notes }], lines: [...incoming, ...outgoing] };
}

/** No better than where it forwards to; bad where nothing there can answer. */
function rateAction(action: RouteAction, object: MyIngress): Box['health'] {
  const own = isApplied(object) ? 'good' : 'warning';
  if (action.kind !== 'forward') return own;
  const rated = action.to
    .filter(({ weight }) => weight > 0)
    .flatMap(({ backend }) => describeBackend(object, nameBackendOf(backend)).health ?? []);
  if (rated.length > 0 && rated.every((health) => health === 'bad')) return 'bad';
  return rated.every((health) => health === 'good') ? own : 'warning';
}

/** Of one backend; the text alternative lists all. */
const MOST_TARGETS = 6;

function graphBackend(backend: RouteBackend, { object, targets }: Scope): Graph {
  const { service } = backend;
  const name = nameBackend(backend);
  const { state, health, message } = describeBackend(object, name);
  const id = `backend ${getBackendKey(backend)}`;
  const listed = listTargets(backend, targets, object);
  const boxes = boxTargets(listed).map((box) => ({
    ...limitHealth(box, health),
    id: `${id} ${box.id}`,
  }));
  const notes = [`Service ${service.name}:${service.port}`, join(state, message)];
  return {
    boxes: [{ health, id, column: 'backend', name, notes }, ...boxes],
    lines: boxes.map((box) => ({ from: id, to: box.id })),
  };
}

/** Those that are not ready first. */
function boxTargets(targets: readonly TreeNode[]): readonly Box[] {
  const ordered = targets.toSorted((a, b) => rank(a) - rank(b));
  const isTooLong = ordered.length > MOST_TARGETS;
  const shown = isTooLong ? ordered.slice(0, MOST_TARGETS - 1) : ordered;
  const rest = ordered.slice(shown.length);
  const boxes = shown.map((target, index) => boxTarget(target, `${index}`));
  if (!isTooLong) return boxes;
  const unready = rest.filter(({ health }) => health !== 'good').length;
  const notes = [unready === 0 ? 'all ready in Kubernetes' : `${unready} not ready in Kubernetes`];
  const health = unready === 0 ? 'good' : 'warning';
  const more = { name: `and ${rest.length} more`, notes, health } as const;
  return [...boxes, { id: 'more', column: 'target', ...more }];
}

/** `10.0.0.1 (Pod web-0)`: the address, and on a line of its own whose it is. */
const ADDRESS_AND_OWNER = /^(.+?) \((.+)\)$/s;

function boxTarget({ name, kind, state = '', health }: TreeNode, id: string): Box {
  const [, address = name, owner] = ADDRESS_AND_OWNER.exec(name) ?? [];
  const whose = owner === undefined ? [] : [owner];
  const box = { health, id, column: 'target' as const, name: address };
  if (kind !== 'target') return { ...box, notes: [state] };
  const aside = `${state} in Kubernetes`;
  return health === 'good' ? { ...box, notes: whose, aside } : { ...box, notes: [...whose, aside] };
}

const WORST_LAST = ['good', 'warning', 'bad'] as const;

/**
 * A target is no better than its backend: AWS reports the health of a backend as a whole, and an endpoint that is
 * ready in Kubernetes may fail AWS's check.
 */
function limitHealth(box: Box, limit: Box['health']): Box {
  if (box.health === undefined || limit === undefined) return box;
  const rated = Math.max(WORST_LAST.indexOf(box.health), WORST_LAST.indexOf(limit));
  const health = WORST_LAST[rated];
  if (health === box.health || box.aside === undefined) return { ...box, health };
  const { aside, ...rest } = box;
  return { ...rest, health, notes: [...box.notes, aside] };
}

function rank({ health }: TreeNode): number {
  return health === 'good' ? 1 : 0;
}

function join(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join(', ');
}
