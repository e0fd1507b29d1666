import type { MyIngress } from '../../apis/my-ingress.ts';
import { getSource } from '../../controllers/my-ingress/attaching/attaching-object.ts';
import {
  isOwnBackend,
  OWN_SOURCE,
  type RouteAction,
  type RouteBackend,
  type RouteRule,
  type Routes,
} from '../../controllers/my-ingress/routes/routes.ts';
import { findLeadingCondition } from '../../core/objects/conditions.ts';
import { CoreReason } from '../../core/reconcile/operator-error.ts';
import type { TreeNode } from './tree.ts';

/** The parts of a MyIngress in words, the same for the tree, the drawing and the request tester; pure. */

/** The targets of the Services of one namespace, by name; empty where they cannot be read. */
export type TargetsByService = ReadonlyMap<string, readonly TreeNode[]>;

type State = Pick<TreeNode, 'state' | 'health' | 'message'>;

/** Ready says so for this generation. */
export function isApplied({ metadata, status }: MyIngress): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

/** The operator has written the plan of this generation, and writes nothing else. */
export function isPlanned({ metadata, status }: MyIngress): boolean {
  const { reason = '' } = findLeadingCondition(status?.conditions ?? []) ?? {};
  const isCurrent = status?.plan?.generation === metadata.generation;
  return isCurrent && (reason === CoreReason.Planned || reason === CoreReason.ObserveMode);
}

const PLANNED = { state: 'planned', health: 'warning' } as const;

export function describeBalancer(object: MyIngress): State & Pick<TreeNode, 'name'> {
  const { alb, url } = object.status ?? {};
  if (alb?.arn === undefined) {
    const state = isPlanned(object) ? PLANNED : ({ state: 'not there', health: 'bad' } as const);
    return { name: '-', ...state };
  }
  return {
    name: alb.name ?? alb.arn,
    state: alb.state ?? 'unknown',
    health: alb.state === 'active' ? 'good' : 'warning',
    ...(alb.dns && { message: url === undefined ? alb.dns : `${alb.dns}, open ${url}` }),
  };
}

/** Lists the listeners of status that the spec has no more. */
export function listLeavingListeners(
  { status }: MyIngress,
  { listeners }: Pick<Routes, 'listeners'>,
): readonly (State & { readonly port: number })[] {
  return (status?.listeners ?? [])
    .filter(({ port }) => listeners.every((listener) => listener.port !== port))
    .map(({ port, message }) => ({
      ...{ port, state: 'to be deleted', health: 'warning' as const },
      ...(message && { message }),
    }));
}

export function describeListener(object: MyIngress, port: number): State {
  const reported = object.status?.listeners?.find((one) => one.port === port);
  if (reported === undefined && isPlanned(object)) return PLANNED;
  const state = reported?.arn === undefined ? 'not there' : 'there';
  if (reported?.message) return { state, health: 'bad', message: reported.message };
  return { state, health: state === 'there' ? 'good' : 'warning' };
}

export function nameRule({ source, name }: Pick<RouteRule, 'source' | 'name'>): string {
  return source === OWN_SOURCE ? name : `${name} (of ${source})`;
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

export function describeAnswer(action: Exclude<RouteAction, { readonly kind: 'forward' }>): string {
  if (action.kind === 'fixed-response') return `answers ${action.statusCode}`;
  const { protocol = '#{protocol}', host = '#{host}', port = '#{port}' } = action;
  const { path = '/#{path}', query = '#{query}' } = action;
  return `redirects with ${action.statusCode} to ${protocol}://${host}:${port}${path}?${query}`;
}

/** `key`: the source and the name of the backend. */
export function nameBackendOf(key: string): string {
  return key.startsWith(`${OWN_SOURCE}/`) ? key.slice(OWN_SOURCE.length + 1) : key;
}

/** `name`: as `nameBackend` gives it. */
export function describeBackend(object: MyIngress, name: string): State {
  if (!isOwnBackend(name)) return describeAttachedBackend(object, name);
  const reported = object.status?.backends?.find((one) => one.name === name);
  if (reported === undefined)
    return isPlanned(object) ? PLANNED : { state: 'not reconciled yet', health: 'warning' };
  const { desired = 0, registered = 0, healthy, message } = reported;
  const known = healthy === undefined ? 'health unknown' : `${healthy} healthy`;
  return {
    state: `${registered}/${desired} targets registered, ${known}`,
    health: rateBackend(desired, registered, healthy),
    ...(message && { message }),
  };
}

/** Status has no counts of it, only whether its object is served: without a health it lowers nothing else. */
function describeAttachedBackend(object: MyIngress, name: string): State {
  const entry = object.status?.attached?.find((one) => name.startsWith(`${getSource(one)}/`));
  if (entry?.reason === 'Attached')
    return { state: 'attached', message: "AWS's health of it is not in the status" };
  if (isPlanned(object)) return PLANNED;
  const { reason: state = 'not in status.attached', message } = entry ?? {};
  return { state, health: 'warning', ...(message && { message }) };
}

/** `healthy`: undefined where AWS has not said it yet. */
function rateBackend(
  desired: number,
  registered: number,
  healthy: number | undefined,
): 'good' | 'warning' | 'bad' {
  if (desired === 0 || healthy === 0) return 'bad';
  return Math.min(registered, healthy ?? 0) >= desired ? 'good' : 'warning';
}

/** The endpoints of its Service; one node that says so where they are not read. */
export function listTargets(
  {
    service,
    targetType,
    ipAddressType,
  }: Pick<RouteBackend, 'service' | 'targetType' | 'ipAddressType'>,
  targets: TargetsByService,
  { metadata }: MyIngress,
): readonly TreeNode[] {
  // Of target type `instance` AWS's targets are nodes.
  if (targetType !== 'ip') return [{ kind: 'targets', name: 'nodes', state: 'not listed here' }];
  const { namespace = metadata.namespace, name } = service;
  if (namespace === metadata.namespace)
    return (targets.get(name) ?? []).filter(
      (target) => isIpv6(target) === (ipAddressType === 'ipv6'),
    );
  return [{ kind: 'targets', name: `in namespace ${namespace}`, state: 'not read' }];
}

/** By its first address: a dual-stack Service has slices of both families, and a target group has one. */
function isIpv6({ name }: TreeNode): boolean {
  return name.split(' ', 1)[0]?.includes(':') === true;
}
