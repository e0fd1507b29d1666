import { AUTOSCALERS, DEPLOYMENTS, SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import { controllerOf, judgeOwner } from '../owner-invariants.ts';
import { hasPods } from '../world/replica-set-controller.ts';
import { isOperator, type Stage } from '../world/stage.ts';

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  };
}

const RESTARTED = 'kubectl.kubernetes.io/restartedAt';
/** So long an autoscaler may be unseen: a watch that is silent, then a server that is down. */
const UNSEEN_MS = 180_000;

/** What is made before a process learns that the owner is gone: by what was on its way, and by one pass more. */
const MOST_TOO_LATE = 2;

/** What must hold for every write of the operator to a WebApp and its children. */
export class ChildInvariants {
  readonly #stage: Stage;
  readonly #owner: ServedKind;
  readonly #autoscaledSinceMs = new Map<string, number>();
  /** By process, owner and kind of child. */
  readonly #tooLate = new Map<string, number>();

  constructor(stage: Stage, owner: ServedKind) {
    this.#stage = stage;
    this.#owner = owner;
  }

  onCommit(commit: Commit): void {
    const { kind, object, before, by } = commit;
    if (kind === AUTOSCALERS && before === undefined) {
      this.#autoscaledSinceMs.set(keyOfStored(object), this.#stage.clock.monotonicMs());
    }
    if (!isOperator(by)) return;
    if (kind === this.#owner) judgeOwner(object, before, this.#stage.report);
    const isDeployment = kind === DEPLOYMENTS && !hasPods(before ?? object);
    if (!isDeployment && kind !== SERVICES) return;
    this.#judgeChild(commit);
    this.#judgeOwnerless(commit);
  }

  #judgeOwnerless({ kind, object, before, by }: Commit): void {
    const uid = controllerOf(object, this.#owner.kind);
    const owners = this.#stage.model.table.list(this.#owner);
    if (before !== undefined || uid === undefined) return;
    if (owners.some(({ metadata }) => metadata.uid === uid)) return;
    const what = `${kind.kind} ${keyOfStored(object)}, whose owner is gone`;
    const count = (this.#tooLate.get(`${by} ${uid} ${kind.kind}`) ?? 0) + 1;
    this.#tooLate.set(`${by} ${uid} ${kind.kind}`, count);
    if (count > MOST_TOO_LATE) this.#stage.report('not-made-again', `${what}, ${count} times`);
  }

  #judgeChild({ kind, object, before }: Commit): void {
    if (controllerOf(before ?? object, this.#owner.kind) === undefined) {
      const what = `${kind.kind} ${keyOfStored(object)}, which has another controller or none`;
      return this.#stage.report('foreign-child-untouched', what);
    }
    if (kind !== DEPLOYMENTS || before === undefined) return;
    this.#judgeRestart(object, before);
    this.#judgeReplicas(object, before);
  }

  #judgeRestart(object: StoredObject, before: StoredObject): void {
    const restarted = restartOf(before);
    if (restarted === undefined || restartOf(object) === restarted) return;
    this.#stage.report('others-fields-stay', `the restart of ${keyOfStored(object)} was undone`);
  }

  #judgeReplicas(object: StoredObject, before: StoredObject): void {
    const { report, clock } = this.#stage;
    const key = keyOfStored(object);
    const sinceMs = this.#autoscaledSinceMs.get(key) ?? Number.POSITIVE_INFINITY;
    const isScaled = clock.monotonicMs() - sinceMs > UNSEEN_MS;
    if (!isScaled || specOf(object).replicas === specOf(before).replicas) return;
    report('others-fields-stay', `replicas of ${key}, which is scaled by somebody else`);
  }
}

function restartOf(deployment: StoredObject): string | undefined {
  return specOf(deployment).template?.metadata?.annotations?.[RESTARTED];
}

function specOf(object: StoredObject): DeploymentSpec {
  return object['spec'] ?? {};
}
