import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import { balancerArnOfGroup } from '../../../localstack/embedded/traffic/traffic.ts';

/** When actions have last named each target group. */
export class GroupUsage {
  readonly #world: AwsWorld;
  readonly #nowMs: () => number;
  readonly #usedSinceMs = new Map<string, number>();
  readonly #unusedSinceMs = new Map<string, number>();

  constructor(world: AwsWorld, nowMs: () => number) {
    this.#world = world;
    this.#nowMs = nowMs;
  }

  /** undefined: an action names it, or none ever has. */
  unusedSinceMs(arn: string): number | undefined {
    return this.#unusedSinceMs.get(arn);
  }

  /** undefined: no action names it. */
  usedSinceMs(arn: string): number | undefined {
    return this.#usedSinceMs.get(arn);
  }

  /** Call after each change. */
  note(): void {
    const { traffic } = this.#world;
    for (const { arn } of traffic.targetGroups.all()) {
      const isUsed = balancerArnOfGroup(traffic, arn) !== undefined;
      if (isUsed) this.#unusedSinceMs.delete(arn);
      else if (this.#usedSinceMs.has(arn)) this.#unusedSinceMs.set(arn, this.#nowMs());
      if (!isUsed) this.#usedSinceMs.delete(arn);
      else if (!this.#usedSinceMs.has(arn)) this.#usedSinceMs.set(arn, this.#nowMs());
    }
  }
}
