import { type MyIngress, ownershipTagKeys } from '../../apis/my-ingress.ts';
import { type Inventory, STALENESS_BOUND_MS, type Tags } from '../../aws/elbv2/load-balancers.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../core/ports/cache.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MetricDefinition, Metrics } from '../../core/ports/metrics.ts';
import { isOwnTargetGroup } from './graph/tags.ts';
import { identify } from './identity.ts';
import { parseName } from './load-balancer/desired.ts';
import { listPlaces } from './load-balancer/places.ts';
import type { Memory } from './memory.ts';
import { attempt, forEachInTurns } from './scan-steps.ts';
import { readRecordedArn } from './status.ts';
import { desireGroups } from './traffic/snapshot.ts';

export const myIngressMetrics = {
  orphans: {
    type: 'gauge',
    name: 'albridge_orphaned_load_balancers',
    help: 'Load balancers that albridge created for this cluster and that no MyIngress stands for.',
    use: 'Above 0: they cost money; the log names them.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

interface OrphanOptions {
  readonly inventory: Inventory;
  readonly cache: Pick<ObjectCache<MyIngress>, 'get'>;
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
 * Counts the balancers that albridge created for this cluster and that no object stands for, such as one whose finalizer was
 * taken off by hand. Reads alone: it deletes nothing, since a missing object proves nothing.
 */
export class Orphans {
  readonly #options: OrphanOptions;
  /** Balancers of others; their tags are read once. */
  #foreign: ReadonlySet<string> = new Set();
  /** When each balancer without an object was first read so (monotonic ms), by ARN. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #reported = '';

  constructor(options: OrphanOptions) {
    this.#options = options;
  }

  /** Call after a refresh of the inventory. */
  async count(signal: AbortSignal): Promise<void> {
    const { inventory, metrics } = this.#options;
    const listed = inventory.listOthers();
    const tags = await inventory.readTags(
      listed.filter((arn) => !this.#foreign.has(arn)),
      signal,
    );
    this.#foreign = new Set(listed.filter((arn) => this.#isForeign(arn, tags)));
    // An object that desires the name of a balancer need not be the one that its tags name.
    const desired = inventory
      .listSelected()
      .map(({ loadBalancer, tags: of }) => [loadBalancer.arn, of] as const);
    const orphans = this.#confirm(
      [...desired, ...tags].flatMap((of) => this.#findOrphan(...of) ?? []),
    );
    metrics.gauge(myIngressMetrics.orphans, {}, orphans.length);
    this.#report(orphans);
  }

  #isForeign(arn: string, read: ReadonlyMap<string, Tags>): boolean {
    const tags = read.get(arn);
    if (tags === undefined) return this.#foreign.has(arn);
    return tags[ownershipTagKeys.cluster] !== this.#options.cluster;
  }

  #findOrphan(arn: string, tags: Tags): Orphan | undefined {
    const { cache, cluster, namespaces } = this.#options;
    const { [ownershipTagKeys.namespace]: namespace, [ownershipTagKeys.name]: name } = tags;
    if (!isCreatedBy(cluster, tags) || !namespace || !name) return undefined;
    const isWatched = namespaces.length === 0 || namespaces.includes(namespace);
    const object = cache.get(`${namespace}/${name}`);
    const isHeld = object !== undefined && (attempt(() => standsFor(object, arn, cluster)) ?? true);
    return isWatched && !isHeld ? { arn, namespace, name } : undefined;
  }

  /** One read may be a stale answer about a balancer that was deleted with its object. */
  #confirm(suspects: readonly Orphan[]): readonly Orphan[] {
    const nowMs = this.#options.clock.monotonicMs();
    const sinceMs = ({ arn }: Orphan): number => this.#suspects.get(arn) ?? nowMs;
    this.#suspects = new Map(suspects.map((orphan) => [orphan.arn, sinceMs(orphan)]));
    return suspects.filter((orphan) => nowMs - sinceMs(orphan) >= STALENESS_BOUND_MS);
  }

  #report(orphans: readonly Orphan[]): void {
    const now = orphans.map(({ arn }) => arn).join(' ');
    if (now === this.#reported) return;
    this.#reported = now;
    const { log } = this.#options;
    if (orphans.length === 0) log.info('no orphaned load balancer is left', { orphans });
    else log.error('load balancers of this cluster have no MyIngress', { orphans });
  }
}

/** Every create of albridge sets the tag for the UID; what was adopted its owner had before. */
function isCreatedBy(cluster: string, tags: Tags): boolean {
  const { adopt, uid } = ownershipTagKeys;
  return (
    tags[ownershipTagKeys.cluster] === cluster &&
    tags[uid] !== undefined &&
    tags[adopt] === undefined
  );
}

/** An object of the same name may be a later one with another balancer: its deletion leaves this one. Pure. */
export function standsFor(object: MyIngress, arn: string, cluster: string): boolean {
  if (readRecordedArn(object) === arn) return true;
  return listPlaces(object, identify(cluster, object)).some((place) =>
    'arn' in place ? place.arn === arn : place.name === parseName(arn),
  );
}

interface StrayOptions {
  readonly inventory: Inventory;
  readonly memory: Memory;
  readonly cache: Pick<ObjectCache<MyIngress>, 'get'>;
  readonly cluster: string;
  readonly clock: Clock;
}

/** The first may be older than a group that was made a moment before. */
const SEARCHES = 2;

/** As `nameTargetGroup` makes them. */
const OWN_NAME = /:targetgroup\/([A-Za-z0-9-]+-[0-9a-f]{8})\//;

/**
 * Finds target groups that by their tags are an object's, and that neither its spec nor its status names: status
 * may be lost, or forged. What is found is as good as on record from then on.
 */
export class Strays {
  readonly #options: StrayOptions;
  /** Groups of others; their tags are read once. */
  #foreign: ReadonlySet<string> = new Set();
  /** By the UID of the object. */
  #searches: ReadonlyMap<string, number> = new Map();

  constructor(options: StrayOptions) {
    this.#options = options;
  }

  /**
   * True while target groups are to be listed although none is named: of an object that is new to this process, such
   * as one that was restored without its status, groups may be left that nothing else shows.
   */
  isDue(objects: readonly MyIngress[]): boolean {
    return objects.some((object) => this.#countSearches(object) < SEARCHES);
  }

  #countSearches({ metadata }: MyIngress): number {
    return this.#searches.get(metadata.uid) ?? 0;
  }

  /** Call after a refresh of the inventory; returns the objects that have any. `objects`: those of before it. */
  async find(objects: readonly MyIngress[], signal: AbortSignal): Promise<readonly Key[]> {
    const { clock, inventory } = this.#options;
    const others = inventory.listOtherTargetGroups().filter((arn) => OWN_NAME.test(arn));
    const unknown = others.filter((arn) => !this.#foreign.has(arn));
    const read = await inventory.readTags(unknown, signal);
    this.#foreign = new Set(others.filter((arn) => this.#isForeign(arn, read)));
    const found = new Set<Key>();
    const note = (arn: string, tags: Tags): void => {
      const stray = this.#identify(arn, tags);
      if (stray === undefined) return;
      this.#remember(stray);
      found.add(stray.key);
    };
    const listed = inventory.listTargetGroups();
    await forEachInTurns(listed, { clock, signal }, ({ targetGroup: { arn, name }, tags }) => {
      // One that was written to since may be gone.
      if (inventory.getCachedGroup(name).kind === 'observed') note(arn, tags);
    });
    await forEachInTurns([...read], { clock, signal }, (of) => note(...of));
    this.#searches = new Map(
      objects.map((object) => [
        object.metadata.uid,
        Math.min(SEARCHES, this.#countSearches(object) + 1),
      ]),
    );
    return [...found];
  }

  #isForeign(arn: string, read: ReadonlyMap<string, Tags>): boolean {
    const tags = read.get(arn);
    if (tags === undefined) return this.#foreign.has(arn);
    return tags[ownershipTagKeys.cluster] !== this.#options.cluster;
  }

  #identify(arn: string, tags: Tags): Stray | undefined {
    const { cache, cluster } = this.#options;
    const { [ownershipTagKeys.namespace]: namespace, [ownershipTagKeys.name]: owner } = tags;
    const object = cache.get(`${namespace}/${owner}`);
    const [, name = ''] = OWN_NAME.exec(arn) ?? [];
    if (object === undefined) return undefined;
    const group = { targetGroup: { name }, tags };
    if (!isOwnTargetGroup(group, identify(cluster, object))) return undefined;
    const isNamed = attempt(() => this.#isNamed(object, name)) ?? true;
    return isNamed ? undefined : { key: getKey(object), object, name };
  }

  #isNamed(object: MyIngress, name: string): boolean {
    const { targetGroups: recorded = [] } = object.status?.owned ?? {};
    if (recorded.includes(name)) return true;
    const identity = identify(this.#options.cluster, object);
    return desireGroups(object, identity).some((group) => group.name === name);
  }

  #remember({ key, object, name }: Stray): void {
    const memory = this.#options.memory.of(key, object.metadata.uid);
    memory.foundGroups = [...new Set([...(memory.foundGroups ?? []), name])].toSorted();
  }
}

interface Stray {
  readonly key: Key;
  readonly object: MyIngress;
  readonly name: string;
}
