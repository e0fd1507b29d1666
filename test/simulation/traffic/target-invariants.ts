import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { Rule } from '../../../localstack/embedded/rules/rule.ts';
import {
  type EndpointHistory,
  NO_TARGETS,
  type ServiceRef,
  type Targets,
} from '../services/endpoint-history.ts';
import type { Report } from '../violation.ts';
import type { Claims } from './claims.ts';
import { activeTargets, backendIn, type Change, type Resource, resourceIdOf } from './resources.ts';
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

/** How old what a process goes by may be: a turn in the budget, repeated calls, the longest silence of a watch. */
const CALM_MS = 15_000;
const INFORMED_MS = 60_000;
const DISTURBED_MS = 240_000;
/** From the change of an endpoint to the call, where there are tokens. */
const FREE_MS = 5_000;
/** Ready waits for a backend that has a problem for 60 s. */
const READY_WAITS_MS = 55_000;

/** What must hold for the targets of every group of ours, by the endpoints that the API server has. */
export class TargetInvariants {
  readonly #parts: TargetInvariantParts;

  constructor(parts: TargetInvariantParts) {
    this.#parts = parts;
  }

  judge(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#judgeTargets(change);
      this.#judgeSwitch(change);
    }
  }

  /** Whether a group has no target although it should have had one for long, or Ready should still wait. */
  isUnfilled(owner: string, backend: string): boolean {
    const { world, claims, specs, surroundings } = this.#parts;
    const { isCalm, isInformed } = surroundings;
    const group = world.traffic.targetGroups
      .all()
      .find((one) => claims.ownerOf(one) === owner && backendIn(resourceIdOf(one)) === backend);
    if (group === undefined || activeTargets({ record: group }).size > 0) return false;
    const isEarly = isInformed && specs.isNewer(owner, READY_WAITS_MS);
    if (!isCalm && !isEarly) return false;
    return this.#listTargetsLately(owner, backend).every(({ ready }) => ready.size > 0);
  }

  /** Call after each change of endpoints: what has left them long ago is registered no more. */
  judgeEndpoints(): void {
    const { world, claims, surroundings, isWanted } = this.#parts;
    if (!surroundings.isCalm) return;
    for (const record of world.traffic.targetGroups.all()) {
      const group = { kind: 'targetGroup', key: record.arn, tags: record.tags, record } as const;
      const owner = claims.ownerOf(group);
      if (owner !== undefined && isWanted(owner, group)) this.#judgeLeavers(owner, group);
    }
  }

  /** Of targets that others have registered an audit knows, twice an hour. */
  #judgeLeavers(owner: string, group: Extract<Resource, { readonly kind: 'targetGroup' }>): void {
    const { surroundings, report } = this.#parts;
    const backend = backendIn(resourceIdOf(group));
    const lately = this.#listTargets(owner, backend, {
      ...{ backMs: surroundings.isFree ? FREE_MS : CALM_MS, isLasting: false },
    });
    const registered = activeTargets(group);
    const hasSuccessor = lately.every(({ desired }) =>
      [...desired].some((one) => registered.has(one)),
    );
    if (!hasSuccessor) return;
    const before = this.#listTargets(owner, backend, { backMs: INFORMED_MS, isLasting: false });
    const left = [...registered].filter(
      (one) => !isDesiredIn(lately, one) && isDesiredIn(before, one),
    );
    for (const target of left) {
      const what = `${target} is in ${resourceIdOf(group)} of ${owner} long after it has left its Service`;
      report('deregisters-in-time', what);
    }
  }

  #judgeTargets({ before, after }: Change): void {
    if (after?.kind !== 'targetGroup') return;
    const owner = this.#parts.claims.recentOwnerOf(after);
    if (owner === undefined) return;
    const was = targetsOf(before);
    const now = activeTargets(after);
    const backend = backendIn(resourceIdOf(after));
    const shown = this.#listTargetsLately(owner, backend);
    const lately = this.#listTargetsLately(owner, backend, { isLasting: true });
    const name = `${resourceIdOf(after)} of ${owner}`;
    const { report } = this.#parts;
    const added = [...now].filter((target) => !was.has(target));
    for (const target of added.filter((one) => !isDesiredIn(shown, one))) {
      report('registers-only-endpoints', `${target} in ${name} is no endpoint of its Service`);
    }
    const removed = [...was].filter((target) => !now.has(target));
    for (const target of removed.filter((one) => lately.every((all) => all.desired.has(one)))) {
      report('keeps-desired-targets', `${target} of ${name} was desired all the time`);
    }
    const isEmptied = removed.length > 0 && now.size === 0;
    if (isEmptied && lately.every(({ desired }) => desired.size > 0)) {
      report('never-emptied', `${name} lost its last target while it has endpoints`);
    }
  }

  /** A request never gets 503 because it is sent to another group while its pods are ready. */
  #judgeSwitch({ before, after }: Change): void {
    const { surroundings, claims, world } = this.#parts;
    const owner = after && claims.ownerOf(after);
    if (!surroundings.isCalm || after === undefined || owner === undefined) return;
    const known = receiversOf(before);
    const added = receiversOf(after).filter((arn) => !known.includes(arn));
    for (const record of added.flatMap((arn) => world.traffic.targetGroups.byArn(arn) ?? [])) {
      if (activeTargets({ record }).size > 0) continue;
      const backend = backendIn(resourceIdOf(record));
      const lately = this.#listTargetsLately(owner, backend);
      if (lately.some(({ ready }) => ready.size === 0)) continue;
      const what = `${resourceIdOf(after)} of ${owner} sends requests to ${backend}, which is empty`;
      this.#parts.report('filled-before-used', what);
    }
  }

  #listTargetsLately(
    owner: string,
    backend: string,
    { isLasting = false } = {},
  ): readonly Targets[] {
    const { isCalm, isInformed } = this.#parts.surroundings;
    const backMs = isCalm ? CALM_MS : isInformed ? INFORMED_MS : DISTURBED_MS;
    return this.#listTargets(owner, backend, { backMs, isLasting });
  }

  /**
   * At every moment of which a process may still go by; none for a spec without such a backend. Only
   * lasting ones count where something is taken out.
   */
  #listTargets(
    owner: string,
    backend: string,
    { backMs, isLasting }: { readonly backMs: number; readonly isLasting: boolean },
  ): readonly Targets[] {
    const { specs, endpoints, nowMs } = this.#parts;
    const services = specs.recentServices(owner, backend, backMs);
    const known = services.filter((ref): ref is ServiceRef => ref !== undefined);
    const list = (ref: ServiceRef, fromMs: number): readonly Targets[] =>
      isLasting ? endpoints.lastingSince(ref, fromMs) : endpoints.since(ref, fromMs);
    return [
      ...(known.length < services.length ? [NO_TARGETS] : []),
      ...known.flatMap((ref) => list(ref, nowMs() - backMs)),
    ];
  }
}

function targetsOf(resource: Change['before']): ReadonlySet<string> {
  return resource?.kind === 'targetGroup' ? activeTargets(resource) : new Set();
}

function isDesiredIn(moments: readonly Targets[], target: string): boolean {
  return moments.some(({ desired }) => desired.has(target));
}

/** Of a listener its default rule. */
function ruleOf(resource: Change['after']): Rule | undefined {
  if (resource?.kind === 'rule') return resource.record;
  return resource?.kind === 'listener' ? resource.defaultRule : undefined;
}

function receiversOf(resource: Change['after']): readonly string[] {
  return (ruleOf(resource)?.actions ?? []).flatMap(listReceivers);
}

/** ARNs of groups that get requests. */
function listReceivers(action: Rule['actions'][number]): readonly string[] {
  if (action.kind !== 'forward') return [];
  return action.groups.filter(({ weight }) => weight > 0).map(({ arn }) => arn);
}
