import { isDeepStrictEqual } from 'node:util';
import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { Rule } from '../../../localstack/embedded/rules/rule.ts';
import type { TargetGroup } from '../../../localstack/embedded/target-groups/target-group.ts';
import { healthOf } from '../../../localstack/embedded/target-groups/target-health.ts';
import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import {
  type EndpointHistory,
  NO_TARGETS,
  type ServiceRef,
  type Targets,
} from '../services/endpoint-history.ts';
import type { Report } from '../violation.ts';
import type { Claims } from './claims.ts';
import { desiresResource } from './desires.ts';
import {
  activeTargets,
  backendIn,
  type Change,
  type Resource,
  resourceIdOf,
  ruleOf,
} from './resources.ts';
import type { SpecHistory } from './spec-history.ts';

export interface TargetInvariantParts {
  readonly world: AwsWorld;
  readonly claims: Claims;
  readonly specs: SpecHistory;
  readonly endpoints: EndpointHistory;
  readonly nowMs: () => number;
  readonly surroundings: Surroundings;
  /** Whether the resource is one that the object's spec wants now, and that nobody else has changed. */
  readonly isWanted: (owner: string, resource: Resource) => boolean;
  /** Whether AWS has ever shown a healthy target of the group. */
  readonly wasHealthy: (arn: string) => boolean;
  /** Whether the operator watches the pod at this address, and it is being deleted: slices follow. */
  readonly isGoing: (address: string) => boolean;
  /** Whether a pod at this address serves, and is not being deleted. */
  readonly isStaying: (address: string) => boolean;
  /** When the pod at this address, which serves and is to, was exchanged for others (monotonic ms). */
  readonly findExchangedMs: (address: string) => number | undefined;
  /** Since when an action has named the group without a pause. */
  readonly usedSinceMs: (arn: string) => number | undefined;
  /** Whether something slowed the operator's calls in this time. */
  readonly isDisturbed: (fromMs: number, toMs: number) => boolean;
  readonly report: Report;
}

/** What stands between the operator and the state of the cluster and of the account. */
export interface Surroundings {
  /** No fault at all. */
  readonly isCalm: boolean;
  /** No fault delays what a process is told of the cluster; AWS may refuse and answer late. */
  readonly isInformed: boolean;
  /** Neither the operator nor the account keeps calls back. */
  readonly isFree: boolean;
}

type GroupResource = Extract<Resource, { readonly kind: 'targetGroup' }>;

/** How old what a process goes by may be: a turn in the budget, repeated calls, the longest silence of a watch. */
export const CALM_MS = 15_000;
const INFORMED_MS = 60_000;
const DISTURBED_MS = 240_000;
/** Several turns in a scarce budget that many objects share. */
const TURNS_MS = 600_000;
/** From the change of an endpoint to the call, where there are tokens. */
export const FREE_MS = 2_000;
/** The longest time that credentials take. */
const SLOW_MS = 3_000;
/** Ready waits for a backend that has a problem for 60 s. */
const READY_WAITS_MS = 55_000;
/** So long the targets of before wait for those in whose place they come to be checked. */
const CHECKED_MS = 30_000;
/** From the change that takes them out to the call. */
export const HELD_MS = CALM_MS + CHECKED_MS;
/** So long a group waits for a healthy target before it takes the requests of another one. */
const SUCCESSOR_WAITS_MS = 299_000;

/** What must hold for the targets of every group of ours, by the endpoints that the API server has. */
export class TargetInvariants {
  readonly #parts: TargetInvariantParts;
  /** Since when an action has named each group. */
  readonly #namedMs = new Map<string, number>();

  constructor(parts: TargetInvariantParts) {
    this.#parts = parts;
  }

  judge(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#judgeTargets(change);
      this.#judgeExchange(change);
      this.#judgeSwitch(change);
      this.#judgeSuccession(change);
      this.#noteNamed(change);
    }
  }

  /** Whether a group has no target although it should have had one for long, or Ready should still wait. */
  isUnfilled(owner: string, backend: string, spec: MyIngressSpec): boolean {
    const { world, claims, specs, surroundings } = this.#parts;
    const { isCalm, isInformed } = surroundings;
    const group = world.traffic.targetGroups.all().find((one) => {
      const isOfBackend = claims.ownerOf(one) === owner && backendIn(resourceIdOf(one)) === backend;
      // The one that it replaces stays for a while.
      return isOfBackend && desiresResource(spec, asResource(one));
    });
    if (group === undefined || activeTargets({ record: group }).size > 0) return false;
    const isEarly = isInformed && specs.isNewer(owner, READY_WAITS_MS);
    if (!isCalm && !isEarly) return false;
    return this.#listTargetsLately(owner, group).every(({ ready }) => ready.size > 0);
  }

  /** Whether it was to be registered at some time of the last `backMs`. */
  wasDesired(
    owner: string,
    target: string,
    { group, backMs }: { readonly group: TargetGroup; readonly backMs: number },
  ): boolean {
    return isDesiredIn(this.#listTargets(owner, group, { backMs, isLasting: false }), target);
  }

  /** Whether the group was to have any target in the last `backMs`: a Service may lack the port that a spec names. */
  desiresAny(owner: string, group: TargetGroup, backMs: number): boolean {
    const known = this.#listTargets(owner, group, { backMs, isLasting: false });
    return known.some(({ desired }) => desired.size > 0);
  }

  /**
   * Whether a spec of the last `backMs` has this Service, as `namespace/name`, for the backend of the group, also where
   * it desired another group for it: this one is then the one that still gets the requests.
   */
  isOfBackend(
    owner: string,
    service: string,
    { group, backMs }: { readonly group: TargetGroup; readonly backMs: number },
  ): boolean {
    const { specs } = this.#parts;
    // One that was out of use is cleared before it is used again.
    const usedSinceMs = this.#parts.usedSinceMs(group.arn) ?? Number.POSITIVE_INFINITY;
    const known = [
      ...specs.recentServices(owner, asResource(group), backMs),
      ...specs.servicesBefore(owner, asResource(group), { backMs, usedSinceMs }),
      ...specs.backendServices(owner, backendIn(resourceIdOf(group)), backMs),
    ];
    return known.some((ref) => ref && `${ref.namespace}/${ref.name}` === service);
  }

  /** Call after each change of endpoints: what has left them long ago is registered no more. */
  judgeEndpoints(): void {
    const { world, claims, specs, surroundings, isWanted } = this.#parts;
    if (!surroundings.isCalm) return;
    for (const record of world.traffic.targetGroups.all()) {
      const group = asResource(record);
      const owner = claims.ownerOf(group);
      if (owner === undefined || !isWanted(owner, group)) continue;
      // A group that an edit has brought back was followed by nobody.
      if (!specs.isNewer(owner, CALM_MS)) this.#judgeLeavers(owner, group);
    }
  }

  /** Of targets that others have registered an audit knows, twice an hour. */
  #judgeLeavers(owner: string, group: GroupResource): void {
    const { surroundings, report, nowMs, isDisturbed } = this.#parts;
    const isSlow = isDisturbed(nowMs() - FREE_MS - SLOW_MS, nowMs());
    // Of nodes nothing is known before the first backend with them: for some time after none goes that is not known.
    const isPrompt = surroundings.isFree && group.record.targetType === 'ip' && !isSlow;
    const lately = this.#listTargets(owner, group.record, {
      ...{ backMs: isPrompt ? FREE_MS : CALM_MS, isLasting: false },
    });
    const registered = activeTargets(group);
    const hasSuccessor = lately.every(({ desired }) =>
      [...desired].some((one) => registered.has(one)),
    );
    if (!hasSuccessor) return;
    const before = this.#listTargets(owner, group.record, {
      backMs: INFORMED_MS,
      isLasting: false,
    });
    const left = [...registered].filter(
      (one) => !isDesiredIn(lately, one) && isDesiredIn(before, one),
    );
    for (const target of left.filter((one) => !this.#isHeld(owner, one, group.record))) {
      const what = `${target} is in ${resourceIdOf(group)} of ${owner} long after it has left its Service`;
      report('deregisters-in-time', what);
    }
  }

  #judgeTargets({ before, after }: Change): void {
    if (after?.kind !== 'targetGroup') return;
    const owner = this.#parts.claims.recentOwnerOf(after);
    // Without its tag a group tells its backend by its name alone, which is not read here.
    if (owner === undefined || resourceIdOf(after) === '') return;
    const was = targetsOf(before);
    const now = activeTargets(after);
    const { record } = after;
    const shown = this.#listTargetsLately(owner, record);
    const lately = this.#listTargetsLately(owner, record, { isLasting: true });
    const name = `${resourceIdOf(after)} of ${owner}`;
    const { isGoing, report } = this.#parts;
    const added = [...now].filter((target) => !was.has(target));
    for (const target of added.filter((one) => !isDesiredIn(shown, one))) {
      report('registers-only-endpoints', `${target} in ${name} is no endpoint of its Service`);
    }
    const removed = [...was].filter((target) => !now.has(target));
    const wanted = removed.filter((one) => lately.every(({ desired }) => desired.has(one)));
    for (const target of wanted.filter((one) => !isGoing(one.replace(/:\d+$/, '')))) {
      report('keeps-desired-targets', `${target} of ${name} was desired all the time`);
    }
    // The address of a pod that is gone goes without a successor: another pod may get it.
    const isServing = removed.some((target) => shown.every(({ live }) => live.has(target)));
    const isEmptied = isServing && now.size === 0;
    if (isEmptied && lately.every(({ desired }) => desired.size > 0)) {
      report('never-emptied', `${name} lost its last target while it has endpoints`);
    }
  }

  /** It may wait for those in its place, as its pod serves on: another Service or another selector has taken it out. */
  #isHeld(owner: string, target: string, group: TargetGroup): boolean {
    if (!this.#parts.isStaying(target.replace(/:\d+$/, ''))) return false;
    return this.wasDesired(owner, target, { group, backMs: HELD_MS });
  }

  #wasExchanged(target: string, lessThanMs: number): boolean {
    const { findExchangedMs, nowMs } = this.#parts;
    const atMs = findExchangedMs(target.replace(/:\d+$/, '')) ?? Number.NEGATIVE_INFINITY;
    return nowMs() - atMs < lessThanMs;
  }

  /** A request never gets 503 because all pods of a Service were exchanged for others at once. */
  #judgeExchange({ before, after }: Change): void {
    if (before?.kind !== 'targetGroup' || after?.kind !== 'targetGroup') return;
    const owner = this.#parts.claims.ownerOf(after);
    if (owner === undefined || !this.#waitsForChecks(owner, after.record)) return;
    const now = activeTargets(after);
    if (this.#listHealthy(after.record).some((one) => now.has(one))) return;
    const left = this.#listHealthy(before.record).filter((one) => !now.has(one));
    const exchanged = left.filter((one) => this.#wasExchanged(one, CHECKED_MS - 1));
    if (exchanged.length === 0) return;
    const what = `${exchanged.join()} of ${resourceIdOf(after)} of ${owner}, before another one was healthy`;
    this.#parts.report('checked-before-exchanged', what);
  }

  /** As AWS reports them. */
  #listHealthy(group: TargetGroup): readonly string[] {
    return [...group.targets].flatMap(([name, target]) => {
      return healthOf(this.#parts.world, group, target).state === 'healthy' ? [name] : [];
    });
  }

  /** Whether AWS checks the targets of the group, and there were some to check all the time. */
  #waitsForChecks(owner: string, record: TargetGroup): boolean {
    const { surroundings, usedSinceMs, nowMs } = this.#parts;
    if (!surroundings.isCalm) return false;
    if (nowMs() - (usedSinceMs(record.arn) ?? nowMs()) < CALM_MS) return false;
    return this.#listTargetsLately(owner, record).every(({ desired }) => desired.size > 0);
  }

  /** A request never gets 503 because it is sent to another group while its pods are ready. */
  #judgeSwitch({ before, after }: Change): void {
    const { surroundings, claims, isWanted, world } = this.#parts;
    const owner = after && claims.ownerOf(after);
    if (!surroundings.isCalm || after === undefined || owner === undefined) return;
    const known = receiversOf(before);
    const added = receiversOf(after).filter((arn) => !known.includes(arn));
    for (const record of added.flatMap((arn) => world.traffic.targetGroups.byArn(arn) ?? [])) {
      if (activeTargets({ record }).size > 0) continue;
      // One that somebody else has emptied is known by an audit alone.
      const group = asResource(record);
      if (!isWanted(owner, group)) continue;
      const backend = backendIn(resourceIdOf(record));
      const lately = this.#listTargetsLately(owner, record);
      if (lately.some(({ ready }) => ready.size === 0)) continue;
      const what = `${resourceIdOf(after)} of ${owner} sends requests to ${backend}, which is empty`;
      this.#parts.report('filled-before-used', what);
    }
  }

  /** A group that takes the place of another one of its backend has shown a healthy target before. */
  #judgeSuccession({ before, after }: Change): void {
    const { surroundings, claims, report } = this.#parts;
    const owner = after && claims.ownerOf(after);
    if (!surroundings.isCalm || after === undefined || owner === undefined) return;
    const known = this.#findGroups(receiversOf(before));
    const added = this.#findGroups(receiversOf(after)).filter((one) => !known.includes(one));
    for (const record of added) {
      const id = resourceIdOf(record);
      const predecessor = known.find((one) => resourceIdOf(one) === id);
      if (predecessor === undefined || cannotMix(predecessor, record)) continue;
      if (this.#isToBeSticky(owner, backendIn(id))) continue;
      if (this.#mayTakeOver(owner, record, predecessor)) continue;
      const what = `${resourceIdOf(after)} of ${owner} sends requests to a new ${id} without a healthy target`;
      report('healthy-before-switched', what);
    }
  }

  /** Its attributes are written after it has been created. */
  #isToBeSticky(owner: string, backend: string): boolean {
    const recent = this.#parts.specs.recent(owner, CALM_MS);
    const backends = recent.flatMap((spec) => spec.backends ?? []);
    return backends.some(({ name, stickiness }) => name === backend && stickiness !== undefined);
  }

  #mayTakeOver(owner: string, record: TargetGroup, predecessor: TargetGroup): boolean {
    const { isWanted, nowMs, wasHealthy } = this.#parts;
    const group = asResource(record);
    if (wasHealthy(record.arn) || !isWanted(owner, group)) return true;
    const namedMs = this.#namedMs.get(record.arn) ?? nowMs();
    const isLate = nowMs() - namedMs >= SUCCESSOR_WAITS_MS;
    if (isLate && !this.#hasGap(owner, record)) return true;
    // Nothing is lost where neither of them has a target; nodes are targets without a pod too.
    const isOfInstances = predecessor.targetType === 'instance';
    if (!isOfInstances && activeTargets({ record: predecessor }).size > 0) return false;
    return this.#listTargetsLately(owner, record).some(({ ready }) => ready.size === 0);
  }

  /** Whether its Service had no target for long, until less than five minutes ago. */
  #hasGap(owner: string, record: TargetGroup): boolean {
    const { endpoints, nowMs } = this.#parts;
    const refs = this.#listServices(owner, record, SUCCESSOR_WAITS_MS + INFORMED_MS);
    const [ref] = refs;
    if (ref === undefined || refs.some((one) => !isDeepStrictEqual(one, ref))) return false;
    return endpoints.hasGap(ref, nowMs() - SUCCESSOR_WAITS_MS, INFORMED_MS);
  }

  #findGroups(arns: readonly string[]): readonly TargetGroup[] {
    const { targetGroups } = this.#parts.world.traffic;
    return arns.flatMap((arn) => targetGroups.byArn(arn) ?? []);
  }

  #noteNamed({ after }: Change): void {
    for (const action of ruleOf(after)?.actions ?? []) {
      for (const { arn } of action.kind === 'forward' ? action.groups : []) {
        if (!this.#namedMs.has(arn)) this.#namedMs.set(arn, this.#parts.nowMs());
      }
    }
  }

  #listTargetsLately(
    owner: string,
    group: TargetGroup,
    { isLasting = false } = {},
  ): readonly Targets[] {
    const { isCalm, isInformed } = this.#parts.surroundings;
    const backMs = isCalm ? CALM_MS : isInformed ? INFORMED_MS : DISTURBED_MS;
    return this.#listTargets(owner, group, { backMs, isLasting });
  }

  /**
   * At every moment of which a process may still go by; none for a spec without such a backend. Only
   * lasting ones count where something is taken out.
   */
  #listTargets(
    owner: string,
    group: TargetGroup,
    { backMs, isLasting }: { readonly backMs: number; readonly isLasting: boolean },
  ): readonly Targets[] {
    const { endpoints, nowMs, surroundings } = this.#parts;
    // An edit may wait for its turn in the budget, and so do the further ones.
    const editMs = surroundings.isFree ? backMs : TURNS_MS;
    const services = this.#listServices(owner, group, editMs);
    const known = services.filter((ref) => ref !== undefined);
    const list = (ref: ServiceRef, fromMs: number): readonly Targets[] =>
      isLasting ? endpoints.lastingSince(ref, fromMs) : endpoints.since(ref, fromMs);
    return [
      ...(known.length < services.length ? [NO_TARGETS] : []),
      ...known.flatMap((ref) => list(ref, nowMs() - backMs)),
    ];
  }

  /** As `recentServices`, with the kind of targets that the group takes. */
  #listServices(
    owner: string,
    group: TargetGroup,
    backMs: number,
  ): readonly (ServiceRef | undefined)[] {
    const isOfInstances = group.targetType === 'instance';
    const isIpv6 = group.ipAddressType === 'ipv6';
    const services = this.#parts.specs.recentServices(owner, asResource(group), backMs);
    return services.map((ref) => ref && { ...ref, isOfInstances, isIpv6 });
  }
}

/** AWS refuses such a mixture in an action without stickiness, or altogether. */
function cannotMix(one: TargetGroup, other: TargetGroup): boolean {
  const isSticky = [one, other].some(
    (group) => group.attributes.get('stickiness.enabled') === 'true',
  );
  return isSticky || one.protocolVersion !== other.protocolVersion;
}

function asResource(record: TargetGroup): GroupResource {
  return { kind: 'targetGroup', key: record.arn, tags: record.tags, record };
}

function targetsOf(resource: Change['before']): ReadonlySet<string> {
  return resource?.kind === 'targetGroup' ? activeTargets(resource) : new Set();
}

function isDesiredIn(moments: readonly Targets[], target: string): boolean {
  return moments.some(({ desired }) => desired.has(target));
}

/** ARNs of the groups to which a listener or rule sends requests. */
export function receiversOf(resource: Change['after']): readonly string[] {
  return (ruleOf(resource)?.actions ?? []).flatMap(listReceivers);
}

/** ARNs of groups that get requests. */
function listReceivers(action: Rule['actions'][number]): readonly string[] {
  if (action.kind !== 'forward') return [];
  return action.groups.filter(({ weight }) => weight > 0).map(({ arn }) => arn);
}
