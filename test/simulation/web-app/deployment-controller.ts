import { isDeepStrictEqual } from 'node:util';
import { DEPLOYMENTS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import { hasPods } from '../world/replica-set-controller.ts';
import type { Stage } from '../world/stage.ts';

interface Deployment {
  readonly metadata: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
}

/** As long as pods need that have nothing to pull. */
const LEAST_MS = 300;
const SPREAD_MS = 4000;

/** What the controller manager does with Deployments, as far as their status shows it. */
export class DeploymentController {
  readonly #stage: Stage;
  readonly #people: People;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'deployment-controller');
  }

  onCommit({ kind, type, object, before }: Commit): void {
    if (kind !== DEPLOYMENTS || type === 'DELETED' || hasPods(object)) return;
    if (object.metadata.generation === before?.metadata.generation) return;
    const { clock } = this.#stage;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => this.#roll(keyOfStored(object)));
  }

  #roll(key: string): void {
    const live = this.#stage.model.table.get(DEPLOYMENTS, key) as unknown as Deployment | undefined;
    if (live === undefined) return;
    const replicas = live.spec?.replicas ?? 1;
    const status = {
      observedGeneration: live.metadata.generation ?? 0,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'enough',
        },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message: 'done' },
      ],
    };
    if (isDeepStrictEqual((live as { status?: unknown }).status, status)) return;
    this.#people.patchStatus(DEPLOYMENTS, key as ObjectKey, status);
  }
}
