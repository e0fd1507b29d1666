import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { MyIngressReason } from '../../../apis/my-ingress-reasons.ts';
import type { AwsOperation } from '../../../aws/elbv2/load-balancers.ts';
import { getReconcileRequest } from '../../../core/objects/annotations.ts';
import { findLeadingCondition, type StatedCondition } from '../../../core/objects/conditions.ts';
import { isBeingDeleted } from '../../../core/objects/kube-object.ts';
import { hasNewRefusals, hasNewRoutes } from '../attaching/joined.ts';
import { readRecordedArn } from '../status.ts';

/**
 * The depth of the first reads of a pass.
 * - `live`: the balancer and its tags, read from AWS now. Every write is preceded by it.
 * - `state`: only whether AWS has finished provisioning a balancer that this process knows as ours, with all
 *   that stands beside it.
 * - `snapshot`: the object is Ready for its spec; the last drift scan is the evidence.
 */
export type ReadDepth = 'live' | 'state' | 'snapshot';

export function chooseReadDepth(object: MyIngress): ReadDepth {
  const leading = findLeadingCondition(object.status?.conditions ?? []);
  if (leading === undefined || requestsLiveRead(object)) return 'live';
  if (leading.observedGeneration !== object.metadata.generation) return 'live';
  if (hasNewRoutes(object) || hasNewRefusals(object)) return 'live';
  return judgeCondition(leading);
}

function judgeCondition(leading: StatedCondition): ReadDepth {
  if (leading.type === 'Reconciling' && AWAITED.has(leading.reason)) return 'state';
  return leading.type === 'Ready' && leading.status === 'True' ? 'snapshot' : 'live';
}

/** Nothing but the balancer's state or its targets is missing, and targets are no matter of reads here. */
const AWAITED: ReadonlySet<string> = new Set<MyIngressReason>([
  'Provisioning',
  'Registering',
  'ServiceNotFound',
  'ServicePortNotFound',
  'TargetPortNotFound',
  'NoReadyEndpoints',
  'UnusableEndpoints',
  'ExternalNameService',
  'NodePortNotFound',
  'NoReadyNodes',
  'NodesUnknown',
  'BackendUnsupported',
]);

/** No balancer is on record, or a reconcile was requested. */
export function requestsLiveRead(object: MyIngress): boolean {
  if (readRecordedArn(object) === undefined) return true;
  const requested = getReconcileRequest(object);
  return requested !== undefined && requested !== object.status?.lastHandledReconcileAt;
}

/** The reads that a pass begins with; pure. */
export function planFirstReads(object: MyIngress): readonly AwsOperation[] {
  const find: AwsOperation[] = ['DescribeLoadBalancers'];
  const all: AwsOperation[] = [...find, 'DescribeTags'];
  if (readRecordedArn(object) === undefined) return object.spec?.adopt ? [...find, ...all] : find;
  if (isBeingDeleted(object)) return all;
  if (chooseReadDepth(object) === 'state') return find;
  return hasAttributes(object) ? [...all, 'DescribeLoadBalancerAttributes'] : all;
}

/** AWS lists attributes for one balancer at a time, so they are read only where some may have to be set. */
export function hasAttributes({ spec, status }: MyIngress): boolean {
  const applied = status?.applied?.attributes ?? {};
  return Object.keys(spec.attributes ?? {}).length + Object.keys(applied).length > 0;
}
