import type { MyIngress } from '../../apis/my-ingress.ts';
import { ensurePresent } from '../../core/external-resource.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { appliedAfter, recordOf } from './applied.ts';
import { refuseReservedTags } from './desired.ts';
import { provisioningForMs, recordProvisioning } from './facts.ts';
import { failure } from './failure.ts';
import { finalizeLoadBalancer } from './finalize.ts';
import { loadBalancerResource } from './load-balancer-resource.ts';
import { outcomeOf } from './provisioning.ts';
import { appliedSoFar, heldBy } from './record.ts';
import { type MyIngressContext, objectScopeOf, type Scope, scopeOf } from './scope.ts';

/** One MyIngress, one Application Load Balancer. */
export function myIngressReconciler(context: MyIngressContext): Reconciler<MyIngress> {
  return {
    reconcile: (object, pass) => reconcile(context, object, pass),
    finalize: (object, pass) => finalizeLoadBalancer(objectScopeOf(context, object, pass)),
    forget: (key) => context.memory.forget(key),
  };
}

async function reconcile(
  context: MyIngressContext,
  object: MyIngress,
  pass: Pass,
): Promise<Outcome> {
  if (object.spec?.subnets === undefined) {
    throw failure('ValidationError', 'the object has no spec.subnets');
  }
  refuseReservedTags(object.spec);
  const scope = scopeOf(context, object, pass);
  const ensured = await ensurePresent(loadBalancerResource(scope), pass);
  if (ensured.kind === 'waiting') return ensured;
  const { loadBalancer, attributes } = ensured.observed;
  const applied = appliedAfter(scope.desired, appliedSoFar(object, ensured.observed), attributes);
  pass.report({ alb: heldBy(loadBalancer), applied: recordOf(applied) });
  return outcomeOf(loadBalancer, provisioningMs(scope, loadBalancer.state.code));
}

function provisioningMs({ clock, memory }: Scope, state: string): number {
  if (state !== 'provisioning') return 0;
  const nowMs = clock.monotonicMs();
  memory.facts = recordProvisioning(memory.facts, nowMs);
  return provisioningForMs(memory.facts, nowMs);
}
