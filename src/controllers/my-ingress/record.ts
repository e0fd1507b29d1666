import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { hasReason } from '../../core/reconcile/operator-error.ts';
import type { ObservedGraph, ObservedTargetGroup } from './graph/graph.ts';
import { nameSecurityGroup } from './graph/names.ts';
import { isOwn, isOwnTargetGroup } from './graph/tags.ts';
import type { Identity } from './identity.ts';
import type { ObjectMemory } from './memory.ts';
import { readRoutes } from './routes/read-routes.ts';
import type { ObjectScope } from './scope.ts';
import { hasTraffic, readRecordedArn } from './status.ts';
import { findAllowedGroups, findSecurityGroups } from './traffic/observation/observe.ts';
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
  const named = isDeepStrictEqual(owned, before) ? object : recordAs(object, owned);
  // A listener has no name on record.
  const hasListener = memory.foundGroups !== undefined && !hasTraffic(named);
  return hasListener ? recordAs(object, { ...owned, removals: true }) : named;
}

function recordAs(object: MyIngress, owned: NonNullable<MyIngress['status']['owned']>): MyIngress {
  return { ...object, status: { ...object.status, owned } };
}

/** The name of the managed group where it was found, or may be there with what was found. */
function nameFound(
  { spec }: MyIngress,
  { foundGroups, foundSecurityGroup }: ObjectMemory,
  identity: Identity,
): { readonly securityGroup?: string } {
  const mayBeThere = foundGroups !== undefined && spec?.securityGroups === undefined;
  const isThere = foundSecurityGroup ?? mayBeThere;
  return isThere ? { securityGroup: nameSecurityGroup(identity) } : {};
}

/** As if the security group of the object had been put on record before it was made. */
export function recordGroup(object: MyIngress, identity: Identity): MyIngress {
  return recordAs(object, { ...object.status?.owned, securityGroup: nameSecurityGroup(identity) });
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
  const own = targetGroups.filter((one) => isOwnTargetGroup(one, identity));
  const names = own.map(({ targetGroup: { name } }) => name);
  return [...foundGroups, ...(owned?.targetGroups ?? []), ...names];
}

/** Of the balancer of an object, which no record names. */
interface Unrecorded {
  readonly loadBalancer: LoadBalancer;
  /** Another object of this name has made it, perhaps with another spec. */
  readonly isOfOther: boolean;
}

/**
 * Puts on record what a balancer may serve that was there before. Its ARN goes on record together with that, for by
 * the next pass the balancer is known.
 */
export async function recoverRecord(
  scope: ObjectScope,
  { loadBalancer, isOfOther }: Unrecorded,
): Promise<void> {
  await Promise.all([
    isStoredWithTraffic(scope) ? undefined : findUsedGroups(scope, loadBalancer),
    isOfOther ? findManagedGroup(scope) : undefined,
  ]);
  reportFound(scope);
}

/** This process may know more, which never got there. */
function isStoredWithTraffic({ object, stored }: ObjectScope): boolean {
  return hasTraffic(recordAs(object, stored ?? {}));
}

/** False: it is stored. */
function reportFound(scope: ObjectScope): boolean {
  const { pass, stored = {} } = scope;
  const { owned = {} } = recall(scope).object.status ?? {};
  if (isDeepStrictEqual(owned, stored)) return false;
  pass.report({ owned });
  return true;
}

type Known = Pick<ObservedTargetGroup, 'targetGroup'>;

/** The target groups that the balancer uses; those of the object are remembered, whatever status records. */
async function findUsedGroups(
  scope: ObjectScope,
  { arn }: LoadBalancer,
): Promise<readonly ObservedTargetGroup[]> {
  const { identity, memory, pass } = scope;
  try {
    const used = await scope.traffic().targetGroups.listForBalancer(arn, pass.signal);
    const found = await tagEach(
      scope,
      used.map((targetGroup) => ({ targetGroup })),
    );
    const own = found.filter((one) => isOwnTargetGroup(one, identity));
    if (own.length > 0 || (await hasUnknownListener(scope, arn))) {
      memory.foundGroups = own.map(({ targetGroup: { name } }) => name);
    }
    return found;
  } catch (error) {
    // An operator of balancers alone need not be allowed to read target groups, and has made none.
    const isDenied = hasReason(error, 'AccessDenied');
    if (isStoredWithTraffic(scope) || !isDenied) throw error;
    return [];
  }
}

/** Remembers whether there is a security group of an object whose spec wants none, and whose status names none. */
async function findManagedGroup(scope: ObjectScope): Promise<void> {
  const { identity, memory, object, pass, stored } = scope;
  const isNamed = stored?.securityGroup !== undefined;
  if (isNamed || isManaged(scope, readRoutes(object.spec ?? {}))) return;
  const found = await findAllowedGroups(scope.traffic(), identity, pass.signal);
  memory.foundSecurityGroup = found.some(({ tags }) => isOwn(tags, identity));
  if (memory.foundSecurityGroup) memory.foundGroups ??= [];
}

/** One of ours that no record names: what has no backends may have a listener all the same. */
async function hasUnknownListener(scope: ObjectScope, arn: string): Promise<boolean> {
  if (isStoredWithTraffic(scope)) return false;
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
export async function recordFound(scope: ObjectScope): Promise<void> {
  if (scope.memory.foundGroups === undefined || !reportFound(scope)) return;
  await scope.pass.recordNow(undefined, ['owned']);
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
export function ownsSecurityGroup({ memory, object }: ObjectScope): boolean {
  const { owned } = object.status ?? {};
  if (owned?.securityGroup !== undefined) return true;
  return object.spec?.securityGroups === undefined && memory.foundSecurityGroup !== false;
}
