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
import { activeTargets, backendIn, type Change, resourceIdOf } from './resources.ts';
import type { SpecHistory } from './spec-history.ts';

export interface TargetInvariantParts {
  readonly world: AwsWorld;
  readonly claims: Claims;
  readonly specs: SpecHistory;
  readonly endpoints: EndpointHistory;
  readonly nowMs: () => number;
  /** No fault delays what a process is told. */
  readonly isCalm: boolean;
  readonly report: Report;
}

/** How old what a process goes by may be: a turn in the budget, or the longest silence of a watch. */
const CALM_MS = 15_000;
const DISTURBED_MS = 240_000;

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

  /** Whether a group has no target although, without a fault, it should have had one for long. */
  isUnfilled(owner: string, backend: string): boolean {
    const { world, claims, isCalm } = this.#parts;
    const group = world.traffic.targetGroups
      .all()
      .find((one) => claims.ownerOf(one) === owner && backendIn(resourceIdOf(one)) === backend);
    if (!isCalm || group === undefined || activeTargets({ record: group }).size > 0) return false;
    return this.#listTargetsLately(owner, backend).every(({ ready }) => ready.size > 0);
  }

  #judgeTargets({ before, after }: Change): void {
    if (after?.kind !== 'targetGroup') return;
    const owner = this.#parts.claims.recentOwnerOf(after);
    if (owner === undefined) return;
    const was = targetsOf(before);
    const now = activeTargets(after);
    const lately = this.#listTargetsLately(owner, backendIn(resourceIdOf(after)));
    const name = `${resourceIdOf(after)} of ${owner}`;
    const { report } = this.#parts;
    const added = [...now].filter((target) => !was.has(target));
    for (const target of added.filter((one) => !isDesiredIn(lately, one))) {
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
    const { isCalm, claims, world } = this.#parts;
    const owner = after && claims.ownerOf(after);
    if (!isCalm || after === undefined || owner === undefined) return;
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

  /** At every moment of which a process may still go by; none for a spec without such a backend. */
  #listTargetsLately(owner: string, backend: string): readonly Targets[] {
    const { specs, endpoints, nowMs, isCalm } = this.#parts;
    const backMs = isCalm ? CALM_MS : DISTURBED_MS;
    const services = specs.recentServices(owner, backend, backMs);
    const known = services.filter((ref): ref is ServiceRef => ref !== undefined);
    return [
      ...(known.length < services.length ? [NO_TARGETS] : []),
      ...known.flatMap((ref) => endpoints.since(ref, nowMs() - backMs)),
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
