import type { MyIngress } from '../../apis/my-ingress.ts';
import { type AwsOperation, STALENESS_BOUND_MS } from '../../aws/elbv2/load-balancers.ts';
import type { Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type Drift, type ObservedLoadBalancer, projectStep } from './load-balancer/plan.ts';
import type { TrafficMemory } from './traffic/memory.ts';

/**
 * Facts that this process has about the balancer of one object: what it wrote or read, when, and
 * what AWS answered. Below them judgements, which are pure: asking never changes an answer. Times
 * are monotonic ms.
 */
export interface Facts {
  /** This process first reconciled the object: what was before it, others know. */
  readonly knownSinceMs: number;
  /** In [0, 1): spreads the first reads of attributes over their interval. */
  readonly spread: number;
  /** The last create; without `arn` it was not answered and may have been carried out all the same. */
  readonly create?: { readonly arn: string | undefined; readonly atMs: number };
  /** The balancer that this process deleted, or whose ownership tags it removed. */
  readonly release?: Released & { readonly how: ReleaseKind; readonly atMs: number };
  /** The balancer whose tags this process has last read as ours: a status that names one proves nothing. */
  readonly ownedArn?: string;
  /** Drift was observed, and no read since shows it repaired: a status that claims otherwise is early. */
  readonly hasOpenDrift?: boolean;
  /** As `hasOpenDrift`, found by a drift scan, also where no read of the balancer shows it. */
  readonly hasFoundDrift?: boolean;
  /** The first of the reads since the last create or successful read, none of which found ours. */
  readonly absentSinceMs?: number;
  /** When AWS first said to a create that the name is taken, while reads find no such balancer. */
  readonly nameTakenMs?: number;
  readonly provisioningSinceMs?: number;
  readonly attributesReadMs?: number;
  /** Accepted changes that a read may not show yet, oldest first. */
  readonly changes: readonly Change[];
  /** Keys of tags that this process has last removed, and not set again. */
  readonly removedTags?: { readonly arn: string; readonly keys: readonly string[] };
  readonly takeovers: readonly { readonly fromUid: string; readonly atMs: number }[];
}

interface NamedArn {
  readonly arn: string;
  readonly name: string;
}

/** Its deletion was accepted, or its tags were taken off; the spec may say otherwise a moment later. */
type ReleaseKind = 'deleted' | 'retained';

interface Released extends NamedArn {
  readonly vpcId: string;
}

interface Change {
  readonly arn: string;
  readonly step: Drift;
  readonly atMs: number;
}

/** Restores and recreations come one at a time; more than this many from one UID are ownership flapping. */
const TAKEOVERS_IN_A_ROW = 3;
const FLAPPING_MS = 3_600_000;

/** A read from before a create proves nothing about its balancer, answered or not. */
export function rememberCreate(facts: Facts, arn: string | undefined, nowMs: number): Facts {
  const provisioning = arn === undefined ? {} : { provisioningSinceMs: nowMs };
  return { ...rememberPresence(facts), ...provisioning, create: { arn, atMs: nowMs } };
}

export function rememberNameTaken(facts: Facts, nowMs: number): Facts {
  return { ...facts, nameTakenMs: facts.nameTakenMs ?? nowMs };
}

export function rememberRelease(
  facts: Facts,
  { arn, name, vpcId }: Released,
  { how, atMs }: { readonly how: ReleaseKind; readonly atMs: number },
): Facts {
  return { ...facts, release: { arn, name, vpcId, how, atMs } };
}

export function rememberChange(facts: Facts, change: Change): Facts {
  const recent = facts.changes.filter(({ atMs }) => isRecent(atMs, change.atMs));
  return { ...facts, ...rememberTags(facts, change), changes: [...recent, change] };
}

function rememberTags(facts: Facts, { arn, step }: Change): Pick<Facts, 'removedTags'> {
  if (step.field !== 'tags') return {};
  const before = facts.removedTags?.arn === arn ? facts.removedTags.keys : [];
  const left = before.filter((key) => !Object.hasOwn(step.set, key));
  return { removedTags: { arn, keys: [...new Set([...left, ...step.remove])] } };
}

/** True where this process has removed the tag: a read without it is not older than that. */
export function hasRemovedTag({ removedTags }: Facts, arn: string, key: string): boolean {
  return removedTags?.arn === arn && removedTags.keys.includes(key);
}

export function rememberTakeover(facts: Facts, fromUid: string, nowMs: number): Facts {
  const recent = facts.takeovers.filter(({ atMs }) => nowMs - atMs < FLAPPING_MS);
  return { ...facts, takeovers: [...recent, { fromUid, atMs: nowMs }] };
}

/** `atMs`: when the read began that found nothing of ours. */
export function rememberAbsence(facts: Facts, atMs: number): Facts {
  return { ...facts, absentSinceMs: facts.absentSinceMs ?? atMs };
}

/** A read found the balancer: earlier ones that did not were stale. */
export function rememberPresence(before: Facts): Facts {
  const { absentSinceMs: _stale, nameTakenMs: _taken, ...facts } = before;
  return facts;
}

export function rememberOwned(facts: Facts, arn: string): Facts {
  return { ...facts, ownedArn: arn };
}

export function rememberDrift(facts: Facts, hasOpenDrift: boolean): Facts {
  return { ...facts, hasOpenDrift };
}

export function rememberFoundDrift(facts: Facts, hasFoundDrift: boolean): Facts {
  return { ...facts, hasFoundDrift };
}

/** True where a pass has to read everything, whatever a snapshot shows. */
export function hasAnyDrift({ hasOpenDrift = false, hasFoundDrift = false }: Facts): boolean {
  return hasOpenDrift || hasFoundDrift;
}

export function rememberProvisioning(facts: Facts, nowMs: number): Facts {
  return { ...facts, provisioningSinceMs: facts.provisioningSinceMs ?? nowMs };
}

/** True while reads of this balancer may be older than its creation by this process. */
export function isFresh({ create }: Facts, arn: string, nowMs: number): boolean {
  return create !== undefined && (create.arn ?? arn) === arn && isRecent(create.atMs, nowMs);
}

/**
 * As `isFresh`, and while an earlier process may have created it a moment before this one took over,
 * or others a moment before this one adopted it: AWS accepted our change, so a read that finds
 * nothing may be older than the balancer.
 */
export function mayBeFresh(facts: Facts, arn: string, nowMs: number): boolean {
  const isChanged = listRecentSteps(facts, arn, nowMs).length > 0;
  return isFresh(facts, arn, nowMs) || isChanged || isRecent(facts.knownSinceMs, nowMs);
}

/** True while a read may be older than a create by this process or by the one before it. */
export function mayHideCreate({ create, knownSinceMs }: Facts, nowMs: number): boolean {
  return isRecent(create?.atMs ?? knownSinceMs, nowMs);
}

/** True while a read that finds nothing may be older than what AWS answered to our create. */
export function awaitsOwnCreate({ create }: Facts, nowMs: number): boolean {
  return create?.arn !== undefined && isRecent(create.atMs, nowMs);
}

/** True while a read by name may be older than the balancer that holds the name. */
export function isNameTaken({ nameTakenMs }: Facts, nowMs: number): boolean {
  return nameTakenMs !== undefined && isRecent(nameTakenMs, nowMs);
}

/** For how long after `readMs`, when the last read began, absence is not proved by a second read. */
export function measureAbsenceDoubtMs({ absentSinceMs }: Facts, readMs: number): number {
  return Math.max(0, (absentSinceMs ?? readMs) + STALENESS_BOUND_MS - readMs);
}

/** Changes to this balancer that a read may not show yet, oldest first. */
export function listRecentSteps({ changes }: Facts, arn: string, nowMs: number): readonly Drift[] {
  const recent = changes.filter((one) => one.arn === arn && isRecent(one.atMs, nowMs));
  return recent.map(({ step }) => step);
}

/** A write that reads do not show yet would count as undone, or as the original value. */
export function projectRecent(
  facts: Facts,
  read: ObservedLoadBalancer,
  nowMs: number,
): ObservedLoadBalancer {
  return listRecentSteps(facts, read.loadBalancer.arn, nowMs).reduce(projectStep, read);
}

/** True while a read that still finds the balancer ours may be older than its release. */
export function wasJustReleased({ release }: Facts, arn: string, nowMs: number): boolean {
  return release?.arn === arn && isRecent(release.atMs, nowMs);
}

/** True when the object with this UID takes the balancer back as often as it is taken over. */
export function isFlapping({ takeovers }: Facts, uid: string, nowMs: number): boolean {
  const recent = takeovers.filter(({ atMs }) => nowMs - atMs < FLAPPING_MS);
  return recent.filter(({ fromUid }) => fromUid === uid).length >= TAKEOVERS_IN_A_ROW;
}

export function measureProvisioningMs({ provisioningSinceMs }: Facts, nowMs: number): number {
  return nowMs - (provisioningSinceMs ?? nowMs);
}

/** After a restart the first reads are spread over one interval. */
export function areAttributesDue(facts: Facts, intervalMs: number, nowMs: number): boolean {
  const { attributesReadMs, knownSinceMs, spread } = facts;
  const dueMs =
    attributesReadMs === undefined
      ? knownSinceMs + spread * intervalMs
      : attributesReadMs + intervalMs;
  return dueMs <= nowMs;
}

function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < STALENESS_BOUND_MS;
}

/** The facts about one object. */
export interface ObjectMemory {
  readonly uid: string;
  facts: Facts;
  /** The plan that waits for its tokens, and for which state of the object it was made. */
  awaited?: { readonly operations: readonly AwsOperation[]; readonly madeFor: string } | undefined;
  /** Of an object with listeners or backends. */
  traffic?: TrafficMemory | undefined;
  /** The counts of targets that this process has last reported: a status with others is forged. */
  counts?: Pick<MyIngress['status'], 'targets' | 'backends'>;
  /** Names of target groups of the object that were found by their tags, on record or not; none for a listener alone. */
  foundGroups?: readonly string[] | undefined;
  /** Whether there is a managed security group, also of a spec that wants none; undefined: it was not looked for. */
  foundSecurityGroup?: boolean | undefined;
  /** When each listener was last taken over, by ARN: one event for the repeats of one. */
  claimedMs?: Readonly<Record<string, number>>;
  /** Names of target groups that a deletion has proved absent. */
  goneGroups?: readonly string[];
  /** The ends that balancers came to in a deletion, each with its ARN: every try of it comes to the same. */
  ends?: readonly string[];
}

/** Whether this process knows of anything beside the balancer. */
export function knowsTraffic({ foundGroups, traffic }: ObjectMemory): boolean {
  return foundGroups !== undefined || traffic !== undefined;
}

/**
 * Keeps the facts about each object in memory. All of it may be lost at any time: a restart
 * costs a longer wait or one more read, never a wrong write.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #objects = new Map<Key, ObjectMemory>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Another UID is another object, of which an earlier one of the same name proves nothing. */
  of(key: Key, uid: string): ObjectMemory {
    const known = this.#objects.get(key);
    if (known?.uid === uid) return known;
    const [knownSinceMs, spread] = [this.#clock.monotonicMs(), this.#clock.random()];
    const memory = { uid, facts: { knownSinceMs, spread, changes: [], takeovers: [] } };
    this.#objects.set(key, memory);
    return memory;
  }

  forget(key: Key): void {
    this.#objects.delete(key);
  }

  get size(): number {
    return this.#objects.size;
  }
}
