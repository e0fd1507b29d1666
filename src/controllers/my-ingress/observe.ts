import type { LoadBalancer, TaggedLoadBalancer, Tags } from '../../aws/load-balancers.ts';
import type { Observation } from '../../core/external-resource.ts';
import { waiting } from '../../core/outcome.ts';
import { tellTakenOver, tellVanished } from './announcements.ts';
import { type Drift, driftOf, type SeenLoadBalancer } from './drift.ts';
import { failure } from './failure.ts';
import { defaultName } from './identity.ts';
import { conflictOf, judge } from './judgement.ts';
import { chooseLook } from './look.ts';
import { ownershipOf } from './ownership.ts';
import { appliedSoFar, heldBy, recordedArn, type Scope } from './scope.ts';

export type Seen = Observation<SeenLoadBalancer, Drift>;

const ATTRIBUTE_INTERVAL_MS = 3_600_000;
/** A picture of the account older than this is no basis for saying that all is well. */
const RECALL_MS = 30_000;

/** Looks at the balancer with as few calls as the object's state allows. Never writes to AWS. */
export async function observe(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const look = chooseLook(scope.object);
  const seen = look === 'live' ? undefined : await lookCheaply(scope, look, signal);
  return seen ?? lookLive(scope, signal);
}

/** Whose is this balancer, and how does it differ from the spec? */
export async function assess(
  scope: Scope,
  { loadBalancer, tags }: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<Seen> {
  const { memory, pass, desired, object } = scope;
  const judgement = judge(scope, loadBalancer, tags);
  if (judgement.kind === 'foreign') return mistrust(scope, loadBalancer, tags);
  if (judgement.kind === 'ours' && judgement.previousUid !== undefined) {
    tellTakenOver(scope, loadBalancer, judgement.previousUid);
  }
  memory.wasSeen(pass.key);
  const observed = await withAttributes(scope, { loadBalancer, tags }, signal);
  pass.report({ alb: heldBy(loadBalancer) });
  const drift = driftOf(desired, observed, appliedSoFar(object, tags));
  return { kind: 'present', observed, drift };
}

/** undefined: it takes a live look. Nothing seen here is a basis for a write. */
async function lookCheaply(
  scope: Scope,
  look: 'state' | 'recall',
  signal: AbortSignal,
): Promise<Seen | undefined> {
  const arn = recordedArn(scope.object) ?? '';
  if (look === 'recall') return recall(scope, arn, signal);
  const loadBalancer = await scope.inventory.look(arn, signal);
  if (loadBalancer === undefined) return undefined;
  return { kind: 'present', observed: { loadBalancer, tags: {} }, drift: [] };
}

async function recall(scope: Scope, arn: string, signal: AbortSignal): Promise<Seen | undefined> {
  const { clock, desired, identity, inventory, object, sweep } = scope;
  await sweep.pictureTaken(signal);
  const recalled = inventory.recall({ arn }, clock.monotonicMs() - RECALL_MS);
  if (recalled === undefined) return undefined;
  if (ownershipOf(recalled.tags, identity).kind === 'foreign') return undefined;
  if (recalled.loadBalancer.scheme !== desired.scheme) return undefined;
  const observed = areAttributesDue(scope)
    ? await withAttributes(scope, recalled, signal)
    : recalled;
  const drift = driftOf(desired, observed, appliedSoFar(object, observed.tags));
  return drift.length > 0 ? undefined : { kind: 'present', observed, drift };
}

async function lookLive(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const { aws, memory, object, pass } = scope;
  const arn = recordedArn(object);
  if (arn === undefined) return lookByName(scope, signal);
  const [loadBalancer, tags] = await Promise.all([
    aws.find({ arn }, signal),
    aws.tagsOf(arn, signal),
  ]);
  if (loadBalancer !== undefined && tags !== undefined) {
    return assess(scope, { loadBalancer, tags }, signal);
  }
  if (memory.isFresh(pass.key, arn))
    return unconfirmed('Creating', `ALB ${arn} is not visible yet`);
  tellVanished(scope, arn);
  pass.report({ alb: undefined, applied: undefined });
  return { kind: 'absent' };
}

async function lookByName(scope: Scope, signal: AbortSignal): Promise<Seen> {
  const { aws, desired, object } = scope;
  const { adopt } = object.spec;
  if (adopt !== undefined) return lookForAdoption(scope, adopt.arn, signal);
  const loadBalancer = await aws.find({ name: desired.name }, signal);
  if (loadBalancer === undefined) return { kind: 'absent' };
  return assess(scope, await tagged(scope, loadBalancer, signal), signal);
}

/**
 * `adopt` may have been added while a create was under way: what was made then is still held, and is
 * not forgotten over the adoption. What was adopted and then vanished comes back under its name.
 */
async function lookForAdoption(scope: Scope, arn: string, signal: AbortSignal): Promise<Seen> {
  const { aws, desired, identity, pass } = scope;
  const [made, named] = await Promise.all([
    aws.find({ name: defaultName(identity) }, signal),
    aws.find({ arn }, signal),
  ]);
  const held = made && (await tagged(scope, made, signal));
  if (held !== undefined && ownershipOf(held.tags, identity).kind === 'ours') {
    pass.report({ alb: heldBy(held.loadBalancer) });
    return assess(scope, held, signal);
  }
  const adopted = named ?? (await aws.find({ name: desired.name }, signal));
  if (adopted !== undefined) return assess(scope, await tagged(scope, adopted, signal), signal);
  throw failure('AdoptionRefused', `AWS knows no load balancer ${arn}`);
}

async function tagged(
  { aws }: Scope,
  loadBalancer: LoadBalancer,
  signal: AbortSignal,
): Promise<TaggedLoadBalancer> {
  return { loadBalancer, tags: (await aws.tagsOf(loadBalancer.arn, signal)) ?? {} };
}

/** Foreign or missing tags on a balancer that we have just created may be a stale read. */
function mistrust(scope: Scope, loadBalancer: LoadBalancer, tags: Tags): Seen {
  if (!scope.memory.isFresh(scope.pass.key, loadBalancer.arn)) {
    throw conflictOf(scope, loadBalancer, tags);
  }
  return unconfirmed(
    'OwnershipUnconfirmed',
    `the tags of ALB ${loadBalancer.name} are not visible yet`,
  );
}

async function withAttributes(
  scope: Scope,
  seen: TaggedLoadBalancer,
  signal: AbortSignal,
): Promise<SeenLoadBalancer> {
  if (!hasAttributes(scope)) return seen;
  const attributes = await scope.aws.attributesOf(seen.loadBalancer.arn, signal);
  scope.memory.sawAttributes(scope.pass.key, ATTRIBUTE_INTERVAL_MS);
  return { ...seen, attributes };
}

/** Attributes cost one call for each balancer, so a quiet one is looked at once an hour. */
function areAttributesDue(scope: Scope): boolean {
  return (
    hasAttributes(scope) && scope.memory.areAttributesDue(scope.pass.key, ATTRIBUTE_INTERVAL_MS)
  );
}

function hasAttributes({ desired, object }: Scope): boolean {
  const applied = object.status?.applied?.attributes ?? {};
  return Object.keys(desired.attributes).length + Object.keys(applied).length > 0;
}

function unconfirmed(reason: 'Creating' | 'OwnershipUnconfirmed', message: string): Seen {
  return { kind: 'unconfirmed', waiting: waiting(reason, message, 2_000) };
}
