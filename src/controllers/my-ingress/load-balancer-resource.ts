import type { AppliedSettings, MyIngress } from '../../apis/my-ingress.ts';
import type { AwsOperation, LoadBalancer } from '../../aws/load-balancers.ts';
import type { ExternalResource } from '../../core/external-resource.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { tellAdopted, tellCompleted, tellTakenOver, tellUpdated } from './announcements.ts';
import { appliedAfter, appliedBefore, appliedOnceDone, recordOf } from './applied.ts';
import type { Drift, SeenLoadBalancer } from './drift.ts';
import {
  quarrelsWith,
  recordChange,
  recordCreate,
  recordDrift,
  recordNameTaken,
  recordTakeover,
} from './facts.ts';
import { failure } from './failure.ts';
import { hasAttributes } from './look.ts';
import { operationOf, stepsOf } from './mending.ts';
import { assess, observe, type Seen } from './observe.ts';
import { type Ownership, ownershipOf } from './ownership.ts';
import { provisioning } from './provisioning.ts';
import { appliedSoFar, recordedArn } from './record.ts';
import type { Scope } from './scope.ts';

/** The Application Load Balancer of one MyIngress, for the length of one pass. */
export function loadBalancerResource(
  scope: Scope,
): Omit<ExternalResource<SeenLoadBalancer, Drift>, 'delete'> {
  return {
    observe: (signal) => observe(scope, signal),
    create: (signal) => create(scope, signal),
    update: (observed, drift) => update(scope, observed, drift),
  };
}

/**
 * The create call carries name and tags, and the keys of the user's tags are on record before it. So
 * whatever happens to its answer, the next pass finds the balancer, and knows which of its tags
 * others have added since. AWS may answer with a balancer that was there before, whoever owns it:
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 */
async function create(given: Scope, signal: AbortSignal): Promise<Seen> {
  await given.tokens.reserve(createOperations(given.object));
  const scope = await recordBeforeCreate(given);
  const { aws, clock, inventory, memory } = scope;
  const created = await createOnce(scope);
  if (created === undefined) return observe(scope, signal);
  memory.facts = recordCreate(memory.facts, created.arn, clock.monotonicMs());
  const [visible, tags] = await Promise.all([
    inventory.look(created.arn, signal),
    aws.tagsOf(created.arn, signal),
  ]);
  return assess(scope, { loadBalancer: visible ?? created, tags: tags ?? {} }, signal);
}

/** The create, and the reads that make sure whose it is. */
function createOperations(object: MyIngress): readonly AwsOperation[] {
  const reads: readonly AwsOperation[] = ['DescribeLoadBalancers', 'DescribeTags'];
  const more: readonly AwsOperation[] = ['DescribeLoadBalancerAttributes'];
  return ['CreateLoadBalancer', ...reads, ...(hasAttributes(object) ? more : [])];
}

/** Costs a write only where the spec has tags. */
async function recordBeforeCreate(scope: Scope): Promise<Scope> {
  const { desired, object, pass } = scope;
  const recorded = object.status?.applied ?? {};
  const applied = appliedBefore({ tags: Object.keys(desired.userTags) }, recorded);
  pass.report({ applied: recordOf(applied) });
  await pass.recordNow();
  return { ...scope, object: { ...object, status: { ...object.status, applied } } };
}

/** undefined: a balancer of this name and other settings exists; a look tells whose it is. */
async function createOnce({
  aws,
  clock,
  desired,
  memory,
}: Scope): Promise<LoadBalancer | undefined> {
  const { name, scheme, subnets, securityGroups, ipAddressType, tags } = desired;
  const groups = securityGroups === undefined ? {} : { securityGroups };
  try {
    return await aws.create({
      name,
      scheme,
      subnets,
      ipAddressType: ipAddressType ?? 'ipv4',
      tags,
      ...groups,
    });
  } catch (error) {
    const nowMs = clock.monotonicMs();
    if (error instanceof OperatorError && error.reason === 'DuplicateName') {
      const isNew = memory.facts.nameTakenMs === undefined;
      memory.facts = recordNameTaken(memory.facts, nowMs);
      // By the second time no read can be older any more: asking again would only cost tokens.
      if (isNew) return undefined;
      throw error;
    }
    memory.facts = recordCreate(memory.facts, undefined, nowMs);
    throw error;
  }
}

async function update(
  scope: Scope,
  observed: SeenLoadBalancer,
  drift: readonly Drift[],
): Promise<void> {
  const { loadBalancer, tags } = observed;
  const { clock, memory, object } = scope;
  const isOnRecord = recordedArn(object) === loadBalancer.arn;
  const ownership = ownershipOf(tags, scope.identity, isOnRecord);
  refuseQuarrel(scope, loadBalancer, ownership);
  const isAdoption = ownership.kind === 'foreign';
  const plan = stepsOf(drift);
  await scope.tokens.reserve(plan.map(operationOf));
  let applied = await recordBeforeWrite(scope, observed, isAdoption);
  for (const step of plan) {
    scope.pass.signal.throwIfAborted();
    await carryOut(scope, loadBalancer.arn, step);
    const change = { arn: loadBalancer.arn, step, atMs: clock.monotonicMs() };
    memory.facts = recordChange(memory.facts, change);
    applied = appliedOnceDone(scope.desired, applied, step);
    scope.pass.report({ applied: recordOf(applied) });
  }
  memory.facts = recordDrift(memory.facts, false);
  if (isAdoption) return tellAdopted(scope, loadBalancer);
  if (ownership.previousUid !== undefined) {
    memory.facts = recordTakeover(memory.facts, ownership.previousUid, clock.monotonicMs());
    tellTakenOver(scope, loadBalancer, ownership.previousUid);
  }
  if (isOnRecord || ownership.previousUid !== undefined) tellUpdated(scope, loadBalancer, drift);
  else tellCompleted(scope, loadBalancer, drift);
}

/** Two operators that were given one cluster id would take the balancer from each other for ever. */
function refuseQuarrel(
  { clock, identity, memory }: Scope,
  { name, arn }: LoadBalancer,
  ownership: Ownership,
): void {
  if (ownership.kind === 'foreign' || ownership.previousUid === undefined) return;
  if (!quarrelsWith(memory.facts, ownership.previousUid, clock.monotonicMs())) return;
  throw failure(
    'NameConflict',
    `load balancer ${name} is taken back again and again: another operator uses the cluster id of this one too, ` +
      'give one of them another ALBRIDGE_CLUSTER_ID',
    { details: { arn, clusterID: identity.cluster, previousUID: ownership.previousUid } },
  );
}

/**
 * Write-ahead: a key that is about to be added to an existing balancer is on record first, with the
 * value found before ours, and so is the ARN of a balancer about to be adopted. Then a crash loses
 * nothing that has to be undone later.
 */
async function recordBeforeWrite(
  scope: Scope,
  observed: SeenLoadBalancer,
  isAdoption: boolean,
): Promise<AppliedSettings> {
  const { desired, object, pass } = scope;
  const applied = appliedSoFar(object, observed);
  const before = appliedBefore(appliedAfter(desired, applied, observed.attributes), applied);
  const recorded = object.status?.applied ?? {};
  const isNew =
    (before.tags ?? []).some((key) => !recorded.tags?.includes(key)) ||
    Object.keys(before.attributes ?? {}).some(
      (key) => !Object.hasOwn(recorded.attributes ?? {}, key),
    );
  pass.report({ applied: recordOf(before) });
  if (isNew || (isAdoption && recordedArn(object) === undefined)) await recordHeld(scope, observed);
  return before;
}

/** The pass over a balancer that is being set up ends in the same status, which is written once. */
function recordHeld({ object, pass }: Scope, { loadBalancer }: SeenLoadBalancer): Promise<void> {
  if (loadBalancer.state.code !== 'provisioning') return pass.recordNow();
  return pass.recordNow(provisioning(loadBalancer, 0, recordedArn(object) === undefined));
}

async function carryOut({ aws }: Scope, arn: string, step: Drift): Promise<void> {
  switch (step.field) {
    case 'tags':
      return step.remove.length > 0 ? aws.removeTags(arn, step.remove) : aws.addTags(arn, step.set);
    case 'securityGroups':
      return aws.setSecurityGroups(arn, step.wanted);
    case 'subnets':
      return aws.setSubnets(arn, step.wanted);
    case 'ipAddressType':
      return aws.setIpAddressType(arn, step.wanted);
    case 'attributes':
      return aws.setAttributes(arn, step.set);
    default:
      return step satisfies never;
  }
}
