// Lives here: the kind WebApp: one Deployment and one Service.
// May import it: src/setup/web-app.ts.
// Start with: this file, then desired.ts.

import { type WebApp, webAppKind } from '../../apis/web-app.ts';
import { webAppReasons } from '../../apis/web-app-reasons.ts';
import type { Children, ChildrenOfOwner } from '../../core/children/children.ts';
import {
  ensureOwned,
  type OwnedChange,
  type OwnedObjects,
} from '../../core/children/owned-objects.ts';
import { draftRepair, listDifferences } from '../../core/children/repair.ts';
import { getController, getKey } from '../../core/objects/kube-object.ts';
import type { EventDraft } from '../../core/ports/events.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { rewordError } from '../../core/reconcile/operator-error.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import { describeLongTemplate } from '../../pods/pod-template.ts';
import type { Autoscalers } from './autoscalers.ts';
import type { Deployment, Service } from './deployment.ts';
import { buildSelector, desireDeployment, desireService, REPLICAS } from './desired.ts';
import { chooseUrl, correctUrl, type ExposeState, type Exposing, stateExposed } from './expose.ts';
import type { BalancedServices } from './gate.ts';
import { buildUrl, copyConditions, judgeDeployment, readCounts } from './status.ts';

export interface WebAppContext {
  readonly deployments: Children<Deployment>;
  readonly services: Children<Service>;
  readonly autoscalers: Autoscalers;
  readonly balanced: BalancedServices;
  readonly exposing: Exposing;
}

/** One WebApp, one Deployment and one Service of its name. Both go with it, by the garbage collector. */
export function createWebAppReconciler(context: WebAppContext): Reconciler<WebApp> {
  return {
    reconcile: (object, pass) => reconcile(context, object, pass),
    whilePaused: async (object, pass) => {
      if (object.spec === undefined) return;
      reportRoutes(context, object, pass);
      // Where it cannot be read, status stays as it is.
      const read = await showHidden(context.deployments.forOwner(object), object).catch(() => {});
      const deployment = findOwn(read?.observed.get(getKey(object)), object);
      if (read !== undefined) reportDeployment(deployment, { object, pass });
    },
  };
}

async function reconcile(context: WebAppContext, object: WebApp, pass: Pass): Promise<Outcome> {
  if (object.spec?.image === undefined) {
    throw createFailure(webAppReasons, 'SpecMissing', { observed: 'the object has no spec.image' });
  }
  const scope = { object, pass };
  // First, because also an object that cannot be carried out is attached.
  const readState = reportRoutes(context, object, pass);
  const deployments = await showHidden(context.deployments.forOwner(object), object);
  const services = context.services.forOwner(object);
  const createOnlyFields = context.autoscalers.isScaled(getKey(object)) ? [REPLICAS] : [];
  const observed = deployments.observed.get(getKey(object));
  const tooLong = describeLongTemplate(object.spec.podTemplate);
  if (tooLong) {
    reportDeployment(findOwn(observed, object), scope);
    throw createFailure(webAppReasons, 'PodTemplateTooLong', { observed: tooLong });
  }
  const isBalanced = context.balanced.has(getKey(object));
  const desired = [desireDeployment(object, { observed, isBalanced })];
  // Both at once, and both to their end: no write may outlive its pass.
  const ensured = await Promise.allSettled([
    ensureChild('Deployment', { ...deployments, desired, createOnlyFields }, scope),
    ensureChild('Service', { ...services, desired: [desireService(object)] }, scope),
  ]);
  const deployment = chooseNewest(findOwn(observed, object), ensured.flatMap(listChanges));
  // First, because the pods run on while a write is refused.
  reportDeployment(deployment, scope);
  const changes = ensured.flatMap(unwrapChanges);
  pass.report({ url: chooseUrl(object, readState, buildUrl(object)) });
  if (changes.length > 0) pass.log.info('Successfully reconciled WebApp');
  return judgeDeployment(object, deployment);
}

/** They change also while its own children do not. Returns how to read their state. */
function reportRoutes(context: WebAppContext, object: WebApp, pass: Pass): () => ExposeState {
  const readState = (): ExposeState => readExposed(context, object);
  for (const condition of stateExposed(object, readState)) pass.setCondition(condition);
  pass.report({ url: correctUrl(object, readState, buildUrl(object)) });
  return readState;
}

/** Adds the Deployment that the cache does not show, because it has lost its label: what others set there decides. */
async function showHidden(
  deployments: ChildrenOfOwner<Deployment>,
  object: WebApp,
): Promise<ChildrenOfOwner<Deployment>> {
  const { observed, writer } = deployments;
  if (observed.get(getKey(object)) !== undefined) return deployments;
  const hidden = await writer.get(desireDeployment(object));
  return {
    ...deployments,
    observed: { get: () => hidden, listOwned: (uid) => observed.listOwned(uid) },
  };
}

function readExposed({ exposing }: WebAppContext, { metadata }: WebApp): ExposeState {
  const { namespace, name } = metadata;
  return exposing.read({ kind: webAppKind.kind, namespace, name });
}

interface Scope {
  readonly object: WebApp;
  readonly pass: Pass;
}

function reportDeployment(deployment: Deployment | undefined, { object, pass }: Scope): void {
  pass.report({ ...readCounts(deployment), selector: buildSelector(object) });
  for (const condition of copyConditions(object, deployment)) pass.setCondition(condition);
}

/** Undefined for a foreign Deployment of the same name. */
function findOwn(observed: Deployment | undefined, { metadata }: WebApp): Deployment | undefined {
  return observed && getController(observed)?.uid === metadata.uid ? observed : undefined;
}

type Ensured = PromiseSettledResult<readonly OwnedChange[]>;

function listChanges(ensured: Ensured): readonly OwnedChange[] {
  return ensured.status === 'fulfilled' ? ensured.value : [];
}

function unwrapChanges(ensured: Ensured): readonly OwnedChange[] {
  if (ensured.status === 'rejected') throw ensured.reason;
  return ensured.value;
}

/** Reports each write as soon as it is done, and returns them all. */
async function ensureChild(
  kind: string,
  owned: Omit<OwnedObjects, 'signal' | 'throwIfEdited'>,
  { object, pass }: Scope,
): Promise<readonly OwnedChange[]> {
  const changes: OwnedChange[] = [];
  const onChange = (change: OwnedChange): void => {
    changes.push(change);
    recordChange(pass, change);
  };
  try {
    const throwIfEdited = (): void => pass.throwIfEdited();
    await ensureOwned(object, { ...owned, signal: pass.signal, throwIfEdited, onChange });
    return changes;
  } catch (error) {
    throw rewordError(error, (why) => `Failed to reconcile ${kind}: ${why}`);
  }
}

/** Records one event and one log line for each write to a child that had an effect. */
function recordChange(pass: Pass, change: OwnedChange): void {
  const { kind, metadata } = change.child;
  // The article's sentence and its words for the operation.
  // oxlint-disable-next-line albridge/log-messages-are-constant -- the article's sentence
  pass.log.info(`Reconciled ${kind}`, { operation: nameOperation(change), ...listFields(change) });
  pass.recordEvent({ type: 'Normal', ...draftEvent(change, `${kind} ${metadata.name}`) });
}

const REASONS = {
  Deployment: {
    created: 'DeploymentCreated',
    updated: 'DeploymentUpdated',
    deleted: 'DeploymentDeleted',
  },
  Service: { created: 'ServiceCreated', updated: 'ServiceUpdated', deleted: 'ServiceDeleted' },
} as const;

function draftEvent(change: OwnedChange, what: string): Omit<EventDraft, 'type'> {
  const reasons = change.child.kind === 'Service' ? REASONS.Service : REASONS.Deployment;
  switch (change.kind) {
    case 'created':
      return { reason: reasons.created, action: 'Create', note: `Created ${what}` };
    case 'updated':
      return {
        reason: reasons.updated,
        action: 'Update',
        note: `Updated ${what}${listDifferences(change.differences)}`,
      };
    case 'repaired':
      return draftRepair(what, change.differences);
    case 'deleted':
      return { reason: reasons.deleted, action: 'Delete', note: `Deleted ${what}` };
    default:
      return change satisfies never;
  }
}

function nameOperation({ kind }: OwnedChange): string {
  return kind === 'repaired' ? 'updated' : kind;
}

function listFields(change: OwnedChange): object {
  return 'differences' in change ? { why: change.kind, fields: change.differences } : {};
}

/** A write's answer is newer than the cache. */
function chooseNewest(
  observed: Deployment | undefined,
  changes: readonly OwnedChange[],
): Deployment | undefined {
  return changes.find(({ child }) => child.kind === 'Deployment')?.child ?? observed;
}
