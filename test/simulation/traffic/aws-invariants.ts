import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import {
  loadBalancerFinalizer,
  type MyIngress,
  ownershipTagKeys,
  resourceTagKey,
} from '../../../src/apis/my-ingress.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import { hasNoStatus } from '../../fakes/has-no-status.ts';
import type { Report } from '../violation.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import type { Claims } from './claims.ts';
import { desiresResource, FIXED_FIELDS } from './desires.ts';
import type { LostFinalizers } from './lost-finalizers.ts';
import { THEIR_DELAY } from './outsider.ts';
import {
  type Change,
  type Picture,
  type Resource,
  resourceIdOf,
  type TagMap,
} from './resources.ts';
import type { SpecHistory } from './spec-history.ts';
import { OWN_KEYS } from './tag-faults.ts';

export interface TrafficInvariantParts {
  readonly world: AwsWorld;
  readonly claims: Claims;
  readonly specs: SpecHistory;
  readonly object: (key: string) => MyIngress | undefined;
  /** True for an object that was removed in spite of its finalizer. */
  readonly isGoneInSpite: (key: string) => boolean;
  readonly lostFinalizers: LostFinalizers;
  /** Since when no action has named this target group; undefined: one does, or none ever has. */
  readonly unusedSinceMs: (arn: string) => number | undefined;
  readonly nowMs: () => number;
  /** How old the read may be on which a write is based. */
  readonly unseenMs: () => number;
  /** Drift may stay unseen for so long. */
  readonly sweepMs: number;
  readonly report: Report;
}

interface Subject {
  readonly TargetGroupArn?: string;
  readonly ListenerArn?: string;
  readonly RuleArn?: string;
  readonly RulePriorities?: readonly { readonly RuleArn: string }[];
  readonly GroupId?: string;
  readonly Resources?: readonly string[];
  readonly ResourceArns?: readonly string[];
}

/** What a call is about; nothing where it is about a balancer. */
export function listKeys(input: object): readonly string[] {
  const subject = input as Subject;
  const { TargetGroupArn, ListenerArn, RuleArn, GroupId } = subject;
  const lists = [subject.Resources ?? [], subject.ResourceArns ?? []].flat();
  const rules = (subject.RulePriorities ?? []).map((one) => one.RuleArn);
  const all = [TargetGroupArn, ListenerArn, RuleArn, GroupId, ...lists, ...rules];
  return all.filter((key) => key !== undefined && !key.includes(':loadbalancer/')) as string[];
}

/** AWS's data plane takes changes in windows of about 10 s, and a reader counts from its own read. */
const RETIREMENT_MS = 15_000;

/** What must hold for every write of the operator to a listener, rule, target group or security group. */
export class TrafficInvariants {
  readonly #parts: TrafficInvariantParts;
  /** Names that the operator has put on record, by object: those there now, and those that AWS still has. */
  readonly #recorded = new Map<string, Set<string>>();

  constructor(parts: TrafficInvariantParts) {
    this.#parts = parts;
  }

  /** Call with each object that the operator has written; `look`: the whole account. */
  noteRecord({ metadata, status }: MyIngress, look: () => Picture): void {
    const key = `${metadata.namespace}/${metadata.name}`;
    const { securityGroup, targetGroups = [] } = status?.owned ?? {};
    const names = [...targetGroups, ...(securityGroup === undefined ? [] : [securityGroup])];
    const known = this.#recorded.get(key) ?? new Set();
    this.#recorded.set(key, known);
    const dropped = [...known].filter((name) => !names.includes(name));
    const standing = dropped.length > 0 ? listNames(look()) : new Set<string>();
    for (const name of dropped) if (!standing.has(name)) known.delete(name);
    for (const name of names) known.add(name);
  }

  /** `after`: the whole account. */
  judge({ operation }: AwsCallSeen, changes: readonly Change[], after: Picture): void {
    for (const { before, after: now } of changes) {
      if (before === undefined && now !== undefined) this.#judgeCreate(operation, now, after);
      // A balancer takes its listeners and rules with it, whoever made them.
      else if (before !== undefined && operation !== 'DeleteLoadBalancer') {
        this.#judgeChange(operation, before, now);
      }
    }
  }

  /** AWS has refused the call for want of a right; what is lost since lately is let pass. */
  judgeDenial({ operation, input }: AwsCallSeen): void {
    const { report } = this.#parts;
    const keys = listKeys(input);
    if (keys.length === 0 || keys.some((key) => this.#isLost(key, operation))) return;
    report('asks-for-what-is-granted', `${operation} on ${keys.join()} was denied`);
  }

  /** No scan looks at an object that is paused, while targets follow their pods. */
  #isLost(key: string, operation: string): boolean {
    const { claims, object } = this.#parts;
    if (claims.lostBy(key, this.#findAgeMs(operation)) !== undefined) return true;
    const owner = object(claims.lostToOthers(key) ?? '');
    return operation.endsWith('Targets') && owner !== undefined && isPaused(owner);
  }

  #judgeCreate(operation: string, made: Resource, after: Picture): void {
    const { claims, report } = this.#parts;
    const owner = claims.ownerOf(made);
    const lacks = [resourceTagKey, ownershipTagKeys.managedBy].filter((key) => !made.tags.has(key));
    if (owner === undefined || lacks.length > 0) {
      return report('tags-in-the-create', `${operation} made ${made.key} without its tags`);
    }
    this.#judgeFinalizer(operation, owner);
    this.#judgeRecord(operation, made, owner);
    const twins = [...after.values()].filter((one) => this.#isSame(one, made));
    if (twins.length < 2) return;
    report('one-resource-each', `${owner} has ${twins.map(({ key }) => key).join(' and ')}`);
  }

  /** Listeners and rules of one identity may be two for a moment, when the answer to a create was lost. */
  #isSame(one: Resource, made: Resource): boolean {
    const { claims } = this.#parts;
    if (made.kind !== 'targetGroup' && made.kind !== 'securityGroup') return false;
    if (one.kind !== made.kind || resourceIdOf(one) !== resourceIdOf(made)) return false;
    if (claims.ownerOf(one) !== claims.ownerOf(made)) return false;
    if (one.kind !== 'targetGroup' || made.kind !== 'targetGroup') return true;
    const fixed = ({ record }: typeof one): string =>
      [...FIXED_FIELDS.map((field) => record[field]), record.vpcId].join();
    return fixed(one) === fixed(made);
  }

  #judgeChange(operation: string, before: Resource, after: Resource | undefined): void {
    const { claims, report } = this.#parts;
    const recent = claims.recentOwnerOf(before, this.#findAgeMs(operation));
    const owner = recent ?? (operation === 'AddTags' ? claims.heirOf(before) : undefined);
    if (owner === undefined) {
      // A listener takes its rules along, also one that somebody made a moment ago.
      if (operation === 'DeleteListener' && claims.wasJustMade(before.key)) return;
      return report('foreign-untouched', `${operation} to ${before.key}`);
    }
    this.#judgeFinalizer(operation, owner);
    if (after === undefined) this.#judgeDelete(operation, before, owner);
    else this.#judgeTags(before, after.tags, owner);
  }

  /** Of the read that a write is based on: targets follow their pods between two looks at the group. */
  #findAgeMs(operation: string): number {
    const { sweepMs, unseenMs } = this.#parts;
    return operation.endsWith('Targets') ? Math.max(2 * sweepMs, unseenMs()) : unseenMs();
  }

  #judgeFinalizer(operation: string, owner: string): void {
    const { object, isGoneInSpite, lostFinalizers, report } = this.#parts;
    if (isGoneInSpite(owner) || lostFinalizers.mayBeUnknown(owner, operation)) return;
    if (object(owner)?.metadata.finalizers?.includes(loadBalancerFinalizer)) return;
    report('finalizer-first', `${operation} for ${owner}, which has no finalizer`);
  }

  /**
   * Write-ahead: what its balancer does not take along is on record by its name before it is made, but for the security
   * group of a first pass, whose finalizer is that record.
   */
  #judgeRecord(operation: string, made: Resource, owner: string): void {
    const { isGoneInSpite, object, report } = this.#parts;
    if (made.kind !== 'targetGroup' && made.kind !== 'securityGroup') return;
    const { name } = made.record;
    if (made.kind === 'securityGroup' && hasNoStatus(object(owner)?.status)) return;
    if (isGoneInSpite(owner) || this.#recorded.get(owner)?.has(name)) return;
    report('record-before-create', `${operation} of ${name} for ${owner}, which is not on record`);
  }

  /** Nothing is deleted that every spec has desired by which the operator may go. */
  #judgeDelete(operation: string, before: Resource, owner: string): void {
    const { object, specs, isGoneInSpite, report, unseenMs } = this.#parts;
    const holder = object(owner);
    const recent = specs.recent(owner, unseenMs());
    if (holder?.metadata.deletionTimestamp !== undefined) {
      // A pass that began before may still delete what had left the spec.
      const isRetained = recent.every(
        (spec) => spec.deletionPolicy === 'Retain' && desiresResource(spec, before),
      );
      if (isRetained) report('retain-retains', `${operation} deleted ${before.key} of ${owner}`);
      return;
    }
    if (isGoneInSpite(owner)) return;
    this.#judgeRetirement(before, owner);
    if (this.#hasTwin(before)) return;
    if (recent.length === 0 || !recent.every((spec) => desiresResource(spec, before))) return;
    report('deletes-only-the-obsolete', `${operation} deleted ${resourceIdOf(before)} of ${owner}`);
  }

  /** Requests still arrive for some seconds, and those in flight have the deregistration delay. */
  #judgeRetirement(before: Resource, owner: string): void {
    const { unusedSinceMs, nowMs, report } = this.#parts;
    const sinceMs = unusedSinceMs(before.key);
    if (before.kind !== 'targetGroup' || sinceMs === undefined) return;
    const delay = before.record.attributes.get('deregistration_delay.timeout_seconds');
    // What others set is found by a read each six hours.
    const seconds = delay === THEIR_DELAY ? 0 : Number(delay);
    const lastedMs = nowMs() - sinceMs;
    if (lastedMs >= Math.max(RETIREMENT_MS, seconds * 1000)) return;
    const what = `${resourceIdOf(before)} of ${owner} was deleted ${lastedMs / 1000} s after its last use`;
    report('retires-late', what);
  }

  /** Another resource of the same identity is left. */
  #hasTwin(gone: Resource): boolean {
    const { world, claims } = this.#parts;
    const { listeners, rules, targetGroups } = world.traffic;
    const all = [listeners.all(), rules.all(), targetGroups.all()].flat();
    const id = resourceIdOf(gone);
    const owner = claims.ownerOf(gone);
    return all.some((one) => resourceIdOf(one) === id && claims.ownerOf(one) === owner);
  }

  /** Other people tag resources too: only what a spec of this object has had is changed. */
  #judgeTags({ key, tags }: Resource, after: TagMap, owner: string): void {
    const { specs, report } = this.#parts;
    const known = specs.tagKeys(owner);
    const theirs = [...tags]
      .filter(([name, value]) => after.get(name) !== value)
      .filter(([name]) => !OWN_KEYS.has(name) && !known.has(name));
    if (theirs.length === 0) return;
    report('others-tags-stay', `${theirs.map(([name]) => name).join()} of ${key}`);
  }
}

/** Names of what its balancer does not take along. */
function listNames(picture: Picture): ReadonlySet<string> {
  const made = [...picture.values()].filter((one) => {
    return one.kind === 'targetGroup' || one.kind === 'securityGroup';
  });
  return new Set(made.map(({ record: { name } }) => name));
}
