// Lives here: the kind WebApp: one Deployment and one Service.
// May import it: src/setup/web-app.ts.
// Start with: this file, then desired.ts.

import type { WebApp } from '../../apis/web-app.ts';
import { webAppReasons } from '../../apis/web-app-reasons.ts';
import type { Children } from '../../core/children/children.ts';
import {
  ensureOwned,
  type OwnedChange,
  type OwnedObjects,
} from '../../core/children/owned-objects.ts';
import { getKey } from '../../core/objects/kube-object.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { rewordError } from '../../core/reconcile/operator-error.ts';
import type { Outcome } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import type { Autoscalers } from './autoscalers.ts';
import type { Deployment, Service } from './deployment.ts';
import { buildSelector, desiredDeployment, desiredService, REPLICAS } from './desired.ts';
import { recordChange } from './events.ts';
import { buildUrl, copyConditions, judgeDeployment, readCounts } from './status.ts';

export interface WebAppContext {
  readonly deployments: Children<Deployment>;
  readonly services: Children<Service>;
  readonly autoscalers: Autoscalers;
}

/** One WebApp, one Deployment and one Service of its name. Both go with it, by the garbage collector. */
export function createWebAppReconciler(context: WebAppContext): Reconciler<WebApp> {
  return { reconcile: (object, pass) => reconcile(context, object, pass) };
}

async function reconcile(context: WebAppContext, object: WebApp, pass: Pass): Promise<Outcome> {
  if (object.spec?.image === undefined) {
    throw createFailure(webAppReasons, 'SpecMissing', { observed: 'the object has no spec.image' });
  }
  const deployments = context.deployments.forOwner(object);
  const services = context.services.forOwner(object);
  const createOnlyFields = context.autoscalers.isScaled(getKey(object)) ? [REPLICAS] : [];
  const scope = { object, pass };
  const observed = deployments.observed.get(getKey(object));
  const desired = [desiredDeployment(object, observed)];
  // Both at once, and both to their end: no write may outlive its pass.
  const ensured = await Promise.allSettled([
    ensureChild('Deployment', { ...deployments, desired, createOnlyFields }, scope),
    ensureChild('Service', { ...services, desired: [desiredService(object)] }, scope),
  ]);
  const changes = ensured.flatMap(unwrapChanges);
  const deployment = chooseNewest(observed, changes);
  pass.report({
    ...readCounts(deployment),
    selector: buildSelector(object),
    url: buildUrl(object),
  });
  for (const condition of copyConditions(deployment)) pass.setCondition(condition);
  if (changes.length > 0) pass.log.info('Successfully reconciled WebApp');
  return judgeDeployment(object, deployment);
}

interface Scope {
  readonly object: WebApp;
  readonly pass: Pass;
}

function unwrapChanges(
  ensured: PromiseSettledResult<readonly OwnedChange[]>,
): readonly OwnedChange[] {
  if (ensured.status === 'rejected') throw ensured.reason;
  return ensured.value;
}

/** Reports each write as soon as it is done, and returns them all. */
async function ensureChild(
  kind: string,
  owned: Omit<OwnedObjects, 'signal'>,
  { object, pass }: Scope,
): Promise<readonly OwnedChange[]> {
  const changes: OwnedChange[] = [];
  const onChange = (change: OwnedChange): void => {
    changes.push(change);
    recordChange(pass, change);
  };
  try {
    await ensureOwned(object, { ...owned, signal: pass.signal, onChange });
    return changes;
  } catch (error) {
    throw rewordError(error, (why) => `Failed to reconcile ${kind}: ${why}`);
  }
}

/** What a write answered is newer than what the cache shows. */
function chooseNewest(
  observed: Deployment | undefined,
  changes: readonly OwnedChange[],
): Deployment | undefined {
  return changes.find(({ child }) => child.kind === 'Deployment')?.child ?? observed;
}
