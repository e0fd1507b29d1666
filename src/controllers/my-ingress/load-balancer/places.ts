import type { MyIngress } from '../../../apis/my-ingress.ts';
import type {
  LoadBalancer,
  LoadBalancerRef,
  TaggedLoadBalancer,
} from '../../../aws/elbv2/load-balancers.ts';
import { hasReason, type OperatorError } from '../../../core/reconcile/operator-error.ts';
import { deriveDefaultName, type Identity, readOwnership } from '../identity.ts';
import { mayBeFresh, mayHideCreate } from '../memory.ts';
import type { ObjectScope } from '../scope.ts';
import { readRecordedArn } from '../status.ts';
import { desireName, readText } from './desired.ts';

/** The result of reading one place. `isProof`: no second read is needed. */
export type PlaceRead =
  | { readonly kind: 'ours'; readonly balancer: TaggedLoadBalancer }
  | { readonly kind: 'nothing'; readonly isProof: boolean }
  | { readonly kind: 'foreign'; readonly loadBalancer: LoadBalancer; readonly isProof: boolean }
  /** AWS does not take the ref for that of a balancer. */
  | { readonly kind: 'refused'; readonly arn: string; readonly error: OperatorError };

/**
 * Lists where a deletion reads for the balancer of an object; pure. The recorded ARN, and wherever a
 * create may have put a balancer: under the name of the spec, and under the default one where
 * `spec.adopt` may have been added later.
 */
export function listPlaces(object: MyIngress, identity: Identity): readonly LoadBalancerRef[] {
  const adopted = readText(object.spec?.adopt?.arn);
  const arn = readRecordedArn(object) ?? adopted;
  const names = new Set([
    desireName(object.spec, identity),
    ...(adopted === undefined ? [] : [deriveDefaultName(identity)]),
  ]);
  return [...(arn === undefined ? [] : [{ arn }]), ...[...names].map((name) => ({ name }))];
}

/**
 * A status can be forged, so its ARN alone proves nothing: the names are read as well, unless that
 * balancer is ours and is deleted first. One that was read by its ARN is not read by its name again.
 */
export async function observePlaces(
  scope: ObjectScope,
  signal: AbortSignal,
): Promise<readonly PlaceRead[]> {
  const [first, ...others] = omitReleased(scope, listPlaces(scope.object, scope.identity)) as [
    LoadBalancerRef,
    ...LoadBalancerRef[],
  ];
  const read = await observePlace(scope, first, signal);
  if (read.kind === 'ours') return [read];
  const known = read.kind === 'foreign' ? read.loadBalancer.name : undefined;
  const rest = others.filter((ref) => 'arn' in ref || ref.name !== known);
  return [read, ...(await Promise.all(rest.map((ref) => observePlace(scope, ref, signal))))];
}

/** No balancer changes its name: where the name of the one that was deleted is free, its ARN is, too. */
function omitReleased(
  { memory }: ObjectScope,
  places: readonly LoadBalancerRef[],
): readonly LoadBalancerRef[] {
  const { release } = memory.facts;
  const isRead = places.some((ref) => 'name' in ref && ref.name === release?.name);
  return places.filter((ref) => !(isRead && 'arn' in ref && ref.arn === release?.arn));
}

async function observePlace(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<PlaceRead> {
  try {
    return await classifyPlace(scope, ref, signal);
  } catch (error) {
    const isRefused = hasReason(error, 'ValidationError');
    if (isRefused && 'arn' in ref) return { kind: 'refused', arn: ref.arn, error };
    throw error;
  }
}

async function classifyPlace(
  scope: ObjectScope,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<PlaceRead> {
  const { aws, identity, object } = scope;
  const arn = 'arn' in ref && !wasReleased(scope, ref.arn) ? ref.arn : undefined;
  const tagsByArn = arn === undefined ? undefined : aws.readTags(arn, signal);
  // A balancer that is gone needs none: a pass that waits for a token for them may never get further.
  tagsByArn?.catch(() => {});
  const loadBalancer = await aws.find(ref, signal);
  const tags = loadBalancer && (await (tagsByArn ?? aws.readTags(loadBalancer.arn, signal)));
  if (loadBalancer === undefined || tags === undefined) {
    return { kind: 'nothing', isProof: isProofOfAbsence(scope, ref) };
  }
  const isOnRecord = readRecordedArn(object) === loadBalancer.arn;
  if (readOwnership(tags, identity, isOnRecord).kind === 'ours') {
    return { kind: 'ours', balancer: { loadBalancer, tags } };
  }
  return { kind: 'foreign', loadBalancer, isProof: wasReleased(scope, loadBalancer.arn) };
}

/**
 * NotFound by ARN is proof, unless the balancer may have been created a moment ago and we have not
 * deleted it since. By name it is only where an ARN is on record: otherwise a create whose answer was
 * lost may become visible yet, so two reads must agree.
 */
function isProofOfAbsence(scope: ObjectScope, ref: LoadBalancerRef): boolean {
  const { clock, memory, object } = scope;
  const nowMs = clock.monotonicMs();
  if ('arn' in ref) {
    return wasReleased(scope, ref.arn) || !mayBeFresh(memory.facts, ref.arn, nowMs);
  }
  if (readRecordedArn(object) === undefined) return false;
  return memory.facts.release?.name === ref.name || !mayHideCreate(memory.facts, nowMs);
}

function wasReleased({ memory }: ObjectScope, arn: string): boolean {
  return memory.facts.release?.arn === arn;
}
