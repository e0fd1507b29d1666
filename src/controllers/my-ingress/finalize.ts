import type { LoadBalancerRef, TaggedLoadBalancer } from '../../aws/load-balancers.ts';
import { ensureAbsent, type Observation } from '../../core/external-resource.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Waiting, waiting } from '../../core/outcome.ts';
import type { Released } from '../../core/reconciler.ts';
import { tellDeleted, tellLeftAlone, tellRetained } from './announcements.ts';
import { wantedName } from './desired.ts';
import { isOwnershipTag } from './drift.ts';
import { ownershipOf } from './ownership.ts';
import { recordedArn, type Scope } from './scope.ts';

type Seen = Observation<TaggedLoadBalancer, never>;

const DELETION_PROTECTION = 'deletion_protection.enabled';

/**
 * Deletes the balancer, or lets go of it under `deletionPolicy: Retain`, and proves by a read that
 * nothing of ours is left. Works from tags and names alone: deletion needs no valid spec.
 */
export async function finalizeLoadBalancer(scope: Scope): Promise<Released | Waiting> {
  const outcome = await ensureAbsent<TaggedLoadBalancer, never>(
    {
      observe: (signal) => observe(scope, signal),
      delete: (seen) => (isRetained(scope) ? retain(scope, seen) : deleteOurs(scope, seen)),
    },
    scope.pass,
  );
  if (outcome.kind === 'released') tellReleased(scope);
  return outcome;
}

/** Absent here means: nothing of ours. */
async function observe(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const { aws, identity, memory, pass } = scope;
  const ref = refOf(scope);
  const loadBalancer = await aws.find(ref, signal);
  const tags = loadBalancer && (await aws.tagsOf(loadBalancer.arn, signal));
  if (loadBalancer === undefined || tags === undefined) return nothingFound(scope, ref);
  if (ownershipOf(tags, identity).kind === 'ours') {
    memory.wasSeen(pass.key);
    return { kind: 'present', observed: { loadBalancer, tags }, drift: [] };
  }
  if (memory.released(pass.key)?.arn === loadBalancer.arn) return { kind: 'absent' };
  const seen = doubtAbsence(scope, `ALB ${loadBalancer.name} does not carry our tags`);
  if (seen.kind === 'absent') tellLeftAlone(scope, loadBalancer);
  return seen;
}

/** The recorded ARN, else that of a balancer to be adopted, else the name a lost create has given. */
function refOf({ object, identity }: Scope): LoadBalancerRef {
  const arn = recordedArn(object) ?? object.spec?.adopt?.arn;
  return arn === undefined ? { name: wantedName(object.spec, identity) } : { arn };
}

/**
 * NotFound by ARN is proof, unless we created the balancer a moment ago and have not deleted it
 * since. By name it is not: a create whose answer was lost may become visible yet, so two looks
 * must agree.
 */
function nothingFound({ memory, pass }: Scope, ref: LoadBalancerRef): Seen {
  if ('arn' in ref) {
    const isDeletedByUs = memory.released(pass.key)?.arn === ref.arn;
    if (isDeletedByUs || !memory.isFresh(pass.key, ref.arn)) return { kind: 'absent' };
  }
  return doubtAbsence({ memory, pass }, 'AWS knows no load balancer of ours');
}

function doubtAbsence({ memory, pass }: Pick<Scope, 'memory' | 'pass'>, seen: string): Seen {
  const doubtMs = memory.doubtAbsenceMs(pass.key);
  if (doubtMs === 0) return { kind: 'absent' };
  const message = `${seen}; a second look in ${Math.ceil(doubtMs / 1000)} s makes sure`;
  return { kind: 'unconfirmed', waiting: waiting('Deleting', message, doubtMs) };
}

/** Protection is switched off only where the spec says so in words. */
async function deleteOurs(scope: Scope, { loadBalancer }: TaggedLoadBalancer): Promise<void> {
  const { aws, memory, object, pass } = scope;
  const { arn } = loadBalancer;
  try {
    await aws.delete(arn);
  } catch (error) {
    const isBlocked = error instanceof OperatorError && error.reason === 'DeletionBlocked';
    if (!isBlocked || object.spec?.attributes?.[DELETION_PROTECTION] !== 'false') throw error;
    await aws.setAttributes(arn, { [DELETION_PROTECTION]: 'false' });
    await aws.delete(arn);
  }
  memory.hasReleased(pass.key, loadBalancer);
}

async function retain(scope: Scope, { loadBalancer, tags }: TaggedLoadBalancer): Promise<void> {
  await scope.aws.removeTags(loadBalancer.arn, Object.keys(tags).filter(isOwnershipTag));
  scope.memory.hasReleased(scope.pass.key, loadBalancer);
}

/** The call may lie a pass back: the memory, or else the record, says which balancer it was. */
function tellReleased(scope: Scope): void {
  const balancer = scope.memory.released(scope.pass.key);
  if (balancer === undefined) return;
  if (isRetained(scope)) tellRetained(scope, balancer);
  else tellDeleted(scope, balancer);
}

function isRetained({ object }: Scope): boolean {
  return object.spec?.deletionPolicy === 'Retain';
}
