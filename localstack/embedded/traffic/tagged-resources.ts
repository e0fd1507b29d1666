import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { arnPrefix, balancerWithArn } from '../load-balancers/balancer-arns.ts';
import type { RecordStore, RecordView, TrafficRecord } from './record-store.ts';
import { listenerWithArn, ruleWithArn, targetGroupWithArn } from './traffic-arns.ts';

export interface TaggedResource {
  readonly arn: string;
  readonly tags: ReadonlyMap<string, string>;
}

type Finder = (world: ReadableWorld, arn: string) => TaggedResource;

/** By the kind in the ARN. Trust stores are well formed, and never exist here. */
const FINDERS: Readonly<Record<string, Finder>> = {
  targetgroup: targetGroupWithArn,
  listener: listenerWithArn,
  'listener-rule': ruleWithArn,
  loadbalancer: balancerWithArn,
  truststore: (_, arn) => {
    throw new AwsFault('TrustStoreNotFound', `The resource '${arn}' does not exist`);
  },
};

/** The resource behind an ARN given to a tagging operation. Throws the NotFound of its kind. */
export function taggedResource(world: ReadableWorld, arn: string): TaggedResource {
  const prefix = arnPrefix(world);
  const [kind = ''] = arn.slice(prefix.length).split('/');
  const find = Object.hasOwn(FINDERS, kind) ? FINDERS[kind] : undefined;
  if (!arn.startsWith(prefix) || find === undefined) {
    throw validationError(`'${arn}' is not a valid ARN`);
  }
  return find(world, arn);
}

/** The tags of the resource with this ARN; none if there is no such resource. */
export function tagsOf(world: ReadableWorld, arn: string): ReadonlyMap<string, string> {
  const { targetGroups, listeners, rules } = world.traffic;
  const stores: readonly Pick<RecordView<TrafficRecord>, 'byArn'>[] = [
    ...[targetGroups, listeners, rules],
  ];
  const found =
    world.balancers.byArn(arn) ??
    stores.map((store) => store.byArn(arn)).find((record) => record !== undefined);
  return found?.tags ?? new Map();
}

export function setTags(world: AwsWorld, arn: string, tags: TaggedResource['tags']): void {
  const nowMs = world.clock.now();
  const balancer = world.balancers.byArn(arn);
  if (balancer !== undefined) world.balancers.put({ ...balancer, tags }, nowMs);
  const { targetGroups, listeners, rules } = world.traffic;
  retag(targetGroups, { arn, tags }, nowMs);
  retag(listeners, { arn, tags }, nowMs);
  retag(rules, { arn, tags }, nowMs);
}

function retag<Kept extends TrafficRecord>(
  store: RecordStore<Kept>,
  { arn, tags }: TaggedResource,
  nowMs: number,
): void {
  const record = store.byArn(arn);
  if (record !== undefined) store.put({ ...record, tags }, nowMs);
}
