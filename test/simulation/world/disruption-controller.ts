import { isDeepStrictEqual } from 'node:util';
import { BUDGETS, PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import { isActive, isReady, isSelected } from './pod-facts.ts';
import type { Stage } from './stage.ts';

interface Budget extends StoredObject {
  readonly spec: {
    readonly minAvailable: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly disruptedPods?: Readonly<Record<string, string>> };
}

const LEAST_MS = 20;
const SPREAD_MS = 300;

/** Keeps the status of PodDisruptionBudgets that say `minAvailable` as a number. */
export class DisruptionController {
  readonly #stage: Stage;
  readonly #people: People;
  #isDue = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'disruption-controller');
  }

  onCommit({ kind }: Commit): void {
    if (this.#isDue || (kind !== PODS && kind !== BUDGETS)) return;
    const { clock, model } = this.#stage;
    if (model.table.list(BUDGETS).length === 0) return;
    this.#isDue = true;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => {
      this.#isDue = false;
      for (const budget of model.table.list(BUDGETS)) this.#count(budget as Budget);
    });
  }

  #count(budget: Budget): void {
    const { namespace, generation } = budget.metadata;
    const { selector, minAvailable } = budget.spec;
    const pods = this.#stage.model.table
      .list(PODS)
      .filter((pod) => pod.metadata.namespace === namespace)
      .filter((pod) => isActive(pod) && isSelected(pod, selector.matchLabels));
    const names = new Set(pods.map(({ metadata }) => metadata.name));
    const disrupted = Object.entries(budget.status?.disruptedPods ?? {});
    const leaving = new Map(disrupted.filter(([name]) => names.has(name)));
    const healthy = pods.filter((pod) => isReady(pod) && !leaving.has(pod.metadata.name)).length;
    const status = {
      observedGeneration: generation,
      expectedPods: pods.length,
      currentHealthy: healthy,
      desiredHealthy: minAvailable,
      disruptionsAllowed: Math.max(0, healthy - minAvailable),
      ...(leaving.size > 0 && { disruptedPods: Object.fromEntries(leaving) }),
    };
    if (isDeepStrictEqual(status, budget.status)) return;
    const gone = disrupted.filter(([name]) => !names.has(name)).map(([name]) => [name, null]);
    const disruptedPods =
      leaving.size > 0 ? { ...Object.fromEntries(leaving), ...Object.fromEntries(gone) } : null;
    this.#people.patchStatus(BUDGETS, keyOfStored(budget) as ObjectKey, {
      ...status,
      disruptedPods,
    });
  }
}
