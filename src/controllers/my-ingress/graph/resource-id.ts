import { createHash } from 'node:crypto';
import type { RouteBackend, RouteRule } from '../routes/routes.ts';

/** Which of an object's resources it is; also the value of its tag `albridge.io/resource`. Frozen for good. */
export type ResourceId = string;

export const LOAD_BALANCER_ID: ResourceId = 'load-balancer';
export const SECURITY_GROUP_ID: ResourceId = 'security-group/frontend';

export function getTargetGroupId({
  source,
  name,
}: Pick<RouteBackend, 'source' | 'name'>): ResourceId {
  return shorten(`target-group/${source}/${name}`);
}

/** The inverse of `getTargetGroupId`; undefined for any other id, and for one that was shortened. */
export function findBackend(id: ResourceId): Pick<RouteBackend, 'source' | 'name'> | undefined {
  const [kind, ...rest] = id.split('/');
  const source = rest.slice(0, -1).join('/');
  return kind === 'target-group' && source !== '' ? { source, name: rest.at(-1) ?? '' } : undefined;
}

export function getListenerId(port: number): ResourceId {
  return `listener/${port}`;
}

/** The inverse of `getListenerId`; undefined for any other id, such as a tag that somebody else has written. */
export function findListenerPort(id: ResourceId): number | undefined {
  const port = Number(id.slice('listener/'.length));
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  return isPort && getListenerId(port) === id ? port : undefined;
}

/** A rule of the spec is one AWS rule on each of its listeners, or as many as it has parts. */
export function getRuleId(
  port: number,
  { source, name }: Pick<RouteRule, 'source' | 'name'>,
  part = '0',
): ResourceId {
  return shorten(`rule/${port}/${source}/${name}/${part}`);
}

/** The inverse of `getRuleId`, whatever the part; undefined for any other id, and for one that was shortened. */
export function findRule(
  id: ResourceId,
): { readonly port: string; readonly rule: string } | undefined {
  const [kind, port = '', ...rest] = id.split('/');
  const rule = rest.slice(0, -1).join('/');
  return kind === 'rule' && rule !== '' ? { port, rule } : undefined;
}

/** AWS's bound on the value of a tag; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Tag.html */
const LONGEST_ID = 256;

function shorten(id: string): ResourceId {
  if (id.length <= LONGEST_ID) return id;
  const [kind = ''] = id.split('/');
  return `${kind}/sha256:${createHash('sha256').update(id).digest('hex')}`;
}
