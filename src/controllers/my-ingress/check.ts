import type { MyIngress } from '../../apis/my-ingress.ts';
import type { TaggedLoadBalancer } from '../../aws/load-balancers.ts';
import { sleep } from '../../core/clock.ts';
import { leadingCondition } from '../../core/conditions.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled } from '../../core/outcome.ts';
import { desiredLoadBalancer } from './desired.ts';
import { driftOf, type SeenLoadBalancer } from './drift.ts';
import { areAttributesDue, type Facts } from './facts.ts';
import type { Identity } from './identity.ts';
import { hasAttributes } from './look.ts';
import { withAttributes } from './observe.ts';
import { appliedSoFar, recordedArn } from './record.ts';
import type { Scope } from './scope.ts';

/** How the check of an object that is Ready ended. */
export type Check =
  /** The snapshot may be out of date where it differs: that takes a live look. */
  | { readonly kind: 'differs' }
  | { readonly kind: 'same'; readonly observed: SeenLoadBalancer }
  /** Nothing was learned: the object stays as it stands. */
  | { readonly kind: 'unchecked'; readonly outcome: Outcome };

const ATTRIBUTE_INTERVAL_MS = 3_600_000;

/**
 * Compares an object that is Ready with the last snapshot of the account, however old: the drift scan
 * that took it calls for this pass where something differs. What is older than our own last write, or
 * not read yet, is left to the next scan, so that no number of such passes asks AWS for anything but
 * the attributes that are due.
 */
export async function check(scope: Scope, signal: AbortSignal): Promise<Check> {
  const { clock, inventory, memory, object } = scope;
  const recalled = inventory.recall(recordedArn(object) ?? '');
  if (recalled.kind === 'absent') return { kind: 'differs' };
  if (recalled.kind === 'unknown') {
    // After a start thousands of these follow each other and wait for nothing else.
    await sleep(clock, 0, signal);
    return { kind: 'unchecked', outcome: asItStands(object) };
  }
  if (hasDrifted(object, scope.identity, recalled.seen)) return { kind: 'differs' };
  if (!mustReadAttributes(object, memory.facts, clock.monotonicMs()))
    return { kind: 'same', observed: recalled.seen };
  return checkAttributes(scope, recalled.seen, signal);
}

/** What the scan decides by; pure. */
export function hasDrifted(object: MyIngress, identity: Identity, seen: SeenLoadBalancer): boolean {
  if (seen.loadBalancer.state.code !== 'active') return true;
  const desired = desiredLoadBalancer(object, identity);
  return driftOf(desired, seen, appliedSoFar(object, seen)).length > 0;
}

/** Attributes cost one call for each balancer, so a quiet one is looked at once an hour. */
export function mustReadAttributes(object: MyIngress, facts: Facts, nowMs: number): boolean {
  return hasAttributes(object) && areAttributesDue(facts, ATTRIBUTE_INTERVAL_MS, nowMs);
}

async function checkAttributes(
  scope: Scope,
  seen: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<Check> {
  try {
    const observed = await withAttributes(scope, seen, signal);
    if (observed === undefined) return { kind: 'differs' };
    const isSame = !hasDrifted(scope.object, scope.identity, observed);
    return isSame ? { kind: 'same', observed } : { kind: 'differs' };
  } catch (error) {
    // That a check could not be made says nothing about the balancer.
    if (!(error instanceof OperatorError) || error.healedBy === 'person') throw error;
    const { retryAfterMs: againAfterMs } = error;
    const outcome = { ...asItStands(scope.object), ...(againAfterMs && { againAfterMs }) };
    return { kind: 'unchecked', outcome };
  }
}

function asItStands({ status }: MyIngress): Outcome {
  const { reason = 'Available', message = '' } = leadingCondition(status?.conditions ?? []) ?? {};
  return settled(reason, message);
}
