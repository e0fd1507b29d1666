import {
  type HeldLoadBalancer,
  type MyIngress,
  ownershipTagKeys,
} from '../../../apis/my-ingress.ts';
import type { LoadBalancer, Tags } from '../../../aws/elbv2/load-balancers.ts';
import { OperatorError } from '../../../core/reconcile/operator-error.ts';
import { type Waiting, waiting } from '../../../core/reconcile/outcome.ts';
import { recordVanished } from '../events.ts';
import { createFailure } from '../failure.ts';
import type { Problem } from '../graph/problem.ts';
import { LOAD_BALANCER_ID } from '../graph/resource-id.ts';
import { composeConsent, describeHolder, readOwnership } from '../identity.ts';
import { isFresh, measureAbsenceDoubtMs, rememberAbsence } from '../memory.ts';
import { readRoutes } from '../routes/read-routes.ts';
import type { Scope } from '../scope.ts';
import { describeHeld, describeLost, explainRefusedRecord, hasTraffic } from '../status.ts';
import { isManaged } from '../traffic/planned.ts';
import { parseName } from './desired.ts';
import { listPlaces } from './places.ts';

interface RefusedRecord {
  readonly arn: string;
  readonly refusal: OperatorError;
}

/** AWS does not take the recorded ARN for one, or its balancer is not ours. */
export function isNoneOfOurs(error: unknown): error is OperatorError {
  if (!(error instanceof OperatorError)) return false;
  return ['ValidationError', 'NameConflict', 'AdoptionRefused'].includes(error.reason);
}

/**
 * A status can be forged. Where the balancer that this object made stands under its name, that one is
 * recorded, and the next pass works on it. Where none does, the record is dropped, and the object
 * continues as a new one; undefined where the record may be true.
 */
export async function correctRecord(
  scope: Scope,
  record: RefusedRecord,
  signal: AbortSignal,
): Promise<Waiting | undefined> {
  const readMs = scope.clock.monotonicMs();
  const own = await scope.aws.find({ name: scope.desired.name }, signal);
  if (own?.arn === record.arn) return undefined;
  if (own && (await isOwn(scope, own, signal))) return replaceRecord(scope, record.arn, own);
  if (await mayBeTrue(scope, record, signal)) return undefined;
  return (own ? undefined : doubtAbsence(scope, readMs)) ?? dropRecord(scope, record.arn);
}

async function isOwn(
  { aws, identity }: Scope,
  { arn }: LoadBalancer,
  signal: AbortSignal,
): Promise<boolean> {
  const ownership = readOwnership((await aws.readTags(arn, signal)) ?? {}, identity);
  return ownership.kind === 'ours' && ownership.previousUid === undefined;
}

function replaceRecord({ pass }: Scope, arn: string, own: LoadBalancer): Waiting {
  pass.log.info('status names a load balancer that is not ours, corrected', { arn, own: own.arn });
  pass.report({ alb: describeHeld(own) });
  return awaitCorrection(`status named ALB ${arn}, which is not ours; ours is ${own.arn}`, 0);
}

/** A pass records only what has a name of ours; the tag for our UID decides after the cluster id changed. */
async function mayBeTrue(
  { aws, identity, object }: Scope,
  { arn, refusal }: RefusedRecord,
  signal: AbortSignal,
): Promise<boolean> {
  if (refusal.reason === 'ValidationError') return explainRefusedRecord(arn, refusal) !== undefined;
  const name = parseName(arn);
  if (listPlaces(object, identity).some((place) => 'name' in place && place.name === name))
    return true;
  const tags = await aws.readTags(arn, signal);
  return tags === undefined || tags[ownershipTagKeys.uid] === identity.uid;
}

/** A create of ours may not show yet. */
function doubtAbsence(scope: Scope, readMs: number): Waiting | undefined {
  const doubtMs = measureDoubtMs(scope, readMs);
  if (doubtMs === 0) return undefined;
  const again = `verifying again in ${Math.ceil(doubtMs / 1000)} s`;
  return awaitCorrection(
    `status names an ALB that is not ours, and AWS shows none of ours; ${again}`,
    doubtMs,
  );
}

function dropRecord({ pass }: Scope, arn: string): Waiting {
  pass.log.info('status names a load balancer that is not ours, dropped', { arn });
  pass.report({ alb: undefined, applied: undefined });
  return awaitCorrection('status named an ALB that is not ours; this object has none yet', 0);
}

function awaitCorrection(message: string, requeueAfterMs: number): Waiting {
  return waiting('OwnershipUnconfirmed', message, requeueAfterMs);
}

/** An object that asked for adoption from its beginning never had a create under way. */
export function doubtOlderCreate(scope: Scope, readMs: number): Waiting | undefined {
  if (scope.object.metadata.generation === 1) return undefined;
  const doubtMs = measureDoubtMs(scope, readMs);
  if (doubtMs === 0) return undefined;
  const message = `a create from before spec.adopt may still appear; verifying again in ${Math.ceil(doubtMs / 1000)} s`;
  return waiting('Creating', message, doubtMs);
}

/** For how long the absence since `readMs` is not proved. */
function measureDoubtMs({ memory }: Scope, readMs: number): number {
  memory.facts = rememberAbsence(memory.facts, readMs);
  return measureAbsenceDoubtMs(memory.facts, readMs);
}

/** DescribeLoadBalancers alone decides: the tags of a deleted balancer may stay readable. */
export function doubtPresence(scope: Scope, arn: string, readMs: number): Waiting {
  if (isFresh(scope.memory.facts, arn, readMs)) return awaitVisibility(arn);
  const doubtMs = measureDoubtMs(scope, readMs);
  if (doubtMs === 0) return recordLoss(scope);
  throw createFailure('LoadBalancerNotFound', `AWS does not find ALB ${arn}`, {
    retryAfterMs: doubtMs,
  });
}

/**
 * The pass ends with the loss on record, and the next one creates: from there on everything is as
 * for a first balancer, also if the process dies.
 */
function recordLoss(scope: Scope): Waiting {
  const { object } = scope;
  const held = object.status.alb as HeldLoadBalancer;
  const lacking = listLacking(object);
  const next =
    lacking.length === 0 ? 'recreating it' : `recreating it needs ${lacking.join(' and ')}`;
  const message = `ALB ${held.arn} was deleted outside albridge; ${next}`;
  recordVanished(scope, held.arn, message);
  // What stands beside the balancer has the tags of the spec still.
  const { tags } = (hasTraffic(object) && object.status.applied) || {};
  scope.pass.report({ alb: describeLost(held), applied: tags && { tags } });
  return waiting('Creating', message, 0);
}

/** Call before a balancer is created for an object that adopts one. */
export function refuseRecreation(object: MyIngress): void {
  const problem = findRecreationProblem(object);
  if (problem !== undefined) throw createFailure('RecreationRefused', problem.message);
}

/** The reason why no balancer takes the place of an adopted one that was deleted; undefined: one may. */
export function findRecreationProblem(object: MyIngress): Problem | undefined {
  const lacking = listLacking(object);
  if (lacking.length === 0) return undefined;
  const arn = object.status?.alb?.arn ?? object.spec.adopt?.arn;
  const message = `the adopted ALB ${arn} was deleted outside albridge, and the spec lacks for a new one: ${lacking.join(', ')}`;
  return { id: LOAD_BALANCER_ID, reason: 'RecreationRefused', message };
}

/** The fields that an adopted balancer does without, for it keeps its own settings: those of a deleted one are lost. */
function listLacking(object: MyIngress): readonly string[] {
  const { adopt, ipAddressType, securityGroups } = object.spec;
  if (adopt === undefined) return [];
  const hasGroups = securityGroups !== undefined || isManaged({ object }, readRoutes(object.spec));
  return [
    ...(hasGroups ? [] : ['spec.securityGroups (or spec.inbound with listeners)']),
    ...(ipAddressType === undefined ? ['spec.ipAddressType'] : []),
  ];
}

/** Waits for what AWS has answered to a write, until reads show it. */
export function awaitVisibility(nameOrArn: string): Waiting {
  return waiting('Creating', `ALB ${nameOrArn} is not visible yet`, 2_000);
}

/** Foreign or missing tags on a balancer that we have just created may be a stale read. */
export function awaitTagVisibility(scope: Scope, loadBalancer: LoadBalancer, tags: Tags): Waiting {
  const { clock, memory } = scope;
  if (!isFresh(memory.facts, loadBalancer.arn, clock.monotonicMs())) {
    throw explainConflict(scope, loadBalancer, tags);
  }
  const message = `the tags of ALB ${loadBalancer.name} are not visible yet`;
  return waiting('OwnershipUnconfirmed', message, 2_000);
}

const HOLDER_IS_LOGGED = "the operator's log names its holder";

/** Builds the error for a foreign balancer; only its log line names the holder. */
export function explainConflict(
  { identity, object }: Pick<Scope, 'identity' | 'object'>,
  { arn, name }: LoadBalancer,
  tags: Tags,
): OperatorError {
  const details = { arn, holder: describeHolder(tags) };
  if (arn === object.spec.adopt?.arn) {
    const consent = `albridge.io/cluster=<id of this cluster> and albridge.io/adopt=${composeConsent(identity)}`;
    const observed = `load balancer ${arn} lacks the tags ${consent}, is held by another object, or was released and still has albridge.io/uid (${HOLDER_IS_LOGGED})`;
    return createFailure('AdoptionRefused', observed, { details });
  }
  const lacksOnlyUid = readOwnership(tags, identity, true).kind === 'ours';
  const whose = lacksOnlyUid
    ? `(${arn}) has the ownership tags of this object but no tag albridge.io/uid, so nothing proves that albridge created it`
    : `is held by another object, or has lost its ownership tags (${HOLDER_IS_LOGGED})`;
  return createFailure('NameConflict', `load balancer ${name} ${whose}`, { details });
}
