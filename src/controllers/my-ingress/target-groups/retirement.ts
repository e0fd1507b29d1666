import type { TrafficFacts } from '../graph/facts.ts';
import { WINDOW_MS } from '../graph/facts.ts';
import type { ObservedTargetGroup } from '../graph/graph.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Postponed, Step } from '../graph/steps.ts';

/** AWS's default, for a group whose attributes were not read. */
const DEFAULT_DELAY_SECONDS = 300;

/**
 * Deletes a group that is not desired once no action has named it for as long as its targets may still
 * answer; undefined while one does. Requests reach a group for some seconds after its last rule is gone:
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/3739
 */
export function retireTargetGroup(
  id: ResourceId,
  { targetGroup: { arn, loadBalancerArns }, attributes = {} }: ObservedTargetGroup,
  { facts, nowMs }: { readonly facts: TrafficFacts; readonly nowMs: number },
): Postponed | undefined {
  if (loadBalancerArns.length > 0) return undefined;
  const seconds = Number(
    attributes['deregistration_delay.timeout_seconds'] ?? DEFAULT_DELAY_SECONDS,
  );
  const sinceMs = facts.unusedSinceMs.get(arn) ?? nowMs;
  const dueMs = sinceMs + Math.max(WINDOW_MS, seconds * 1000);
  const step: Step = {
    ...{
      id,
      operation: 'DeleteTargetGroup',
      why: 'not desired, and no action names it',
      needs: [],
    },
    input: { arn },
  };
  return { step, inMs: Math.max(0, dueMs - nowMs) };
}
