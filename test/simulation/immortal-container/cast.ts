import type { ImmortalContainer } from '../../../src/apis/immortal-container.ts';
import { PAUSED_ANNOTATION } from '../../../src/core/objects/annotations.ts';
import { PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { Json } from '../api-model/stored-object.ts';
import { type ObjectKey, People, partsOf } from '../people.ts';
import { definedKind } from '../served-definition.ts';
import { omitNull, ReplacedPods } from '../templated-pods.ts';
import type { Kubelet } from '../world/kubelet.ts';
import type { Cast, Stage } from '../world/stage.ts';
import type { ImmortalAction, ImmortalName } from './actions.ts';
import { checkFinalContainers } from './final-check.ts';
import { PodInvariants } from './pod-invariants.ts';

const KIND = definedKind('ImmortalContainer');

/** ImmortalContainer: its users, the node of its pods, and the promises about their number. */
export class ImmortalCast implements Cast<ImmortalAction> {
  readonly #stage: Stage;
  readonly #users: People;
  readonly #others: People;
  readonly #kubelet: Kubelet;
  readonly #invariants: PodInvariants;
  readonly #replaced: ReplacedPods;

  constructor(stage: Stage, kubelet: Kubelet) {
    this.#stage = stage;
    this.#users = new People(stage);
    this.#others = new People(stage, 'somebody');
    this.#kubelet = kubelet;
    this.#invariants = new PodInvariants(stage, KIND);
    this.#replaced = new ReplacedPods(stage, KIND);
  }

  perform(action: ImmortalAction): void {
    const { at } = action;
    switch (action.do) {
      case 'create':
        return this.#users.create(KIND, at, { spec: omitNull(specOf(action)) });
      case 'edit':
        return this.#users.patch(KIND, at, { spec: specOf(action) });
      case 'delete':
        return this.#users.delete(KIND, at);
      case 'pause':
        return this.#users.annotate(KIND, at, { [PAUSED_ANNOTATION]: 'true' });
      case 'goOn':
        return this.#users.annotate(KIND, at, { [PAUSED_ANNOTATION]: null });
      default:
        return this.#toPod(action);
    }
  }

  onCommit(commit: Commit): void {
    this.#invariants.onCommit(commit);
    this.#replaced.onCommit(commit);
  }

  heal(): void {}

  checkFinal(): void {
    const { model, report, isDisturbed } = this.#stage;
    const objects = model.table.list(KIND) as unknown as readonly ImmortalContainer[];
    const { pods } = this.#invariants;
    checkFinalContainers({ table: model.table, objects, pods, report, isDisturbed });
  }

  #toPod(action: Extract<ImmortalAction, { do: 'pod' | 'squat' | 'leave' }>): void {
    const pod = podOf(action.at);
    switch (action.do) {
      case 'squat':
        return this.#others.create(PODS, pod, { spec: { containers: [{ name: 'theirs' }] } });
      case 'leave': {
        const found = this.#stage.model.table.get(PODS, pod);
        if (found?.metadata.ownerReferences === undefined) this.#others.delete(PODS, pod);
        return;
      }
      case 'pod':
        return this.#happen(pod, action.what);
      default:
        return action satisfies never;
    }
  }

  #happen(pod: ObjectKey, what: Extract<ImmortalAction, { do: 'pod' }>['what']): void {
    switch (what) {
      case 'deleted':
        return this.#others.delete(PODS, pod);
      case 'failed':
        return this.#kubelet.fail(pod, { phase: 'Failed' });
      case 'succeeded':
        return this.#kubelet.fail(pod, { phase: 'Succeeded' });
      case 'evicted':
        return this.#kubelet.fail(pod, { phase: 'Failed', reason: 'Evicted' });
      case 'unlabelled':
        return this.#others.patch(PODS, pod, { metadata: { labels: null } });
      default:
        return what satisfies never;
    }
  }
}

function specOf({ image, podTemplate }: Extract<ImmortalAction, { do: 'create' | 'edit' }>): Json {
  return { image, ...(podTemplate !== undefined && { podTemplate }) };
}

/** The article's name for the pod. */
function podOf(at: ImmortalName): ObjectKey {
  const { namespace, name } = partsOf(at);
  return `${namespace}/${name}-immortalpod`;
}
