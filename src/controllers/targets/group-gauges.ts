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

type Counted = Pick<
  TargetsState,
  'desired' | 'registered' | 'healthy' | 'unhealthy' | 'isAwaited' | 'problem'
>;

/** Sets the gauges from the states of all groups that count. */
export function showTargets(metrics: Metrics, groups: readonly Counted[]): void {
  for (const state of ['desired', 'registered', 'healthy'] as const) {
    const count = groups.reduce((sum, group) => sum + (group[state] ?? 0), 0);
    metrics.gauge(groupGauges.targets, { state }, count);
  }
  const states = groups.map(judgeGroup);
  for (const state of STATES) {
    const count = states.filter((one) => one === state).length;
    metrics.gauge(groupGauges.groups, { state }, count);
  }
}

function judgeGroup(group: Counted): (typeof STATES)[number] {
  const { desired, healthy, problem } = group;
  if (desired === 0) return judgeWithoutTargets(problem);
  if (healthy === undefined) return 'unknown';
  if (healthy === 0) return isUnderCheck(group) ? 'unknown' : 'unhealthy';
  return healthy < desired ? 'degraded' : 'healthy';
}

/** The worst of its targets is one that AWS has not finished checking. */
function isUnderCheck({ unhealthy, isAwaited }: Counted): boolean {
  return unhealthy === undefined ? isAwaited === true : unhealthy.state === 'initial';
}

/** Nobody asked for targets, or there should be some. */
function judgeWithoutTargets(problem: Counted['problem']): 'empty' | 'unhealthy' | 'unknown' {
  if (problem === undefined) return 'unknown';
  return problem.hasNoPods ? 'empty' : 'unhealthy';
}
