import type { AppliedSettings, HeldLoadBalancer, MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancer, TaggedLoadBalancer } from '../../aws/load-balancers.ts';
import { isOwnershipTag } from './drift.ts';

/** What `status` says of the balancer that an object holds; pure. */

/** `status.alb.state` of a balancer that was seen to be gone and is to be created again. */
const VANISHED = 'deleted';

export function recordedArn(object: MyIngress): string | undefined {
  const held = object.status?.alb;
  return held?.state === VANISHED ? undefined : held?.arn;
}

/** True where the object held a balancer of this name, which is gone. */
export function hasLost(object: MyIngress, name: string): boolean {
  const held = object.status?.alb;
  return held?.state === VANISHED && held.name === name;
}

/** `status.alb` for a balancer that is ours. */
export function heldBy(loadBalancer: LoadBalancer): HeldLoadBalancer {
  const { arn, dns, name, state, hostedZoneId, vpcId } = loadBalancer;
  return { arn, dns, name, state: state.code, hostedZoneId, vpcId };
}

/**
 * `status.alb` for a balancer that is gone. Its ARN no longer counts, least of all in a deletion: a
 * new balancer may be there before its ARN is on record.
 */
export function lostBy(held: HeldLoadBalancer): HeldLoadBalancer {
  const { arn, name } = held;
  return { arn, ...(name === undefined ? {} : { name }), state: VANISHED };
}

/**
 * What this object is known to have put on the balancer. One that is ours while no ARN is on record
 * is our own lost create, which carried all its tags in the call; one to adopt is not.
 */
export function appliedSoFar(
  object: MyIngress,
  { loadBalancer, tags }: TaggedLoadBalancer,
): AppliedSettings {
  const recorded = object.status?.applied ?? {};
  const isLostCreate =
    recordedArn(object) === undefined && loadBalancer.arn !== object.spec.adopt?.arn;
  if (!isLostCreate) return recorded;
  const ofUser = Object.keys(tags).filter((key) => !key.startsWith('aws:') && !isOwnershipTag(key));
  return { ...recorded, tags: ofUser };
}
