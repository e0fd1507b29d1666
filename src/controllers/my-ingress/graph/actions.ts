import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../../aws/elbv2/traffic.ts';
import {
  getBackendKey,
  type RouteAction,
  type RouteBackend,
  type RouteRedirect,
} from '../routes/routes.ts';
import type { DesiredAction, ObservedListener } from './graph.ts';
import { getTargetGroupId } from './resource-id.ts';

/** Names of target groups by `getBackendKey`. */
export type GroupNames = ReadonlyMap<string, string>;

/** Those of the listener and of each rule; the default rule shows what its listener did before. */
export function listActions({
  listener,
  rules,
}: Pick<ObservedListener, 'listener' | 'rules'>): readonly (readonly Action[])[] {
  const ofRules = rules.flatMap(({ rule }) => (rule.priority === 'default' ? [] : [rule.actions]));
  return [listener.defaultActions, ...ofRules];
}

/** A backend that is missing is named by its id, which no target group has. */
export function desireAction(action: RouteAction, names: GroupNames): DesiredAction {
  switch (action.kind) {
    case 'forward':
      return normaliseForward(
        action.to.map(({ backend, weight }) => ({ name: getName(backend, names), weight })),
        action.stickinessSeconds,
      );
    case 'redirect':
      return normaliseRedirect(action);
    case 'fixed-response':
      return normaliseResponse(action);
    default:
      return action satisfies never;
  }
}

/** Every name of a target group in the action. */
export function listNames(action: DesiredAction): readonly string[] {
  return action.kind === 'forward' ? action.targetGroups.map(({ name }) => name) : [];
}

/** The same action with other groups in place of each. */
export function changeGroups(
  { targetGroups, stickinessSeconds }: Forward,
  change: (one: Forward['targetGroups'][number]) => Forward['targetGroups'],
): DesiredAction {
  return normaliseForward(targetGroups.flatMap(change), stickinessSeconds);
}

/**
 * AWS's echo in the same form; undefined for what albridge does not write: an action of another type, such
 * as authentication, or several of them.
 */
export function normaliseActions(
  actions: readonly Action[],
  namesByArn: ReadonlyMap<string, string>,
): DesiredAction | undefined {
  const [action] = actions;
  if (actions.length !== 1 || action === undefined) return undefined;
  switch (action.kind) {
    case 'forward':
      return normaliseForward(
        action.targetGroups.map(({ arn, weight }) => ({
          name: namesByArn.get(arn) ?? arn,
          weight,
        })),
        action.stickinessSeconds,
      );
    case 'redirect':
      return normaliseRedirect(action);
    case 'fixed-response':
      return normaliseResponse(action);
    case 'unknown':
      return undefined;
    default:
      return action satisfies never;
  }
}

/** The difference, in words; undefined: nothing. */
export function diffAction(desired: DesiredAction, observed: DesiredAction): string | undefined {
  if (isDeepStrictEqual(desired, observed)) return undefined;
  return `action: observed ${describeAction(observed)}, desired ${describeAction(desired)}`;
}

function describeAction(action: DesiredAction): string {
  switch (action.kind) {
    case 'forward':
      return describeForward(action);
    case 'redirect':
      return `redirect ${action.statusCode} to ${action.protocol}://${action.host}:${action.port}${action.path}?${action.query}`;
    case 'fixed-response':
      return `fixed-response ${action.statusCode} ${action.contentType}`;
    default:
      return action satisfies never;
  }
}

type Forward = Extract<DesiredAction, { readonly kind: 'forward' }>;

function describeForward({ targetGroups, stickinessSeconds }: Forward): string {
  const groups = targetGroups.map(({ name, weight }) => `${name}:${weight}`);
  const sticky = stickinessSeconds === undefined ? '' : ` sticky for ${stickinessSeconds} s`;
  return `forward ${groups.join(', ')}${sticky}`;
}

/** A single group takes everything, whatever its weight, unless that is 0. */
function normaliseForward(
  groups: Forward['targetGroups'],
  stickinessSeconds: number | undefined,
): DesiredAction {
  const isSingle = groups.length === 1;
  const targetGroups = groups
    .map(({ name, weight }) => ({ name, weight: isSingle ? Math.min(weight, 1) : weight }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...{ kind: 'forward', targetGroups },
    ...(stickinessSeconds !== undefined && { stickinessSeconds }),
  };
}

/** AWS echoes an absent part as its placeholder. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RedirectActionConfig.html */
function normaliseRedirect(
  redirect: Omit<RouteRedirect, 'statusCode'> & { readonly statusCode: number },
): DesiredAction {
  return {
    kind: 'redirect',
    statusCode: redirect.statusCode === 302 ? 302 : 301,
    protocol: redirect.protocol ?? '#{protocol}',
    host: redirect.host ?? '#{host}',
    port: redirect.port ?? '#{port}',
    path: redirect.path ?? '/#{path}',
    query: redirect.query ?? '#{query}',
  };
}

/** The content type is always written, so that none of AWS's defaults matters. */
function normaliseResponse(response: {
  readonly statusCode: number;
  readonly contentType?: string;
  readonly body?: string;
}): DesiredAction {
  const { statusCode, contentType = 'text/plain', body = '' } = response;
  return { kind: 'fixed-response', statusCode, contentType, body };
}

function getName(backend: string, names: GroupNames): string {
  const slash = backend.lastIndexOf('/');
  const missing = { source: backend.slice(0, slash), name: backend.slice(slash + 1) };
  return names.get(backend) ?? getTargetGroupId(missing);
}

export function nameByBackend(
  groups: readonly { readonly backend: RouteBackend; readonly name: string }[],
): GroupNames {
  return new Map(groups.map(({ backend, name }) => [getBackendKey(backend), name]));
}
