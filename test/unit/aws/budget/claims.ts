import { Budget, type Requester } from '../../../../src/aws/budget/budget.ts';
import { AWS_LIMITS, type BudgetLimits } from '../../../../src/aws/budget/budget-limits.ts';
import type { AwsOperation } from '../../../../src/aws/client/aws-api.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { never } from '../client/scripted-aws-api.ts';

export interface Setup {
  readonly budget: Budget;
  readonly clock: ManualClock;
  readonly metrics: RecordingMetrics;
  readonly log: SilentLogger;
}

export function setup(limits: BudgetLimits = AWS_LIMITS): Setup {
  const clock = new ManualClock();
  const metrics = new RecordingMetrics();
  const log = new SilentLogger();
  return { budget: new Budget({ limits, clock, metrics, log }), clock, metrics, log };
}

export interface Claim extends Requester {
  readonly operation: AwsOperation;
}

export function take(budget: Budget, claim: Claim, signal: AbortSignal): Promise<void> {
  const { operation, ...requester } = claim;
  return budget.take(operation, requester, signal);
}

export function create(name: string): Claim {
  return { operation: 'CreateLoadBalancer', subject: `load balancer ${name}` };
}

export const read: Claim = { operation: 'DescribeTags', subject: 'several load balancers' };

export async function takeAll(
  budget: Budget,
  claim: (i: number) => Claim,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) await take(budget, claim(i), never);
}
