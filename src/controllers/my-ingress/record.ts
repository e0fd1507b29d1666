import {
  type AppliedSettings,
  type HeldLoadBalancer,
  type MyIngress,
  ownershipTagKeys,
} from '../../apis/my-ingress.ts';
import type { LoadBalancer, TaggedLoadBalancer } from '../../aws/load-balancers.ts';
import type { OperatorError } from '../../core/operator-error.ts';
import { failure } from './failure.ts';

/** What `status` says of the balancer that an object holds; pure. */

/** `status.alb.state` of a balancer that was seen to be gone and is to be created again. */
const VANISHED = 'deleted';

export function recordedArn(object: MyIngress): string | undefined {
  const held = object.status?.alb;
  return held?.state === VANISHED ? undefined : held?.arn;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html */
const LOAD_BALANCER_ARN =
  /^arn:[^:]+:elasticloadbalancing:[^:]+:\d{12}:loadbalancer\/app\/[^/]+\/[^/]+$/;

/**
 * A recorded ARN that AWS refuses may be that of our balancer in another region or account, and is not
 * forgotten. Text that is no such ARN was put on record by no pass: undefined.
 */
export function refusedRecord(arn: string, refusal: OperatorError): OperatorError | undefined {
  if (refusal.reason !== 'ValidationError' || !LOAD_BALANCER_ARN.test(arn)) return undefined;
  const seen = `AWS does not take status.alb.arn ${arn} for a load balancer of this region and account, which AWS_REGION and the credentials of albridge choose`;
  return failure('ValidationError', seen, { details: { refusal: refusal.message } });
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
 * What this object is known to have put on the balancer. While no ARN is on record the balancer is
 * its own lost create only if the tag for the UID says so: another one carries tags of others.
 */
export function appliedSoFar(
  object: MyIngress,
  { loadBalancer, tags }: TaggedLoadBalancer,
): AppliedSettings {
  const recorded = recordedArn(object);
  const isKnown =
    recorded === undefined
      ? tags[ownershipTagKeys.uid] === object.metadata.uid
      : recorded === loadBalancer.arn;
  return isKnown ? (object.status?.applied ?? {}) : {};
}
