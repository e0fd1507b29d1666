import type { WebApp } from '../../apis/web-app.ts';
import { type WebAppReason, webAppReasons } from '../../apis/web-app-reasons.ts';
import type { StatedCondition } from '../../core/objects/conditions.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import type { Deployment, DeploymentCondition } from './deployment.ts';
import { chooseServicePort } from './desired.ts';

/** The next change of the Deployment comes by watch; this is for one that never comes. */
const RECHECK_MS = 60_000;

/**
 * Judges the progress of the Deployment by the rules of `kubectl rollout status`:
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
 * Throws where it has given up.
 */
export function judgeDeployment(object: WebApp, deployment: Deployment | undefined): Outcome {
  const { name } = object.metadata;
  if (deployment === undefined || !isObserved(deployment)) {
    return awaitRollout(`the Deployment controller has not observed Deployment ${name} yet`);
  }
  const progress = judgeProgress(object, deployment);
  if (deployment.spec?.paused === true && progress.kind === 'waiting') {
    throw createFailure(webAppReasons, 'DeploymentPaused', {
      observed: `Deployment ${name} is paused and replaces no pods`,
      fill: { name },
    });
  }
  if (hasGivenUp(deployment)) {
    const desired = deployment.spec?.replicas ?? 1;
    const { availableReplicas } = readCounts(deployment);
    throw createFailure(webAppReasons, 'ProgressDeadlineExceeded', {
      observed: `${availableReplicas} of ${desired} pods are available, and the newest ones did not become available in time`,
    });
  }
  return findRefusal(deployment) ?? progress;
}

/** The cluster takes no pod. */
function findRefusal(deployment: Deployment): Outcome | undefined {
  const failure = findCondition(deployment, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  return waiting('ReplicaFailure' satisfies WebAppReason, describeCondition(failure), RECHECK_MS);
}

function judgeProgress(object: WebApp, deployment: Deployment): Outcome {
  const desired = deployment.spec?.replicas ?? 1;
  const missing = describeMissing(desired, readCounts(deployment));
  if (missing !== undefined) return awaitRollout(missing);
  if (desired === 0) return settled('Stopped' satisfies WebAppReason, 'scaled to 0');
  const pods = desired === 1 ? '1 pod is available' : `${desired} pods are available`;
  return settled('Available' satisfies WebAppReason, `${pods} at ${buildUrl(object)}`);
}

export interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

/** Every count is there, also 0: a column of `kubectl get` would be blank without. */
export function readCounts(deployment: Deployment | undefined): Counts {
  const status = deployment?.status ?? {};
  return {
    replicas: status.replicas ?? 0,
    updatedReplicas: status.updatedReplicas ?? 0,
    readyReplicas: status.readyReplicas ?? 0,
    availableReplicas: status.availableReplicas ?? 0,
  };
}

/**
 * Available and Progressing as the Deployment has them, and Degraded: it cannot get on by itself. Unknown is what
 * status has of one that is gone.
 */
export function copyConditions(
  { metadata, status }: Pick<WebApp, 'metadata' | 'status'>,
  deployment: Deployment | undefined,
): readonly StatedCondition[] {
  const before = (status?.conditions ?? []).map(({ type }) => type);
  return ['Available', 'Progressing', 'Degraded'].flatMap((type) => {
    const observed = deployment && observeCondition(deployment, type);
    if (observed !== undefined) return observed;
    if (!before.includes(type)) return [];
    const message = `Deployment ${metadata.name} does not show it`;
    return { type, status: 'Unknown', reason: 'Unknown', message };
  });
}

function observeCondition(deployment: Deployment, type: string): StatedCondition | undefined {
  if (type === 'Degraded') return stateDegraded(deployment);
  const found = findCondition(deployment, type);
  return found && stateCondition(found);
}

export function buildUrl({ metadata, spec }: WebApp): string {
  return `http://${metadata.name}.${metadata.namespace}.svc:${chooseServicePort(spec)}`;
}

function describeMissing(desired: number, counts: Counts): string | undefined {
  const { replicas, updatedReplicas, availableReplicas } = counts;
  const old = replicas - updatedReplicas;
  if (updatedReplicas < desired)
    return `${updatedReplicas} of ${desired} pods have the newest spec`;
  if (old > 0) return `${old} pods with an older spec are still running`;
  if (replicas > desired) return `${replicas - desired} surplus pods are still running`;
  if (availableReplicas < desired) return `${availableReplicas} of ${desired} pods are available`;
  return undefined;
}

function awaitRollout(message: string): Outcome {
  return waiting('RollingOut' satisfies WebAppReason, message, RECHECK_MS);
}

function isObserved({ metadata, status }: Deployment): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

function hasGivenUp(deployment: Deployment): boolean {
  return findCondition(deployment, 'Progressing')?.reason === 'ProgressDeadlineExceeded';
}

function findCondition(deployment: Deployment, type: string): DeploymentCondition | undefined {
  return deployment.status?.conditions?.find((condition) => condition.type === type);
}

function stateCondition(condition: DeploymentCondition): StatedCondition {
  const { type, status, reason = 'Unknown' } = condition;
  return { type, status, reason, message: describeCondition(condition) };
}

function stateDegraded(deployment: Deployment): StatedCondition {
  const failure = findCondition(deployment, 'ReplicaFailure');
  const progress = findCondition(deployment, 'Progressing');
  const cause =
    failure?.status === 'True' ? failure : hasGivenUp(deployment) ? progress : undefined;
  if (cause === undefined) {
    return {
      type: 'Degraded',
      status: 'False',
      reason: 'AsExpected',
      message: 'the Deployment can make progress',
    };
  }
  return { ...stateCondition(cause), type: 'Degraded', status: 'True' };
}

function describeCondition({ message, reason }: DeploymentCondition): string {
  return message ?? reason ?? '';
}
