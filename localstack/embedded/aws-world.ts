import type { ImportedCertificate } from './acm/imported-certificate.ts';
import type { Network } from './ec2/network.ts';
import type { RegionFacts } from './ec2/region-facts.ts';
import type { Ids } from './ec2/seeded-ids.ts';
import type { LimitName } from './faults/default-limits.ts';
import type { Authorizer } from './iam/policy-evaluation.ts';
import type { BalancerStore, BalancerView } from './load-balancers/balancer-store.ts';
import type { Traffic, TrafficView } from './traffic/traffic.ts';

/** Where the time comes from: epoch milliseconds, fractions allowed. */
export interface Clock {
  now(): number;
}

/** Settings that can be changed while the model runs. */
export interface AwsSettings {
  /** Time from creation until a balancer is `active`, ms. Fixed for a balancer at its creation. */
  readonly provisioningMs: number;
  /** `aws`: AWS's token buckets; `off`: never throttled. */
  readonly budget: 'aws' | 'off';
  /** Application Load Balancers per region; AWS's default is 50. */
  readonly quota: number;
  /** How long a deleted balancer's network interfaces keep its subnets and groups from deletion, ms. */
  readonly interfacesLingerMs: number;
  /** How long changes of listeners, rules and targets take to reach the data plane, ms; at most a minute. */
  readonly propagationMs: number;
  /** From the arrival of a target in the data plane to its first health check. */
  readonly firstCheckMs: number;
  /** The maximum number of entries of each prefix list, none of which is modelled. */
  readonly prefixListEntries: number;
  /** Other quotas of the account by AWS's names, where they are not AWS's defaults. */
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
}

/** The world of reading operations; a stale read gets one with an older clock and older balancers. */
export interface ReadableWorld {
  readonly accountId: string;
  readonly facts: RegionFacts;
  readonly settings: AwsSettings;
  readonly clock: Clock;
  readonly balancers: BalancerView;
  readonly traffic: TrafficView;
  readonly network: Network;
  /** ARNs of the certificates that listeners may use, in ACM and IAM together. */
  readonly certificates: ReadonlySet<string>;
  /** ARNs of the trust stores that listeners may use; nothing is in them. */
  readonly trustStores: ReadonlySet<string>;
  /** Those of ACM with what is in them, by ARN; each is in `certificates` too. */
  readonly importedCertificates: ReadonlyMap<string, ImportedCertificate>;
  /** By access key id. */
  readonly policies: ReadonlyMap<string, Authorizer>;
}

/** The world of writing operations. */
export interface AwsWorld extends ReadableWorld {
  readonly ids: Ids;
  readonly balancers: BalancerStore;
  readonly traffic: Traffic;
  readonly certificates: Set<string>;
  readonly trustStores: Set<string>;
  readonly importedCertificates: Map<string, ImportedCertificate>;
}
