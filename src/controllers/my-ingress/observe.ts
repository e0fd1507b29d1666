import type { HeldLoadBalancer } from '../../apis/my-ingress.ts';
import type { LoadBalancer, TaggedLoadBalancer, Tags } from '../../aws/load-balancers.ts';
import type { Observation } from '../../core/external-resource.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { waiting } from '../../core/outcome.ts';
import { tellCreated, tellVanished } from './announcements.ts';
import { recordOf } from './applied.ts';
import { correctRecord } from './correction.ts';
import { type Drift, driftOf, type SeenLoadBalancer } from './drift.ts';
import {
  absenceDoubtMs,
  awaitsOwnCreate,
  isFresh,
  isNameTaken,
  recentSteps,
  recordAbsence,
  recordDrift,
  recordOwned,
  recordPresence,
} from './facts.ts';
import { failure } from './failure.ts';
import { defaultName, refuseNameOfOthers } from './identity.ts';
import { conflictOf, judge } from './judgement.ts';
import { chooseLook, hasAttributes } from './look.ts';
import { mendedBy } from './mending.ts';
import { type Ownership, ownershipOf } from './ownership.ts';
import { appliedSoFar, hasLost, heldBy, lostBy, recordedArn, refusedRecord } from './record.ts';
import type { Scope } from './scope.ts';

export type Seen = Observation<SeenLoadBalancer, Drift>;

/** Looks at the balancer, of which the check of a snapshot did not suffice. Never writes to AWS. */
export async function observe(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const seen = chooseLook(scope.object) === 'state' ? await lookAtState(scope, signal) : undefined;
  return seen ?? lookLive(scope, signal);
}

/** Whose is this balancer, and how does it differ from the spec? */
export async function assess(
  scope: Scope,
  { loadBalancer, tags }: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<Seen> {
  const { clock, memory, desired, object } = scope;
  const readMs = clock.monotonicMs();
  const judgement = judge(scope, loadBalancer, tags);
  if (judgement.kind === 'foreign') return mistrust(scope, loadBalancer, tags);
  memory.facts = recordPresence(memory.facts);
  if (judgement.kind === 'ours') memory.facts = recordOwned(memory.facts, loadBalancer.arn);
  hold(scope, { loadBalancer, tags });
  if (isOwnCreate(scope, loadBalancer, judgement)) tellCreated(scope, loadBalancer);
  const seen = await withAttributes(scope, { loadBalancer, tags }, signal);
  if (seen === undefined) return doubtLoss(scope, loadBalancer.arn, readMs);
  // What reads do not show yet would pass for undone, or for the value found before ours.
  const steps = recentSteps(memory.facts, loadBalancer.arn, clock.monotonicMs());
  const observed = steps.reduce(mendedBy, seen);
  const drift = driftOf(desired, observed, appliedSoFar(object, observed));
  memory.facts = recordDrift(memory.facts, drift.length > 0);
  return { kind: 'present', observed, drift };
}

/** The ARN goes on record together with what is to be undone on it, whatever comes of this pass. */
function hold({ object, pass }: Scope, seen: TaggedLoadBalancer): void {
  pass.report({
    alb: heldBy(seen.loadBalancer),
    applied: recordOf(appliedSoFar(object, seen)),
  });
}

/** Seen for the first time, in the creating pass or after its answer was lost. */
function isOwnCreate(
  { object }: Scope,
  loadBalancer: LoadBalancer,
  judgement: Ownership | { readonly kind: 'adoptable' },
): boolean {
  if (judgement.kind !== 'ours' || judgement.previousUid !== undefined) return false;
  return recordedArn(object) === undefined && loadBalancer.arn !== object.spec.adopt?.arn;
}

/** undefined: it takes a live look. Nothing seen here is a basis for a write. */
async function lookAtState(scope: Scope, signal: AbortSignal): Promise<Seen | undefined> {
  const arn = recordedArn(scope.object) ?? '';
  const { hasOpenDrift, ownedArn } = scope.memory.facts;
  if (ownedArn !== arn || hasOpenDrift) return undefined;
  const loadBalancer = await scope.inventory.look(arn, signal);
  if (loadBalancer === undefined) return undefined;
  return { kind: 'present', observed: { loadBalancer, tags: {} }, drift: [] };
}

async function lookLive(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const arn = recordedArn(scope.object);
  if (arn === undefined) return lookByName(scope, signal);
  try {
    return await lookByArn(scope, arn, signal);
  } catch (error) {
    if (!isNoneOfOurs(error)) throw error;
    const corrected = await correctRecord(scope, { arn, refusal: error }, signal);
    if (corrected === undefined) throw refusedRecord(arn, error) ?? error;
    return { kind: 'unconfirmed', waiting: corrected };
  }
}

async function lookByArn(scope: Scope, arn: string, signal: AbortSignal): Promise<Seen> {
  const { aws, clock, inventory } = scope;
  const readMs = clock.monotonicMs();
  const [loadBalancer, tags] = await Promise.all([
    inventory.look(arn, signal),
    aws.tagsOf(arn, signal),
  ]);
  if (loadBalancer !== undefined && tags !== undefined) {
    return assess(scope, { loadBalancer, tags }, signal);
  }
  return loadBalancer === undefined ? doubtLoss(scope, arn, readMs) : notVisible(arn);
}

/** AWS does not take the recorded ARN for one, or its balancer is not ours. */
function isNoneOfOurs(error: unknown): error is OperatorError {
  if (!(error instanceof OperatorError)) return false;
  return ['ValidationError', 'NameConflict', 'AdoptionRefused'].includes(error.reason);
}

/** DescribeLoadBalancers alone decides: the tags of a deleted balancer may stay readable. */
function doubtLoss(scope: Scope, arn: string, readMs: number): Seen {
  const { memory } = scope;
  if (isFresh(memory.facts, arn, readMs)) return notVisible(arn);
  memory.facts = recordAbsence(memory.facts, readMs);
  const doubtMs = absenceDoubtMs(memory.facts, readMs);
  if (doubtMs === 0) return lose(scope);
  throw failure('LoadBalancerNotFound', `AWS does not find ALB ${arn}`, {
    retryAfterMs: doubtMs,
  });
}

/**
 * The pass ends with the loss on record, and the next one creates: from there on everything is as
 * for a first balancer, also if the process dies.
 */
function lose(scope: Scope): Seen {
  const held = scope.object.status.alb as HeldLoadBalancer;
  tellVanished(scope, held.arn);
  scope.pass.report({ alb: lostBy(held), applied: undefined });
  const message = `ALB ${held.arn} was deleted by somebody else; it is created again`;
  return { kind: 'unconfirmed', waiting: waiting('Creating', message, 0) };
}

async function lookByName(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const { aws, clock, desired, memory, object } = scope;
  const { adopt } = object.spec;
  if (adopt !== undefined && !hasLost(object, desired.name)) {
    return lookForAdoption(scope, adopt.arn, signal);
  }
  const loadBalancer = await aws.find({ name: desired.name }, signal);
  if (loadBalancer !== undefined) return assessLive(scope, loadBalancer, signal);
  const nowMs = clock.monotonicMs();
  if (awaitsOwnCreate(memory.facts, nowMs) || isNameTaken(memory.facts, nowMs)) {
    return notVisible(desired.name);
  }
  refuseNameOfOthers(desired.name, scope.identity);
  return { kind: 'absent' };
}

async function assessLive(
  scope: Scope,
  loadBalancer: LoadBalancer,
  signal: AbortSignal,
): Promise<Seen> {
  const tags = await scope.aws.tagsOf(loadBalancer.arn, signal);
  if (tags === undefined) return notVisible(loadBalancer.name);
  return assess(scope, { loadBalancer, tags }, signal);
}

/**
 * `adopt` may have been added while a create was under way: what was made then is still held, and is
 * not forgotten over the adoption.
 */
async function lookForAdoption(scope: Scope, arn: string, signal: AbortSignal): Promise<Seen> {
  const { aws, clock, identity } = scope;
  const readMs = clock.monotonicMs();
  const [made, named] = await Promise.all([
    aws.find({ name: defaultName(identity) }, signal),
    aws.find({ arn }, signal),
  ]);
  const tagsOfMade = made && (await aws.tagsOf(made.arn, signal));
  if (made && tagsOfMade && ownershipOf(tagsOfMade, identity).kind === 'ours') {
    hold(scope, { loadBalancer: made, tags: tagsOfMade });
    return assess(scope, { loadBalancer: made, tags: tagsOfMade }, signal);
  }
  return doubtOlderCreate(scope, readMs) ?? adopt(scope, named, signal);
}

/** An object that asked for adoption from its beginning never had a create under way. */
function doubtOlderCreate({ memory, object }: Scope, readMs: number): Seen | undefined {
  if (object.metadata.generation === 1) return undefined;
  memory.facts = recordAbsence(memory.facts, readMs);
  const doubtMs = absenceDoubtMs(memory.facts, readMs);
  if (doubtMs === 0) return undefined;
  const message = `a create from before spec.adopt may show yet; a second look in ${Math.ceil(doubtMs / 1000)} s makes sure`;
  return { kind: 'unconfirmed', waiting: waiting('Creating', message, doubtMs) };
}

/** What was adopted, lost and created again has the name and another ARN. */
async function adopt(
  scope: Scope,
  named: LoadBalancer | undefined,
  signal: AbortSignal,
): Promise<Seen> {
  const { aws, desired, object } = scope;
  const found = named ?? (await aws.find({ name: desired.name }, signal));
  if (found !== undefined) return assessLive(scope, found, signal);
  throw failure('AdoptionRefused', `AWS knows no load balancer ${object.spec.adopt?.arn}`);
}

/** Foreign or missing tags on a balancer that we have just created may be a stale read. */
function mistrust(scope: Scope, loadBalancer: LoadBalancer, tags: Tags): Seen {
  const { clock, memory } = scope;
  if (!isFresh(memory.facts, loadBalancer.arn, clock.monotonicMs())) {
    throw conflictOf(scope, loadBalancer, tags);
  }
  return unconfirmed(
    'OwnershipUnconfirmed',
    `the tags of ALB ${loadBalancer.name} are not visible yet`,
  );
}

/** undefined: AWS does not find the attributes of this balancer. */
export async function withAttributes(
  scope: Scope,
  seen: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<SeenLoadBalancer | undefined> {
  if (!hasAttributes(scope.object)) return seen;
  const { aws, clock, memory } = scope;
  const attributes = await aws.attributesOf(seen.loadBalancer.arn, signal);
  if (attributes === undefined) return undefined;
  memory.facts = { ...memory.facts, attributesReadMs: clock.monotonicMs() };
  return { ...seen, attributes };
}

function notVisible(nameOrArn: string): Seen {
  return unconfirmed('Creating', `ALB ${nameOrArn} is not visible yet`);
}

function unconfirmed(reason: 'Creating' | 'OwnershipUnconfirmed', message: string): Seen {
  return { kind: 'unconfirmed', waiting: waiting(reason, message, 2_000) };
}
