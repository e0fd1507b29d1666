import { describe, expect, test } from 'vitest';
import {
  INITIAL_HEALTH,
  judgeProbe,
  type ProbeOutcome,
} from '../../../../localstack/embedded/data-plane/health-judgement.ts';
import type { HealthCheck } from '../../../../localstack/embedded/target-groups/target-group.ts';

const CHECK: HealthCheck = {
  ...{ protocol: 'HTTP', port: 'traffic-port', path: '/', intervalSeconds: 30, timeoutSeconds: 5 },
  ...{ healthyThreshold: 3, unhealthyThreshold: 2, matcher: '200' },
};
const OUTCOMES: Readonly<Record<string, ProbeOutcome>> = {
  o: { kind: 'answered', code: 200 },
  x: { kind: 'answered', code: 500 },
  t: { kind: 'timedOut' },
  f: { kind: 'failed' },
};

/** After checks that end like these letters. */
function healthAfter(outcomes: string, check: Partial<HealthCheck> = {}) {
  return outcomes
    .split('')
    .reduce(
      (before, letter) =>
        judgeProbe(before, OUTCOMES[letter] as ProbeOutcome, { ...CHECK, ...check }),
      INITIAL_HEALTH,
    ).health;
}

describe('the health of a target', () => {
  test.each([
    ['', 'initial', 'nothing is known'],
    ['o', 'healthy', 'one success suffices for a fresh target'],
    ['x', 'initial', 'one failure does not'],
    ['xo', 'healthy', 'one success suffices for it even then'],
    ['xx', 'unhealthy', 'the unhealthy threshold holds for it too'],
    ['ox', 'healthy', 'one failure is forgiven'],
    ['oxox', 'healthy', 'failures count in a row only'],
    ['oxx', 'unhealthy', 'two are not'],
    ['oxxoo', 'unhealthy', 'one that recovers needs the healthy threshold'],
    ['oxxooxoo', 'unhealthy', 'in a row'],
    ['oxxooo', 'healthy', 'and then has it'],
  ])('after "%s" is %s: %s', (outcomes, state) => {
    expect(healthAfter(outcomes).state).toBe(state);
  });

  test.each([
    ['', 'Elb.InitialHealthChecking', 'Initial health checks in progress'],
    ['xx', 'Target.ResponseCodeMismatch', 'Health checks failed with these codes: [500]'],
    ['tt', 'Target.Timeout', 'Request timed out'],
    ['ff', 'Target.FailedHealthChecks', 'Health checks failed'],
    ['ffx', 'Target.ResponseCodeMismatch', 'Health checks failed with these codes: [500]'],
  ])('after "%s" has the reason %s', (outcomes, reason, description) => {
    expect(healthAfter(outcomes)).toMatchObject({ reason, description });
  });

  test('has no reason while it is good', () => {
    expect(healthAfter('o')).toEqual({ state: 'healthy' });
  });

  test.each([
    ['200', false],
    ['200,500', true],
    ['200-499', false],
    ['200-202,499-500', true],
  ])('goes by the codes %s', (matcher, isHealthy) => {
    expect(healthAfter('x', { matcher }).state === 'healthy').toBe(isHealthy);
  });
});
