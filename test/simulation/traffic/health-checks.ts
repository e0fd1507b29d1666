import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type {
  TargetGroup,
  TargetHealth,
} from '../../../localstack/embedded/target-groups/target-group.ts';
import { noteTargetHealth } from '../../../localstack/embedded/target-groups/target-health.ts';
import { balancerArnOfGroup } from '../../../localstack/embedded/traffic/traffic.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';

export interface HealthCheckParts {
  readonly world: AwsWorld;
  readonly clock: Clock;
  /** Whether a pod at this address answers. */
  readonly answers: (address: string) => boolean;
  /** What was found is stored. */
  readonly onChecked: () => void;
}

const LEAST_MS = 2000;
const SPREAD_MS = 6000;
/** Health checks of groups have different intervals: each second group's results are so much later. */
const LATER_MS = 5000;
const HEALTHY: TargetHealth = { state: 'healthy' };
const UNHEALTHY: TargetHealth = { state: 'unhealthy', reason: 'Target.FailedHealthChecks' };

/** Health checks without requests: some time after each change targets are as healthy as their pods. */
export class HealthChecks {
  readonly #parts: HealthCheckParts;
  /** ARNs of groups that had a healthy target while an action named them. */
  readonly #proved = new Set<string>();
  #isDue = false;

  constructor(parts: HealthCheckParts) {
    this.#parts = parts;
  }

  /** Whether AWS has ever shown a healthy target of it. */
  wasHealthy(arn: string): boolean {
    return this.#proved.has(arn);
  }

  /** Targets, rules or pods have changed. */
  changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const { clock } = this.#parts;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => {
      this.#isDue = false;
      this.#check((group) => !isSlow(group));
      clock.setTimer(LATER_MS, () => this.#check(isSlow));
    });
  }

  #check(isDue: (group: TargetGroup) => boolean): void {
    const { world, answers, onChecked } = this.#parts;
    for (const { arn, targets } of world.traffic.targetGroups.all().filter(isDue)) {
      const found = [...targets].map(([key, { id }]) => {
        return [key, answers(id) ? HEALTHY : UNHEALTHY] as const;
      });
      noteTargetHealth(world, arn, new Map(found));
      const isNamed = balancerArnOfGroup(world.traffic, arn) !== undefined;
      if (isNamed && found.some(([, health]) => health === HEALTHY)) this.#proved.add(arn);
    }
    onChecked();
  }
}

function isSlow({ arn }: TargetGroup): boolean {
  return arn.charCodeAt(arn.length - 1) % 2 === 1;
}
