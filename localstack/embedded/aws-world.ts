import type { BalancerStore, BalancerView } from './balancer-store.ts';
import type { Network } from './network.ts';
import type { RegionFacts } from './region-facts.ts';
import type { Ids } from './seeded-ids.ts';

/** Where the time comes from: epoch milliseconds, fractions allowed. */
export interface Clock {
  now(): number;
}

/** What can be changed while the model runs. */
export interface AwsSettings {
  /** Time from creation until a balancer is `active`, ms. Fixed for a balancer at its creation. */
  readonly provisioningMs: number;
  /** `aws`: AWS's token buckets; `off`: never throttled. */
  readonly budget: 'aws' | 'off';
  /** Application Load Balancers per region; AWS's default is 50. */
  readonly quota: number;
  /** How long a deleted balancer's network interfaces keep its subnets and groups from deletion, ms. */
  readonly interfacesLingerMs: number;
}

/** What reading operations see; a stale read gets one with an older clock and older balancers. */
export interface ReadableWorld {
  readonly accountId: string;
  readonly facts: RegionFacts;
  readonly settings: AwsSettings;
  readonly clock: Clock;
  readonly balancers: BalancerView;
  readonly network: Network;
}

/** What writing operations change. */
export interface AwsWorld extends ReadableWorld {
  readonly ids: Ids;
  readonly balancers: BalancerStore;
}
