import type { AppliedSettings, HeldLoadBalancer, MyIngress } from '../../apis/my-ingress.ts';
import type { Inventory, LoadBalancer, LoadBalancers, Tags } from '../../aws/load-balancers.ts';
import type { Clock } from '../../core/clock.ts';
import type { Pass } from '../../core/reconciler.ts';
import { type DesiredLoadBalancer, desiredLoadBalancer } from './desired.ts';
import { isOwnershipTag } from './drift.ts';
import { type Identity, identityOf } from './identity.ts';
import type { Memory } from './memory.ts';
import type { Sweep } from './sweep.ts';

/** What the controller has for all its passes. */
export interface MyIngressContext {
  /** This cluster's id in ownership tags and default names. */
  readonly cluster: string;
  readonly aws: LoadBalancers;
  readonly inventory: Inventory;
  readonly sweep: Sweep;
  readonly memory: Memory;
  readonly clock: Clock;
}

/** What one pass over one object works with. */
export interface Scope extends MyIngressContext {
  readonly object: MyIngress;
  readonly pass: Pass;
  readonly identity: Identity;
  readonly desired: DesiredLoadBalancer;
}

export function scopeOf(context: MyIngressContext, object: MyIngress, pass: Pass): Scope {
  const identity = identityOf(context.cluster, object);
  return { ...context, object, pass, identity, desired: desiredLoadBalancer(object, identity) };
}

export function recordedArn(object: MyIngress): string | undefined {
  return object.status?.alb?.arn;
}

/** `status.alb` for a balancer that is ours. */
export function heldBy(loadBalancer: LoadBalancer): HeldLoadBalancer {
  const { arn, dns, name, state, hostedZoneId, vpcId } = loadBalancer;
  return { arn, dns, name, state: state.code, hostedZoneId, vpcId };
}

/**
 * What this object is known to have put on the balancer. One that is found by name while no ARN is
 * on record is our own lost create, which carried all its tags in the call.
 */
export function appliedSoFar(object: MyIngress, tags: Tags): AppliedSettings {
  const recorded = object.status?.applied ?? {};
  const isLostCreate = recordedArn(object) === undefined && object.spec.adopt === undefined;
  if (!isLostCreate) return recorded;
  const ofUser = Object.keys(tags).filter((key) => !key.startsWith('aws:') && !isOwnershipTag(key));
  return { ...recorded, tags: ofUser };
}
