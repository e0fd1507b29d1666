import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { type Json, keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import { isActive, isReady } from './pod-facts.ts';
import { hashTemplate } from './set-revisions.ts';
import type { Stage } from './stage.ts';

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label */
export const TEMPLATE_HASH = 'pod-template-hash';
/** Deployments with this label have pods; the others only a status. */
export const HAS_PODS = { 'simulation/pods': 'yes' } as const;

interface Scalable {
  readonly replicas?: number;
  readonly template?: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: Json;
  };
}

const REVISION = 'deployment.kubernetes.io/revision';
const LEAST_MS = 20;
const SPREAD_MS = 500;

/**
 * What the controller manager does for Deployments that have pods: a ReplicaSet for each template,
 * one pod more than wanted while they change places, and always as many pods as wanted.
 */
export class ReplicaSetController {
  readonly #stage: Stage;
  readonly #people: People;
  readonly #due = new Set<ObjectKey>();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'controller-manager');
  }

  onCommit(commit: Commit): void {
    const { kind, object } = commit;
    if (kind !== PODS && isOwnWrite(commit)) return;
    const { namespace = '' } = object.metadata;
    if (kind === DEPLOYMENTS && hasPods(object)) this.#later(keyOfStored(object) as ObjectKey);
    if (kind !== PODS && kind !== REPLICA_SETS) return;
    const deployment = object.metadata.labels?.['deployment'];
    if (deployment !== undefined) this.#later(`${namespace}/${deployment}`);
  }

  #later(at: ObjectKey): void {
    if (this.#due.has(at)) return;
    this.#due.add(at);
    const { clock } = this.#stage;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => {
      this.#due.delete(at);
      this.#look(at);
    });
  }

  #look(at: ObjectKey): void {
    const deployment = this.#stage.model.table.get(DEPLOYMENTS, at);
    if (deployment === undefined || !hasPods(deployment)) return;
    const { template = {}, replicas = 1 } = specOf(deployment);
    const wanted = this.#setFor(deployment, template);
    if (wanted === undefined) return;
    const others = this.#setsOf(deployment).filter((one) => one !== wanted);
    const fresh = this.#podsOf(wanted).filter(isReady).length;
    const old = others.reduce((sum, set) => sum + this.#podsOf(set).filter(isActive).length, 0);
    this.#fill(wanted, others.length === 0 ? replicas : Math.min(replicas, replicas + 1 - old));
    let kept = Math.max(0, replicas - fresh);
    for (const set of others) {
      const count = Math.min(kept, this.#podsOf(set).filter(isActive).length);
      this.#fill(set, count);
      kept -= count;
    }
  }

  /** undefined: it was made just now, and the next look goes on. */
  #setFor(
    deployment: StoredObject,
    template: NonNullable<Scalable['template']>,
  ): StoredObject | undefined {
    const { name, namespace = '', uid } = deployment.metadata;
    const hash = hashTemplate(template);
    const at: ObjectKey = `${namespace}/${name}-${hash}`;
    const found = this.#stage.model.table.get(REPLICA_SETS, at);
    const revision = this.#observe(deployment, found);
    if (found !== undefined) return found;
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true };
    const { annotations = {} } = template.metadata ?? {};
    const labels = { ...template.metadata?.labels, deployment: name, [TEMPLATE_HASH]: hash };
    this.#people.create(REPLICA_SETS, at, {
      metadata: { labels, annotations: { [REVISION]: revision }, ownerReferences: [owner] },
      spec: { template: { ...template, metadata: { labels, annotations } } },
    });
    return undefined;
  }

  /**
   * The newest ReplicaSet has the highest number, also one of before whose template is back, and the Deployment has it
   * too (https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment).
   */
  #observe(deployment: StoredObject, wanted: StoredObject | undefined): string {
    const others = this.#setsOf(deployment).filter((set) => set !== wanted);
    const newest = Math.max(0, ...others.map(readRevision));
    const revision = `${Math.max(newest + 1, wanted === undefined ? 0 : readRevision(wanted))}`;
    const { generation = 0 } = deployment.metadata;
    const status = deployment['status'] as { readonly observedGeneration?: number } | undefined;
    if (status?.observedGeneration === generation) return revision;
    const annotation = { [REVISION]: revision };
    if (wanted !== undefined) {
      this.#people.annotate(REPLICA_SETS, keyOfStored(wanted) as ObjectKey, annotation);
    }
    const at = keyOfStored(deployment) as ObjectKey;
    this.#people.annotate(DEPLOYMENTS, at, annotation);
    this.#people.patchStatus(DEPLOYMENTS, at, { observedGeneration: generation });
    return revision;
  }

  /** Makes pods, or takes away those first that do not serve. */
  #fill(set: StoredObject, wanted: number): void {
    const active = this.#podsOf(set).filter(isActive);
    for (let missing = wanted - active.length; missing > 0; missing--) this.#add(set);
    const spare = active.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)));
    for (const pod of spare.slice(0, Math.max(0, active.length - wanted))) {
      this.#people.delete(PODS, keyOfStored(pod) as ObjectKey);
    }
  }

  #add(set: StoredObject): void {
    const { name, namespace = '', uid } = set.metadata;
    const suffix = Math.floor(this.#stage.clock.random() * 36 ** 5)
      .toString(36)
      .padStart(5, '0');
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true };
    const { metadata = {}, spec } = specOf(set).template ?? {};
    this.#people.create(PODS, `${namespace}/${name}-${suffix}`, {
      metadata: { ...metadata, ownerReferences: [owner] },
      spec: spec ?? { containers: [{ name: 'app', image: 'registry.example/app:1' }] },
    });
  }

  #setsOf({ metadata }: StoredObject): readonly StoredObject[] {
    return this.#ownedBy(REPLICA_SETS, metadata.uid);
  }

  #podsOf({ metadata }: StoredObject): readonly StoredObject[] {
    return this.#ownedBy(PODS, metadata.uid);
  }

  #ownedBy(kind: typeof PODS, uid: string): readonly StoredObject[] {
    const isOwned = ({ metadata }: StoredObject): boolean =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
    return this.#stage.model.table.list(kind).filter(isOwned);
  }
}

/** Of revisions, which are in metadata and status. */
function isOwnWrite({ type, object, before }: Commit): boolean {
  return type === 'MODIFIED' && before?.metadata.generation === object.metadata.generation;
}

function readRevision({ metadata }: StoredObject): number {
  return Number(metadata.annotations?.[REVISION]);
}

/** A Deployment of somebody who is no WebApp. */
export function hasPods({ metadata }: StoredObject): boolean {
  return metadata.labels?.['simulation/pods'] === HAS_PODS['simulation/pods'];
}

function specOf(object: StoredObject): Scalable {
  return object['spec'] ?? {};
}
