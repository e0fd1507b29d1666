import type { IpAddressType, Scheme } from './load-balancer-enums.ts';

/** One Application Load Balancer. Records are never changed in place, only replaced. */
export interface LoadBalancer {
  /** Order of creation; what a paging marker points at. */
  readonly sequence: number;
  readonly arn: string;
  readonly name: string;
  readonly dnsName: string;
  readonly createdAtMs: number;
  /** From this time on the state is `active`. */
  readonly activeAtMs: number;
  readonly scheme: Scheme;
  readonly vpcId: string;
  /** One subnet per zone, ordered by zone. */
  readonly placements: readonly SubnetPlacement[];
  readonly securityGroups: readonly string[];
  readonly ipAddressType: IpAddressType;
  readonly attributes: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, string>;
  /** Another service uses it. Set over the control interface, as the next. */
  readonly isAssociated?: boolean;
  /** Set over the control interface, never by an AWS operation. */
  readonly stateOverride?: LoadBalancerState;
}

export interface SubnetPlacement {
  readonly zoneName: string;
  readonly subnetId: string;
}

export interface LoadBalancerState {
  readonly code: 'provisioning' | 'active' | 'active_impaired' | 'failed';
  readonly reason?: string;
}

/** The balancers as they are, or as they were at some time. */
export interface BalancerView {
  byArn(arn: string): LoadBalancer | undefined;
  byName(name: string): LoadBalancer | undefined;
  /** In order of creation. */
  all(): readonly LoadBalancer[];
}

interface Change {
  readonly atMs: number;
  readonly arn: string;
  readonly before: LoadBalancer | undefined;
}

/** How far back stale reads can look, ms. */
export const STALE_HORIZON_MS = 60_000;

/** Balancers indexed by ARN and by name, with enough history to answer stale reads. */
export class BalancerStore implements BalancerView {
  readonly #byArn = new Map<string, LoadBalancer>();
  readonly #arnByName = new Map<string, string>();
  #changes: Change[] = [];
  #nextSequence = 1;

  get size(): number {
    return this.#byArn.size;
  }

  byArn(arn: string): LoadBalancer | undefined {
    return this.#byArn.get(arn);
  }

  byName(name: string): LoadBalancer | undefined {
    const arn = this.#arnByName.get(name);
    return arn === undefined ? undefined : this.#byArn.get(arn);
  }

  all(): readonly LoadBalancer[] {
    return [...this.#byArn.values()];
  }

  nextSequence(): number {
    return this.#nextSequence++;
  }

  /** Adds or replaces the record with this ARN. */
  put(balancer: LoadBalancer, nowMs: number): void {
    this.#remember(balancer.arn, nowMs);
    this.#byArn.set(balancer.arn, balancer);
    this.#arnByName.set(balancer.name, balancer.arn);
  }

  remove(balancer: LoadBalancer, nowMs: number): void {
    this.#remember(balancer.arn, nowMs);
    this.#byArn.delete(balancer.arn);
    this.#arnByName.delete(balancer.name);
  }

  clear(): void {
    this.#byArn.clear();
    this.#arnByName.clear();
    this.#changes = [];
  }

  /** The balancers as they were at `atMs`, at most STALE_HORIZON_MS back. */
  asOf(atMs: number): BalancerView {
    const past = new Map<string, LoadBalancer | undefined>();
    for (const change of this.#changes.toReversed()) {
      if (change.atMs > atMs) past.set(change.arn, change.before);
    }
    return past.size === 0 ? this : new PastBalancers(this, past);
  }

  #remember(arn: string, nowMs: number): void {
    const oldest = nowMs - STALE_HORIZON_MS;
    const first = this.#changes[0];
    // Dropping in halves keeps a write O(1) on average.
    if (first !== undefined && first.atMs < oldest - STALE_HORIZON_MS) {
      this.#changes = this.#changes.filter((change) => change.atMs >= oldest);
    }
    this.#changes.push({ atMs: nowMs, arn, before: this.#byArn.get(arn) });
  }
}

/** Present records overlaid by those that were different in the past. */
class PastBalancers implements BalancerView {
  readonly #present: BalancerView;
  readonly #past: ReadonlyMap<string, LoadBalancer | undefined>;

  constructor(present: BalancerView, past: ReadonlyMap<string, LoadBalancer | undefined>) {
    this.#present = present;
    this.#past = past;
  }

  byArn(arn: string): LoadBalancer | undefined {
    return this.#past.has(arn) ? this.#past.get(arn) : this.#present.byArn(arn);
  }

  byName(name: string): LoadBalancer | undefined {
    for (const balancer of this.#past.values()) if (balancer?.name === name) return balancer;
    const present = this.#present.byName(name);
    return present === undefined ? undefined : this.byArn(present.arn);
  }

  all(): readonly LoadBalancer[] {
    const merged = new Map(this.#present.all().map((balancer) => [balancer.arn, balancer]));
    for (const [arn, balancer] of this.#past) {
      if (balancer === undefined) merged.delete(arn);
      else merged.set(arn, balancer);
    }
    return [...merged.values()].sort((left, right) => left.sequence - right.sequence);
  }
}
