import { expect, it } from 'vitest';
import { Budget } from '../../../../src/aws/budget/budget.ts';
import { AWS_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { awsMetrics } from '../../../../src/aws/client/aws-metrics.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { never } from '../client/scripted-aws-api.ts';

it('the budget shows tokens left and claims in line as they are at the scrape', async () => {
  const [clock, metrics] = [new ManualClock(), new RecordingMetrics()];
  const budget = new Budget({ limits: AWS_LIMITS, clock, metrics, log: new SilentLogger() });
  const create = (name: string): Promise<void> =>
    budget.take('CreateLoadBalancer', { subject: `load balancer ${name}` }, never);
  const shown = (): unknown => {
    budget.refreshMetrics();
    return [awsMetrics.budgetTokens, awsMetrics.budgetTurns].map((metric) =>
      metrics.valueOf(metric, { bucket: 'intensive' }),
    );
  };
  expect(shown()).toEqual([10, 0]);
  for (let i = 0; i < 10; i++) await create(`${i}`);
  await expect(create('late')).rejects.toThrow('rate limit');
  expect(shown()).toEqual([0, 1]);
  await clock.advance(10_000);
  await create('late');
  expect(shown()).toEqual([1, 0]);
  for (const metric of [awsMetrics.budgetExhausted, awsMetrics.budgetHolds]) {
    expect(metrics.valueOf(metric, { bucket: 'writes' })).toBe(0);
  }
});
