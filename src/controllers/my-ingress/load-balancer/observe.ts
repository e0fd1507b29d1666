import type { LoadBalancer, TaggedLoadBalancer, Tags } from '../../../aws/elbv2/load-balancers.ts';
import type { Waiting } from '../../../core/reconcile/outcome.ts';
import { recordCreated } from '../events.ts';
import { createFailure } from '../failure.ts';
import {
  canAdopt,
  deriveDefaultName,
  type Ownership,
  readOwnership,
  refuseNameOfOthers,
} from '../identity.ts';
import {
  awaitsOwnCreate,
  hasAnyDrift,
  isNameTaken,
  projectRecent,
  rememberOwned,
  rememberPresence,
} from '../memory.ts';
import { recoverRecord } from '../record.ts';
import type { Scope } from '../scope.ts';
import {
  describeHeld,
  explainRefusedRecord,
  hasLost,
  hasTraffic,
  omitEmpty,
  readApplied,
  readRecordedArn,
} from '../status.ts';
import { hasOpenTraffic, rememberBalancer } from '../traffic/memory.ts';
import {
  awaitTagVisibility,
  awaitVisibility,
  correctRecord,
  doubtOlderCreate,
  doubtPresence,
  isNoneOfOurs,
} from './correction.ts';
import type { ObservedLoadBalancer } from './plan.ts';
import { chooseReadDepth, hasAttributes } from './read-depth.ts';

/** The result of reading one balancer. */
export type LoadBalancerObservation =
  | { readonly kind: 'absent' }
  /** The read may be stale or is not yet proof: decide nothing on it. */
  | { readonly kind: 'unconfirmed'; readonly waiting: Waiting }
  | { readonly kind: 'present'; readonly observed: ObservedLoadBalancer };

/** Reads the balancer as deep as the object needs. Never writes to AWS. */
export async function observe(scope: Scope, signal: AbortSignal): Promise<LoadBalancerObservation> {
  const observation =
    chooseReadDepth(scope.object) === 'state' ? await observeState(scope, signal) : undefined;
  return observation ?? observeLive(scope, signal);
}

/** As it was a moment ago, and whose it is now; undefined: AWS answers that it does not exist. */
export async function observeKnown(
  scope: Scope,
  loadBalancer: LoadBalancer,
  signal: AbortSignal,
): Promise<LoadBalancerObservation | undefined> {
  const tags = await scope.aws.readTags(loadBalancer.arn, signal);
  return tags && assess(scope, { loadBalancer, tags }, signal);
}

/** Reads what the create has answered with, and its tags: it may be a balancer that existed before. */
export async function observeCreated(
  scope: Scope,
  created: LoadBalancer,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const { aws, inventory, object } = scope;
  // While listeners and rules are being made nothing waits for the balancer's state.
  const isStateAwaited = !hasTraffic(object);
  const [visible, tags] = await Promise.all([
    isStateAwaited ? inventory.observe(created.arn, signal) : undefined,
    aws.readTags(created.arn, signal),
  ]);
  return assess(scope, { loadBalancer: visible ?? created, tags: tags ?? {} }, signal);
}

/** Decides whose the balancer is, and reads what else the plan needs. */
async function assess(
  scope: Scope,
  { loadBalancer, tags }: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const { clock, memory } = scope;
  const readMs = clock.monotonicMs();
  const judgement = judgeClaim(scope, loadBalancer, tags);
  if (judgement.kind === 'foreign') {
    return awaitConfirmation(awaitTagVisibility(scope, loadBalancer, tags));
  }
  memory.facts = rememberPresence(memory.facts);
  if (judgement.kind === 'ours') memory.facts = rememberOwned(memory.facts, loadBalancer.arn);
  if (mayServeUnknown(scope, judgement)) {
    await recoverRecord(scope, { loadBalancer, isOfOther: hasPredecessor(judgement) });
  }
  reportObserved(scope, { loadBalancer, tags });
  if (isOwnCreate(scope, loadBalancer, judgement)) recordCreated(scope, loadBalancer);
  const read = await observeAttributes(scope, { loadBalancer, tags }, signal);
  if (read === undefined) return awaitConfirmation(doubtPresence(scope, loadBalancer.arn, readMs));
  return { kind: 'present', observed: projectRecent(memory.facts, read, clock.monotonicMs()) };
}

type Claim = Pick<Scope, 'identity' | 'object' | 'desired'>;
type Judgement = Ownership | { readonly kind: 'adoptable' };

/**
 * Decides whether this object may write to the balancer; pure.
 *
 * @returns `ours`, `adoptable` (not ours yet, its owner consents), or `foreign`
 * @throws OperatorError SpecMismatch for a balancer that is ours, or would be, and can never match
 */
export function judgeClaim(claim: Claim, loadBalancer: LoadBalancer, tags: Tags): Judgement {
  const isOnRecord = readRecordedArn(claim.object) === loadBalancer.arn;
  const ownership = readOwnership(tags, claim.identity, isOnRecord);
  const isAdoptable =
    loadBalancer.arn === claim.object.spec.adopt?.arn && canAdopt(tags, claim.identity);
  if (ownership.kind === 'foreign' && !isAdoptable) return ownership;
  refuseMismatch(claim, loadBalancer);
  return ownership.kind === 'ours' ? ownership : { kind: 'adoptable' };
}

function refuseMismatch({ object, desired }: Claim, loadBalancer: LoadBalancer): void {
  const { arn, name, scheme, type } = loadBalancer;
  // The name of a balancer to adopt is as fixed as one given in words.
  const fixedName = object.spec.adopt === undefined ? object.spec.name : desired.name;
  const differences = [
    type !== 'application' && `it is of type ${type}, not application`,
    scheme !== desired.scheme && `its scheme is ${scheme}, spec.scheme is ${desired.scheme}`,
    ![undefined, name].includes(fixedName) && `its name is ${name}, the spec names ${fixedName}`,
  ].filter((difference) => difference !== false);
  if (differences.length === 0) return;
  const why = `cannot be changed to match the spec: ${differences.join(', ')}`;
  throw createFailure('SpecMismatch', `load balancer ${arn} ${why}`);
}

/** One of ours that no record names and this process has not made was there before: perhaps with more than the spec has. */
function mayServeUnknown({ memory, object }: Scope, { kind }: Judgement): boolean {
  const isKnown = readRecordedArn(object) !== undefined || memory.facts.create !== undefined;
  return kind === 'ours' && !isKnown;
}

function hasPredecessor(judgement: Judgement): boolean {
  return judgement.kind === 'ours' && judgement.previousUid !== undefined;
}

/** Reports the ARN together with what must be undone on it and deleted later, however this pass ends. */
function reportObserved({ object, pass }: Scope, observed: TaggedLoadBalancer): void {
  pass.report({
    alb: describeHeld(observed.loadBalancer),
    applied: omitEmpty(readApplied(object, observed)),
  });
}

/** Observed for the first time, in the creating pass or after its answer was lost. */
function isOwnCreate({ object }: Scope, loadBalancer: LoadBalancer, judgement: Judgement): boolean {
  if (judgement.kind !== 'ours' || hasPredecessor(judgement)) return false;
  return readRecordedArn(object) === undefined && loadBalancer.arn !== object.spec.adopt?.arn;
}

/** undefined: it takes a live read. Nothing read here is a basis for a write. */
async function observeState(
  scope: Scope,
  signal: AbortSignal,
): Promise<LoadBalancerObservation | undefined> {
  const { clock, memory, object } = scope;
  const arn = readRecordedArn(object) ?? '';
  if (memory.facts.ownedArn !== arn || hasAnyDrift(memory.facts)) return undefined;
  if (hasTraffic(object) && hasOpenTraffic(memory.traffic, clock.monotonicMs())) return undefined;
  const read = await scope.inventory.observe(arn, signal);
  if (read === undefined) return undefined;
  const nowMs = clock.monotonicMs();
  const shown = { loadBalancer: read, tags: {}, isStateOnly: true };
  const observed = projectRecent(memory.facts, shown, nowMs);
  memory.traffic &&= rememberBalancer(memory.traffic, observed.loadBalancer, nowMs);
  return { kind: 'present', observed };
}

/** Reads everything that a plan needs. Never writes to AWS. */
export async function observeLive(
  scope: Scope,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const arn = readRecordedArn(scope.object);
  if (arn === undefined) return observeByName(scope, signal);
  try {
    return await observeByArn(scope, arn, signal);
  } catch (error) {
    if (!isNoneOfOurs(error)) throw error;
    const corrected = await correctRecord(scope, { arn, refusal: error }, signal);
    if (corrected === undefined) throw explainRefusedRecord(arn, error) ?? error;
    return awaitConfirmation(corrected);
  }
}

async function observeByArn(
  scope: Scope,
  arn: string,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const { aws, clock, inventory } = scope;
  const readMs = clock.monotonicMs();
  const [loadBalancer, tags] = await Promise.all([
    inventory.observe(arn, signal),
    aws.readTags(arn, signal),
  ]);
  if (loadBalancer !== undefined && tags !== undefined) {
    return assess(scope, { loadBalancer, tags }, signal);
  }
  return awaitConfirmation(
    loadBalancer === undefined ? doubtPresence(scope, arn, readMs) : awaitVisibility(arn),
  );
}

async function observeByName(scope: Scope, signal: AbortSignal): Promise<LoadBalancerObservation> {
  const { aws, clock, desired, memory, object } = scope;
  const { adopt } = object.spec;
  if (adopt !== undefined && !hasLost(object, desired.name)) {
    return observeForAdoption(scope, adopt.arn, signal);
  }
  const loadBalancer = await aws.find({ name: desired.name }, signal);
  if (loadBalancer !== undefined) return assessWithTags(scope, loadBalancer, signal);
  const nowMs = clock.monotonicMs();
  if (awaitsOwnCreate(memory.facts, nowMs) || isNameTaken(memory.facts, nowMs)) {
    return awaitConfirmation(awaitVisibility(desired.name));
  }
  refuseNameOfOthers(desired.name, scope.identity);
  return { kind: 'absent' };
}

async function assessWithTags(
  scope: Scope,
  loadBalancer: LoadBalancer,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const tags = await scope.aws.readTags(loadBalancer.arn, signal);
  if (tags === undefined) return awaitConfirmation(awaitVisibility(loadBalancer.name));
  return assess(scope, { loadBalancer, tags }, signal);
}

/**
 * `adopt` may have been added while a create was under way: what was made then is still held, and is
 * not forgotten over the adoption.
 */
async function observeForAdoption(
  scope: Scope,
  arn: string,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const { aws, clock, identity } = scope;
  const readMs = clock.monotonicMs();
  const [made, named] = await Promise.all([
    aws.find({ name: deriveDefaultName(identity) }, signal),
    aws.find({ arn }, signal),
  ]);
  const tagsOfMade = made && (await aws.readTags(made.arn, signal));
  if (made && tagsOfMade && readOwnership(tagsOfMade, identity).kind === 'ours') {
    reportObserved(scope, { loadBalancer: made, tags: tagsOfMade });
    return assess(scope, { loadBalancer: made, tags: tagsOfMade }, signal);
  }
  const doubt = doubtOlderCreate(scope, readMs);
  return doubt ? awaitConfirmation(doubt) : observeAdopted(scope, named, signal);
}

/** A balancer that was adopted, lost and recreated has the name and another ARN. */
async function observeAdopted(
  scope: Scope,
  named: LoadBalancer | undefined,
  signal: AbortSignal,
): Promise<LoadBalancerObservation> {
  const { aws, desired, object } = scope;
  const adoptee = named ?? (await aws.find({ name: desired.name }, signal));
  if (adoptee !== undefined) return assessWithTags(scope, adoptee, signal);
  throw createFailure('AdoptionRefused', `AWS knows no load balancer ${object.spec.adopt?.arn}`);
}

/** undefined: AWS does not find the attributes of this balancer. */
export async function observeAttributes(
  scope: Scope,
  observed: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<ObservedLoadBalancer | undefined> {
  if (!hasAttributes(scope.object)) return observed;
  const { aws, clock, memory } = scope;
  const attributes = await aws.readAttributes(observed.loadBalancer.arn, signal);
  if (attributes === undefined) return undefined;
  memory.facts = { ...memory.facts, attributesReadMs: clock.monotonicMs() };
  return { ...observed, attributes };
}

function awaitConfirmation(awaited: Waiting): LoadBalancerObservation {
  return { kind: 'unconfirmed', waiting: awaited };
}
