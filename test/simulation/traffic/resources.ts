import { isDeepStrictEqual } from 'node:util';
import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { SecurityGroup } from '../../../localstack/embedded/ec2/network.ts';
import type { Listener } from '../../../localstack/embedded/listeners/listener.ts';
import type { Rule } from '../../../localstack/embedded/rules/rule.ts';
import type { TargetGroup } from '../../../localstack/embedded/target-groups/target-group.ts';
import { ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';

export type TagMap = ReadonlyMap<string, string>;

/** One resource next to the load balancers; `key` is its ARN or the id of a security group. */
export type Resource = { readonly key: string; readonly tags: TagMap } & (
  | { readonly kind: 'targetGroup'; readonly record: TargetGroup }
  /** With its default rule, which has no identity of its own. */
  | { readonly kind: 'listener'; readonly record: Listener; readonly defaultRule: Rule | undefined }
  | { readonly kind: 'rule'; readonly record: Rule }
  | { readonly kind: 'securityGroup'; readonly record: SecurityGroup }
);

/** The account's resources at one moment; records are never changed in place. */
export type Picture = ReadonlyMap<string, Resource>;

export interface Change {
  readonly before: Resource | undefined;
  readonly after: Resource | undefined;
}

export function takePicture({ traffic, network }: AwsWorld): Picture {
  const picture = new Map<string, Resource>();
  const defaults = new Map<string, Rule>();
  for (const record of traffic.targetGroups.all()) {
    picture.set(record.arn, { kind: 'targetGroup', key: record.arn, tags: record.tags, record });
  }
  for (const record of traffic.rules.all()) {
    if (record.priority === 'default') defaults.set(record.listenerArn, record);
    else picture.set(record.arn, { kind: 'rule', key: record.arn, tags: record.tags, record });
  }
  for (const record of traffic.listeners.all()) {
    const { arn: key, tags } = record;
    picture.set(key, { kind: 'listener', key, tags, record, defaultRule: defaults.get(key) });
  }
  for (const record of network.securityGroups.values()) {
    picture.set(record.id, { kind: 'securityGroup', key: record.id, tags: record.tags, record });
  }
  return picture;
}

export function diffPictures(before: Picture, after: Picture): readonly Change[] {
  const changed = [...after.values()].flatMap((one): Change[] => {
    const was = before.get(one.key);
    return was !== undefined && isSame(was, one) ? [] : [{ before: was, after: one }];
  });
  const gone = [...before.values()].filter(({ key }) => !after.has(key));
  return [...changed, ...gone.map((one): Change => ({ before: one, after: undefined }))];
}

/** What health checks find is no change of a group. */
function isSame(a: Resource, b: Resource): boolean {
  if (a.kind === 'listener' && b.kind === 'listener') {
    return a.record === b.record && a.defaultRule === b.defaultRule;
  }
  if (a.record === b.record) return true;
  if (a.kind !== 'targetGroup' || b.kind !== 'targetGroup') return false;
  const { targets: _a, ...one } = a.record;
  const { targets: _b, ...other } = b.record;
  return isDeepStrictEqual(one, other) && isDeepStrictEqual(activeTargets(a), activeTargets(b));
}

type GroupResource = Extract<Resource, { readonly kind: 'targetGroup' }>;

/** As `address:port`, without those that drain. */
export function activeTargets({ record }: Pick<GroupResource, 'record'>): ReadonlySet<string> {
  const active = [...record.targets].filter(([, { drainsUntilMs }]) => drainsUntilMs === undefined);
  return new Set(active.map(([key]) => key));
}

/** Of a listener its default rule. */
export function ruleOf(resource: Change['after']): Rule | undefined {
  if (resource?.kind === 'rule') return resource.record;
  return resource?.kind === 'listener' ? resource.defaultRule : undefined;
}

/** `namespace/name` of the object that the tags prove to have made it; undefined: it is foreign. */
export function ownerByTags(tags: TagMap, cluster: string): string | undefined {
  const { cluster: clusterKey, namespace, name, uid } = ownershipTagKeys;
  if (tags.get(clusterKey) !== cluster) return undefined;
  if (!tags.has(uid) && !tags.has(resourceTagKey)) return undefined;
  if (!tags.has(namespace) || !tags.has(name)) return undefined;
  return `${tags.get(namespace)}/${tags.get(name)}`;
}

/** `rule/80/spec/api/0`. */
export function resourceIdOf({ tags }: Pick<Resource, 'tags'>): string {
  return tags.get(resourceTagKey) ?? '';
}

/** Of the id of a target group; '' for anything else. */
export function backendIn(resourceId: string): string {
  return /^target-group\/spec\/(.+)$/.exec(resourceId)?.[1] ?? '';
}
