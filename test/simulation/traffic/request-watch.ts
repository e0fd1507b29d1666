import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { TargetGroup } from '../../../localstack/embedded/target-groups/target-group.ts';
import type { Report } from '../violation.ts';
import type { Claims } from './claims.ts';
import { WINDOW_MS } from './course.ts';
import { findReachedGroups, type ReachedGroup } from './reached-groups.ts';
import { activeTargets, resourceIdOf } from './resources.ts';

export interface RequestWatchParts {
  readonly world: AwsWorld;
  readonly claims: Claims;
  readonly nowMs: () => number;
  /** Whether the operator has had the time to deregister what it follows for this object. */
  readonly isKept: (owner: string) => boolean;
  /** Whether the target was desired at some time of the last `backMs`. */
  readonly wasDesired: (
    owner: string,
    target: string,
    of: { readonly group: TargetGroup; readonly backMs: number },
  ) => boolean;
  /** Whether the group is to have a target: without one no request can be answered. */
  readonly desiresAny: (owner: string, group: TargetGroup, backMs: number) => boolean;
  readonly report: Report;
}

interface Reach extends ReachedGroup {
  readonly fromMs: number;
  /** Infinity: still. */
  readonly untilMs: number;
}

/** A turn in the budget, and repeated calls. */
const CALLS_MS = 15_000;

/**
 * Sends requests through AWS's rules to the targets of the groups that they name, some of them as all of it was a
 * window ago: one that has been deregistered goes on to get them for so long.
 */
export class RequestWatch {
  readonly #parts: RequestWatchParts;
  readonly #reached = new Map<string, Reach>();
  /** When each target has left its group, by ARN and name. */
  readonly #leftMs = new Map<string, number>();
  #active: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  constructor(parts: RequestWatchParts) {
    this.#parts = parts;
  }

  /** Call after each change of AWS. */
  changed(): void {
    const { world, nowMs } = this.#parts;
    const all = world.traffic.targetGroups.all();
    const active = new Map(all.map((record) => [record.arn, activeTargets({ record })]));
    for (const [arn, targets] of this.#active) {
      for (const target of targets) {
        if (!active.get(arn)?.has(target)) this.#leftMs.set(`${arn} ${target}`, nowMs());
      }
    }
    this.#active = active;
    this.#noteReached();
  }

  /** The process of the pod at these addresses has ended: no request is answered there any more. */
  ended(addresses: readonly string[]): void {
    const sinceMs = this.#parts.nowMs() - WINDOW_MS;
    for (const [arn, reach] of this.#reached) {
      const { balancers, traffic } = this.#parts.world;
      const group = traffic.targetGroups.byArn(arn);
      if (group === undefined || reach.untilMs < sinceMs) continue;
      if (balancers.byArn(reach.balancerArn)) this.#judge(group, reach, addresses);
    }
  }

  /**
   * A target that had left before the first request was sent to its group gets none: no moment has both. Unverified:
   * that a balancer takes over rules and targets in the order of the calls.
   */
  #judge(group: TargetGroup, { fromMs, request }: Reach, addresses: readonly string[]): void {
    const { claims, desiresAny, isKept, wasDesired, report } = this.#parts;
    const owner = claims.ownerOf(group);
    const backMs = WINDOW_MS + CALLS_MS;
    if (owner === undefined || !isKept(owner) || !desiresAny(owner, group, backMs)) return;
    for (const { id, port } of group.targets.values()) {
      const target = `${id}:${port}`;
      if (!addresses.includes(id)) continue;
      if (!this.#isSent(group, target, fromMs) || wasDesired(owner, target, { group, backMs }))
        continue;
      const what = `${request} is sent to ${target} in ${resourceIdOf(group)} of ${owner}, whose process has ended`;
      report('no-request-to-ended-pod', what);
    }
  }

  #isSent({ arn }: TargetGroup, target: string, fromMs: number): boolean {
    if (this.#active.get(arn)?.has(target)) return true;
    const leftMs = this.#leftMs.get(`${arn} ${target}`) ?? 0;
    return leftMs > this.#parts.nowMs() - WINDOW_MS && leftMs > fromMs;
  }

  #noteReached(): void {
    const { world, nowMs } = this.#parts;
    const now = new Map<string, Reach>();
    for (const [arn, reached] of findReachedGroups(world)) {
      now.set(arn, { ...reached, fromMs: nowMs(), untilMs: Number.POSITIVE_INFINITY });
    }
    for (const [arn, reach] of this.#reached) {
      const again = now.get(arn);
      if (again !== undefined) {
        now.set(arn, { ...again, fromMs: reach.fromMs });
        continue;
      }
      const untilMs = Math.min(reach.untilMs, nowMs());
      if (untilMs >= nowMs() - WINDOW_MS) now.set(arn, { ...reach, untilMs });
    }
    this.#reached.clear();
    for (const [arn, reach] of now) this.#reached.set(arn, reach);
  }
}
