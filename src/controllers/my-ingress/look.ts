import type { MyIngress } from '../../apis/my-ingress.ts';
import { requestedReconcile } from '../../core/annotations.ts';
import { leadingCondition } from '../../core/conditions.ts';
import { recordedArn } from './record.ts';

/**
 * How much a pass has to see.
 * - `live`: the balancer and its tags, read from AWS now. Every write is preceded by it.
 * - `state`: only whether AWS has finished provisioning a balancer that this process knows as ours.
 * - `recall`: the shared inventory will do; what it cannot answer is read live.
 */
export type Look = 'live' | 'state' | 'recall';

export function chooseLook(object: MyIngress): Look {
  const leading = leadingCondition(object.status?.conditions ?? []);
  if (leading === undefined || asksForLook(object)) return 'live';
  if (leading.observedGeneration !== object.metadata.generation) return 'live';
  if (leading.type === 'Reconciling' && leading.reason === 'Provisioning') return 'state';
  return leading.type === 'Ready' && leading.status === 'True' ? 'recall' : 'live';
}

/** No balancer is on record, or somebody has requested a look. */
function asksForLook(object: MyIngress): boolean {
  if (recordedArn(object) === undefined) return true;
  const requested = requestedReconcile(object);
  return requested !== undefined && requested !== object.status?.lastHandledReconcileAt;
}
