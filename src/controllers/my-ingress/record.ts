import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { hasReason } from '../../core/reconcile/operator-error.ts';
import type { ObservedGraph, ObservedTargetGroup } from './graph/graph.ts';
import { nameSecurityGroup } from './graph/names.ts';
import { identifyResource, isOwn } from './graph/tags.ts';
import type { Identity } from './identity.ts';
import type { ObjectMemory } from './memory.ts';
import { readRoutes } from './routes/read-routes.ts';
import type { ObjectScope } from './scope.ts';
import { hasTraffic, readRecordedArn } from './status.ts';
import { findSecurityGroups } from './traffic/observation/observe.ts';
import {
  MOST_OWNED,
  type OwnedNames,
  type RecordedService,
  sortServices,
} from './traffic/owned.ts';
import { isManaged } from './traffic/planned.ts';

/**
 * Status may be lost or forged: what this process has put on record is there, the target groups that it knows as the
 * object's, and the name of a security group that may be there with them.
 */
export function completeRecord(
  object: MyIngress,
  memory: ObjectMemory,
  identity: Identity,
): MyIngress {
  const before = object.status?.owned ?? {};
  const { owned: own = {} } = memory.traffic ?? {};
  const owned = {
    ...{ ...nameFound(object, memory, identity), ...own, ...before },
    ...unite('targetGroups', before.targetGroups, listKnown(memory, identity)),
    ...unite('listenerSettings', before.listenerSettings, own.listenerSettings),
    ...uniteServices(before.services, own.services),
  };
  if (isDeepStrictEqual(owned, before)) return object;
  return { ...object, status: { ...object.status, owned } };
}

/** For what was found beside the balancer: there may be more than target groups, which a pass over everything shows. */
function nameFound(
  { spec }: MyIngress,
  { foundGroups, foundSecurityGroup = false }: ObjectMemory,
  identity: Identity,
): { readonly removals?: true; readonly securityGroup?: string } {
  if (foundGroups === undefined) return {};
  const mayBeManaged = foundSecurityGroup || spec?.securityGroups === undefined;
  return { removals: true, ...(mayBeManaged && { securityGroup: nameSecurityGroup(identity) }) };
}

/** As if the security group of the object had been put on record before it was made. */
export function recordGroup(object: MyIngress, identity: Identity): MyIngress {
  const owned = { ...object.status?.owned, securityGroup: nameSecurityGroup(identity) };
  return { ...object, status: { ...object.status, owned } };
}

function unite<Field extends OwnedNames>(
  field: Field,
  before: readonly string[] = [],
  known: readonly string[] = [],
): { readonly [Name in Field]?: readonly string[] } {
  if (known.every((name) => before.includes(name))) return {};
  const all = [...new Set([...known, ...before])].slice(0, MOST_OWNED[field]).toSorted();
  return { [field]: all } as { [Name in Field]: string[] };
}

/** Of one target group this process knows better than the record. */
function uniteServices(
  before: readonly RecordedService[] = [],
  known: readonly RecordedService[] = [],
): { readonly services?: readonly RecordedService[] } {
  if (known.length === 0) return {};
  const names = new Set(known.map(({ targetGroup }) => targetGroup));
  const others = before.filter(({ targetGroup }) => !names.has(targetGroup));
  return { services: sortServices([...known, ...others]) };
}

/** Names of the object's target groups that a read has shown, or that this process has left behind. */
export function listKnown(
  { foundGroups = [], traffic }: ObjectMemory,
  identity: Identity,
): readonly string[] {
  const { standing, owned } = traffic ?? {};
  const { targetGroups = [] } = standing?.graph ?? {};
  const own = targetGroups.filter(({ tags }) => identifyResource(tags, identity) !== undefined);
  const names = own.map(({ targetGroup: { name } }) => name);
  return [...foundGroups, ...(owned?.targetGroups ?? []), ...names];
}

/**
 * Puts on record what a balancer may serve that was there before. Its ARN goes on record together with that, for by
 * the next pass the balancer is known.
 */
export async function recoverRecord(scope: ObjectScope, loadBalancer: LoadBalancer): Promise<void> {
  const { identity, memory, object, pass } = scope;
  const using = hasTraffic(object) ? undefined : findUsedGroups(scope, loadBalancer);
  await Promise.all([using, findManagedGroup(scope)]);
  const { status } = completeRecord(object, memory, identity);
  if (status !== object.status) pass.report({ owned: status?.owned });
}

type Known = Pick<ObservedTargetGroup, 'targetGroup'>;

/** The target groups that the balancer uses; those of the object are remembered, whatever status records. */
async function findUsedGroups(
  scope: ObjectScope,
  { arn }: LoadBalancer,
): Promise<readonly ObservedTargetGroup[]> {
  const { identity, memory, object, pass } = scope;
  try {
    const used = await scope.traffic().targetGroups.listForBalancer(arn, pass.signal);
    const found = await tagEach(
      scope,
      used.map((targetGroup) => ({ targetGroup })),
    );
    const own = found.filter(({ tags }) => isOwn(tags, identity));
    if (own.length > 0 || (await hasUnknownListener(scope, arn))) {
      memory.foundGroups = own.map(({ targetGroup: { name } }) => name);
    }
    return found;
  } catch (error) {
    // An operator of balancers alone need not be allowed to read target groups, and has made none.
    const isDenied = hasReason(error, 'AccessDenied');
    if (hasTraffic(object) || !isDenied) throw error;
    return [];
  }
}

/** Remembers the security group of an object whose spec wants none, and whose status names none. */
async function findManagedGroup(scope: ObjectScope): Promise<void> {
  const { identity, memory, object, pass } = scope;
  const isNamed = object.status?.owned?.securityGroup !== undefined;
  if (isNamed || isManaged(scope, readRoutes(object.spec ?? {}))) return;
  try {
    const found = await findSecurityGroups(scope.traffic(), identity, pass.signal);
    if (found.length === 0) return;
    memory.foundGroups ??= [];
    memory.foundSecurityGroup = true;
  } catch (error) {
    // As for target groups: an operator without a right on EC2 has made none.
    if (!hasReason(error, 'AccessDenied')) throw error;
  }
}

/** One of ours that no record names: what has no backends may have a listener all the same. */
async function hasUnknownListener(scope: ObjectScope, arn: string): Promise<boolean> {
  if (hasTraffic(scope.object)) return false;
  const { listeners, tags } = scope.traffic();
  const { identity, pass } = scope;
  const found = (await listeners.list(arn, pass.signal)) ?? [];
  const read = await Promise.all(found.map((one) => tags.read(one.arn, pass.signal)));
  return read.some((own) => own !== undefined && isOwn(own, identity));
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

/** Lists the resources beside a balancer that is about to be deleted, with its tags. */
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
  // A pass that never needs it has failed before.
  held.catch(() => undefined);
  return held;
}

/**
 * Reads what a balancer that is ours uses, before it is gone: status need not know of all of it. Of an object without
 * traffic nothing, where this process has read the balancer before and its ARN is on record.
 */
export async function observeHeld(
  scope: ObjectScope,
  loadBalancer: LoadBalancer,
): Promise<Held | undefined> {
  const { clock, memory, object } = scope;
  const isKnown = readRecordedArn(object) !== undefined && memory.facts.ownedArn !== undefined;
  if (isKnown && !mayHaveTraffic(scope)) return undefined;
  const readMs = clock.monotonicMs();
  const using = findUsedGroups(scope, loadBalancer);
  if (readRecordedArn(object) === undefined) await Promise.all([using, findManagedGroup(scope)]);
  return readHeld(recall(scope), using, readMs);
}

/** The scope with all on record that this process knows. */
export function recall<S extends ObjectScope>(scope: S): S {
  const { identity, memory, object } = scope;
  return { ...scope, object: completeRecord(object, memory, identity) };
}

/** Write-ahead: nothing shows what was found once the balancer is gone. */
export async function recordFound({ identity, memory, object, pass }: ObjectScope): Promise<void> {
  const { status } = completeRecord(object, memory, identity);
  if (status === object.status) return;
  pass.report({ owned: status?.owned });
  await pass.recordNow();
}

async function readHeld(
  scope: ObjectScope,
  groups: Promise<readonly ObservedTargetGroup[]>,
  readMs = scope.clock.monotonicMs(),
): Promise<Held> {
  const { identity, pass } = scope;
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
