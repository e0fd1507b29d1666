import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { Cached, CachedGroup, TaggedLoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { findLeadingCondition } from '../../../core/objects/conditions.ts';
import { sleep } from '../../../core/ports/clock.ts';
import { hasReason, OperatorError } from '../../../core/reconcile/operator-error.ts';
import { type Outcome, settled } from '../../../core/reconcile/outcome.ts';
import type { Identity } from '../identity.ts';
import { areAttributesDue, type Facts, hasAnyDrift, rememberDrift } from '../memory.ts';
import type { Scope } from '../scope.ts';
import { describeHeld, describeSubnets, readRecordedArn, readStillApplied } from '../status.ts';
import { mayBeOld } from '../traffic/memory.ts';
import { hasStandingChanged, hasTrafficDrifted } from '../traffic/snapshot.ts';
import { desireLoadBalancer } from './desired.ts';
import { observeAttributes } from './observe.ts';
import { diffLoadBalancer, type ObservedLoadBalancer } from './plan.ts';
import { chooseReadDepth, hasAttributes } from './read-depth.ts';

/** The result of checking an object that is Ready. */
export type SnapshotCheck =
  /** The snapshot may be out of date where it differs: that takes a live read. */
  | { readonly kind: 'differs' }
  | { readonly kind: 'same'; readonly observed: ObservedLoadBalancer }
  /** Nothing was learned: the object stays as it stands. */
  | { readonly kind: 'unchecked'; readonly outcome: Outcome };

const ATTRIBUTE_INTERVAL_MS = 3_600_000;

/** The last snapshot of the account, compared with an object that is Ready. */
type Comparison =
  | { readonly kind: 'differs' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'same' | 'attributesDue'; readonly cached: TaggedLoadBalancer };

/**
 * Compares an object that is Ready with the last snapshot of the account, however old: the drift scan
 * that took it calls for this pass where something differs. What is older than our own last write, or
 * not read yet, is left to the next scan, so that no number of such passes asks AWS for anything but
 * the attributes that are due.
 */
export async function checkSnapshot(scope: Scope, signal: AbortSignal): Promise<SnapshotCheck> {
  const { clock, object } = scope;
  const compared = compareAll(scope);
  switch (compared.kind) {
    case 'differs':
      return { kind: 'differs' };
    case 'unknown':
      // After a start thousands of these follow each other and wait for nothing else.
      await sleep(clock, 0, signal);
      return { kind: 'unchecked', outcome: keepCondition(object) };
    case 'attributesDue':
      return checkAttributes(scope, compared.cached, signal);
    case 'same':
      return { kind: 'same', observed: compared.cached };
    default:
      return compared satisfies never;
  }
}

/**
 * The outcome of a regular check that waits for tokens: an object that is Ready, and of which no read shows a
 * difference, stays as it is, and the check is repeated at its turn. Throws every other failure.
 */
export function awaitTokens(scope: Scope, error: unknown): Outcome {
  const isWait = hasReason(error, 'BudgetExhausted');
  if (!isWait || scope.pass.isReadyDisproved || compareAll(scope).kind === 'differs') throw error;
  return keepUntil(scope, error);
}

export type ComparisonScope = Pick<Scope, 'clock' | 'identity' | 'inventory' | 'memory' | 'object'>;

/**
 * Compares an object with its balancer and what is beside it, as far as the snapshot shows them: for the drift scan and
 * for the pass that it enqueues.
 */
export function compareAll(scope: ComparisonScope): Comparison {
  const { clock, identity, inventory, memory, object } = scope;
  const cachedRead = inventory.getCached(readRecordedArn(object) ?? '');
  const given = { object, identity, facts: memory.facts };
  const compared = compareBalancer(given, cachedRead, clock.monotonicMs());
  if (!('cached' in compared)) return compared;
  const traffic = { object, identity, memory: memory.traffic };
  const hasDrifted = hasTrafficDrifted(traffic, compared.cached.loadBalancer, (name) =>
    inventory.getCachedGroup(name),
  );
  return hasDrifted ? { kind: 'differs' } : compared;
}

/**
 * True where the snapshot shows that others have changed what an object has that is not in place: a pass that reads the
 * state of the balancer alone, or goes by memory, would not see it. `readMs`: when the snapshot began. What a balancer
 * uses changes with its listeners and rules, so an older one does not show it.
 */
export function hasBeenChanged(
  { object, identity, inventory, memory }: ComparisonScope,
  { loadBalancer, tags }: TaggedLoadBalancer,
  readMs: number,
): boolean {
  const traffic = { object, identity, memory: memory.traffic };
  const find = (name: string): CachedGroup => inventory.getCachedGroup(name);
  const isOld = memory.traffic !== undefined && mayBeOld(memory.traffic, readMs);
  if (chooseReadDepth(object) !== 'state') return !isOld && hasStandingChanged(traffic, find);
  const compared = { object, identity, facts: memory.facts };
  const hasDrifted = !isOld && hasTrafficDrifted(traffic, loadBalancer, find);
  // What a pass has read and left, as IPv6 that is still used, is no change by others.
  const isLeft = memory.facts.hasOpenDrift === true;
  return hasDrifted || (!isLeft && isUnlikeSpec(compared, { loadBalancer, tags }));
}

interface Compared {
  readonly object: MyIngress;
  readonly identity: Identity;
  readonly facts: Facts;
}

/** Pure. */
function compareBalancer(
  { object, identity, facts }: Compared,
  cachedRead: Cached,
  nowMs: number,
): Comparison {
  if (cachedRead.kind === 'absent' || hasAnyDrift(facts)) return { kind: 'differs' };
  if (cachedRead.kind === 'unknown') return { kind: 'unknown' };
  const { observed: cached } = cachedRead;
  if (hasDrifted({ object, identity, facts }, cached)) return { kind: 'differs' };
  // Attributes cost one call for each balancer, so those of a quiet one are read once an hour.
  const isDue = hasAttributes(object) && areAttributesDue(facts, ATTRIBUTE_INTERVAL_MS, nowMs);
  return { kind: isDue ? 'attributesDue' : 'same', cached };
}

/** True where the balancer differs from the spec or from what status shows. */
function hasDrifted(compared: Compared, observed: ObservedLoadBalancer): boolean {
  const { object } = compared;
  const { loadBalancer } = observed;
  if (loadBalancer.state.code !== 'active') return true;
  const shown: Readonly<Record<string, unknown>> = { ...object.status.alb };
  if (Object.entries(describeHeld(loadBalancer)).some(([key, value]) => shown[key] !== value))
    return true;
  if (!isDeepStrictEqual(describeSubnets(object, loadBalancer), object.status.subnets)) return true;
  return isUnlikeSpec(compared, observed);
}

function isUnlikeSpec(
  { object, identity, facts }: Compared,
  observed: ObservedLoadBalancer,
): boolean {
  const desired = desireLoadBalancer(object, identity);
  return diffLoadBalancer(desired, observed, readStillApplied(object, observed, facts)).length > 0;
}

async function checkAttributes(
  scope: Scope,
  cached: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<SnapshotCheck> {
  try {
    const observed = await observeAttributes(scope, cached, signal);
    if (observed === undefined) return { kind: 'differs' };
    const { identity, memory, object } = scope;
    if (!hasDrifted({ object, identity, facts: memory.facts }, observed))
      return { kind: 'same', observed };
    memory.facts = rememberDrift(memory.facts, true);
    return { kind: 'differs' };
  } catch (error) {
    // That a check could not be made proves nothing about the balancer.
    if (!(error instanceof OperatorError) || error.healedBy === 'person') throw error;
    return { kind: 'unchecked', outcome: keepUntil(scope, error) };
  }
}

function keepUntil({ object }: Scope, { retryAfterMs }: OperatorError): Outcome {
  return { ...keepCondition(object), ...(retryAfterMs && { requeueAfterMs: retryAfterMs }) };
}

function keepCondition({ status }: MyIngress): Outcome {
  const { reason = 'Available', message = '' } =
    findLeadingCondition(status?.conditions ?? []) ?? {};
  return settled(reason, message);
}
