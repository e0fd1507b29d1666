// Lives here: the kind MyIngress: one object, one Application Load Balancer.
// May import it: src/setup/my-ingress.ts.
// Start with: this file: observe, plan, reserve, execute, status, below in this order; then load-balancer/.

import type { AppliedSettings, MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { isBeingDeleted } from '../../core/objects/kube-object.ts';
import {
  type ExternalResource,
  ensurePresent,
  type Observation,
} from '../../core/reconcile/external-resource.ts';
import type { Outcome, Planned, Waiting } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import { failure } from './failure.ts';
import { finalizeLoadBalancer } from './finalize.ts';
import { describePlan } from './graph/planned-step.ts';
import { identify } from './identity.ts';
import { refuseReservedTags } from './load-balancer/desired.ts';
import type { ObservedLoadBalancer } from './load-balancer/diff.ts';
import { detectOwnershipFlapping, executePlan, listOperations } from './load-balancer/execute.ts';
import { type LoadBalancerObservation, observe, observeKnown } from './load-balancer/observe.ts';
import { type LoadBalancerStep, planLoadBalancer } from './load-balancer/plan.ts';
import { chooseReadDepth, planFirstReads } from './load-balancer/read-depth.ts';
import { checkSnapshot } from './load-balancer/snapshot.ts';
import { measureProvisioningMs, rememberDrift, rememberProvisioning } from './memory.ts';
import { previewDeletion, previewSpec, restrictPass } from './preview.ts';
import { completeRecord, findUsedGroups } from './record.ts';
import {
  createObjectScope,
  createScope,
  type MyIngressContext,
  type ObjectScope,
  type Scope,
} from './scope.ts';
import {
  concludeState,
  describeHeld,
  listKeptAttributes,
  omitEmpty,
  projectApplied,
  readApplied,
  readRecordedArn,
} from './status.ts';
import { hasLeftovers, hasTraffic } from './traffic/concern.ts';
import { ensureTraffic } from './traffic/ensure.ts';
import {
  type Frontend,
  type FrontendPlan,
  planFrontend,
  prepareFrontend,
} from './traffic/frontend.ts';
import { isTrafficDue, refreshTraffic, reportTraffic } from './traffic/report.ts';
import { beginWarm } from './traffic/warm.ts';

/** A plan that is carried out is none any more. */
const NO_PLAN = { plan: undefined } as const;

export function createMyIngressReconciler(context: MyIngressContext): Reconciler<MyIngress> {
  return {
    reconcile: (object, pass) => reconcile(context, object, pass),
    finalize: (object, pass) =>
      withTokens(createObjectScope(context, recallParts(context, object, pass)), (scope) => {
        pass.report(NO_PLAN);
        return finalizeLoadBalancer(scope);
      }),
    preview: (object, pass) => preview(context, object, restrictPass(pass)),
    forget: (key) => {
      context.memory.forget(key);
      context.targets.withdraw(key);
    },
  };
}

async function reconcile(
  context: MyIngressContext,
  object: MyIngress,
  pass: Pass,
): Promise<Outcome> {
  pass.report(NO_PLAN);
  refuseInvalidSpec(object);
  const scope = createScope(context, recallParts(context, object, pass));
  if (chooseReadDepth(object) === 'snapshot' && !isTrafficDue(scope)) {
    const checked = await checkSnapshot(scope, pass.signal);
    if (checked.kind === 'same') return refreshTraffic(scope, conclude(scope, checked));
    if (checked.kind === 'unchecked') return refreshTraffic(scope, checked.outcome);
  }
  return withTokens(scope, reconcileLive);
}

function preview(
  context: MyIngressContext,
  object: MyIngress,
  pass: Pass,
): Promise<Planned | Waiting> {
  const parts = { ...recallParts(context, object, pass), isReadOnly: true };
  if (isBeingDeleted(object)) {
    return withTokens(createObjectScope(context, parts), previewDeletion);
  }
  refuseInvalidSpec(object);
  return withTokens(createScope(context, parts), previewSpec);
}

/** The object as its status records it, and as this process knows better. */
function recallParts(
  { cluster, memory }: MyIngressContext,
  object: MyIngress,
  pass: Pass,
): { readonly object: MyIngress; readonly pass: Pass } {
  const identity = identify(cluster, object);
  return { object: completeRecord(object, memory.of(pass.key, identity.uid), identity), pass };
}

function refuseInvalidSpec({ spec }: MyIngress): void {
  if (spec?.subnets === undefined) {
    throw failure('ValidationError', 'the object has no spec.subnets');
  }
  refuseReservedTags(spec);
}

async function reconcileLive(given: Scope): Promise<Outcome> {
  let scope = given;
  let isNew: Frontend | undefined;
  const warm = hasTraffic(scope.object) ? beginWarm(scope) : undefined;
  const balancer = defineLoadBalancer(scope, warm?.balancer, (frontend) => {
    isNew = frontend;
  });
  const ensured = await ensurePresent(balancer, scope.pass);
  if (ensured.kind === 'waiting') return ensured;
  const { observed } = ensured;
  scope = await recoverRecord(scope, observed);
  if (!hasTraffic(scope.object)) return conclude(scope, ensured);
  if (observed.isStateOnly) return refreshTraffic(scope, conclude(scope, ensured));
  const state = await ensureTraffic(scope, { observed, isNew, warm });
  return reportTraffic(scope, state, () => conclude(scope, ensured));
}

/** A balancer that no record names and this process has not made was there before: perhaps with traffic. */
async function recoverRecord(scope: Scope, { loadBalancer }: ObservedLoadBalancer): Promise<Scope> {
  const { identity, memory, object } = scope;
  const isKnown = readRecordedArn(object) !== undefined || object.spec.adopt !== undefined;
  const isMade = memory.facts.create !== undefined;
  if (isKnown || isMade || hasTraffic(object)) return scope;
  await findUsedGroups(scope, loadBalancer);
  return { ...scope, object: completeRecord(object, memory, identity) };
}

/**
 * The balancer of this pass; its drift is the plan that repairs it. The core stores the finalizer before a
 * plan is executed. What a create has made is observed and planned again: AWS may answer with an older one.
 */
function defineLoadBalancer(
  scope: Scope,
  known: LoadBalancer | undefined,
  onNew: (frontend: Frontend) => void,
): Omit<ExternalResource<ObservedLoadBalancer, LoadBalancerStep>, 'delete'> {
  let managed: FrontendPlan['managed'];
  return {
    observe: (signal) => observeAndCompare(scope, known, signal),
    async prepareCreate() {
      const planned = hasTraffic(scope.object) ? await planFrontend(scope) : undefined;
      managed = planned?.managed;
      const calls = listOperations(planLoadBalancer(scope.desired, undefined, {}), scope.object);
      await scope.tokens.reserve([...(planned?.operations ?? []), ...calls]);
    },
    async create() {
      const frontend = managed && (await prepareFrontend(scope, managed));
      const desired = { ...scope.desired, ...(frontend && { securityGroups: frontend.attached }) };
      const plan = planLoadBalancer(desired, undefined, {});
      logPlan(scope, plan);
      const created = planRepairs(scope, await executePlan(scope, plan, undefined));
      // One that takes the place of another may have target groups already.
      const isFirst = !hasLeftovers(scope.object);
      if (created.kind === 'present' && frontend && isFirst) onNew(frontend);
      return created;
    },
    async update(observed, plan) {
      logPlan(scope, plan);
      detectOwnershipFlapping(scope, observed);
      await scope.tokens.reserve(listOperations(plan, scope.object));
      await executePlan(scope, plan, observed);
    },
  };
}

/** `known`: as it was read a moment ago, good enough where the spec has nothing to change about it. */
async function observeAndCompare(
  scope: Scope,
  known: LoadBalancer | undefined,
  signal: AbortSignal,
): Promise<Observation<ObservedLoadBalancer, LoadBalancerStep>> {
  const observation = known && (await observeKnown(scope, known, signal));
  const compared = observation && planRepairs(scope, observation);
  if (compared?.kind === 'present' && compared.drift.length === 0) return compared;
  return planRepairs(scope, await observe(scope, signal));
}

function planRepairs(
  { desired, memory, object }: Scope,
  observation: LoadBalancerObservation,
): Observation<ObservedLoadBalancer, LoadBalancerStep> {
  if (observation.kind !== 'present') return observation;
  const { observed } = observation;
  const drift = planLoadBalancer(desired, observed, readApplied(object, observed));
  memory.facts = rememberDrift(memory.facts, drift.length > 0);
  return { kind: 'present', observed, drift };
}

function logPlan({ pass }: Scope, plan: readonly LoadBalancerStep[]): void {
  pass.log.debug('plan', { plan: describePlan(plan) });
}

/** Reserves the tokens of the first reads, and gives back what the pass leaves. */
async function withTokens<S extends ObjectScope, T>(
  scope: S,
  act: (scope: S) => Promise<T>,
): Promise<T> {
  const { object, pass, tokens } = scope;
  try {
    await tokens.begin(planFirstReads(object));
    pass.signal.throwIfAborted();
    return await act(scope);
  } finally {
    tokens.release();
  }
}

/** Status: what is held, what must be undone later, and the outcome by AWS's state. */
function conclude(scope: Scope, { observed }: { observed: ObservedLoadBalancer }): Outcome {
  const { loadBalancer } = observed;
  scope.pass.report({ alb: describeHeld(loadBalancer), applied: computeApplied(scope, observed) });
  const isReported = readRecordedArn(scope.object) === undefined;
  return concludeState(loadBalancer, trackProvisioning(scope, loadBalancer.state.code), isReported);
}

function computeApplied(
  { desired, object, pass }: Scope,
  observed: ObservedLoadBalancer,
): AppliedSettings | undefined {
  const before = readApplied(object, observed);
  const attributes = listKeptAttributes(desired, before, observed);
  if (attributes.length > 0) {
    pass.log.info('attributes that left the spec stay as they are: no default is known', {
      attributes,
    });
  }
  return omitEmpty(projectApplied(desired, before, observed.attributes));
}

function trackProvisioning({ clock, memory }: Scope, state: string): number {
  if (state !== 'provisioning') return 0;
  const nowMs = clock.monotonicMs();
  memory.facts = rememberProvisioning(memory.facts, nowMs);
  return measureProvisioningMs(memory.facts, nowMs);
}
