import type { HealthCheck, TargetHealth } from '../target-groups/target-group.ts';

/** How one health check ended. */
export type ProbeOutcome =
  | { readonly kind: 'answered'; readonly code: number }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'failed' };

/** The health of one target by its checks so far. */
export interface ProbedHealth {
  readonly health: TargetHealth;
  /** Outcomes in a row that speak against this state. */
  readonly contrary: number;
}

/** Reasons and descriptions: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html#target-health-reason-codes */
export const INITIAL_HEALTH: ProbedHealth = {
  health: {
    state: 'initial',
    reason: 'Elb.InitialHealthChecking',
    description: 'Initial health checks in progress',
  },
  contrary: 0,
};

/**
 * The health after one more check. A fresh target is healthy after its first success, one that was
 * unhealthy after `healthyThreshold` successes; a target is unhealthy after `unhealthyThreshold`
 * failures, a fresh one too (unverified).
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
export function judgeProbe(
  { health, contrary }: ProbedHealth,
  outcome: ProbeOutcome,
  check: HealthCheck,
): ProbedHealth {
  const found = healthFrom(outcome, check);
  if (found.state === health.state) return { health: found, contrary: 0 };
  const needed = found.state === 'unhealthy' ? check.unhealthyThreshold : successesNeeded();
  if (contrary + 1 < needed) return { health, contrary: contrary + 1 };
  return { health: found, contrary: 0 };

  function successesNeeded(): number {
    return health.state === 'initial' ? 1 : check.healthyThreshold;
  }
}

function healthFrom(outcome: ProbeOutcome, { matcher }: HealthCheck): TargetHealth {
  switch (outcome.kind) {
    case 'timedOut':
      return unhealthy('Target.Timeout', 'Request timed out');
    case 'failed':
      return unhealthy('Target.FailedHealthChecks', 'Health checks failed');
    case 'answered':
      if (matchesCode(matcher, outcome.code)) return { state: 'healthy' };
      return unhealthy(
        'Target.ResponseCodeMismatch',
        `Health checks failed with these codes: [${outcome.code}]`,
      );
  }
}

function unhealthy(reason: string, description: string): TargetHealth {
  return { state: 'unhealthy', reason, description };
}

/** `200`, `200,202` or `200-299`. */
function matchesCode(matcher: string, code: number): boolean {
  return matcher.split(',').some((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return from !== undefined && to !== undefined && code >= from && code <= to;
  });
}
