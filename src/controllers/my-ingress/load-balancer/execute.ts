import {
  type AppliedSettings,
  type MyIngress,
  ownershipTagKeys,
} from '../../../apis/my-ingress.ts';
import type {
  AwsOperation,
  LoadBalancer,
  LoadBalancerSettings,
} from '../../../aws/elbv2/load-balancers.ts';
import { hasReason, OperatorError } from '../../../core/reconcile/operator-error.ts';
import { logCompleted, recordAdopted, recordTakenOver, recordUpdated } from '../events.ts';
import { countBalancers, createFailure } from '../failure.ts';
import { readOwnership } from '../identity.ts';
import {
  isFlapping,
  rememberChange,
  rememberCreate,
  rememberDrift,
  rememberNameTaken,
  rememberTakeover,
} from '../memory.ts';
import type { Scope } from '../scope.ts';
import {
  awaitActive,
  dropUndone,
  hasTraffic,
  omitEmpty,
  planWriteAhead,
  projectApplied,
  readApplied,
  readRecordedArn,
} from '../status.ts';
import { explainUnseenGroup } from '../traffic/execution/early-refusals.ts';
import { type LoadBalancerObservation, observe, observeCreated } from './observe.ts';
import { type CreateStep, type Drift, type ObservedLoadBalancer, type RepairStep } from './plan.ts';
import { hasAttributes } from './read-depth.ts';

/** Lists the calls of a plan, and the reads that prove whose a created balancer is. */
export function listOperations(
  plan: readonly (CreateStep | RepairStep)[],
  object: MyIngress,
): readonly AwsOperation[] {
  const writes = plan.map(({ operation }) => operation);
  if (plan.every(({ kind }) => kind === 'repair')) return writes;
  const more: readonly AwsOperation[] = ['DescribeLoadBalancerAttributes'];
  const proof: readonly AwsOperation[] = hasTraffic(object)
    ? ['DescribeTags']
    : ['DescribeLoadBalancers', 'DescribeTags'];
  return [...writes, ...proof, ...(hasAttributes(object) ? more : [])];
}

/** Throws where two operators with one cluster id take the balancer from each other. */
export function detectOwnershipFlapping(
  { clock, identity, memory, object }: Scope,
  { loadBalancer, tags }: ObservedLoadBalancer,
): void {
  const { name, arn } = loadBalancer;
  const ownership = readOwnership(tags, identity, readRecordedArn(object) === arn);
  if (ownership.kind === 'foreign' || ownership.previousUid === undefined) return;
  if (!isFlapping(memory.facts, ownership.previousUid, clock.monotonicMs())) return;
  throw createFailure(
    'NameConflict',
    `ownership of load balancer ${name} flaps between two operators with the same cluster id, ` +
      'give one of them another ALBRIDGE_CLUSTER_ID',
    { details: { arn, clusterID: identity.cluster, previousUID: ownership.previousUid } },
  );
}

/**
 * Creates the balancer. The call carries name and tags, and the keys of the user's tags are on record before it. So
 * whatever happens to its answer, the next pass finds the balancer, and knows which of its tags
 * others have added since. AWS may answer with a balancer that existed before, whoever owns it:
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 */
export async function executeCreate(
  given: Scope,
  { settings }: CreateStep,
): Promise<LoadBalancerObservation> {
  const scope = await recordBeforeCreate(given);
  const { clock, memory } = scope;
  const created = await createOnce(scope, settings);
  if (created === undefined) return observe(scope, scope.pass.signal);
  memory.facts = rememberCreate(memory.facts, created.arn, clock.monotonicMs());
  return observeCreated(scope, created, scope.pass.signal);
}

/** Costs a write only where the spec has tags. */
async function recordBeforeCreate(scope: Scope): Promise<Scope> {
  const { object, pass } = scope;
  const applied = reportKeys(scope);
  if (omitEmpty(applied) !== undefined) await pass.recordNow(undefined, ['applied']);
  return { ...scope, object: { ...object, status: { ...object.status, applied } } };
}

/** Reports the keys of the user's tags, which whatever is about to be created carries. */
export function reportKeys({ desired, object, pass }: Scope): AppliedSettings {
  const recorded = object.status?.applied ?? {};
  const applied = planWriteAhead({ tags: Object.keys(desired.userTags) }, recorded);
  pass.report({ applied: omitEmpty(applied) });
  return applied;
}

/** undefined: a balancer of this name and other settings exists; a read decides whose it is. */
async function createOnce(
  { aws, clock, memory, objectCount }: Scope,
  settings: LoadBalancerSettings,
): Promise<LoadBalancer | undefined> {
  try {
    return await aws.create(settings);
  } catch (error) {
    const nowMs = clock.monotonicMs();
    if (hasReason(error, 'DuplicateName')) {
      const isNew = memory.facts.nameTakenMs === undefined;
      memory.facts = rememberNameTaken(memory.facts, nowMs);
      // By the second time no read can be older any more: asking again would only cost tokens.
      if (isNew) return undefined;
      throw error;
    }
    memory.facts = rememberCreate(memory.facts, undefined, nowMs);
    const { securityGroups: named = [] } = settings;
    const unseen = explainUnseenGroup(memory.traffic, { error, named }, nowMs);
    if (unseen !== undefined) throw createFailure('OwnershipUnconfirmed', unseen);
    throw countBalancers(error, objectCount);
  }
}

/**
 * Executes the plan for a balancer that is there; the caller has reserved its tokens. Returns the refusal of attributes,
 * which come last and concern nothing beside the balancer. What was changed is one event, however it ends.
 */
export async function executeRepairs(
  scope: Scope,
  plan: readonly RepairStep[],
  observed: ObservedLoadBalancer,
): Promise<OperatorError | undefined> {
  const done: Drift[] = [];
  try {
    return await executeEach(scope, { plan, observed, done });
  } finally {
    if (done.length > 0) recordRepairs(scope, done, observed);
  }
}

interface Execution {
  readonly plan: readonly RepairStep[];
  readonly observed: ObservedLoadBalancer;
  /** Filled with what AWS has accepted. */
  readonly done: Drift[];
}

async function executeEach(
  scope: Scope,
  { plan, observed, done }: Execution,
): Promise<OperatorError | undefined> {
  const { arn } = observed.loadBalancer;
  const { clock, desired, memory, pass } = scope;
  let applied = await recordBeforeWrite(scope, observed);
  for (const { drift } of plan) {
    pass.signal.throwIfAborted();
    const refusal = await executeStep(scope, arn, drift).catch((error: unknown) => {
      if (drift.field === 'attributes' && isForPerson(error)) return error;
      throw error;
    });
    if (refusal) return refusal;
    const change = { arn, step: drift, atMs: clock.monotonicMs() };
    memory.facts = rememberChange(memory.facts, change);
    done.push(drift);
    // What stands beside the balancer has yet to lose its tags.
    const isLeft = drift.field === 'tags' && hasTraffic(scope.object);
    if (!isLeft) applied = dropUndone(desired, applied, drift);
    pass.report({ applied: omitEmpty(applied) });
  }
  memory.facts = rememberDrift(memory.facts, false);
  return undefined;
}

function isForPerson(error: unknown): error is OperatorError {
  return error instanceof OperatorError && error.healedBy === 'person';
}

function recordRepairs(scope: Scope, done: readonly Drift[], observed: ObservedLoadBalancer): void {
  const { clock, identity, memory, object } = scope;
  const { loadBalancer, tags } = observed;
  const isOnRecord = readRecordedArn(object) === loadBalancer.arn;
  const ownership = readOwnership(tags, identity, isOnRecord);
  const isClaimed = done.some(claims);
  if (ownership.kind === 'foreign') {
    if (isClaimed) recordAdopted(scope, loadBalancer);
    return;
  }
  if (ownership.previousUid !== undefined && isClaimed) {
    memory.facts = rememberTakeover(memory.facts, ownership.previousUid, clock.monotonicMs());
    recordTakenOver(scope, loadBalancer, ownership.previousUid);
  }
  if (isOnRecord || ownership.previousUid !== undefined) recordUpdated(scope, loadBalancer, done);
  else logCompleted(scope, loadBalancer, done);
}

/** The call that makes it this object's by its tags. */
function claims(drift: Drift): boolean {
  return drift.field === 'tags' && Object.hasOwn(drift.set, ownershipTagKeys.uid);
}

/**
 * Write-ahead: a key that is about to be added to an existing balancer is on record first, with the
 * original value, and so is the ARN of a balancer about to be adopted. Then a crash loses
 * nothing that has to be undone later.
 */
async function recordBeforeWrite(
  scope: Scope,
  observed: ObservedLoadBalancer,
): Promise<AppliedSettings> {
  const { desired, identity, object, pass } = scope;
  const isOnRecord = readRecordedArn(object) === observed.loadBalancer.arn;
  const isAdoption = readOwnership(observed.tags, identity, isOnRecord).kind === 'foreign';
  const applied = readApplied(object, observed);
  const before = planWriteAhead(projectApplied(desired, applied, observed.attributes), applied);
  const recorded = object.status?.applied ?? {};
  const isNew =
    (before.tags ?? []).some((key) => !recorded.tags?.includes(key)) ||
    Object.keys(before.attributes ?? {}).some(
      (key) => !Object.hasOwn(recorded.attributes ?? {}, key),
    );
  pass.report({ applied: omitEmpty(before) });
  if (isNew || (isAdoption && readRecordedArn(object) === undefined))
    await recordHeld(scope, observed);
  return before;
}

/** The pass over a balancer that is being set up ends in the same status, which is written once. */
function recordHeld({ pass }: Scope, { loadBalancer }: ObservedLoadBalancer): Promise<void> {
  if (loadBalancer.state.code !== 'provisioning') return pass.recordNow();
  return pass.recordNow(awaitActive(loadBalancer, 0, readRecordedArn(pass.recorded) === undefined));
}

async function executeStep({ aws }: Scope, arn: string, drift: Drift): Promise<void> {
  switch (drift.field) {
    case 'tags':
      return drift.remove.length > 0
        ? aws.removeTags(arn, drift.remove)
        : aws.addTags(arn, drift.set);
    case 'securityGroups':
      return aws.setSecurityGroups(arn, drift.desired);
    case 'subnets':
      return aws.setSubnets(arn, drift.desired);
    case 'ipAddressType':
      return aws.setIpAddressType(arn, drift.desired);
    case 'attributes':
      return aws.setAttributes(arn, drift.set);
    default:
      return drift satisfies never;
  }
}
