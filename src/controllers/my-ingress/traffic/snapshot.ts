import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import type {
  CachedGroup,
  LoadBalancer,
  TaggedTargetGroup,
} from '../../../aws/elbv2/load-balancers.ts';
import { isPaused, isPlanOnly } from '../../../core/objects/annotations.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import type { RecallGroup } from '../attaching/recall.ts';
import { hasUnapplied } from '../attaching/report.ts';
import type { DesiredTargetGroup } from '../graph/graph.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { desireTags, identifyTargetGroup, isOwnTargetGroup } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { chooseReadDepth } from '../load-balancer/read-depth.ts';
import type { ObjectMemory } from '../memory.ts';
import { readRoutes } from '../routes/read-routes.ts';
import { getBackendKey, listForwards, nameBackend } from '../routes/routes.ts';
import { type Pair, pairGroups } from '../target-groups/desired.ts';
import { updateTargetGroup } from '../target-groups/diff.ts';
import { findEqualNames } from '../target-groups/equal-names.ts';
import { readTargetKind } from '../target-groups/target-kind.ts';
import type { ServedGroup } from '../targets.ts';
import type { TrafficMemory } from './memory.ts';
import { findRecorded } from './owned.ts';

/** A snapshot's view of the target groups of one object; pure. */

type Find = (name: string) => CachedGroup;

/** Those of the spec, in its order, in the VPC on record; none before the balancer is on record. */
export function desireGroups(object: MyIngress, identity: Identity): readonly DesiredTargetGroup[] {
  return pairAll(object, identity).map(({ desired }) => desired);
}

interface Compared {
  readonly object: MyIngress;
  readonly identity: Identity;
  readonly memory: TrafficMemory | undefined;
}

/** True where the snapshot shows a difference; what it does not know is none. */
export function hasTrafficDrifted(
  compared: Compared,
  { securityGroups }: Pick<LoadBalancer, 'securityGroups'>,
  find: Find,
): boolean {
  const { attached = securityGroups } = compared.memory ?? {};
  const isAttached =
    attached.length === securityGroups.length &&
    attached.every((id) => securityGroups.includes(id));
  return !isAttached || isMisrecorded(compared, find) || hasGroupDrifted(compared, find);
}

/**
 * True where the snapshot shows a target group of the object otherwise than this process has left it. Tags of others
 * are theirs to change.
 */
export function hasStandingChanged({ object, identity, memory }: Compared, find: Find): boolean {
  const { targetGroups = [] } = memory?.standing?.graph ?? {};
  const own = targetGroups.filter((one) => isOwnTargetGroup(one, identity));
  const known = desireTags('target-group/', object.spec?.tags ?? {}, identity);
  return own.some(({ targetGroup, tags }) => {
    const cached = find(targetGroup.name);
    if (cached.kind !== 'observed') return cached.kind === 'absent';
    const { observed, isUseOld } = cached;
    const { loadBalancerArns } = isUseOld ? targetGroup : observed.targetGroup;
    const keys = Object.keys(tags).filter((key) => Object.hasOwn(known, key));
    const isRetagged = keys.some((key) => observed.tags[key] !== tags[key]);
    return (
      isRetagged || !isDeepStrictEqual({ ...observed.targetGroup, loadBalancerArns }, targetGroup)
    );
  });
}

/** True where status names other backends, target groups or listeners than the object's: it may be forged. */
function isMisrecorded({ object, identity, memory }: Compared, find: Find): boolean {
  const { backends = [] } = object.status;
  if (listsOtherListener(object.status, memory)) return true;
  const names = new Set(object.spec.backends?.map(({ name }) => name));
  if (backends.some(({ name }) => !names.has(name))) return true;
  return pairKept(object, identity, find).some(({ desired, backend }) => {
    const cached = find(desired.name);
    const recorded = backends.find(({ name }) => name === nameBackend(backend))?.targetGroupARN;
    if (cached.kind !== 'observed' || recorded === undefined) return false;
    return recorded !== cached.observed.targetGroup.arn;
  });
}

/**
 * The ARN of a listener is its balancer's with an id: before this process has read the listeners, that shows those of
 * other balancers. https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */
function listsOtherListener(
  { alb, listeners = [] }: MyIngress['status'],
  memory: TrafficMemory | undefined,
): boolean {
  const { standing } = memory ?? {};
  const own = new Set(standing?.graph.listeners.map(({ listener }) => listener.arn));
  const prefix = `${alb?.arn?.replace(':loadbalancer/', ':listener/')}/`;
  return listeners.some(({ arn }) => {
    if (arn === undefined) return false;
    return standing === undefined ? !arn.startsWith(prefix) : !own.has(arn);
  });
}

/**
 * True where status shows other counts of targets than this process has last reported: the next pass
 * corrects them without asking AWS.
 */
export function hasForgedCounts(
  { status }: Pick<MyIngress, 'status'>,
  { counts }: Pick<ObjectMemory, 'counts'>,
): boolean {
  const { targets, backends } = status;
  return counts !== undefined && !isDeepStrictEqual(omitUndefined({ targets, backends }), counts);
}

/**
 * True where a group is missing or not as desired, or the balancer does not use one that an action names:
 * then a listener or a rule is gone.
 */
function hasGroupDrifted({ object, identity }: Compared, find: Find): boolean {
  const groups = pairKept(object, identity, find);
  if (groups.length === 0) return false;
  const used = new Set(listForwards(readRoutes(object.spec)).map(({ backend }) => backend));
  const arn = object.status.alb?.arn ?? '';
  const appliedTags = object.status.applied?.tags ?? [];
  return groups.some(({ desired, backend }) => {
    const cached = find(desired.name);
    if (cached.kind !== 'observed') return cached.kind === 'absent';
    const { targetGroup, tags } = cached.observed;
    const isKnown = used.has(getBackendKey(backend)) && !cached.isUseOld;
    const isUnused = isKnown && !targetGroup.loadBalancerArns.includes(arn);
    return isUnused || updateTargetGroup(desired, { targetGroup, tags }, appliedTags).length > 0;
  });
}

/**
 * The groups of the object that the snapshot proves its own: those of the spec, and those that are still in use. By the
 * Service on record, where the spec's is not in force: its port may be a successor's, or no pass executes it.
 */
export function listServed(
  object: MyIngress,
  identity: Identity,
  { find, recallGroup }: { readonly find: Find; readonly recallGroup: RecallGroup },
): readonly ServedGroup[] {
  const pairs = pairKept(object, identity, find);
  const goesByRecord = isPaused(object) || isPlanOnly(object);
  const desired = new Set(pairs.map((pair) => pair.desired.name));
  const others = (object.status?.owned?.targetGroups ?? []).filter((name) => !desired.has(name));
  const resting = listResting(object, pairs);
  const findFilled = (name: string, backend: Pair['backend'] | undefined): Filled | undefined => {
    const now = backend && { backend: nameBackend(backend), service: backend.service };
    const isInForce = desired.has(name) && !goesByRecord;
    return isInForce ? now : (findRecorded(object, name) ?? now);
  };
  const served = (name: string): readonly ServedGroup[] => {
    const proved = findProved(name, find, identity);
    if (proved === undefined) return [];
    const { id, targetGroup } = proved;
    const backend = pairs.find(({ desired: of }) => of.name === name || of.id === id)?.backend;
    const isReplaced = !desired.has(name);
    const isIdle = targetGroup.loadBalancerArns.length === 0;
    const of = findFilled(name, backend) ?? recallGroup(id);
    if (of === undefined || (isReplaced && isIdle)) return [];
    const { arn, healthCheck } = targetGroup;
    const shared = { ...of, arn, healthCheck, ...readTargetKind(targetGroup) };
    const marks = {
      ...(isReplaced && { isReplaced }),
      ...(isIdle ? { isUnused: true } : { isReached: !resting.has(id) }),
    };
    return [{ ...shared, isNew: false, ...marks }];
  };
  return [...desired, ...others].flatMap(served);
}

/**
 * Ids of the groups of backends that get no requests by the actions that name them, as a canary at rest. A snapshot has
 * no weights: the spec is believed where status shows that it is applied; elsewhere a pass reads the weights soon.
 */
function listResting(object: MyIngress, pairs: readonly Pair[]): ReadonlySet<ResourceId> {
  const hasRemovals = object.status?.owned?.removals === true;
  const isApplied = chooseReadDepth(object) === 'snapshot' && !hasUnapplied(object) && !hasRemovals;
  if (object.spec === undefined || !isApplied) return new Set();
  const forwards = listForwards(readRoutes(object.spec));
  const resting = pairs.filter(({ backend }) => {
    const weights = forwards.filter((one) => one.backend === getBackendKey(backend));
    return weights.length > 0 && weights.every(({ weight }) => weight === 0);
  });
  return new Set(resting.map(({ desired }) => desired.id));
}

interface Proved {
  readonly id: ResourceId;
  /** With the balancers that use it. */
  readonly targetGroup: TaggedTargetGroup['targetGroup'];
}

/** undefined: it is not the object's, or the snapshot is too old to show what uses it. */
function findProved(name: string, find: Find, identity: Identity): Proved | undefined {
  const cached = find(name);
  if (cached.kind !== 'observed' || cached.isUseOld) return undefined;
  const id = identifyTargetGroup(cached.observed, identity);
  return id === undefined ? undefined : { id, targetGroup: cached.observed.targetGroup };
}

type Filled = Pick<ServedGroup, 'backend' | 'service'>;

/** Without those that wait for a name. */
function pairKept(object: MyIngress, identity: Identity, find: Find): readonly Pair[] {
  const pairs = pairAll(object, identity);
  const late = findEqualNames(pairs, {
    ...{ object, identity },
    find: (name) => {
      const cached = find(name);
      return cached.kind === 'observed' ? cached.observed : undefined;
    },
  });
  return pairs.filter((pair) => !late.has(pair));
}

function pairAll(object: MyIngress, identity: Identity): readonly Pair[] {
  const vpcId = object.status?.alb?.vpcId;
  if (vpcId === undefined || object.spec === undefined) return [];
  const place = { identity, userTags: object.spec.tags ?? {}, vpcId };
  return pairGroups(readRoutes(object.spec).backends, place);
}
