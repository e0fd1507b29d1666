import { ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../aws/load-balancers.ts';
import type { OperatorError } from '../../core/operator-error.ts';
import { type Waiting, waiting } from '../../core/outcome.ts';
import { nameInArn } from './desired.ts';
import { absenceDoubtMs, recordAbsence } from './facts.ts';
import { ownershipOf } from './ownership.ts';
import { placesOf } from './places.ts';
import { heldBy, refusedRecord } from './record.ts';
import type { Scope } from './scope.ts';

interface RefusedRecord {
  readonly arn: string;
  readonly refusal: OperatorError;
}

/**
 * A status can be forged. Where the balancer that this object made stands under its name, that one goes
 * on record, and the next pass works on it. Where none does, the record is dropped, and the object goes
 * on as a new one; undefined where the record may be true.
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
  const ownership = ownershipOf((await aws.tagsOf(arn, signal)) ?? {}, identity);
  return ownership.kind === 'ours' && ownership.previousUid === undefined;
}

function replaceRecord({ pass }: Scope, arn: string, own: LoadBalancer): Waiting {
  pass.log.info('status names a load balancer that is not ours, corrected', { arn, own: own.arn });
  pass.report({ alb: heldBy(own) });
  return correcting(`status named ALB ${arn}, which is not ours; ours is ${own.arn}`, 0);
}

/** A pass records only what has a name of ours; the tag for our UID tells after the cluster id changed. */
async function mayBeTrue(
  { aws, identity, object }: Scope,
  { arn, refusal }: RefusedRecord,
  signal: AbortSignal,
): Promise<boolean> {
  if (refusal.reason === 'ValidationError') return refusedRecord(arn, refusal) !== undefined;
  const name = nameInArn(arn);
  if (placesOf(object, identity).some((place) => 'name' in place && place.name === name))
    return true;
  const tags = await aws.tagsOf(arn, signal);
  return tags === undefined || tags[ownershipTagKeys.uid] === identity.uid;
}

/** A create of ours may not show yet. */
function doubtAbsence({ memory }: Scope, readMs: number): Waiting | undefined {
  memory.facts = recordAbsence(memory.facts, readMs);
  const doubtMs = absenceDoubtMs(memory.facts, readMs);
  if (doubtMs === 0) return undefined;
  const again = `a second read in ${Math.ceil(doubtMs / 1000)} s makes sure`;
  return correcting(
    `status names an ALB that is not ours, and AWS shows none of ours; ${again}`,
    doubtMs,
  );
}

function dropRecord({ pass }: Scope, arn: string): Waiting {
  pass.log.info('status names a load balancer that is not ours, dropped', { arn });
  pass.report({ alb: undefined, applied: undefined });
  return correcting('status named an ALB that is not ours; this object has none yet', 0);
}

function correcting(message: string, againAfterMs: number): Waiting {
  return waiting('OwnershipUnconfirmed', message, againAfterMs);
}
