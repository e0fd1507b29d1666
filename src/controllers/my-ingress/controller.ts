import type { AppliedSettings, MyIngress } from '../../apis/my-ingress.ts';
import { ensurePresent } from '../../core/external-resource.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { appliedAfter, keptAttributes, recordOf } from './applied.ts';
import { refuseReservedTags } from './desired.ts';
import type { SeenLoadBalancer } from './drift.ts';
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
  const { loadBalancer } = ensured.observed;
  pass.report({ alb: heldBy(loadBalancer), applied: appliedNow(scope, ensured.observed) });
  return outcomeOf(loadBalancer, provisioningMs(scope, loadBalancer.state.code));
}

function appliedNow(
  { desired, object, pass }: Scope,
  observed: SeenLoadBalancer,
): AppliedSettings | undefined {
  const before = appliedSoFar(object, observed);
  const attributes = keptAttributes(desired, before, observed);
  if (attributes.length > 0) {
    pass.log.info('attributes that left the spec stay as they are: no default is known', {
      attributes,
    });
  }
  return recordOf(appliedAfter(desired, before, observed.attributes));
}

function provisioningMs({ clock, memory }: Scope, state: string): number {
  if (state !== 'provisioning') return 0;
  const nowMs = clock.monotonicMs();
  memory.facts = recordProvisioning(memory.facts, nowMs);
  return provisioningForMs(memory.facts, nowMs);
}
