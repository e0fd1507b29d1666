import { isUnderCheck } from '../../aws/elbv2/target-health.ts';
import type { MetricDefinition, Metrics } from '../../core/ports/metrics.ts';
import type { TargetsState } from './group.ts';

export const groupGauges = {
  targets: {
    type: 'gauge',
    name: 'albridge_targets',
    help: 'Targets of all target groups that an action names: desired by endpoints of Services; of these registered in AWS; of these healthy.',
    use: 'registered stays below desired: AWS refuses targets or the budget is spent. healthy stays below registered: health checks fail.',
    labels: ['state'],
  },
  groups: {
    type: 'gauge',
    name: 'albridge_target_groups',
    help: 'Target groups that an action names: all of their targets are healthy, some, none (unhealthy), also where no pod is ready or the Service is missing; without pods (empty), as after a scale to 0; under their first check, or not asked about yet (unknown).',
    use: 'unhealthy or empty: requests to these backends are answered with 503 or by no healthy pod.',
    labels: ['state'],
  },
} as const satisfies Record<string, MetricDefinition>;

const STATES = ['healthy', 'degraded', 'unhealthy', 'empty', 'unknown'] as const;
type State = (typeof STATES)[number];

type Counted = Pick<
  TargetsState,
  'desired' | 'registered' | 'healthy' | 'unhealthy' | 'isAwaited' | 'problem'
>;

/** Always the same object for a group. */
interface Measured {
  readonly state: Counted;
}

/** The gauges of all groups that count. */
export class GroupGauges {
  readonly #metrics: Metrics;
  /** Groups that have had no healthy target since they were unhealthy: a pod that crashes is under its first check again and again. */
  readonly #down = new WeakSet<object>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  show(groups: readonly Measured[]): void {
    for (const state of ['desired', 'registered', 'healthy'] as const) {
      const count = groups.reduce((sum, { state: counted }) => sum + (counted[state] ?? 0), 0);
      this.#metrics.gauge(groupGauges.targets, { state }, count);
    }
    const states = groups.map((one) => this.#judge(one));
    for (const state of STATES) {
      const count = states.filter((one) => one === state).length;
      this.#metrics.gauge(groupGauges.groups, { state }, count);
    }
  }

  #judge(group: Measured): State {
    const judged = judgeGroup(group.state);
    if (judged === 'unknown') return this.#down.has(group) ? 'unhealthy' : 'unknown';
    if (judged === 'unhealthy') this.#down.add(group);
    else this.#down.delete(group);
    return judged;
  }
}

function judgeGroup(group: Counted): State {
  const { desired, healthy, problem } = group;
  if (desired === 0) return judgeWithoutTargets(problem);
  if (healthy === undefined) return 'unknown';
  if (healthy > 0) return healthy < desired ? 'degraded' : 'healthy';
  return problem === undefined && isUnderCheck(group) ? 'unknown' : 'unhealthy';
}

/** Nobody asked for targets, or there should be some. */
function judgeWithoutTargets(problem: Counted['problem']): State {
  if (problem === undefined) return 'unknown';
  return problem.hasNoPods ? 'empty' : 'unhealthy';
}
