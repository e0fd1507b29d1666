import { type MyIngress, ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { Inventory, Tags } from '../../aws/elbv2/load-balancers.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../core/ports/cache.ts';
import { isOwn } from './graph/tags.ts';
import { identify } from './identity.ts';
import type { Memory } from './memory.ts';
import { desireGroups } from './traffic/snapshot.ts';

interface StrayOptions {
  readonly inventory: Inventory;
  readonly memory: Memory;
  readonly cache: Pick<ObjectCache<MyIngress>, 'get'>;
  readonly cluster: string;
}

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

  constructor(options: StrayOptions) {
    this.#options = options;
  }

  /** Call after a refresh of the inventory; returns the objects that have any. */
  async find(signal: AbortSignal): Promise<readonly Key[]> {
    const { inventory } = this.#options;
    const others = inventory.otherTargetGroups().filter((arn) => OWN_NAME.test(arn));
    const unknown = others.filter((arn) => !this.#foreign.has(arn));
    const read = await inventory.tagsOf(unknown, signal);
    this.#foreign = new Set(others.filter((arn) => this.#isForeign(arn, read)));
    // One that was written to since may be gone.
    const listed = inventory
      .targetGroups()
      .filter(({ targetGroup: { name } }) => inventory.cachedGroup(name).kind === 'observed')
      .map(({ targetGroup: { arn }, tags }) => [arn, tags] as const);
    const found = [...listed, ...read].flatMap(([arn, tags]) => this.#identify(arn, tags) ?? []);
    const byKey = Map.groupBy(found, ({ key }) => key);
    for (const [key, groups] of byKey) this.#remember(key, groups);
    return [...byKey.keys()];
  }

  #isForeign(arn: string, read: ReadonlyMap<string, Tags>): boolean {
    const tags = read.get(arn);
    if (tags === undefined) return this.#foreign.has(arn);
    return tags[ownershipTagKeys.cluster] !== this.#options.cluster;
  }

  #identify(arn: string, tags: Tags): Stray | undefined {
    const { cache, cluster } = this.#options;
    const { [ownershipTagKeys.namespace]: namespace, [ownershipTagKeys.name]: owner } = tags;
    const object = cache.get(`${namespace ?? ''}/${owner ?? ''}`);
    if (object === undefined || !isOwn(tags, identify(cluster, object))) return undefined;
    const [, name = ''] = OWN_NAME.exec(arn) ?? [];
    const named = [
      ...desireGroups(object, identify(cluster, object)).map((group) => group.name),
      ...(object.status?.owned?.targetGroups ?? []),
    ];
    return named.includes(name) ? undefined : { key: getKey(object), object, name };
  }

  #remember(key: Key, groups: readonly Stray[]): void {
    const [first] = groups;
    if (first === undefined) return;
    const memory = this.#options.memory.of(key, first.object.metadata.uid);
    const names = [...(memory.foundGroups ?? []), ...groups.map(({ name }) => name)];
    memory.foundGroups = [...new Set(names)].toSorted();
  }
}

interface Stray {
  readonly key: Key;
  readonly object: MyIngress;
  readonly name: string;
}
