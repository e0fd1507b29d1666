import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { stateOf } from '../../../localstack/embedded/load-balancers/balancer-description.ts';
import type { LoadBalancer } from '../../../localstack/embedded/load-balancers/balancer-store.ts';
import {
  type LoadBalancerSnapshot,
  snapshotBalancer,
} from '../../../localstack/embedded/world-snapshot.ts';
import { ownershipTagKeys } from '../../../src/apis/my-ingress.ts';

export type Balancer = LoadBalancerSnapshot;

export interface AccountOptions {
  readonly aws: EmbeddedAws;
  readonly nowMs: () => number;
  /** How old the read may be on which a write is based. */
  readonly unseenMs: () => number;
  readonly cluster: string;
  /** Drift may stay unseen for so long. */
  readonly sweepMs: number;
}

/** The account as it was from `atMs` until the next picture. */
interface Picture {
  readonly atMs: number;
  readonly balancers: readonly Balancer[];
}

/** Of a pass, from its look to its write. */
const PASS_MS = 30_000;
/** A pass over traffic goes by a balancer that was read within this time, also where scans have failed since: decision 0014. */
export const RECALLED_MS = 360_000;

/** The truth about the load balancers, as it is and as it was lately. */
export class Account {
  /** What outsiders have done, which nobody else answers for. */
  readonly meddledTags = new Map<string, Set<string>>();
  readonly meddledAttributes = new Map<string, Set<string>>();
  /** The groups that others gave a balancer when they made it; none where they changed them later. */
  readonly givenGroups = new Map<string, readonly string[]>();
  /** Balancers that lost an ownership tag by somebody's hand. */
  readonly releasedByHand = new Set<string>();
  /** Objects that were removed in spite of their finalizer. */
  readonly goneInSpite = new Set<string>();
  /** Objects that came back without their status. */
  readonly restored = new Set<string>();
  readonly madeByOthers = new Set<string>();
  readonly #aws: EmbeddedAws;
  readonly #nowMs: () => number;
  readonly #unseenMs: () => number;
  readonly #cluster: string;
  readonly #sweepMs: number;
  readonly #firstSeenMs = new Map<string, number>();
  /** Records are never changed in place, so each is described once in each of its states. */
  readonly #described = new WeakMap<LoadBalancer, Balancer>();
  #pictures: Picture[] = [{ atMs: 0, balancers: [] }];

  constructor(options: AccountOptions) {
    this.#aws = options.aws;
    this.#nowMs = options.nowMs;
    this.#unseenMs = options.unseenMs;
    this.#cluster = options.cluster;
    this.#sweepMs = options.sweepMs * 1.1 + PASS_MS;
  }

  get balancers(): readonly Balancer[] {
    return this.#aws.world.balancers.all().map((record) => this.#describe(record));
  }

  /** A balancer that others have made. */
  recordMade(arn: string, securityGroups: readonly string[] | undefined): void {
    this.madeByOthers.add(arn);
    if (securityGroups !== undefined) this.givenGroups.set(arn, securityGroups);
  }

  #describe(record: LoadBalancer): Balancer {
    const nowMs = this.#aws.world.clock.now();
    const known = this.#described.get(record);
    if (known?.state === stateOf(record, nowMs).code) return known;
    const balancer = snapshotBalancer(record, nowMs);
    this.#described.set(record, balancer);
    return balancer;
  }

  /** Whether the call that was carried out just now is one that the policy does not allow. */
  isLastCallDenied(): boolean {
    return this.#aws.control.calls().at(-1)?.outcome === 'AccessDenied';
  }

  /** Call after each change of the account. */
  remember(): readonly Balancer[] {
    const atMs = this.#nowMs();
    const { balancers } = this;
    for (const { arn } of balancers) {
      if (!this.#firstSeenMs.has(arn)) this.#firstSeenMs.set(arn, atMs);
    }
    const oldest = this.#pictures.findLastIndex(
      (picture) => picture.atMs <= atMs - Math.max(this.#sweepMs, RECALLED_MS),
    );
    this.#pictures = [...this.#pictures.slice(Math.max(0, oldest)), { atMs, balancers }];
    return balancers;
  }

  /** This balancer as it was at any time at which the read may have been on which a write is based. */
  recent(arn: string): readonly Balancer[] {
    return this.#since(arn, this.#unseenMs());
  }

  /** This balancer as it was at any time since the last sweep but one. */
  sinceSweep(arn: string): readonly Balancer[] {
    return this.#since(arn, this.#sweepMs);
  }

  /** The same for as long as a pass may go by it. */
  sinceRecalled(arn: string): readonly Balancer[] {
    return this.#since(arn, Math.max(this.#sweepMs, RECALLED_MS));
  }

  #since(arn: string, backMs: number): readonly Balancer[] {
    const oldestMs = this.#nowMs() - backMs;
    const first = this.#pictures.findLastIndex(({ atMs }) => atMs <= oldestMs);
    return this.#pictures
      .slice(Math.max(0, first))
      .flatMap(({ balancers }) => balancers.filter((one) => one.arn === arn));
  }

  bornMs(arn: string): number {
    return this.#firstSeenMs.get(arn) ?? 0;
  }

  /** Balancers whose tags say that they are this object's. */
  of(namespace: string | undefined, name: string): readonly Balancer[] {
    return this.balancers.filter((balancer) => this.ownerOf(balancer) === `${namespace}/${name}`);
  }

  /**
   * `namespace/name` by the three ownership tags; undefined where they are not of this cluster, or
   * where others made the balancer and it has no UID yet.
   */
  ownerOf(balancer: Balancer): string | undefined {
    const hasUid = balancer.tags[ownershipTagKeys.uid] !== undefined;
    if (this.madeByOthers.has(balancer.arn) && !hasUid) return undefined;
    return this.namedBy(balancer);
  }

  /** `namespace/name` by the three ownership tags alone: enough for a balancer that is on record. */
  namedBy({ tags }: Balancer): string | undefined {
    const { cluster, namespace, name } = ownershipTagKeys;
    if (tags[cluster] !== this.#cluster) return undefined;
    if (tags[namespace] === undefined || tags[name] === undefined) return undefined;
    return `${tags[namespace]}/${tags[name]}`;
  }

  /** Whom the balancer's owner lets adopt it. */
  consentOf({ tags }: Balancer): string | undefined {
    return tags[ownershipTagKeys.cluster] === this.#cluster
      ? tags[ownershipTagKeys.adopt]
      : undefined;
  }
}
