import { DAEMON_SETS, PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { type Json, keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import { isActive, isReady } from './pod-facts.ts';
import { hashTemplate, LATER_MS, REVISION, revisionOf, type Template } from './set-revisions.ts';
import type { Stage } from './stage.ts';

/** A label of a DaemonSet: so many nodes take its pods. */
const NODES = 'simulation/nodes';

/** What the controller manager does for DaemonSets: one pod for each node, and rolls one node after the other. */
export class DaemonSetController {
  readonly #stage: Stage;
  readonly #people: People;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'controller-manager');
  }

  onCommit({ kind, type, object }: Commit): void {
    if (kind === DAEMON_SETS) {
      const at = keyOfStored(object) as ObjectKey;
      const status = { desiredNumberScheduled: countNodes(object) };
      if (type === 'ADDED') this.#people.patchStatus(DAEMON_SETS, at, status);
      this.#later(at);
    }
    const set = kind === PODS ? daemonSetOf(object) : undefined;
    if (set !== undefined) this.#later(set);
  }

  #later(at: ObjectKey): void {
    this.#stage.clock.setTimer(LATER_MS, () => this.#look(at));
  }

  #look(at: ObjectKey): void {
    const { table } = this.#stage.model;
    const set = table.get(DAEMON_SETS, at);
    if (set === undefined) return;
    const { template, updateStrategy } = set['spec'] as {
      readonly template: Template;
      readonly updateStrategy?: { readonly type: string };
    };
    const nodes = Array.from({ length: countNodes(set) }, (_, node) => `node-${node}`);
    const all = table.list(PODS).filter((pod) => daemonSetOf(pod) === at);
    const pods = all.filter(isActive);
    const taken = new Set(all.map(nodeOf));
    for (const node of nodes) if (!taken.has(node)) this.#create(set, node, template);
    if (updateStrategy?.type === 'OnDelete') return;
    this.#roll(pods, { template, missing: nodes.length - pods.length });
  }

  /** At most one is unavailable: https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/ */
  #roll(
    pods: readonly StoredObject[],
    { template, missing }: { readonly template: Template; readonly missing: number },
  ): void {
    const old = pods.filter((pod) => revisionOf(pod) !== hashTemplate(template));
    const unready = pods.filter((pod) => !isReady(pod));
    const next = old.find((pod) => unready.includes(pod)) ?? old[0];
    if (next === undefined) return;
    const isLast = unready.length === 0 || unready.includes(next);
    if (missing > 0 || !isLast) return;
    this.#people.delete(PODS, keyOfStored(next) as ObjectKey);
  }

  #create(set: StoredObject, node: string, template: Template): void {
    const { name, namespace = '', uid } = set.metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true };
    const suffix = Math.floor(this.#stage.clock.random() * 36 ** 5)
      .toString(36)
      .padStart(5, '0');
    const labels = { ...(template.metadata.labels as Json), [REVISION]: hashTemplate(template) };
    const annotations = { ...(template.metadata.annotations as Json), [NODES]: node };
    const containers = [{ name: 'app', image: 'registry.example/app:1' }];
    this.#people.create(PODS, `${namespace}/${name}-${suffix}`, {
      metadata: { labels, annotations, ownerReferences: [owner] },
      spec: template.spec ?? { containers },
    });
  }
}

/** `namespace/name` of the DaemonSet that made the pod. */
export function daemonSetOf({ metadata }: StoredObject): ObjectKey | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === 'DaemonSet' ? `${metadata.namespace}/${owner.name}` : undefined;
}

export function describeNodes(count: number): Json {
  return { [NODES]: `${count}` };
}

export function countNodes({ metadata }: StoredObject): number {
  return Number(metadata.labels?.[NODES]);
}

function nodeOf({ metadata }: StoredObject): string | undefined {
  return metadata.annotations?.[NODES];
}
