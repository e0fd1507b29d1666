import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { TargetGroup } from '../../../localstack/embedded/target-groups/target-group.ts';
import type { Report } from '../violation.ts';
import type { Claims } from './claims.ts';
import { findReachedGroups } from './reached-groups.ts';
import { activeTargets, resourceIdOf } from './resources.ts';

export interface AnswerWatchParts {
  readonly world: AwsWorld;
  readonly claims: Claims;
  /** Whether the operator has had the time to deregister what it follows for this object. */
  readonly isKept: (owner: string) => boolean;
  /** `namespace/name` of the Service of the pod that answers at this address; undefined: none does. */
  readonly serviceAt: (address: string) => string | undefined;
  /** Whether a spec that was in force lately has this Service for the backend of the group. */
  readonly isOfBackend: (owner: string, group: TargetGroup, service: string) => boolean;
  /** Whether the target was desired in the time that the operator has to deregister it. */
  readonly wasDesired: (owner: string, target: string, group: TargetGroup) => boolean;
  readonly report: Report;
}

interface Stray {
  readonly arn: string;
  readonly what: string;
}

/**
 * Sends requests through AWS's rules to the registered targets, and asks whose pod answers. The address of a pod that is
 * gone may be given to a pod of another backend: by then it is a target no more. Nodes answer on a port that only their
 * own Service has.
 */
export class AnswerWatch {
  readonly #parts: AnswerWatchParts;

  constructor(parts: AnswerWatchParts) {
    this.#parts = parts;
  }

  /** Call after each change of AWS and of pods, and once the time to deregister is over. */
  look(): void {
    const { world, report } = this.#parts;
    const strays = world.traffic.targetGroups.all().flatMap((group) => this.#listStrays(group));
    if (strays.length === 0) return;
    const reached = findReachedGroups(world);
    for (const { arn, what } of strays) {
      const request = reached.get(arn)?.request;
      if (request !== undefined) report('answered-by-its-backend', `${request} is sent to ${what}`);
    }
  }

  #listStrays(group: TargetGroup): readonly Stray[] {
    const { claims, isKept, serviceAt, isOfBackend, wasDesired } = this.#parts;
    const owner = claims.ownerOf(group);
    if (owner === undefined || !isKept(owner)) return [];
    const active = activeTargets({ record: group });
    return [...group.targets].flatMap(([target, { id }]): readonly Stray[] => {
      const service = active.has(target) ? serviceAt(id) : undefined;
      if (service === undefined || isOfBackend(owner, group, service)) return [];
      if (wasDesired(owner, target, group)) return [];
      const place = `${target} in ${resourceIdOf(group)} of ${owner}`;
      return [{ arn: group.arn, what: `${place}, where a pod of ${service} answers` }];
    });
  }
}
