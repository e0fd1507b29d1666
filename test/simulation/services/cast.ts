import { SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored } from '../api-model/stored-object.ts';
import { People, partsOf } from '../people.ts';
import { type Cast, isOperator, type Stage } from '../world/stage.ts';
import type { ServiceAction, ServiceKey } from './actions.ts';
import { Addresses } from './addresses.ts';
import { EndpointHistory } from './endpoint-history.ts';
import { PodSet } from './pod-set.ts';
import { SliceController, TARGET_PORT } from './slice-controller.ts';

/** Services of applications, the pods behind them and their EndpointSlices. */
export class ServiceCast implements Cast<ServiceAction> {
  readonly history: EndpointHistory;
  /** A pod has come, gone or changed. */
  onPodChange: () => void = () => {};
  readonly #stage: Stage;
  readonly #people: People;
  readonly #slices: SliceController;
  readonly #addresses = new Addresses();
  readonly #pods = new Map<ServiceKey, PodSet>();

  constructor(stage: Stage) {
    const { clock, model } = stage;
    this.#stage = stage;
    this.#people = new People(stage);
    this.#slices = new SliceController(stage, (at) => this.#pods.get(at)?.pods ?? []);
    this.history = new EndpointHistory(model.table, () => clock.monotonicMs());
  }

  perform(action: ServiceAction): void {
    switch (action.do) {
      case 'apply':
        return this.#apply(action);
      case 'remove':
        return this.#people.delete(SERVICES, action.at);
      default:
        return changePods(this.#pods.get(action.at), action);
    }
  }

  onCommit(commit: Commit): void {
    this.history.onCommit(commit);
    if (commit.kind !== SERVICES) return;
    const at = keyOfStored(commit.object) as ServiceKey;
    if (!this.#pods.has(at)) return;
    this.#slices.changed(at);
    if (isOperator(commit.by)) this.#stage.report('foreign-untouched', `Service ${at} was written`);
  }

  heal(): void {
    for (const pods of this.#pods.values()) pods.setFailing(false);
  }

  checkFinal(): void {}

  /** Whether a pod at this address answers requests; one that is terminating does. */
  isServing(address: string): boolean {
    const all = [...this.#pods.values()].flatMap(({ pods }) => pods);
    return all.some((pod) => pod.address === address && pod.isReady);
  }

  #apply({ at, pods, port }: Extract<ServiceAction, { do: 'apply' }>): void {
    const ports = [{ ...port, targetPort: TARGET_PORT, protocol: 'TCP' }];
    const isThere = this.#stage.model.table.get(SERVICES, at) !== undefined;
    if (!this.#pods.has(at)) this.#start(at, pods);
    const selector = { app: partsOf(at).name };
    if (isThere) this.#people.patch(SERVICES, at, { spec: { ports } });
    else this.#people.create(SERVICES, at, { spec: { ports, selector } });
  }

  #start(at: ServiceKey, count: number): void {
    const { clock } = this.#stage;
    const onChange = (): void => {
      this.#slices.changed(at);
      this.onPodChange();
    };
    const pods = new PodSet({ clock, addresses: this.#addresses, onChange });
    this.#pods.set(at, pods);
    pods.scale(count);
  }
}

type PodAction = Exclude<ServiceAction, { readonly do: 'apply' | 'remove' }>;

function changePods(pods: PodSet | undefined, action: PodAction): void {
  switch (action.do) {
    case 'scale':
      return pods?.scale(action.pods);
    case 'roll':
      return pods?.roll();
    case 'recreate':
      return pods?.recreate();
    case 'fail':
    case 'recover':
      return pods?.setFailing(action.do === 'fail');
    default:
      return action satisfies never;
  }
}
