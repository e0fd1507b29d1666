import type { MyIngress } from '../../../apis/my-ingress.ts';
import { isPaused } from '../../../core/objects/annotations.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import { listAttachedPorts, readAttachedRule, readRoutes } from '../routes/read-routes.ts';
import { chooseListener, findExactHost, findPath, formatOrigin } from '../routes/urls.ts';
import { readRecordedArn } from '../status.ts';
import { type AttachingObject, getSource } from './attaching-object.ts';
import { describeClaim } from './claims.ts';
import { type Decision, findRefusal, isRefusalReason, type RefusalReason } from './decision.ts';

/** The result for the routes of one object, in words that name no object of others. */
export type AttachState =
  /** Not everything is read yet. */
  | { readonly kind: 'unknown' }
  /** There is no such MyIngress. */
  | { readonly kind: 'missing' }
  /** The namespace of the MyIngress is not watched. */
  | { readonly kind: 'unwatched' }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly claim?: string }
  /** Accepted, and not all of it applied yet. */
  | { readonly kind: 'pending' }
  /** All of it is applied, and the load balancer is not active, or there is none. */
  | { readonly kind: 'waiting' }
  /** AWS refuses a part of it, for this reason. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** `url`: where requests for its first host get in; undefined: it has no exact host, or no listener is there yet. */
  | { readonly kind: 'attached'; readonly url?: string };

/** `status.attached[].reason` of what is served as it should be. */
export const ATTACHED = 'Attached';
/** Of what is not applied yet. */
export const ATTACHING = 'Attaching';

/** By the decision, and as far as that goes by the status of the MyIngress. */
export function stateOf(
  ingress: MyIngress,
  object: AttachingObject,
  decision: Decision,
): AttachState {
  const { digests, isKnown } = decision;
  if (!isKnown) return { kind: 'unknown' };
  const source = getSource(object);
  const refusal = findRefusal(decision, source);
  if (refusal !== undefined) {
    const { reason, claim } = refusal;
    return { kind: 'refused', reason, ...(claim !== undefined && { claim: describeClaim(claim) }) };
  }
  const { attached = [] } = ingress.status ?? {};
  const recorded = attached.find((one) => getSource(one) === source);
  const isRecorded = recorded !== undefined && recorded.digest === digests.get(source);
  if (!isRecorded) return { kind: 'pending' };
  if (recorded.reason !== ATTACHED) return readReason(recorded.reason);
  if (!hasBalancer(ingress)) return { kind: 'waiting' };
  return { kind: 'attached', ...omitUndefined({ url: describeUrl(ingress, object) }) };
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerState.html */
function hasBalancer(ingress: MyIngress): boolean {
  if (readRecordedArn(ingress) === undefined) return false;
  const state = ingress.status.alb?.state;
  // While it is paused nobody reads whether it has been set up.
  return state === 'provisioning' ? isPaused(ingress) : state !== 'failed';
}

function readReason(reason: string): AttachState {
  // A refusal of before is no longer true, and the next pass replaces it.
  const isPending = reason === ATTACHING || isRefusalReason(reason);
  return isPending ? { kind: 'pending' } : { kind: 'failed', reason };
}

function describeUrl({ spec, status }: MyIngress, { rules }: AttachingObject): string | undefined {
  const [rule] = rules;
  if (rule === undefined) return undefined;
  const { listeners } = readAttachedRule({ rule, source: '' }, listAttachedPorts(spec));
  const served = (status?.listeners ?? []).filter(({ arn }) => arn !== undefined);
  const ports = listeners.filter((port) => served.some((one) => one.port === port));
  const listener = chooseListener(
    readRoutes(spec).listeners.filter(({ port }) => ports.includes(port)),
  );
  const host = findExactHost([rule]);
  return listener && host && formatOrigin(listener, host) + findPath(rule);
}

export function describeState(state: AttachState | undefined): string {
  return JSON.stringify(state) ?? '';
}
