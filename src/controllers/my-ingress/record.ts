import type { MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import type { ObservedGraph, ObservedTargetGroup } from './graph/graph.ts';
import { nameSecurityGroup } from './graph/names.ts';
import { identifyResource, isOwn } from './graph/tags.ts';
import type { Identity } from './identity.ts';
import type { ObjectMemory } from './memory.ts';
import type { ObjectScope } from './scope.ts';
import { readRecordedArn } from './status.ts';
import { hasTraffic } from './traffic/concern.ts';
import { findSecurityGroups } from './traffic/observe.ts';

/**
 * Status may be lost or forged: the target groups that this process knows as the object's are on record, too, and
 * the name of a security group that may be there with them.
 */
export function completeRecord(
  object: MyIngress,
  memory: ObjectMemory,
  identity: Identity,
): MyIngress {
  const before = object.status?.owned ?? {};
  const recorded = before.targetGroups ?? [];
  const known = listKnown(memory, identity);
  if (known.every((name) => recorded.includes(name))) return object;
  const { securityGroup = nameSecurityGroup(identity) } = before;
  const isGiven = object.spec?.securityGroups !== undefined;
  const targetGroups = [...new Set([...recorded, ...known])].toSorted();
  const owned = { ...before, ...(!isGiven && { securityGroup }), targetGroups };
  return { ...object, status: { ...object.status, owned } };
}

/** Names of the object's target groups that a read has shown, or that this process has left behind. */
export function listKnown(
  { foundGroups = [], traffic }: ObjectMemory,
  identity: Identity,
): readonly string[] {
  const { targetGroups = [] } = traffic?.standing?.graph ?? {};
  const own = targetGroups.filter(({ tags }) => identifyResource(tags, identity) !== undefined);
  return [...foundGroups, ...own.map(({ targetGroup: { name } }) => name)];
}

type Known = Pick<ObservedTargetGroup, 'targetGroup'>;

/** The target groups that the balancer uses; those of the object are remembered, whatever status records. */
export async function findUsedGroups(
  scope: ObjectScope,
  { arn }: LoadBalancer,
): Promise<readonly ObservedTargetGroup[]> {
  const { identity, memory, object, pass } = scope;
  try {
    const used = await scope.traffic().targetGroups.ofBalancer(arn, pass.signal);
    const found = await tagEach(
      scope,
      used.map((targetGroup) => ({ targetGroup })),
    );
    const own = found.filter(({ tags }) => isOwn(tags, identity));
    if (own.length > 0) memory.foundGroups = own.map(({ targetGroup: { name } }) => name);
    return found;
  } catch (error) {
    // An operator of balancers alone need not be allowed to read target groups, and has made none.
    const isDenied = error instanceof OperatorError && error.reason === 'AccessDenied';
    if (hasTraffic(object) || !isDenied) throw error;
    return [];
  }
}

/** With their tags as they are now; what is gone is left out. */
async function tagEach(
  scope: ObjectScope,
  groups: readonly Known[],
): Promise<readonly ObservedTargetGroup[]> {
  const { tags } = scope.traffic();
  const read = groups.map(async ({ targetGroup }) => {
    const own = await tags.read(targetGroup.arn, scope.pass.signal);
    return own === undefined ? [] : [{ targetGroup, tags: own }];
  });
  return (await Promise.all(read)).flat();
}

/** What stands beside a balancer that is about to be deleted, with its tags. */
export interface Held extends Pick<ObservedGraph, 'targetGroups'> {
  readonly readMs: number;
  /** undefined: not read. */
  readonly securityGroups?: ObservedGraph['securityGroups'] | undefined;
}

/**
 * Reads whose what this process has left behind is, so that it goes with the read of the balancer's tags;
 * undefined: that is not known.
 */
export function beginTearDown(scope: ObjectScope): Promise<Held> | undefined {
  const { standing } = scope.memory.traffic ?? {};
  if (standing === undefined || scope.memory.facts.release !== undefined) return undefined;
  const held = readHeld(scope, tagEach(scope, standing.graph.targetGroups));
  // Who never comes to need it has failed before.
  held.catch(() => undefined);
  return held;
}

/**
 * Reads what a balancer that is ours uses, before it is gone: status need not know of all of it. Of an object without
 * traffic nothing, unless its status was lost, too.
 */
export async function observeHeld(
  scope: ObjectScope,
  loadBalancer: LoadBalancer,
): Promise<Held | undefined> {
  const isOnRecord = readRecordedArn(scope.object) !== undefined;
  if (isOnRecord && !mayHaveTraffic(scope)) return undefined;
  return readHeld(scope, findUsedGroups(scope, loadBalancer));
}

async function readHeld(
  scope: ObjectScope,
  groups: Promise<readonly ObservedTargetGroup[]>,
): Promise<Held> {
  const { clock, identity, pass } = scope;
  const readMs = clock.monotonicMs();
  const owns = hasTraffic(scope.object) && ownsSecurityGroup(scope);
  const [targetGroups, securityGroups] = await Promise.all([
    groups,
    owns ? findSecurityGroups(scope.traffic(), identity, pass.signal) : undefined,
  ]);
  return { readMs, targetGroups, securityGroups };
}

/** Status alone proves nothing: this process may know better. */
export function mayHaveTraffic({ memory, object }: ObjectScope): boolean {
  return hasTraffic(object) || memory.traffic !== undefined || memory.foundGroups !== undefined;
}

/** An object with groups of its own may run without any right on EC2. */
export function ownsSecurityGroup({ object }: ObjectScope): boolean {
  const { owned } = object.status ?? {};
  return owned?.securityGroup !== undefined || object.spec?.securityGroups === undefined;
}
