import type { ObservedGraph, ObservedTargetGroup } from '../graph/graph.ts';
import { type ResourceId, targetGroupId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import type { Scope } from '../scope.ts';
import type { ServedGroup } from '../targets.ts';
import type { Progress } from './carry-out.ts';
import type { Planned } from './planned.ts';

/**
 * Publishes the groups that are there and proved ours, by the tags that were read or by those of their
 * create call: those of the spec, and those to which an action still sends requests.
 */
export function publishGroups(scope: Scope, planned: Planned, progress: Progress): void {
  const desired = listDesired(scope, planned, progress);
  const known = new Set(desired.map(({ arn }) => arn));
  const { memory, pass, targets } = scope;
  const replaced = listReplaced(scope, planned, progress).filter(({ arn }) => !known.has(arn));
  const served = [...desired, ...replaced];
  if (memory.traffic !== undefined) memory.traffic = { ...memory.traffic, served };
  targets.publish(pass.key, served);
}

function listDesired(
  { identity }: Scope,
  { observed, desired, routes }: Planned,
  { references, done, failed }: Progress,
): readonly ServedGroup[] {
  const proved = new Set([
    ...listOwn(observed, identity).map(({ targetGroup: { name } }) => name),
    ...listCreated(done.filter((step) => !failed.includes(step))),
  ]);
  const created = new Set(listCreated(done));
  return routes.backends.flatMap((backend, index): readonly ServedGroup[] => {
    const { id = '', name = '' } = desired.targetGroups[index] ?? {};
    const known = proved.has(name) ? references.targetGroups.get(name) : undefined;
    const arn = known ?? findPredecessor(id, observed, identity);
    if (arn === undefined) return [];
    const { service, targetType } = backend;
    return [{ backend: backend.name, arn, service, targetType, isNew: created.has(name) }];
  });
}

/** While a group cannot be made, requests go on to the one that it is to replace. */
function findPredecessor(
  id: ResourceId,
  observed: ObservedGraph,
  identity: Identity,
): string | undefined {
  return listOwn(observed, identity).find(({ targetGroup: { loadBalancerArns }, tags }) => {
    return loadBalancerArns.length > 0 && identifyResource(tags, identity) === id;
  })?.targetGroup.arn;
}

/**
 * Groups that the spec has replaced or does not name any more, and that requests reach: an old rule stays for a
 * while, or AWS has refused its change. Of a backend that has left the spec the Service is remembered.
 */
function listReplaced(
  { identity, memory }: Scope,
  { observed, routes }: Planned,
  { standing }: Progress,
): readonly ServedGroup[] {
  const reached = new Set(listReached(standing ?? observed));
  return listOwn(observed, identity).flatMap(({ targetGroup: { arn }, tags }) => {
    const id = identifyResource(tags, identity);
    const backend = routes.backends.find((one) => targetGroupId(one) === id);
    const before = memory.traffic?.served?.find((one) => one.arn === arn);
    const now = backend === undefined ? before : { ...backend, backend: backend.name };
    if (!reached.has(arn) || now === undefined) return [];
    const { backend: name, service, targetType } = now;
    return [{ backend: name, arn, service, targetType, isNew: false, isReplaced: true }];
  });
}

/** ARNs of the groups that an action of the balancer gives a part of its requests. */
function listReached({ listeners }: ObservedGraph): readonly string[] {
  const actions = listeners.flatMap(({ listener, rules }) => [
    ...listener.defaultActions,
    // The default rule shows what its listener did before.
    ...rules.flatMap(({ rule }) => (rule.priority === 'default' ? [] : rule.actions)),
  ]);
  return actions.flatMap((action) => {
    if (action.kind !== 'forward') return [];
    return action.targetGroups.filter(({ weight }) => weight > 0).map(({ arn }) => arn);
  });
}

function listOwn(
  { targetGroups }: ObservedGraph,
  identity: Identity,
): readonly ObservedTargetGroup[] {
  return targetGroups.filter(({ tags }) => identifyResource(tags, identity) !== undefined);
}

function listCreated(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ operation, input }) =>
    operation === 'CreateTargetGroup' ? [input.name] : [],
  );
}
