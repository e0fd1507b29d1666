import type { MyIngress } from '../../apis/my-ingress.ts';
import type { Inventory, LoadBalancers } from '../../aws/load-balancers.ts';
import type { Clock } from '../../core/clock.ts';
import type { Pass } from '../../core/reconciler.ts';
import { type DesiredLoadBalancer, desiredLoadBalancer } from './desired.ts';
import { type Identity, identityOf } from './identity.ts';
import type { Memory, ObjectMemory } from './memory.ts';
import { PlanTokens } from './plan-tokens.ts';

/** What the controller has for all its passes. */
export interface MyIngressContext {
  /** This cluster's id in ownership tags and default names. */
  readonly cluster: string;
  readonly aws: LoadBalancers;
  readonly inventory: Inventory;
  readonly memory: Memory;
  readonly clock: Clock;
}

/** What a pass over one object works with, whether its spec is valid or not. */
export interface ObjectScope extends Omit<MyIngressContext, 'memory'> {
  readonly object: MyIngress;
  readonly pass: Pass;
  readonly identity: Identity;
  readonly memory: ObjectMemory;
  readonly tokens: PlanTokens;
}

/** What a pass toward the spec works with. */
export interface Scope extends ObjectScope {
  readonly desired: DesiredLoadBalancer;
}

export function objectScopeOf(
  context: MyIngressContext,
  object: MyIngress,
  pass: Pass,
): ObjectScope {
  const identity = identityOf(context.cluster, object);
  const { namespace, uid } = identity;
  const memory = context.memory.of(pass.key, uid);
  const tokens = new PlanTokens({ aws: context.aws, memory, object, pass });
  const aws = context.aws.paidBy({ namespace, reservation: tokens, log: pass.log });
  const inventory = context.inventory.paidBy({ namespace, reservation: tokens });
  return { ...context, object, pass, identity, aws, inventory, memory, tokens };
}

export function scopeOf(context: MyIngressContext, object: MyIngress, pass: Pass): Scope {
  const scope = objectScopeOf(context, object, pass);
  return { ...scope, desired: desiredLoadBalancer(object, scope.identity) };
}
