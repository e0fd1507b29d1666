// Lives here: the kind MyIngress: one object, one Application Load Balancer.
// May import it: src/controllers/my-ingress and src/setup; src/cli takes drift-scan.ts, orphans.ts and identity.ts.
// Start with: this file: observe, plan, reserve, execute, status, below in this order; then load-balancer/.

import { loadBalancerFinalizer, type MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { isBeingDeleted } from '../../core/objects/kube-object.ts';
import { refuseWrite } from '../../core/ports/leadership.ts';
import {
  type ExternalResource,
  ensurePresent,
  type Observation,
} from '../../core/reconcile/external-resource.ts';
import { type Outcome, type Planned, settled, type Waiting } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import { hasAttached } from './attaching/joined.ts';
import { reportAttached } from './attaching/report.ts';
import { findSubnets } from './discovery/discover-subnets.ts';
import { recordChanged } from './events.ts';
import { createFailure, keepStalled, throwRefusal } from './failure.ts';
import { finalizeLoadBalancer } from './finalize.ts';
import { describePlan } from './graph/planned-step.ts';
import { type Identity, identify } from './identity.ts';
import { refuseRecreation } from './load-balancer/correction.ts';
import { refuseReservedTags } from './load-balancer/desired.ts';
import { executeCreate, listOperations, reportKeys } from './load-balancer/execute.ts';
import { type LoadBalancerObservation, observe, observeKnown } from './load-balancer/observe.ts';
import { type ObservedLoadBalancer, planCreate, type RepairStep } from './load-balancer/plan.ts';
import { chooseReadDepth, planFirstReads } from './load-balancer/read-depth.ts';
import { findRepairs, type Repaired, repair } from './load-balancer/repairs.ts';
import { awaitTokens, checkSnapshot } from './load-balancer/snapshot.ts';
import { knowsTraffic, type ObjectMemory, rememberFoundDrift } from './memory.ts';
import { previewDeletion, previewSpec, restrictPass } from './preview.ts';
import { completeRecord, recordGroup } from './record.ts';
import { readRoutes } from './routes/read-routes.ts';
import {
  createObjectScope,
  createScope,
  type MyIngressContext,
  type ObjectScope,
  type Scope,
} from './scope.ts';
import { conclude, hasLeftovers, hasTraffic, isBlank } from './status.ts';
import { ensureTraffic, type TrafficState } from './traffic/ensure.ts';
import {
  beginFrontend,
  type Frontend,
  type FrontendPlan,
  planFrontend,
  prepareFrontend,
} from './traffic/frontend.ts';
import { isManaged } from './traffic/planned.ts';
import { isTrafficDue, refreshHeld, refreshTraffic, reportTraffic } from './traffic/report.ts';
import { beginWarm, endRecord, type WarmStart } from './traffic/warm.ts';

/** Clears `status.plan`: the plan was executed, or there is none. */
const NO_PLAN = { plan: undefined } as const;

export function createMyIngressReconciler(context: MyIngressContext): Reconciler<MyIngress> {
  return {
    reconcile: (object, pass) => reconcile(context, object, pass),
    finalize: (object, pass) => {
      // A later pass restores nothing that is deleted, so an edit counts up to the last moment.
      const beforeWrite = (): void => pass.throwIfEdited();
      const parts = { ...recallParts(context, object, pass), beforeWrite };
      pass.report(NO_PLAN);
      return withTokens(createObjectScope(context, parts), finalizeLoadBalancer);
    },
    preview: (object, pass) => {
      const joined = context.attachments.join(object);
      refreshHeld(context, joined, pass);
      return preview(context, joined, restrictPass(pass));
    },
    whilePaused: async (object, pass) =>
      refreshHeld(context, context.attachments.join(object), pass),
    forget: (key) => {
      context.memory.forget(key);
      context.targets.withdraw(key);
    },
  };
}

async function reconcile(
  context: MyIngressContext,
  stored: MyIngress,
  pass: Pass<MyIngress>,
): Promise<Outcome> {
  const object = context.attachments.join(stored);
  pass.report(NO_PLAN);
  // Before anything that may end the pass: a status without the record would make it complete.
  const parts = recallParts(context, object, pass);
  refuseInvalidSpec(object);
  if (hasAttached(object)) reportAttached(object, pass);
  // Not the generation: a create is finished through an edit.
  const beforeWrite = (): void => {
    pass.throwIfGone();
    pass.throwIfPaused();
  };
  const scope = createScope(context, { ...parts, beforeWrite });
  if (chooseReadDepth(object) !== 'snapshot') return withTokens(scope, reconcileLive);
  if (!isTrafficDue(scope)) {
    const checked = await checkSnapshot(scope, pass.signal);
    if (checked.kind === 'same') return refreshTraffic(scope, conclude(scope, checked));
    if (checked.kind === 'unchecked') return refreshTraffic(scope, checked.outcome);
  }
  return withTokens(scope, reconcileLive).catch((error: unknown) => awaitTokens(scope, error));
}

function preview(
  context: MyIngressContext,
  object: MyIngress,
  pass: Pass<MyIngress>,
): Promise<Planned | Waiting> {
  const parts = { ...recallParts(context, object, pass), beforeWrite: refuseWrite };
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
  pass: Pass<MyIngress>,
): Pick<ObjectScope, 'object' | 'stored' | 'pass'> {
  const identity = identify(cluster, object);
  const begun = isCutShort(object) ? recordGroup(object, identity) : object;
  const completed = recallRecord(begun, memory.of(pass.key, identity.uid), identity);
  // Whatever status is written next, the object counts as one whose record is complete.
  if (begun !== object) pass.report({ owned: completed.status.owned });
  return { object: completed, stored: object.status?.owned, pass };
}

/**
 * True where a pass may have made something that is on no record, and the spec may have lost since, or loses before
 * the next pass over everything: the first pass of an object puts no security group on record before it makes it.
 * Deletion counts as an edit of its own:
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
 */
function isCutShort(object: MyIngress): boolean {
  const { deletionTimestamp, finalizers = [], generation } = object.metadata;
  if (!isBlank(object) || !finalizers.includes(loadBalancerFinalizer)) return false;
  const isEdited = generation - (deletionTimestamp === undefined ? 0 : 1) > 1;
  return isEdited || isManaged({ object }, readRoutes(object.spec ?? {}));
}

function recallRecord(object: MyIngress, memory: ObjectMemory, identity: Identity): MyIngress {
  return knowsTraffic(memory) ? completeRecord(object, memory, identity) : object;
}

function refuseInvalidSpec({ spec }: MyIngress): void {
  if (spec === undefined) throw createFailure('ValidationError', 'the object has no spec');
  refuseReservedTags(spec);
}

async function reconcileLive(given: Scope): Promise<Outcome> {
  const progress: BalancerProgress = {};
  const warm = hasTraffic(given.object) ? beginWarm(given) : undefined;
  const balancer = defineLoadBalancer(given, warm, progress);
  const ensured = await ensurePresent(balancer, given.pass);
  if (ensured.kind === 'waiting') return ensured;
  const { observed } = ensured;
  const { isNew, repaired } = progress;
  // The balancer may have shown traffic that no record names.
  const object = recallRecord(given.object, given.memory, given.identity);
  const scope = { ...(repaired?.scope ?? given), object };
  const { refusal } = repaired ?? {};
  // What has left the spec stays on record while AWS refuses to take it back.
  const end = (tagKeys?: readonly string[]): Outcome =>
    refusal ? settled(refusal.reason, refusal.message) : conclude(scope, ensured, tagKeys);
  const finish = (conclusion: () => Outcome): Outcome =>
    refusal ? throwRefusal(refusal, conclusion) : conclusion();
  if (!hasTraffic(scope.object)) return finish(end);
  if (observed.isStateOnly) return refreshTraffic(scope, conclude(scope, ensured));
  const keepsIpv6 = scope.desired !== given.desired;
  // A warm start has planned for a balancer without IPv6.
  const start = keepsIpv6 ? undefined : warm;
  const state = await ensureTraffic(scope, { observed, isNew, warm: start });
  scope.memory.facts = rememberFoundDrift(scope.memory.facts, false);
  const reported = keepsIpv6 ? holdIpv6(state) : state;
  return finish(() => reportTraffic(scope, reported, () => end(state.tagKeys)));
}

function holdIpv6(state: TrafficState): TrafficState {
  return state.awaited.length > 0 ? state : { ...state, held: state.held ?? IPV6_KEPT };
}

const IPV6_KEPT =
  'the load balancer keeps IPv6 until no listener and no rule names an IPv6 target group';

/** How far the writes to the balancer have come in this pass. */
interface BalancerProgress {
  /** It was created, with this. */
  isNew?: Frontend;
  repaired?: Repaired;
}

/**
 * The balancer of this pass; its drift is the plan that repairs it. The core stores the finalizer before a
 * plan is executed. What a create has made is observed and planned again: AWS may answer with an older one.
 */
function defineLoadBalancer(
  scope: Scope,
  warm: WarmStart | undefined,
  progress: BalancerProgress,
): Omit<ExternalResource<ObservedLoadBalancer, RepairStep>, 'delete'> {
  const withTraffic = hasTraffic(scope.object);
  let prepared: PreparedCreate | undefined;
  let planning: Promise<FrontendPlan> | undefined;
  return {
    observe(signal) {
      const observing = observeAndCompare(scope, warm?.balancer, signal);
      if (withTraffic) planning = beginFrontend(scope);
      return warm === undefined ? observing : endRecord(warm, observing);
    },
    async prepareCreate() {
      if (scope.object.spec.adopt) refuseRecreation(scope.object);
      const planned = withTraffic ? await (planning ?? planFrontend(scope)) : undefined;
      prepared = await prepareCreate(scope, planned);
    },
    async create() {
      reportKeys(scope);
      const { desired = scope.desired, managed } = prepared ?? {};
      const frontend = managed && (await prepareFrontend(scope, managed));
      const settings = { ...desired, ...(frontend && { securityGroups: frontend.attached }) };
      const step = planCreate(settings);
      scope.pass.log.debug('plan', { plan: describePlan([step]) });
      const creating = executeCreate(scope, step);
      // No create waits for an event.
      const ending = frontend && creating.finally(() => recordChanged(scope, frontend.done));
      const created = compare(scope, await (ending ?? creating));
      // One that takes the place of another may have target groups already.
      if (created.kind === 'present' && frontend && !hasLeftovers(scope.object)) {
        progress.isNew = frontend;
      }
      return created;
    },
    async update(observed) {
      progress.repaired = await repair(scope, observed);
    },
  };
}

/** The create call of a balancer. */
interface PreparedCreate extends Pick<Scope, 'desired'> {
  readonly managed: FrontendPlan['managed'];
}

/** Finds the subnets that the spec leaves out, and reserves the tokens of everything that is about to be created. */
async function prepareCreate(
  scope: Scope,
  planned: FrontendPlan | undefined,
): Promise<PreparedCreate> {
  const subnets = planned?.subnets ?? scope.desired.subnets ?? (await findSubnets(scope));
  const desired = { ...scope.desired, subnets };
  const calls = listOperations([planCreate(desired)], scope.object);
  await scope.tokens.reserve([...(planned?.operations ?? []), ...calls]);
  return { desired, managed: planned?.managed };
}

/** `known`: as it was read a moment ago, good enough where the spec has nothing to change about it. */
async function observeAndCompare(
  scope: Scope,
  known: LoadBalancer | undefined,
  signal: AbortSignal,
): Promise<Observation<ObservedLoadBalancer, RepairStep>> {
  const observation = known && (await observeKnown(scope, known, signal));
  const compared = observation && compare(scope, observation);
  if (compared?.kind === 'present' && compared.drift.length === 0) return compared;
  return compare(scope, await observe(scope, signal));
}

function compare(
  scope: Scope,
  observation: LoadBalancerObservation,
): Observation<ObservedLoadBalancer, RepairStep> {
  if (observation.kind !== 'present') return observation;
  const { observed } = observation;
  return { kind: 'present', observed, drift: findRepairs(scope, observed) };
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
  } catch (error) {
    throw keepStalled(object, error);
  } finally {
    tokens.release();
  }
}
