import type { MyIngress } from '../../apis/my-ingress.ts';
import type { AwsOperation } from '../../aws/load-balancers.ts';
import { requestedReconcile } from '../../core/annotations.ts';
import { leadingCondition } from '../../core/conditions.ts';
import { isBeingDeleted } from '../../core/kube-object.ts';
import { recordedArn } from './record.ts';

/**
 * How much a pass has to see.
 * - `live`: the balancer and its tags, read from AWS now. Every write is preceded by it.
 * - `state`: only whether AWS has finished provisioning a balancer that this process knows as ours.
 * - `snapshot`: nothing is to be done as far as the object says; the drift scan confirms it.
 */
export type Look = 'live' | 'state' | 'snapshot';

export function chooseLook(object: MyIngress): Look {
  const leading = leadingCondition(object.status?.conditions ?? []);
  if (leading === undefined || asksForLook(object)) return 'live';
  if (leading.observedGeneration !== object.metadata.generation) return 'live';
  if (leading.type === 'Reconciling' && leading.reason === 'Provisioning') return 'state';
  return leading.type === 'Ready' && leading.status === 'True' ? 'snapshot' : 'live';
}

/** No balancer is on record, or somebody has requested a look. */
function asksForLook(object: MyIngress): boolean {
  if (recordedArn(object) === undefined) return true;
  const requested = requestedReconcile(object);
  return requested !== undefined && requested !== object.status?.lastHandledReconcileAt;
}

/** The reads that a pass begins with; pure. */
export function readsFor(object: MyIngress): readonly AwsOperation[] {
  const find: AwsOperation[] = ['DescribeLoadBalancers'];
  const all: AwsOperation[] = [...find, 'DescribeTags'];
  if (recordedArn(object) === undefined) return object.spec?.adopt ? [...find, ...all] : find;
  if (isBeingDeleted(object)) return all;
  if (chooseLook(object) === 'state') return find;
  return hasAttributes(object) ? [...all, 'DescribeLoadBalancerAttributes'] : all;
}

/** AWS tells attributes of one balancer at a time, so they are read only where there may be any to set. */
export function hasAttributes({ spec, status }: MyIngress): boolean {
  const applied = status?.applied?.attributes ?? {};
  return Object.keys(spec.attributes ?? {}).length + Object.keys(applied).length > 0;
}
