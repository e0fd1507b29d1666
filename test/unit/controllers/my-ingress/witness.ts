import type { WorldSnapshot } from '../../../../localstack/embedded/world-snapshot.ts';
import {
  loadBalancerFinalizer,
  type MyIngress,
  ownershipTagKeys,
} from '../../../../src/apis/my-ingress.ts';
import type { AwsOperation } from '../../../../src/aws/client/aws-api.ts';

type Balancer = WorldSnapshot['loadBalancers'][number];
type Tags = Readonly<Record<string, string>>;

export interface Scene {
  readonly cluster: string;
  readonly balancers: readonly Balancer[];
  object(namespace: string, name: string): MyIngress | undefined;
}

interface WriteInput {
  readonly LoadBalancerArn?: string;
  readonly ResourceArns?: readonly string[];
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly Attributes?: readonly { readonly Key: string; readonly Value: string }[];
}

/**
 * What a write to AWS breaks of the rules that hold for each of them, whatever the test is about;
 * called as the write arrives. Empty: nothing.
 */
export function faultsOf(operation: AwsOperation, input: object, scene: Scene): readonly string[] {
  if (operation.startsWith('Describe')) return [];
  const write = input as WriteInput;
  if (operation === 'CreateLoadBalancer') return faultsOfCreate(write, scene);
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

function faultsOfCreate({ Tags: pairs = [] }: WriteInput, scene: Scene): readonly string[] {
  const tags = Object.fromEntries(pairs.map(({ Key, Value }) => [Key, Value]));
  const object = ownerOf(tags, scene);
  if (object === undefined) return ['CreateLoadBalancer without the ownership tags of an object'];
  return faultsOfFinalizer('CreateLoadBalancer', object);
}

/** The object whose tags the balancer carries, or the one that its owner lets adopt it. */
function describeHolder({ tags }: Balancer, scene: Scene): MyIngress | undefined {
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
  const isForgotten = operation === 'AddTags' && object.spec.adopt && alb?.arn !== balancer.arn;
  return [
    ...added.map((key) => `AddTags ${key} to ${balancer.name} before it was on record`),
    ...set.map((key) => `attribute ${key} of ${balancer.name} set before it was on record`),
    ...(isForgotten ? [`AddTags to ${balancer.name} before its ARN was on record`] : []),
  ];
}
