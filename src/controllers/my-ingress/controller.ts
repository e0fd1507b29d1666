import type { AppliedSettings, MyIngress } from '../../apis/my-ingress.ts';
import { ensurePresent } from '../../core/external-resource.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { appliedAfter, keptAttributes, recordOf } from './applied.ts';
import { check } from './check.ts';
import { refuseReservedTags } from './desired.ts';
import type { SeenLoadBalancer } from './drift.ts';
import { provisioningForMs, recordProvisioning } from './facts.ts';
import { failure } from './failure.ts';
import { finalizeLoadBalancer } from './finalize.ts';
import { loadBalancerResource } from './load-balancer-resource.ts';
import { chooseLook, readsFor } from './look.ts';
import { outcomeOf } from './provisioning.ts';
import { appliedSoFar, heldBy, recordedArn } from './record.ts';
import {
  type MyIngressContext,
  type ObjectScope,
  objectScopeOf,
  type Scope,
  scopeOf,
} from './scope.ts';

/** One MyIngress, one Application Load Balancer. */
export function myIngressReconciler(context: MyIngressContext): Reconciler<MyIngress> {
  return {
    reconcile: (object, pass) => reconcile(context, object, pass),
    finalize: (object, pass) =>
      withTokens(objectScopeOf(context, object, pass), finalizeLoadBalancer),
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
  if (chooseLook(object) === 'snapshot') {
    const checked = await check(scope, pass.signal);
    if (checked.kind === 'same') return conclude(scope, checked.observed);
    if (checked.kind === 'unchecked') return checked.outcome;
  }
  return withTokens(scope, apply);
}

async function apply(scope: Scope): Promise<Outcome> {
  const ensured = await ensurePresent(loadBalancerResource(scope), scope.pass);
  return ensured.kind === 'waiting' ? ensured : conclude(scope, ensured.observed);
}

/** What the pass reads is paid for before it begins, and what it leaves is given back at its end. */
async function withTokens<S extends ObjectScope, T>(
  scope: S,
  act: (scope: S) => Promise<T>,
): Promise<T> {
  const { object, pass, tokens } = scope;
  try {
    await tokens.begin(readsFor(object));
    pass.signal.throwIfAborted();
    return await act(scope);
  } finally {
    tokens.release();
  }
}

function conclude(scope: Scope, observed: SeenLoadBalancer): Outcome {
  const { loadBalancer } = observed;
  scope.pass.report({ alb: heldBy(loadBalancer), applied: appliedNow(scope, observed) });
  const isReported = recordedArn(scope.object) === undefined;
  return outcomeOf(loadBalancer, provisioningMs(scope, loadBalancer.state.code), isReported);
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
