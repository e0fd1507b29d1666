import { type MyIngress, ownershipTagKeys } from '../../../apis/my-ingress.ts';
import type { TaggedSecurityGroup } from '../../../aws/ec2/security-groups.ts';
import type { Inventory, LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import { isPaused, isPlanOnly } from '../../../core/objects/annotations.ts';
import { getKey, isBeingDeleted } from '../../../core/objects/kube-object.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { identifyResource, pickSecurityGroups } from '../graph/tags.ts';
import { type Identity, identify } from '../identity.ts';
import { desireLoadBalancer, projectAddressing } from '../load-balancer/desired.ts';
import { chooseReadDepth } from '../load-balancer/read-depth.ts';
import { hasAnyDrift, type Memory, rememberFoundDrift } from '../memory.ts';
import { readRoutes } from '../routes/read-routes.ts';
import { attempt } from '../scan-steps.ts';
import { readRecordedArn } from '../status.ts';
import { mayBeOld } from '../traffic/memory.ts';
import { isManaged } from '../traffic/planned.ts';
import { desireSecurityGroup } from './desired.ts';
import { planSecurityGroup } from './diff.ts';

interface ManagedGroupsOptions {
  readonly inventory: Inventory;
  readonly memory: Memory;
  readonly cluster: string;
  readonly clock: Clock;
}

/** The part of the drift scan about inbound rules and tags of managed security groups, which no other list shows. */
export class ManagedGroups {
  readonly #options: ManagedGroupsOptions;

  constructor(options: ManagedGroupsOptions) {
    this.#options = options;
  }

  /**
   * Call after a refresh of the inventory. Returns whether the group of an object differs whose spec is applied; its next
   * pass reads everything then. An operator without managed groups needs no right on EC2.
   */
  async read(
    objects: readonly MyIngress[],
    signal: AbortSignal,
  ): Promise<(object: MyIngress) => boolean> {
    const { clock, cluster, inventory } = this.#options;
    const isRelevant = (object: MyIngress): boolean =>
      attempt(() => isAppliedWithGroup(object)) ?? false;
    if (!objects.some(isRelevant)) return () => false;
    const readMs = clock.monotonicMs();
    const tags = { [ownershipTagKeys.cluster]: cluster };
    const found = await inventory.findSecurityGroups(tags, signal);
    const byOwner = Map.groupBy(found, ({ tags: { [NAMESPACE]: namespace, [NAME]: name } }) => {
      return `${namespace}/${name}`;
    });
    return (object) => {
      const own = byOwner.get(getKey(object)) ?? [];
      return attempt(() => this.#findDrift(object, own, readMs)) ?? false;
    };
  }

  #findDrift(object: MyIngress, groups: readonly TaggedSecurityGroup[], readMs: number): boolean {
    const { cluster, inventory, memory } = this.#options;
    if (!isAppliedWithGroup(object)) return false;
    const cached = inventory.getCached(readRecordedArn(object) ?? '');
    const identity = identify(cluster, object);
    const known = memory.of(getKey(object), identity.uid);
    const isOld = known.traffic !== undefined && mayBeOld(known.traffic, readMs);
    if (cached.kind !== 'observed' || isOld || hasAnyDrift(known.facts)) return false;
    const { loadBalancer } = cached.observed;
    const standing = known.traffic?.standing?.graph;
    const own = pickSecurityGroups(groups, identity);
    if (!hasManagedGroupDrifted({ object, identity, loadBalancer, standing }, own)) return false;
    known.facts = rememberFoundDrift(known.facts, true);
    return true;
  }
}

function isAppliedWithGroup(object: MyIngress): boolean {
  if (object.status?.owned?.securityGroup === undefined) return false;
  const isAtRest = isPaused(object) || isBeingDeleted(object) || isPlanOnly(object);
  return !isAtRest && chooseReadDepth(object) !== 'live';
}

const { namespace: NAMESPACE, name: NAME } = ownershipTagKeys;

interface Compared {
  readonly object: MyIngress;
  readonly identity: Identity;
  readonly loadBalancer: LoadBalancer;
  /** Stands next to the balancer; undefined: not known. */
  readonly standing: Pick<ObservedGraph, 'listeners'> | undefined;
}

/** Ports of listeners that are still to be removed are open for a reason. Pure. */
function hasManagedGroupDrifted(
  { object, identity, loadBalancer, standing }: Compared,
  securityGroups: readonly TaggedSecurityGroup[],
): boolean {
  const { spec, status } = object;
  const routes = readRoutes(spec);
  if (!isManaged({ object }, routes)) return false;
  if (standing === undefined && status.owned?.removals === true) return false;
  const { inbound, listeners } = routes;
  const addressing = projectAddressing(desireLoadBalancer(object, identity), loadBalancer);
  const own = (standing?.listeners ?? []).filter(({ tags }) => identifyResource(tags, identity));
  const ports = [...listeners, ...own.map(({ listener }) => listener)].map(({ port }) => port);
  const frontend = { ...addressing, ports, inbound, previousGroups: [] };
  const place = { identity, userTags: spec.tags ?? {}, vpcId: loadBalancer.vpcId };
  const desired = {
    securityGroup: desireSecurityGroup(frontend, place),
    attachment: undefined,
  };
  const nothing = { loadBalancer: undefined, targetGroups: [], listeners: [] };
  const context = { identity, appliedTags: status.applied?.tags ?? [] };
  const plan = planSecurityGroup(desired, { ...nothing, securityGroups }, context);
  return [...plan.before, ...plan.tags, ...plan.removals].length > 0;
}
