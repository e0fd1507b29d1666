import {
  type AppliedSettings,
  type HeldLoadBalancer,
  loadBalancerFinalizer,
  type MyIngress,
  ownershipTagKeys,
} from '../../apis/my-ingress.ts';
import type { LoadBalancer, TaggedLoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { isPlanOnly } from '../../core/objects/annotations.ts';
import type { OperatorError } from '../../core/reconcile/operator-error.ts';
import { type Outcome, settled, type Waiting, waiting } from '../../core/reconcile/outcome.ts';
import { createFailure } from './failure.ts';
import {
  type DesiredLoadBalancer,
  findAttributeDefault,
  projectAddressing,
} from './load-balancer/desired.ts';
import type { Drift, ObservedLoadBalancer } from './load-balancer/plan.ts';
import {
  type Facts,
  hasRemovedTag,
  measureProvisioningMs,
  rememberProvisioning,
} from './memory.ts';
import type { Scope } from './scope.ts';

/**
 * `status` of an object and of the balancer that it holds: what is recorded, what must be undone, which outcome its
 * state gives. Pure, but for the report of `conclude`.
 */

/** `status.alb.state` of a balancer that is proved deleted and is to be recreated. */
const VANISHED = 'deleted';

export function readRecordedArn(object: MyIngress): string | undefined {
  const held = object.status?.alb;
  return held?.state === VANISHED ? undefined : held?.arn;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html */
const LOAD_BALANCER_ARN =
  /^arn:[^:]+:elasticloadbalancing:[^:]+:\d{12}:loadbalancer\/app\/[^/]+\/[^/]+$/;

/**
 * A recorded ARN that AWS refuses may be that of our balancer in another region or account, and is not
 * forgotten. Text that is no such ARN was put on record by no pass: undefined.
 */
export function explainRefusedRecord(
  arn: string,
  refusal: OperatorError,
): OperatorError | undefined {
  if (refusal.reason !== 'ValidationError' || !LOAD_BALANCER_ARN.test(arn)) return undefined;
  const observed = `AWS does not accept status.alb.arn ${arn} as a load balancer of this region and account; AWS_REGION and the credentials of albridge select them`;
  return createFailure('ValidationError', observed, { details: { refusal: refusal.message } });
}

/** True where the object held a balancer of this name, which was deleted. */
export function hasLost(object: MyIngress, name: string): boolean {
  const held = object.status?.alb;
  return held?.state === VANISHED && held.name === name;
}

/** True where the object has anything beside its balancer, or may have something left of it in AWS. */
export function hasTraffic(object: MyIngress): boolean {
  const { backends = [], listeners = [] } = object.spec ?? {};
  return backends.length + listeners.length > 0 || hasLeftovers(object);
}

/** True where status records something that albridge may have to delete. */
export function hasLeftovers({ status }: Pick<MyIngress, 'status'>): boolean {
  const { removals = false, securityGroup, targetGroups = [] } = status?.owned ?? {};
  const count = targetGroups.length + (status?.listeners ?? []).length;
  return count > 0 || securityGroup !== undefined || removals;
}

/** True where no pass has written status yet, but for one over a paused object. */
export function isBlank({ status }: Pick<MyIngress, 'status'>): boolean {
  const { conditions = [], observedGeneration: _, ...fields } = status ?? {};
  return Object.keys(fields).length === 0 && conditions.every(({ reason }) => reason === 'Paused');
}

/** True where nothing of the object was ever executed, nor will be as it is; its finalizer would show that it was. */
export function isOnlyPlanned(object: MyIngress): boolean {
  const { finalizers = [] } = object.metadata;
  return isPlanOnly(object) && !finalizers.includes(loadBalancerFinalizer);
}

/** `status.alb` for a balancer that is ours. */
export function describeHeld(loadBalancer: LoadBalancer): HeldLoadBalancer {
  const { arn, dns, name, state, hostedZoneId, vpcId } = loadBalancer;
  return { arn, dns, name, state: state.code, hostedZoneId, vpcId };
}

/** `status.subnets`: those of the balancer, where the spec names none. */
export function describeSubnets(
  { spec }: MyIngress,
  { subnets }: LoadBalancer,
): readonly string[] | undefined {
  return spec.subnets === undefined ? [...subnets].toSorted() : undefined;
}

/**
 * `status.alb` for a balancer that was deleted. Its ARN no longer counts, least of all in a deletion: a
 * new balancer may be there before its ARN is on record.
 */
export function describeLost(held: HeldLoadBalancer): HeldLoadBalancer {
  const { arn, name } = held;
  return { arn, ...(name === undefined ? {} : { name }), state: VANISHED };
}

/**
 * Reads what this object is known to have put on the balancer. While no ARN is on record the balancer is
 * its own lost create only if the tag for the UID proves it: another one carries tags of others.
 */
export function readApplied(
  object: MyIngress,
  { loadBalancer, tags }: TaggedLoadBalancer,
): AppliedSettings {
  const recorded = readRecordedArn(object);
  const isKnown =
    recorded === undefined
      ? tags[ownershipTagKeys.uid] === object.metadata.uid
      : recorded === loadBalancer.arn;
  return isKnown ? (object.status?.applied ?? {}) : {};
}

/**
 * As `readApplied`, of what is still on the balancer: keys of tags stay on record while what stands beside it may have
 * them, but are removed from it once.
 */
export function readStillApplied(
  object: MyIngress,
  observed: TaggedLoadBalancer,
  facts: Facts,
): AppliedSettings {
  const { tags = [], ...applied } = readApplied(object, observed);
  const { arn } = observed.loadBalancer;
  const isThere = (key: string): boolean =>
    Object.hasOwn(observed.tags, key) || !hasRemovedTag(facts, arn, key);
  return { ...applied, tags: tags.filter(isThere) };
}

type Strings = Readonly<Record<string, string>>;

/** Builds status.applied for the time when the spec is applied; pure. */
export function projectApplied(
  desired: DesiredLoadBalancer,
  applied: AppliedSettings,
  observedAttributes: Strings | undefined,
): AppliedSettings {
  const tags = Object.keys(desired.userTags).sort();
  const attributes =
    observedAttributes === undefined
      ? (applied.attributes ?? {})
      : keepOriginals(
          Object.keys(desired.attributes),
          applied.attributes ?? {},
          observedAttributes,
        );
  return dropEmptyParts({ tags, attributes });
}

/** As the CRD has it: a longer list would be refused, and everything with it. */
export const MOST_APPLIED = 256;

/**
 * Builds status.applied for the time before the write: everything that may have to be undone after a crash.
 * What is about to be written comes first: a record that was forged to be full leaves room for it.
 */
export function planWriteAhead(after: AppliedSettings, applied: AppliedSettings): AppliedSettings {
  const tags = new Set([...(after.tags ?? []), ...(applied.tags ?? [])]);
  const attributes = Object.entries({ ...after.attributes, ...applied.attributes });
  return dropEmptyParts({
    tags: [...tags].slice(0, MOST_APPLIED).sort(),
    attributes: Object.fromEntries(attributes.slice(0, MOST_APPLIED)),
  });
}

/**
 * Drops from status.applied what `step` has undone: it need not be undone again, should a later
 * step fail.
 */
export function dropUndone(
  desired: DesiredLoadBalancer,
  applied: AppliedSettings,
  step: Drift,
): AppliedSettings {
  const { tags = [], attributes = {} } = applied;
  if (step.field === 'tags') {
    return dropEmptyParts({ attributes, tags: tags.filter((key) => !step.remove.includes(key)) });
  }
  if (step.field !== 'attributes') return applied;
  const isUndone = (key: string): boolean =>
    Object.hasOwn(step.set, key) && !Object.hasOwn(desired.attributes, key);
  const left = Object.entries(attributes).filter(([key]) => !isUndone(key));
  return dropEmptyParts({ tags, attributes: Object.fromEntries(left) });
}

/** Attributes that left the spec and stay as they are, because no default of AWS is known for them. */
function listKeptAttributes(
  desired: DesiredLoadBalancer,
  applied: AppliedSettings,
  { attributes, loadBalancer }: ObservedLoadBalancer,
): readonly string[] {
  if (attributes === undefined) return [];
  return Object.keys(applied.attributes ?? {}).filter(
    (key) =>
      !Object.hasOwn(desired.attributes, key) &&
      findAttributeDefault(key, projectAddressing(desired, loadBalancer)) === undefined,
  );
}

/** `status.applied`: absent where nothing has to be undone. */
export function omitEmpty(applied: AppliedSettings): AppliedSettings | undefined {
  return Object.keys(applied).length === 0 ? undefined : applied;
}

/** The first value observed stays: later ones are our own. */
function keepOriginals(keys: readonly string[], applied: Strings, observed: Strings): Strings {
  const known = keys.flatMap((key) => {
    const from = Object.hasOwn(applied, key) ? applied : observed;
    return Object.hasOwn(from, key) ? [[key, from[key] as string] as const] : [];
  });
  return Object.fromEntries(known);
}

function dropEmptyParts(settings: Required<AppliedSettings>): AppliedSettings {
  const kept = Object.entries(settings).filter(([, value]) => Object.keys(value).length > 0);
  return Object.fromEntries(kept);
}

/**
 * Reports what is held and what must be undone later, and concludes the outcome from AWS's state. `besideKeys` as in
 * `TrafficState`.
 */
export function conclude(
  scope: Scope,
  { observed }: { observed: ObservedLoadBalancer },
  besideKeys?: readonly string[],
): Outcome {
  const { loadBalancer } = observed;
  const applied = computeApplied(scope, observed, besideKeys);
  const subnets = describeSubnets(scope.object, loadBalancer);
  scope.pass.report({ alb: describeHeld(loadBalancer), subnets, applied });
  const isReported = readRecordedArn(scope.pass.recorded) === undefined;
  return concludeState(loadBalancer, trackProvisioning(scope, loadBalancer.state.code), isReported);
}

function computeApplied(
  { desired, object, pass }: Scope,
  observed: ObservedLoadBalancer,
  besideKeys: readonly string[] | undefined,
): AppliedSettings | undefined {
  const before = readApplied(object, observed);
  const { tags = [] } = before;
  const isLeft = (key: string): boolean => besideKeys?.includes(key) ?? hasTraffic(object);
  const attributes = listKeptAttributes(desired, before, observed);
  if (attributes.length > 0) {
    pass.log.info('attributes that left the spec stay as they are: no default is known', {
      attributes,
    });
  }
  const applied = projectApplied(desired, before, observed.attributes);
  return omitEmpty(planWriteAhead({ tags: tags.filter(isLeft) }, applied));
}

function trackProvisioning({ clock, memory }: Scope, state: string): number {
  if (state !== 'provisioning') return 0;
  const nowMs = clock.monotonicMs();
  memory.facts = rememberProvisioning(memory.facts, nowMs);
  return measureProvisioningMs(memory.facts, nowMs);
}

const LONGEST_WAIT_MS = 15_000;

/**
 * Concludes the outcome from the state of a balancer; pure. Ready is `active` and nothing else.
 * States: https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerState.html
 *
 * @param provisioningMs for how long this process has waited for `active`
 * @param isReported an event of this pass reports where the balancer comes from
 * @throws OperatorError LoadBalancerFailed, LoadBalancerImpaired
 */
export function concludeState(
  loadBalancer: LoadBalancer,
  provisioningMs: number,
  isReported = false,
): Outcome {
  const { name, dns, state } = loadBalancer;
  const why = describeReason(loadBalancer);
  switch (state.code) {
    case 'active':
      return settled('Available', `load balancer ${name} is active at ${dns}`);
    case 'failed':
      throw createFailure('LoadBalancerFailed', `AWS could not set up load balancer ${name}${why}`);
    case 'active_impaired':
      throw createFailure('LoadBalancerImpaired', `load balancer ${name} is impaired${why}`);
    default:
      return awaitActive(loadBalancer, provisioningMs, isReported);
  }
}

/** Waits until AWS has set up the balancer. */
export function awaitActive(
  loadBalancer: LoadBalancer,
  forMs: number,
  isReported: boolean,
): Waiting {
  const { name, state } = loadBalancer;
  const message = `AWS is setting up load balancer ${name}, state ${state.code}${describeReason(loadBalancer)}`;
  return { ...waiting('Provisioning', message, chooseRequeueMs(forMs)), isReported };
}

function describeReason({ state }: LoadBalancer): string {
  return state.reason === undefined ? '' : `: ${state.reason}`;
}

/** Looks fall at 1, 3, 7, 15, 30, 45 ... seconds: after 1, 2, 4, 8, 15, 15 ... */
function chooseRequeueMs(provisioningMs: number): number {
  const seconds = Math.floor(provisioningMs / 1000);
  return Math.min(LONGEST_WAIT_MS, (seconds + 1) * 1000);
}
