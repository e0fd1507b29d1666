import { isDeepStrictEqual } from 'node:util';
import { AUTOSCALERS, DEPLOYMENTS, SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import { isOperator, type Stage } from '../world/stage.ts';

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  };
}

const RESTARTED = 'kubectl.kubernetes.io/restartedAt';
/** So long an autoscaler may be unseen. */
const UNSEEN_MS = 15_000;

/** What must hold for every write of the operator to a WebApp and its children. */
export class ChildInvariants {
  readonly #stage: Stage;
  readonly #owner: ServedKind;
  readonly #autoscaledSinceMs = new Map<string, number>();

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
    if (kind === this.#owner) this.#judgeOwner(object, before);
    if (kind === DEPLOYMENTS || kind === SERVICES) this.#judgeChild(commit);
  }

  /** Status is the operator's, all else is the user's. */
  #judgeOwner(object: StoredObject, before: StoredObject | undefined): void {
    const { report } = this.#stage;
    const others = ({ metadata, ...rest }: StoredObject): unknown => {
      const { labels, annotations, finalizers, generation, deletionTimestamp } = metadata;
      const spec = rest['spec'];
      return { labels, annotations, finalizers, generation, deletionTimestamp, spec };
    };
    if (before === undefined || !isDeepStrictEqual(others(object), others(before))) {
      report('only-own-fields', `the operator changed ${keyOfStored(object)} beyond its status`);
    }
    const { conditions = [] } = object['status'] as {
      conditions?: readonly { reason: string; message: string }[];
    };
    const bug = conditions.find(({ reason }) => reason === 'InternalError');
    if (bug) report('no-internal-error', `${keyOfStored(object)}: ${bug.message}`);
  }

  #judgeChild({ kind, object, before }: Commit): void {
    const owner = (before ?? object).metadata.ownerReferences?.find(({ controller }) => controller);
    if (owner?.kind !== this.#owner.kind) {
      const what = `${kind.kind} ${keyOfStored(object)}, which has another controller or none`;
      return this.#stage.report('foreign-child-untouched', what);
    }
    if (kind === DEPLOYMENTS && before !== undefined) this.#judgeDeployment(object, before);
  }

  #judgeDeployment(object: StoredObject, before: StoredObject): void {
    const { report, clock } = this.#stage;
    const key = keyOfStored(object);
    const [was, is] = [specOf(before), specOf(object)];
    const restarted = was.template?.metadata?.annotations?.[RESTARTED];
    if (restarted !== undefined && is.template?.metadata?.annotations?.[RESTARTED] !== restarted) {
      report('others-fields-stay', `the restart of ${key} was undone`);
    }
    const sinceMs = this.#autoscaledSinceMs.get(key) ?? Number.POSITIVE_INFINITY;
    const isScaled = clock.monotonicMs() - sinceMs > UNSEEN_MS;
    if (isScaled && was.replicas !== is.replicas) {
      report('others-fields-stay', `replicas of ${key}, which is scaled by somebody else`);
    }
  }
}

function specOf(object: StoredObject): DeploymentSpec {
  return (object['spec'] ?? {}) as DeploymentSpec;
}
