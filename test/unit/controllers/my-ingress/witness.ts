import type { WorldSnapshot } from '../../../../localstack/embedded/world-snapshot.ts';
import {
  loadBalancerFinalizer,
  type MyIngress,
  ownershipTagKeys,
} from '../../../../src/apis/my-ingress.ts';
import type { AwsOperation } from '../../../../src/aws/client/aws-api.ts';
import { hasNoStatus } from '../../../fakes/has-no-status.ts';

type Balancer = WorldSnapshot['loadBalancers'][number];
type Tags = Readonly<Record<string, string>>;

export interface Scene {
  readonly cluster: string;
  readonly balancers: readonly Balancer[];
  readonly beside: readonly Resource[];
  object(namespace: string, name: string): MyIngress | undefined;
}

/** What stands beside a balancer, by its ARN or id. */
export interface Resource {
  readonly id: string;
  readonly tags: Tags;
}

/** Everything beside the balancers: target groups, listeners, rules, security groups. */
export function listBeside(snapshot: WorldSnapshot): readonly Resource[] {
  const groups = snapshot.securityGroups as readonly {
    readonly id: string;
    readonly tags: Tags;
  }[];
  return [
    ...snapshot.targetGroups.map(({ arn, tags }) => ({ id: arn, tags })),
    ...snapshot.listeners.flatMap(({ arn, tags, rules }) => [
      { id: arn, tags },
      ...rules.map((rule) => ({ id: rule.arn, tags: rule.tags })),
    ]),
    ...groups.map(({ id, tags }) => ({ id, tags })),
  ];
}

interface WriteInput {
  readonly LoadBalancerArn?: string;
  readonly TargetGroupArn?: string;
  readonly ListenerArn?: string;
  readonly RuleArn?: string;
  readonly GroupId?: string;
  readonly RulePriorities?: readonly { readonly RuleArn: string }[];
  readonly Resources?: readonly string[];
  readonly TagSpecifications?: readonly [
    { readonly Tags: readonly { readonly Key: string; readonly Value: string }[] },
  ];
  readonly ResourceArns?: readonly string[];
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly Attributes?: readonly { readonly Key: string; readonly Value: string }[];
}

/**
 * What a write to AWS breaks of the rules that hold for each of them, whatever the test is about;
 * called as the write arrives. Empty: nothing.
 */
export function faultsOf(
  operation: AwsOperation,
  input: object,
  observe: () => Scene,
): readonly string[] {
  if (operation.startsWith('Describe')) return [];
  const write = input as WriteInput;
  const scene = observe();
  if (CREATES.has(operation)) return faultsOfCreate(operation, write, scene);
  const beside = listTargets(write).flatMap((id) => faultsBeside(operation, id, scene));
  if (beside.length > 0) return beside;
  const arn = write.LoadBalancerArn ?? write.ResourceArns?.[0] ?? '';
  const balancer = scene.balancers.find((candidate) => candidate.arn === arn);
  if (balancer === undefined) return [];
  const object = describeHolder(balancer, scene);
  if (object === undefined) return [`${operation} to ${balancer.name}, which is not ours`];
  return [
    ...faultsOfFinalizer(operation, object),
    ...faultsOfRecord(operation, write, { balancer, object }),
  ];
}

const CREATES: ReadonlySet<string> = new Set([
  ...['CreateLoadBalancer', 'CreateTargetGroup', 'CreateListener', 'CreateRule'],
  'CreateSecurityGroup',
]);

function faultsOfCreate(operation: string, write: WriteInput, scene: Scene): readonly string[] {
  const pairs = write.Tags ?? write.TagSpecifications?.[0].Tags ?? [];
  const tags = Object.fromEntries(pairs.map(({ Key, Value }) => [Key, Value]));
  const object = ownerOf(tags, scene);
  if (object === undefined) return [`${operation} without the ownership tags of an object`];
  return [...faultsOfFinalizer(operation, object), ...faultsOfName(operation, write, object)];
}

/**
 * Write-ahead: what outlives the balancer is on record by its name before it is made, but for the security group of a first
 * pass, whose finalizer is that record.
 */
function faultsOfName(
  operation: string,
  { Name, GroupName = '' }: WriteInput & { readonly Name?: string; readonly GroupName?: string },
  object: MyIngress,
): readonly string[] {
  const name = Name ?? GroupName;
  if (isOnRecord(operation, name, object)) return [];
  return [`${operation} ${name} before its name was on record`];
}

function isOnRecord(operation: string, name: string, { status }: MyIngress): boolean {
  switch (operation) {
    case 'CreateTargetGroup':
      return status?.owned?.targetGroups?.includes(name) ?? false;
    case 'CreateSecurityGroup':
      return status?.owned?.securityGroup === name || hasNoStatus(status);
    default:
      return true;
  }
}

function listTargets(write: WriteInput): readonly string[] {
  const { TargetGroupArn, ListenerArn, RuleArn, GroupId, RulePriorities = [] } = write;
  const ids = [TargetGroupArn, ListenerArn, RuleArn, GroupId].filter((id) => id !== undefined);
  const rules = RulePriorities.map((one) => one.RuleArn);
  return [...ids, ...rules, ...(write.Resources ?? []), ...(write.ResourceArns ?? [])];
}

function faultsBeside(operation: string, id: string, scene: Scene): readonly string[] {
  const resource = scene.beside.find((one) => one.id === id);
  if (resource === undefined) return [];
  // A listener is taken over by its tags, and nothing else is done to it before.
  const isClaim = operation === 'AddTags' && id.includes(':listener/');
  const object = isClaim ? describeHolder(resource, scene) : ownerOf(resource.tags, scene);
  if (object === undefined) return [`${operation} to ${id}, which is not ours`];
  return faultsOfFinalizer(operation, object);
}

/** The object whose tags the balancer or listener carries, or the one that its owner lets adopt it. */
function describeHolder({ tags }: Pick<Resource, 'tags'>, scene: Scene): MyIngress | undefined {
  const owner = ownerOf(tags, scene);
  if (owner !== undefined) return owner;
  const hasOwner =
    tags[ownershipTagKeys.namespace] !== undefined || tags[ownershipTagKeys.name] !== undefined;
  if (tags[ownershipTagKeys.cluster] !== scene.cluster || hasOwner) return undefined;
  const [namespace = '', name = ''] = (tags[ownershipTagKeys.adopt] ?? '').split('/');
  return scene.object(namespace, name);
}

function ownerOf(tags: Tags, scene: Scene): MyIngress | undefined {
  if (tags[ownershipTagKeys.cluster] !== scene.cluster) return undefined;
  const { [ownershipTagKeys.namespace]: namespace, [ownershipTagKeys.name]: name } = tags;
  return scene.object(namespace ?? '', name ?? '');
}

function faultsOfFinalizer(operation: string, { metadata }: MyIngress): readonly string[] {
  if (metadata.finalizers?.includes(loadBalancerFinalizer)) return [];
  return [`${operation} before the finalizer of ${metadata.name} was stored`];
}

/** Write-ahead: whatever has to be undone one day is on record before it is done. */
function faultsOfRecord(
  operation: string,
  write: WriteInput,
  { balancer, object }: { readonly balancer: Balancer; readonly object: MyIngress },
): readonly string[] {
  if (object.metadata.deletionTimestamp !== undefined) return [];
  const { alb, applied } = object.status ?? {};
  const added = (write.Tags ?? [])
    .map(({ Key }) => Key)
    .filter((key) => key in (object.spec.tags ?? {}) && !(key in balancer.tags))
    .filter((key) => !applied?.tags?.includes(key));
  const set = (write.Attributes ?? [])
    .map(({ Key }) => Key)
    .filter((key) => key in balancer.attributes && !Object.hasOwn(applied?.attributes ?? {}, key));
  // One that an object of this name has adopted before is found by its tags.
  const isTaken = object.spec.adopt && balancer.tags['albridge.io/uid'] === undefined;
  const isForgotten = operation === 'AddTags' && isTaken && alb?.arn !== balancer.arn;
  return [
    ...added.map((key) => `AddTags ${key} to ${balancer.name} before it was on record`),
    ...set.map((key) => `attribute ${key} of ${balancer.name} set before it was on record`),
    ...(isForgotten ? [`AddTags to ${balancer.name} before its ARN was on record`] : []),
  ];
}
