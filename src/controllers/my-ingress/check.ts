import type { MyIngress } from '../../apis/my-ingress.ts';
import type { Recalled, TaggedLoadBalancer } from '../../aws/load-balancers.ts';
import { sleep } from '../../core/clock.ts';
import { leadingCondition } from '../../core/conditions.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled } from '../../core/outcome.ts';
import { desiredLoadBalancer } from './desired.ts';
import { driftOf, type SeenLoadBalancer } from './drift.ts';
import { areAttributesDue, type Facts, recordDrift } from './facts.ts';
import type { Identity } from './identity.ts';
import { hasAttributes } from './look.ts';
import { withAttributes } from './observe.ts';
import { appliedSoFar, heldBy, recordedArn } from './record.ts';
import type { Scope } from './scope.ts';

/** How the check of an object that is Ready ended. */
export type Check =
  /** The snapshot may be out of date where it differs: that takes a live look. */
  | { readonly kind: 'differs' }
  | { readonly kind: 'same'; readonly observed: SeenLoadBalancer }
  /** Nothing was learned: the object stays as it stands. */
  | { readonly kind: 'unchecked'; readonly outcome: Outcome };

const ATTRIBUTE_INTERVAL_MS = 3_600_000;

/** What the last snapshot of the account says of an object that is Ready. */
type Comparison =
  | { readonly kind: 'differs' | 'unknown' }
  | { readonly kind: 'same' | 'attributesDue'; readonly seen: TaggedLoadBalancer };

/**
 * Compares an object that is Ready with the last snapshot of the account, however old: the drift scan
 * that took it calls for this pass where something differs. What is older than our own last write, or
 * not read yet, is left to the next scan, so that no number of such passes asks AWS for anything but
 * the attributes that are due.
 */
export async function check(scope: Scope, signal: AbortSignal): Promise<Check> {
  const { clock, inventory, memory, object } = scope;
  const recalled = inventory.recall(recordedArn(object) ?? '');
  const compared = compare({ ...scope, facts: memory.facts }, recalled, clock.monotonicMs());
  switch (compared.kind) {
    case 'differs':
      return { kind: 'differs' };
    case 'unknown':
      // After a start thousands of these follow each other and wait for nothing else.
      await sleep(clock, 0, signal);
      return { kind: 'unchecked', outcome: asItStands(object) };
    case 'attributesDue':
      return checkAttributes(scope, compared.seen, signal);
    case 'same':
      return { kind: 'same', observed: compared.seen };
    default:
      return compared satisfies never;
  }
}

interface Compared {
  readonly object: MyIngress;
  readonly identity: Identity;
  readonly facts: Facts;
}

/** What the drift scan and the pass that it calls for decide by; pure. */
export function compare(
  { object, identity, facts }: Compared,
  recalled: Recalled,
  nowMs: number,
): Comparison {
  if (recalled.kind === 'absent' || facts.hasOpenDrift) return { kind: 'differs' };
  if (recalled.kind === 'unknown') return { kind: 'unknown' };
  const { seen } = recalled;
  if (hasDrifted(object, identity, seen)) return { kind: 'differs' };
  // Attributes cost one call for each balancer, so a quiet one is looked at once an hour.
  const isDue = hasAttributes(object) && areAttributesDue(facts, ATTRIBUTE_INTERVAL_MS, nowMs);
  return { kind: isDue ? 'attributesDue' : 'same', seen };
}

/** The balancer is not as the spec wants it, or status does not show it as it is. */
function hasDrifted(object: MyIngress, identity: Identity, seen: SeenLoadBalancer): boolean {
  const { loadBalancer } = seen;
  if (loadBalancer.state.code !== 'active') return true;
  const shown: Readonly<Record<string, unknown>> = { ...object.status.alb };
  if (Object.entries(heldBy(loadBalancer)).some(([key, value]) => shown[key] !== value))
    return true;
  const desired = desiredLoadBalancer(object, identity);
  return driftOf(desired, seen, appliedSoFar(object, seen)).length > 0;
}

async function checkAttributes(
  scope: Scope,
  seen: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<Check> {
  try {
    const observed = await withAttributes(scope, seen, signal);
    if (observed === undefined) return { kind: 'differs' };
    const { identity, memory, object } = scope;
    if (!hasDrifted(object, identity, observed)) return { kind: 'same', observed };
    memory.facts = recordDrift(memory.facts, true);
    return { kind: 'differs' };
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
