import { type MyIngress, ownershipTagKeys } from '../../apis/my-ingress.ts';
import { type Inventory, STALENESS_BOUND_MS, type Tags } from '../../aws/load-balancers.ts';
import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../core/logger.ts';
import type { MetricDefinition, Metrics } from '../../core/metrics.ts';
import type { ObjectCache } from '../../core/object-store.ts';
import { nameInArn } from './desired.ts';
import { identityOf } from './identity.ts';
import { placesOf } from './places.ts';
import { recordedArn } from './record.ts';

export const myIngressMetrics = {
  orphans: {
    type: 'gauge',
    name: 'albridge_orphaned_load_balancers',
    help: 'Load balancers with the ownership tags of this cluster that no MyIngress stands for.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

export interface OrphanOptions {
  readonly inventory: Inventory;
  readonly cache: ObjectCache<MyIngress>;
  readonly cluster: string;
  /** Those that the cache covers; empty: all of them. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A balancer with our tags and the object that they name. */
interface Orphan {
  readonly arn: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Counts the balancers of this cluster that no object stands for, such as one whose finalizer was
 * taken off by hand. Reads alone: it deletes nothing, since a missing object proves nothing.
 */
export class Orphans {
  readonly #options: OrphanOptions;
  /** Balancers of others; their tags are read once. */
  #foreign: ReadonlySet<string> = new Set();
  /** When each balancer without an object was first seen so (monotonic ms), by ARN. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #reported = '';

  constructor(options: OrphanOptions) {
    this.#options = options;
  }

  /** Call after a refresh of the inventory. */
  async count(signal: AbortSignal): Promise<void> {
    const { inventory, metrics } = this.#options;
    const listed = inventory.others();
    const tags = await inventory.tagsOf(
      listed.filter((arn) => !this.#foreign.has(arn)),
      signal,
    );
    this.#foreign = new Set(listed.filter((arn) => this.#isForeign(arn, tags)));
    // That an object wants the name of a balancer does not say that it is the one that the tags name.
    const wanted = inventory
      .wanted()
      .map(({ loadBalancer, tags: of }) => [loadBalancer.arn, of] as const);
    const orphans = this.#confirm(
      [...wanted, ...tags].flatMap((of) => this.#orphanOf(...of) ?? []),
    );
    metrics.gauge(myIngressMetrics.orphans, {}, orphans.length);
    this.#report(orphans);
  }

  #isForeign(arn: string, read: ReadonlyMap<string, Tags>): boolean {
    const tags = read.get(arn);
    if (tags === undefined) return this.#foreign.has(arn);
    return tags[ownershipTagKeys.cluster] !== this.#options.cluster;
  }

  #orphanOf(arn: string, tags: Tags): Orphan | undefined {
    const { cache, cluster, namespaces } = this.#options;
    const { [ownershipTagKeys.namespace]: namespace, [ownershipTagKeys.name]: name } = tags;
    if (tags[ownershipTagKeys.cluster] !== cluster || !namespace || !name) return undefined;
    const isWatched = namespaces.length === 0 || namespaces.includes(namespace);
    const object = cache.get(`${namespace}/${name}`);
    if (!isWatched || (object !== undefined && this.#standsFor(object, arn))) return undefined;
    return { arn, namespace, name };
  }

  /** An object of the same name may be a later one with another balancer: its deletion leaves this one. */
  #standsFor(object: MyIngress, arn: string): boolean {
    if (recordedArn(object) === arn) return true;
    const identity = identityOf(this.#options.cluster, object);
    return placesOf(object, identity).some((place) =>
      'arn' in place ? place.arn === arn : place.name === nameInArn(arn),
    );
  }

  /** One sighting may be an old answer about a balancer that was deleted with its object. */
  #confirm(seen: readonly Orphan[]): readonly Orphan[] {
    const nowMs = this.#options.clock.monotonicMs();
    const sinceMs = ({ arn }: Orphan): number => this.#suspects.get(arn) ?? nowMs;
    this.#suspects = new Map(seen.map((orphan) => [orphan.arn, sinceMs(orphan)]));
    return seen.filter((orphan) => nowMs - sinceMs(orphan) >= STALENESS_BOUND_MS);
  }

  #report(orphans: readonly Orphan[]): void {
    const now = orphans.map(({ arn }) => arn).join(' ');
    if (now === this.#reported) return;
    this.#reported = now;
    const { log } = this.#options;
    if (orphans.length === 0)
      log.info('no load balancer lacks its MyIngress any more', { orphans });
    else log.error('load balancers of this cluster have no MyIngress', { orphans });
  }
}
