import type { LoadBalancer } from '../../../localstack/embedded/load-balancers/balancer-store.ts';
import { type MyIngress, ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import {
  nameSecurityGroup,
  nameTargetGroup,
} from '../../../src/controllers/my-ingress/graph/names.ts';
import type { Claims } from './claims.ts';
import { desiresResource, hasManagedGroup } from './desires.ts';
import {
  activeTargets,
  ownerByTags,
  type Picture,
  type Resource,
  resourceIdOf,
} from './resources.ts';
import { listListeners } from './spec-answers.ts';
import { receiversOf } from './target-invariants.ts';

export interface ExcuseParts {
  readonly balancers: readonly LoadBalancer[];
  readonly picture: Picture;
  readonly claims: Claims;
  readonly cluster: string;
}

/** Whether it is true that this keeps the object from being what its spec says. */
export function isExcused(parts: ExcuseParts, object: MyIngress, reason: string): boolean {
  const { picture, claims } = parts;
  const { namespace, name } = object.metadata;
  const owner = `${namespace}/${name}`;
  const foreign = [...picture.values()].filter((one) => claims.ownerOf(one) !== owner);
  switch (reason) {
    case 'PortConflict':
      return foreign.some((one) => holdsPort(one, object));
    case 'DeletionBlocked':
      return parts.balancers.some((one) => isReleasedUser(one, object, parts));
    case 'ResourceInUse':
      return foreign.some((one) => isOnObsoleteListener(one, object, parts));
    // What needs a group that is somebody's comes first in the message.
    case 'BackendUnavailable':
    case 'NameConflict': {
      const names = listNames(object, parts.cluster);
      return foreign.some((one) => names.includes(nameOf(one)));
    }
    default:
      return false;
  }
}

/** A target group without targets is to take the place of one that has some and gets requests. */
export function hasEmptySuccessor(
  { picture, claims }: Pick<ExcuseParts, 'picture' | 'claims'>,
  { metadata, spec }: MyIngress,
): boolean {
  const all = [...picture.values()];
  const reached = new Set(all.flatMap(receiversOf));
  const groups = all
    .filter((one) => one.kind === 'targetGroup')
    .filter((one) => claims.ownerOf(one) === `${metadata.namespace}/${metadata.name}`);
  const serving = groups
    .filter((one) => !desiresResource(spec, one) && reached.has(one.key))
    .filter((one) => activeTargets(one).size > 0)
    .map(resourceIdOf);
  return groups.some(
    (one) =>
      desiresResource(spec, one) &&
      activeTargets(one).size === 0 &&
      serving.includes(resourceIdOf(one)),
  );
}

/** Ports of the spec that a listener of somebody else has. */
export function listTakenPorts(
  { picture, claims }: Pick<ExcuseParts, 'picture' | 'claims'>,
  object: MyIngress,
): readonly number[] {
  const owner = `${object.metadata.namespace}/${object.metadata.name}`;
  return [...picture.values()].flatMap((one) => {
    const isTheirs = one.kind === 'listener' && claims.ownerOf(one) !== owner;
    return isTheirs && holdsPort(one, object) ? [one.record.port] : [];
  });
}

function holdsPort({ kind, record }: Resource, { spec, status }: MyIngress): boolean {
  const ports = new Set(listListeners(spec).map(({ port }) => port));
  return kind === 'listener' && record.balancerArn === status.alb?.arn && ports.has(record.port);
}

/**
 * A balancer that is not the object's has a security group of it attached, or sends requests to its target groups.
 * Without a tag for the UID it is the object's only if it is on record there.
 */
function isReleasedUser(
  { arn, tags, securityGroups }: LoadBalancer,
  { metadata, status }: MyIngress,
  { picture, claims, cluster }: ExcuseParts,
): boolean {
  const owner = `${metadata.namespace}/${metadata.name}`;
  const isProved = tags.has(ownershipTagKeys.uid) || status.alb?.arn === arn;
  if (isProved && ownerByTags(tags, cluster) === owner) return false;
  const own = [...picture.values()].filter((one) => claims.ownerOf(one) === owner);
  return own.some(({ kind, key, record }) => {
    if (kind === 'listener' || kind === 'rule') return record.balancerArn === arn;
    return securityGroups.includes(key);
  });
}

/** A listener that has left the spec takes the rules of others with it, so it stays. */
function isOnObsoleteListener(
  { kind, record }: Resource,
  { metadata, spec }: MyIngress,
  { picture, claims }: ExcuseParts,
): boolean {
  const listener = kind === 'rule' ? picture.get(record.listenerArn) : undefined;
  if (listener?.kind !== 'listener') return false;
  const isOurs = claims.ownerOf(listener) === `${metadata.namespace}/${metadata.name}`;
  return isOurs && listListeners(spec).every(({ port }) => port !== listener.record.port);
}

/** Names that the object needs in AWS, the balancer's aside. */
function listNames({ metadata, spec }: MyIngress, cluster: string): readonly string[] {
  const owner = { cluster, namespace: metadata.namespace, name: metadata.name };
  const groups = (spec.backends ?? []).map((backend) => {
    const { name, protocol = 'HTTP', protocolVersion = 'HTTP1', targetType = 'ip' } = backend;
    const { ipAddressType = 'ipv4' } = backend;
    const fixed = { protocol, protocolVersion, targetType, ipAddressType, vpcId: 'vpc-main' };
    return nameTargetGroup(owner, { source: 'spec', name }, fixed);
  });
  return [...groups, ...(hasManagedGroup(spec) ? [nameSecurityGroup(owner)] : [])];
}

function nameOf({ kind, record }: Resource): string {
  return kind === 'targetGroup' || kind === 'securityGroup' ? record.name : '';
}
