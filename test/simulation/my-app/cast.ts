import type { MyApp } from '../../../src/apis/my-app.ts';
import { PAUSED_ANNOTATION } from '../../../src/core/objects/annotations.ts';
import { PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { judgeOwner } from '../owner-invariants.ts';
import { type ObjectKey, People } from '../people.ts';
import { definedKind } from '../served-definition.ts';
import { omitNull, ReplacedPods } from '../templated-pods.ts';
import type { Kubelet } from '../world/kubelet.ts';
import { type Cast, isOperator, type Stage } from '../world/stage.ts';
import type { MyAppAction, MyAppName } from './actions.ts';
import { checkFinalMyApps } from './final-check.ts';

const KIND = definedKind('MyApp');

/** MyApp: its users and what befalls its pods. */
export class MyAppCast implements Cast<MyAppAction> {
  readonly #stage: Stage;
  readonly #kubelet: Kubelet;
  readonly #users: People;
  readonly #others: People;
  readonly #replaced: ReplacedPods;

  constructor(stage: Stage, kubelet: Kubelet) {
    this.#stage = stage;
    this.#kubelet = kubelet;
    this.#users = new People(stage);
    this.#others = new People(stage, 'somebody');
    this.#replaced = new ReplacedPods(stage, KIND);
  }

  perform(action: MyAppAction): void {
    const { at } = action;
    switch (action.do) {
      case 'create':
        return this.#users.create(KIND, at, { spec: omitNull(action.spec) });
      case 'edit':
        return this.#users.patch(KIND, at, { spec: action.change });
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
    const { kind, object, before, by } = commit;
    this.#replaced.onCommit(commit);
    if (kind === KIND && isOperator(by)) judgeOwner(object, before, this.#stage.report);
  }

  heal(): void {}

  checkFinal(): void {
    const { model, report } = this.#stage;
    const apps = model.table.list(KIND) as unknown as readonly MyApp[];
    checkFinalMyApps({ table: model.table, apps, report });
  }

  #toPod(action: Extract<MyAppAction, { do: 'pod' | 'squat' | 'leave' }>): void {
    const { at } = action;
    switch (action.do) {
      case 'squat':
        return this.#others.create(PODS, podOf(at, 0), {
          spec: { containers: [{ name: 'theirs' }] },
        });
      case 'leave': {
        const found = this.#stage.model.table.get(PODS, podOf(at, 0));
        if (found?.metadata.ownerReferences === undefined) this.#others.delete(PODS, podOf(at, 0));
        return;
      }
      case 'pod': {
        const pod = podOf(at, action.index);
        if (action.what === 'deleted') return this.#others.delete(PODS, pod);
        return this.#kubelet.fail(pod, { phase: 'Failed' });
      }
      default:
        return action satisfies never;
    }
  }
}

/** `<name>-pod`, then `<name>-pod-1` and so on. */
function podOf(at: MyAppName, index: number): ObjectKey {
  return index === 0 ? `${at}-pod` : `${at}-pod-${index}`;
}
