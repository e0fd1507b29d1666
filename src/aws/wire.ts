import type { Clock } from '../core/clock.ts';
import type { Leadership } from '../core/leadership.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { AwsApi } from './aws-api.ts';
import { createAwsCall } from './aws-call.ts';
import { createBudget } from './budget.ts';
import type { BudgetLimits } from './budget-limits.ts';
import { createInventory } from './inventory.ts';
import type { Inventory, LoadBalancers } from './load-balancers.ts';
import { createLoadBalancers } from './load-balancers-client.ts';
import { createTagsReader } from './tags-reader.ts';
import { createWriteLedger } from './write-ledger.ts';

export interface AwsPorts {
  readonly api: AwsApi;
  readonly clock: Clock;
  readonly leadership: Leadership;
  readonly metrics: Metrics;
  /** DEFAULT_LIMITS, NO_LIMITS or what a budget file says. */
  readonly budget: BudgetLimits;
  readonly log: Logger;
}

export interface Aws {
  readonly loadBalancers: LoadBalancers;
  readonly inventory: Inventory;
}

/** Everything above AwsApi, put together; once per process, since the budget is the process's. */
export function wireAws(ports: AwsPorts): Aws {
  const { api, clock, leadership, metrics, log } = ports;
  const budget = createBudget({ limits: ports.budget, clock, metrics, log });
  const call = createAwsCall({ api, budget, leadership, clock, metrics, log });
  const ledger = createWriteLedger(clock);
  const tagsOf = createTagsReader(call, clock);
  return {
    loadBalancers: createLoadBalancers({ call, budget, tagsOf, ledger }),
    inventory: createInventory({ call, ledger, clock }),
  };
}
