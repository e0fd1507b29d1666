import type { MyIngress } from '../../apis/my-ingress.ts';
import { requestedReconcile } from '../../core/annotations.ts';
import { leadingCondition } from '../../core/conditions.ts';

/**
 * How much a pass has to see.
 * - `live`: the balancer and its tags, read from AWS now. Every write is preceded by it.
 * - `state`: only whether AWS has finished provisioning.
 * - `recall`: the shared inventory will do; what it cannot answer is read live.
 */
export type Look = 'live' | 'state' | 'recall';

export function chooseLook(object: MyIngress): Look {
  const leading = leadingCondition(object.status?.conditions ?? []);
  const requested = requestedReconcile(object);
  if (object.status?.alb?.arn === undefined || leading === undefined) return 'live';
  if (leading.observedGeneration !== object.metadata.generation) return 'live';
  if (requested !== undefined && requested !== object.status.lastHandledReconcileAt) return 'live';
  if (leading.type === 'Reconciling' && leading.reason === 'Provisioning') return 'state';
  return leading.type === 'Ready' && leading.status === 'True' ? 'recall' : 'live';
}
