import type { Clock } from '../core/clock.ts';
import type { Leadership } from '../core/leadership.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { AwsApi } from './aws-api.ts';
import { callFor, createAwsCall } from './aws-call.ts';
import { type BalancerReader, createBalancerReader } from './balancer-reader.ts';
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
  /** AWS_LIMITS, NO_LIMITS or what a budget file says. */
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
  const readerFor = (namespace?: string): BalancerReader =>
    createBalancerReader(callFor(namespace, call));
  const tagsOf = createTagsReader(call, clock);
  const ledger = createWriteLedger(clock);
  return {
    loadBalancers: createLoadBalancers({ call, tagsOf, ledger }),
    inventory: createInventory({ readerFor, tagsOf, ledger, clock }),
  };
}
