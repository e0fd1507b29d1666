import type { WebApp } from '../../apis/web-app.ts';
import type { WebAppReason } from '../../apis/web-app-reasons.ts';
import type { Children } from '../../core/children.ts';
import { keyOf } from '../../core/kube-object.ts';
import { OperatorError, reworded } from '../../core/operator-error.ts';
import type { Outcome } from '../../core/outcome.ts';
import { ensureOwned, type OwnedChange, type OwnedObjects } from '../../core/owned-objects.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { tellChange } from './announcements.ts';
import type { Autoscalers } from './autoscalers.ts';
import { desiredDeployment, desiredService, REPLICAS, selectorOf } from './desired.ts';
import { conditionsOf, countsOf, outcomeOf, urlOf } from './rollout.ts';
import type { Deployment, Service } from './workload.ts';

export interface WebAppContext {
  readonly deployments: Children<Deployment>;
  readonly services: Children<Service>;
  readonly autoscalers: Autoscalers;
}

/** One WebApp, one Deployment and one Service of its name. Both go with it, by the garbage collector. */
export function webAppReconciler(context: WebAppContext): Reconciler<WebApp> {
  return { reconcile: (object, pass) => reconcile(context, object, pass) };
}

async function reconcile(context: WebAppContext, object: WebApp, pass: Pass): Promise<Outcome> {
  if (object.spec?.image === undefined) throw specMissing();
  const deployments = context.deployments.of(object);
  const services = context.services.of(object);
  const leaving = context.autoscalers.isScaled(keyOf(object)) ? [REPLICAS] : [];
  const scope = { object, pass };
  const seen = deployments.observed.get(keyOf(object));
  const desired = [desiredDeployment(object, seen)];
  // Both at once, and both to their end: no write may outlive its pass.
  const ensured = await Promise.allSettled([
    ensure('Deployment', { ...deployments, desired, leaving }, scope),
    ensure('Service', { ...services, desired: [desiredService(object)] }, scope),
  ]);
  const changes = ensured.flatMap(changesOf);
  const deployment = newest(seen, changes);
  pass.report({ ...countsOf(deployment), selector: selectorOf(object), url: urlOf(object) });
  for (const condition of conditionsOf(deployment)) pass.condition(condition);
  if (changes.length > 0) pass.log.info('Successfully reconciled WebApp');
  return outcomeOf(object, deployment);
}

interface Scope {
  readonly object: WebApp;
  readonly pass: Pass;
}

function changesOf(ensured: PromiseSettledResult<readonly OwnedChange[]>): readonly OwnedChange[] {
  if (ensured.status === 'rejected') throw ensured.reason;
  return ensured.value;
}

/** Tells of each write as soon as it is done, and gives them all. */
async function ensure(
  kind: string,
  owned: Omit<OwnedObjects, 'signal'>,
  { object, pass }: Scope,
): Promise<readonly OwnedChange[]> {
  const changes: OwnedChange[] = [];
  const onChange = (change: OwnedChange): void => {
    changes.push(change);
    tellChange(pass, change);
  };
  try {
    await ensureOwned(object, { ...owned, signal: pass.signal, onChange });
    return changes;
  } catch (error) {
    throw reworded(error, (why) => `Failed to reconcile ${kind}: ${why}`);
  }
}

/** What a write answered is newer than what the cache shows. */
function newest(
  seen: Deployment | undefined,
  changes: readonly OwnedChange[],
): Deployment | undefined {
  return changes.find(({ child }) => child.kind === 'Deployment')?.child ?? seen;
}

function specMissing(): OperatorError {
  return new OperatorError({
    reason: 'SpecMissing' satisfies WebAppReason,
    message: 'the object has no spec.image; give it one',
    healedBy: 'person',
  });
}
