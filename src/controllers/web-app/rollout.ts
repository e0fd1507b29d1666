import type { WebApp } from '../../apis/web-app.ts';
import type { WebAppReason } from '../../apis/web-app-reasons.ts';
import type { StatedCondition } from '../../core/conditions.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import type { Deployment, DeploymentCondition } from './workload.ts';

/** The next change of the Deployment comes by watch; this is for one that never comes. */
const LOOK_AGAIN_MS = 60_000;

/**
 * How far the Deployment has got, by the rules that `kubectl rollout status` goes by:
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
 * Throws where it has given up.
 */
export function outcomeOf(object: WebApp, deployment: Deployment | undefined): Outcome {
  const { name } = object.metadata;
  if (deployment === undefined || !isObserved(deployment)) {
    return rolling(`Deployment ${name} has not been looked at by its controller yet`);
  }
  const progress = progressOf(object, deployment);
  if (deployment.spec?.paused === true && progress.kind === 'waiting') throw paused(deployment);
  if (isGivenUp(deployment)) throw gaveUp(deployment);
  return refusalOf(deployment) ?? progress;
}

/** The cluster takes no pod. */
function refusalOf(deployment: Deployment): Outcome | undefined {
  const failure = conditionOf(deployment, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  return waiting('ReplicaFailure' satisfies WebAppReason, sentenceOf(failure), LOOK_AGAIN_MS);
}

function progressOf(object: WebApp, deployment: Deployment): Outcome {
  const wanted = deployment.spec?.replicas ?? 1;
  const missing = whatIsMissing(wanted, countsOf(deployment));
  if (missing !== undefined) return rolling(missing);
  if (wanted === 0) return settled('Stopped' satisfies WebAppReason, 'no pod is wanted, none runs');
  const pods = wanted === 1 ? '1 pod serves' : `${wanted} pods serve`;
  return settled('Available' satisfies WebAppReason, `${pods} at ${urlOf(object)}`);
}

export interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

/** Every count is there, also 0: a column of `kubectl get` would be blank without. */
export function countsOf(deployment: Deployment | undefined): Counts {
  const status = deployment?.status ?? {};
  return {
    replicas: status.replicas ?? 0,
    updatedReplicas: status.updatedReplicas ?? 0,
    readyReplicas: status.readyReplicas ?? 0,
    availableReplicas: status.availableReplicas ?? 0,
  };
}

/** Available and Progressing as the Deployment has them, and Degraded: it cannot get on by itself. */
export function conditionsOf(deployment: Deployment | undefined): readonly StatedCondition[] {
  if (deployment === undefined) return [];
  const copied = ['Available', 'Progressing'].flatMap(
    (type) => conditionOf(deployment, type) ?? [],
  );
  return [...copied.map(stated), degraded(deployment)];
}

export function urlOf({ metadata, spec }: WebApp): string {
  return `http://${metadata.name}.${metadata.namespace}.svc:${spec.port}`;
}

function whatIsMissing(wanted: number, counts: Counts): string | undefined {
  const { replicas, updatedReplicas, availableReplicas } = counts;
  const old = replicas - updatedReplicas;
  if (updatedReplicas < wanted) return `${updatedReplicas} of ${wanted} pods have the newest spec`;
  if (old > 0) return `${old} pods of an older spec have still to go`;
  if (replicas > wanted) return `${replicas - wanted} pods too many have still to go`;
  if (availableReplicas < wanted) return `${availableReplicas} of ${wanted} pods serve`;
  return undefined;
}

function rolling(message: string): Outcome {
  return waiting('RollingOut' satisfies WebAppReason, message, LOOK_AGAIN_MS);
}

function isObserved({ metadata, status }: Deployment): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

function isGivenUp(deployment: Deployment): boolean {
  return conditionOf(deployment, 'Progressing')?.reason === 'ProgressDeadlineExceeded';
}

function gaveUp(deployment: Deployment): OperatorError {
  const { availableReplicas } = countsOf(deployment);
  const wanted = deployment.spec?.replicas ?? 1;
  return new OperatorError({
    reason: 'ProgressDeadlineExceeded' satisfies WebAppReason,
    message: `${availableReplicas} of ${wanted} pods serve, and the newest ones did not become available in time; correct spec.image or spec.port, or look at the events of the pods`,
    healedBy: 'person',
  });
}

function paused({ metadata: { name } }: Deployment): OperatorError {
  return new OperatorError({
    reason: 'DeploymentPaused' satisfies WebAppReason,
    message: `Deployment ${name} is paused and replaces no pod; kubectl rollout resume deployment/${name}`,
    healedBy: 'person',
  });
}

function conditionOf(deployment: Deployment, type: string): DeploymentCondition | undefined {
  return deployment.status?.conditions?.find((condition) => condition.type === type);
}

function stated(condition: DeploymentCondition): StatedCondition {
  const { type, status, reason = 'Unknown' } = condition;
  return { type, status, reason, message: sentenceOf(condition) };
}

function degraded(deployment: Deployment): StatedCondition {
  const failure = conditionOf(deployment, 'ReplicaFailure');
  const progress = conditionOf(deployment, 'Progressing');
  const cause = failure?.status === 'True' ? failure : isGivenUp(deployment) ? progress : undefined;
  if (cause === undefined) {
    return {
      type: 'Degraded',
      status: 'False',
      reason: 'AsExpected',
      message: 'nothing is in the way',
    };
  }
  return { ...stated(cause), type: 'Degraded', status: 'True' };
}

function sentenceOf({ message, reason }: DeploymentCondition): string {
  return message ?? reason ?? '';
}
