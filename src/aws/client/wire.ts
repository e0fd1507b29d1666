// Lives here: the one adapter to AWS and only user of its SDK; next to this folder budget/, inventory/, elbv2/, ec2/, acm/.
// May import it: src/aws, src/setup, src/cli and src/main.ts; src/config takes http-handler.ts. Controllers import the ports in elbv2/, ec2/ and acm/ instead.
// Start with: operations.ts, the table of operations, then aws-call.ts.

import type { Clock } from '../../core/ports/clock.ts';
import type { Leadership } from '../../core/ports/leadership.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import type { Certificates } from '../acm/certificates.ts';
import { createCertificates, createIssuedCertificates } from '../acm/certificates-client.ts';
import { Budget } from '../budget/budget.ts';
import type { BudgetLimits } from '../budget/budget-limits.ts';
import type { SecurityGroups } from '../ec2/security-groups.ts';
import { createSecurityGroups } from '../ec2/security-groups-client.ts';
import type { Subnets } from '../ec2/subnets.ts';
import { createSubnets, createTaggedSubnets } from '../ec2/subnets-client.ts';
import { createListeners } from '../elbv2/listeners-client.ts';
import type { Inventory, LoadBalancers } from '../elbv2/load-balancers.ts';
import { createLoadBalancers } from '../elbv2/load-balancers-client.ts';
import { createRules } from '../elbv2/rules-client.ts';
import { createResourceTags, createTagsBatch } from '../elbv2/tags.ts';
import { createTargetGroups } from '../elbv2/target-groups-client.ts';
import { createTargets } from '../elbv2/targets-client.ts';
import type { Listeners, ResourceTags, Rules, TargetGroups, Targets } from '../elbv2/traffic.ts';
import { AccountInventory } from '../inventory/inventory.ts';
import { WriteLedger } from '../inventory/write-ledger.ts';
import type { AwsApi } from './aws-api.ts';
import { chargeTo, createAwsCall, type Payer } from './aws-call.ts';
import type { AwsReasonTexts } from './aws-reasons.ts';
import { type Patience, waitForPlans, waitForReads } from './patience.ts';

export interface AwsPorts {
  readonly api: AwsApi;
  readonly clock: Clock;
  readonly leadership: Leadership;
  readonly metrics: Metrics;
  /** DEFAULT_LIMITS, COMMAND_LIMITS, NO_LIMITS or what a budget file says. */
  readonly budget: BudgetLimits;
  readonly log: Logger;
  /** A kind's own words for reasons of AWS. */
  readonly texts?: AwsReasonTexts;
  /** Of a process whose reads block nobody else; default: what has to wait fails. */
  readonly patience?: Patience;
}

export interface Traffic {
  readonly targetGroups: TargetGroups;
  readonly targets: Targets;
  readonly listeners: Listeners;
  readonly rules: Rules;
  readonly tags: ResourceTags;
  readonly securityGroups: SecurityGroups;
  readonly subnets: Subnets;
  readonly certificates: Certificates;
}

export interface Aws {
  readonly loadBalancers: LoadBalancers;
  readonly inventory: Inventory;
  /** Clients of everything behind the balancers, paid for and logged by one payer. */
  readonly traffic: (payer?: Payer) => Traffic;
  /** Call before each scrape. */
  readonly refreshMetrics: () => void;
}

/** Everything above AwsApi, put together; once per process, since the budget is the process's. */
export function wireAws(ports: AwsPorts): Aws {
  const { clock, metrics, log, patience } = ports;
  const budget = new Budget({ limits: ports.budget, clock, metrics, log });
  const paying = createAwsCall({ ...ports, budget });
  const call = patience ? waitForReads(paying, patience) : paying;
  const reserving = patience ? waitForPlans(budget, patience) : budget;
  const ledger = new WriteLedger(clock);
  const tags = createTagsBatch(call, clock);
  const vpcs = new Map<string, string>();
  const subnets = createTaggedSubnets(call, clock, vpcs);
  const issued = createIssuedCertificates(call, clock);
  return {
    loadBalancers: createLoadBalancers({ call, budget: reserving, tags, ledger }),
    inventory: new AccountInventory({ call, ledger, clock, isPatient: patience !== undefined }),
    refreshMetrics: () => budget.refreshMetrics(),
    traffic(payer = {}) {
      const paid = chargeTo(payer, call);
      return {
        targetGroups: createTargetGroups(paid, ledger),
        targets: createTargets(paid),
        listeners: createListeners(paid, ledger),
        rules: createRules(paid, ledger),
        tags: createResourceTags(paid, tags, { ledger, payer }),
        securityGroups: createSecurityGroups(paid, vpcs, ledger),
        subnets: createSubnets(subnets, payer),
        certificates: createCertificates(issued, payer),
      };
    },
  };
}
