import { isDeepStrictEqual } from 'node:util';
import { PODS, STATEFUL_SETS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { type Json, keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import { isReady } from './pod-facts.ts';
import { hashTemplate, LATER_MS, REVISION, revisionOf, type Template } from './set-revisions.ts';
import type { Stage } from './stage.ts';

interface SetSpec {
  readonly replicas: number;
  readonly template: Template;
  readonly updateStrategy?: {
    readonly type: 'OnDelete' | 'RollingUpdate';
    readonly rollingUpdate?: { readonly partition?: number };
  };
}

/**
 * What the controller manager does for StatefulSets with podManagementPolicy OrderedReady: it makes a missing pod, and
 * rolls from the highest ordinal down to the partition, one pod after the other, once all pods before are ready.
 */
export class StatefulSetController {
  readonly #stage: Stage;
  readonly #people: People;
  /** The template of the pods below a partition, by set. */
  readonly #current = new Map<ObjectKey, Template>();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'controller-manager');
  }

  onCommit({ kind, object }: Commit): void {
    if (kind === STATEFUL_SETS) this.#later(keyOfStored(object) as ObjectKey);
    const set = kind === PODS ? setOf(object) : undefined;
    if (set !== undefined) this.#later(set);
  }

  #later(at: ObjectKey): void {
    this.#stage.clock.setTimer(LATER_MS, () => this.#look(at));
  }

  #look(at: ObjectKey): void {
    const { table } = this.#stage.model;
    const set = table.get(STATEFUL_SETS, at);
    if (set === undefined) return;
    const { replicas, template, updateStrategy } = set['spec'] as SetSpec;
    const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
    this.#observe(at, set);
    const current = this.#keepCurrent(at, template, partition);
    const pods = Array.from({ length: replicas }, (_, ordinal) =>
      table.get(PODS, `${at}-${ordinal}`),
    );
    const first = pods.findIndex((pod) => pod === undefined || !isReady(pod));
    if (first === -1) {
      if (updateStrategy?.type === 'RollingUpdate') this.#roll(pods.slice(partition), template);
    } else if (pods[first] === undefined) {
      this.#create(at, set, [first, first < partition ? current : template]);
    }
  }

  /** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/stateful-set-v1/#StatefulSetStatus */
  #observe(at: ObjectKey, { metadata, ...set }: StoredObject): void {
    const { generation: observedGeneration } = metadata;
    const { template } = set['spec'] as SetSpec;
    const status = { observedGeneration, updateRevision: hashTemplate(template) };
    if (isDeepStrictEqual(set['status'], status)) return;
    this.#people.patchStatus(STATEFUL_SETS, at, status);
  }

  #keepCurrent(at: ObjectKey, template: Template, partition: number): Template {
    const current = this.#current.get(at) ?? template;
    this.#current.set(at, partition > 0 ? current : template);
    return current;
  }

  /** https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#rolling-updates */
  #roll(pods: readonly (StoredObject | undefined)[], template: Template): void {
    const revision = hashTemplate(template);
    const next = pods.findLast((pod) => pod !== undefined && revisionOf(pod) !== revision);
    if (next !== undefined) this.#people.delete(PODS, keyOfStored(next) as ObjectKey);
  }

  #create(
    at: ObjectKey,
    set: StoredObject,
    [ordinal, template]: readonly [number, Template],
  ): void {
    const { name, uid } = set.metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true };
    const containers = [{ name: 'app', image: 'registry.example/app:1' }];
    const labels = { ...(template.metadata.labels as Json), [REVISION]: hashTemplate(template) };
    const metadata = { ...template.metadata, labels, ownerReferences: [owner] };
    this.#people.create(PODS, `${at}-${ordinal}`, {
      metadata,
      spec: template.spec ?? { containers },
    });
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
