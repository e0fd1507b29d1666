import { type HeldLoadBalancer, ownershipTagKeys } from '../../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import type { OperatorError } from '../../../core/reconcile/operator-error.ts';
import { type Waiting, waiting } from '../../../core/reconcile/outcome.ts';
import { recordVanished } from '../events.ts';
import { createFailure } from '../failure.ts';
import { isFresh, measureAbsenceDoubtMs, rememberAbsence } from '../memory.ts';
import { readOwnership } from '../ownership.ts';
import type { Scope } from '../scope.ts';
import { describeHeld, describeLost, explainRefusedRecord, hasTraffic } from '../status.ts';
import { parseName } from './desired.ts';
import { listPlaces } from './places.ts';

interface RefusedRecord {
  readonly arn: string;
  readonly refusal: OperatorError;
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
function doubtAbsence({ memory }: Scope, readMs: number): Waiting | undefined {
  memory.facts = rememberAbsence(memory.facts, readMs);
  const doubtMs = measureAbsenceDoubtMs(memory.facts, readMs);
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

/** DescribeLoadBalancers alone decides: the tags of a deleted balancer may stay readable. */
export function doubtPresence(scope: Scope, arn: string, readMs: number): Waiting {
  const { memory } = scope;
  if (isFresh(memory.facts, arn, readMs)) return awaitVisibility(arn);
  memory.facts = rememberAbsence(memory.facts, readMs);
  const doubtMs = measureAbsenceDoubtMs(memory.facts, readMs);
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
  recordVanished(scope, held.arn);
  // What stands beside the balancer has the tags of the spec still.
  const { tags } = (hasTraffic(object) && object.status.applied) || {};
  scope.pass.report({ alb: describeLost(held), applied: tags && { tags } });
  const message = `ALB ${held.arn} was deleted outside albridge; recreating it`;
  return waiting('Creating', message, 0);
}

/** Waits for what AWS has answered to a write, until reads show it. */
export function awaitVisibility(nameOrArn: string): Waiting {
  return waiting('Creating', `ALB ${nameOrArn} is not visible yet`, 2_000);
}
