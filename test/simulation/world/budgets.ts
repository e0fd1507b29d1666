import { AWS_LIMITS, type BudgetLimits, NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import type { Settings } from '../scenario.ts';

/** The operator's limits in each kind of world. */
export const BUDGETS: Readonly<Record<Settings['budget'], BudgetLimits>> = {
  aws: AWS_LIMITS,
  // What a few passes read at once empties the bucket of all calls.
  scarce: { ...AWS_LIMITS, account: { burst: 8, perSecond: 2 } },
  off: NO_LIMITS,
};
