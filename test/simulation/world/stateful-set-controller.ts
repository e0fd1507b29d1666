import { PODS, STATEFUL_SETS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { type Json, keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import type { Stage } from './stage.ts';

const LATER_MS = 100;

/** What the controller manager does for StatefulSets with podManagementPolicy Parallel: it makes missing pods. */
export class StatefulSetController {
  readonly #stage: Stage;
  readonly #people: People;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'controller-manager');
  }

  onCommit({ kind, type, object }: Commit): void {
    if (kind === STATEFUL_SETS && type === 'ADDED') this.#later(keyOfStored(object) as ObjectKey);
    if (kind !== PODS || type !== 'DELETED') return;
    const set = setOf(object);
    if (set !== undefined) this.#later(set);
  }

  #later(at: ObjectKey): void {
    this.#stage.clock.setTimer(LATER_MS, () => this.#fill(at));
  }

  #fill(at: ObjectKey): void {
    const { table } = this.#stage.model;
    const set = table.get(STATEFUL_SETS, at);
    if (set === undefined) return;
    const { name, uid } = set.metadata;
    const spec = set['spec'] as {
      readonly replicas: number;
      readonly template: { readonly metadata: Json; readonly spec?: Json };
    };
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
    const metadata = { ...spec.template.metadata, ownerReferences: [owner] };
    for (let ordinal = 0; ordinal < spec.replicas; ordinal++) {
      if (table.get(PODS, `${at}-${ordinal}`) !== undefined) continue;
      const containers = [{ name: 'app', image: 'registry.example/app:1' }];
      const podSpec = spec.template.spec ?? { containers };
      this.#people.create(PODS, `${at}-${ordinal}`, { metadata, spec: podSpec });
    }
  }
}

/** `namespace/name` of the StatefulSet that made the pod. */
export function setOf({ metadata }: StoredObject): ObjectKey | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === 'StatefulSet' ? `${metadata.namespace}/${owner.name}` : undefined;
}

export function ordinalOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('-') + 1));
}
