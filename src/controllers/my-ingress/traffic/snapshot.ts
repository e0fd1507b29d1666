import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { CachedGroup, LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import type { DesiredTargetGroup } from '../graph/graph.ts';
import { identifyResource } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { readRoutes } from '../routes/read-routes.ts';
import { keyOfBackend, type RouteAction, type Routes } from '../routes/routes.ts';
import { desireTargetGroup } from '../target-groups/desired.ts';
import { updateTargetGroup } from '../target-groups/diff.ts';
import type { ServedGroup } from '../targets.ts';
import type { TrafficMemory } from './memory.ts';

/** What a snapshot of the account says about the target groups of one object; pure. */

type Find = (name: string) => CachedGroup;

/** Those of the spec, in its order, in the VPC on record; none before the balancer is on record. */
export function desireGroups(object: MyIngress, identity: Identity): readonly DesiredTargetGroup[] {
  return pairGroups(object, identity).map(({ desired }) => desired);
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
  return !isAttached || hasGroupDrifted(compared, find);
}

/**
 * True where a group is missing or not as desired, or the balancer does not use one that an action names:
 * then a listener or a rule is gone.
 */
function hasGroupDrifted({ object, identity }: Compared, find: Find): boolean {
  const groups = pairGroups(object, identity);
  if (groups.length === 0) return false;
  const used = listUsed(readRoutes(object.spec));
  const arn = object.status.alb?.arn ?? '';
  const appliedTags = object.status.applied?.tags ?? [];
  return groups.some(({ desired, backend }) => {
    const cached = find(desired.name);
    if (cached.kind !== 'observed') return cached.kind === 'absent';
    const { targetGroup, tags } = cached.observed;
    const isUnused = used.has(keyOfBackend(backend)) && !targetGroup.loadBalancerArns.includes(arn);
    return isUnused || updateTargetGroup(desired, { targetGroup, tags }, appliedTags).length > 0;
  });
}

/** The groups of the object that the snapshot proves its own: those of the spec, and those in use that they replace. */
export function listServed(
  object: MyIngress,
  identity: Identity,
  find: Find,
): readonly ServedGroup[] {
  const pairs = pairGroups(object, identity);
  const desired = new Set(pairs.map((pair) => pair.desired.name));
  const others = (object.status?.owned?.targetGroups ?? []).filter((name) => !desired.has(name));
  const served = (name: string): readonly ServedGroup[] => {
    const cached = find(name);
    if (cached.kind !== 'observed') return [];
    const { targetGroup, tags } = cached.observed;
    const id = identifyResource(tags, identity);
    const backend = pairs.find((pair) => pair.desired.id === id)?.backend;
    const isReplaced = !desired.has(name);
    if (backend === undefined || (isReplaced && targetGroup.loadBalancerArns.length === 0))
      return [];
    const { name: of, service, targetType } = backend;
    const { arn } = targetGroup;
    return [
      { backend: of, arn, service, targetType, isNew: false, ...(isReplaced && { isReplaced }) },
    ];
  };
  return [...desired, ...others].flatMap(served);
}

interface Pair {
  readonly desired: DesiredTargetGroup;
  readonly backend: Routes['backends'][number];
}

function pairGroups(object: MyIngress, identity: Identity): readonly Pair[] {
  const vpcId = object.status?.alb?.vpcId;
  if (vpcId === undefined || object.spec === undefined) return [];
  const place = { identity, userTags: object.spec.tags ?? {}, vpcId };
  return readRoutes(object.spec).backends.map((backend) => ({
    desired: desireTargetGroup(backend, place),
    backend,
  }));
}

/** Backends that an action of a listener or a rule names. */
function listUsed({ listeners, rules }: Routes): ReadonlySet<string> {
  const actions = [
    ...listeners.map(({ defaultAction }) => defaultAction),
    ...rules.filter((rule) => rule.listeners.length > 0).map(({ action }) => action),
  ];
  return new Set(actions.flatMap(listBackends));
}

function listBackends(action: RouteAction): readonly string[] {
  return action.kind === 'forward' ? action.to.map(({ backend }) => backend) : [];
}
