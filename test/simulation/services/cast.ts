import { createHash } from 'node:crypto';
import { SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored } from '../api-model/stored-object.ts';
import { controllerOf } from '../owner-invariants.ts';
import { People, partsOf } from '../people.ts';
import { type Cast, isOperator, type Stage } from '../world/stage.ts';
import type { ServiceAction, ServiceKey } from './actions.ts';
import { Addresses, getIpv6Of } from './addresses.ts';
import { EndpointHistory } from './endpoint-history.ts';
import { GatedPods } from './gated-pods.ts';
import { NodeSet } from './node-set.ts';
import { type Backend, PodSet } from './pod-set.ts';
import { readIpv6Block, SliceController, TARGET_PORT } from './slice-controller.ts';

/** Services of applications, the pods behind them and their EndpointSlices. */
export class ServiceCast implements Cast<ServiceAction> {
  readonly history: EndpointHistory;
  readonly nodes: NodeSet;
  /** A pod has come, gone or changed. */
  onPodChange: () => void = () => {};
  /** The process of a pod ends: whatever is sent to it from now on is lost. */
  onPodEnd: (addresses: readonly string[]) => void = () => {};
  readonly #stage: Stage;
  readonly #people: People;
  readonly #slices: SliceController;
  readonly #addresses = new Addresses();
  readonly #pods = new Map<ServiceKey, PodSet>();
  readonly #gated: GatedPods;

  constructor(stage: Stage) {
    const { clock, model } = stage;
    this.#stage = stage;
    this.#people = new People(stage);
    this.#slices = new SliceController(stage, (at) => {
      return (this.#pods.get(at)?.pods ?? []).filter(({ isSelected }) => isSelected);
    });
    this.#gated = new GatedPods(stage, (at, id) => this.#pods.get(at)?.openGate(id));
    this.nodes = new NodeSet(stage);
    this.nodes.onChange = () => this.onPodChange();
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
    this.#gated.onCommit(commit);
    if (commit.kind !== SERVICES) return;
    const at = keyOfStored(commit.object) as ServiceKey;
    if (!this.#pods.has(at)) return;
    this.#slices.changed(at);
    const isOfWebApp = controllerOf(commit.object, 'WebApp') !== undefined;
    if (!isOperator(commit.by) || isOfWebApp) return;
    this.#stage.report('foreign-untouched', `Service ${at} was written`);
  }

  /** Pods behind a Service that others make. */
  startPods(at: ServiceKey, pods: number): void {
    if (!this.#pods.has(at)) this.#start(at, pods);
  }

  heal(): void {
    this.nodes.heal();
    for (const pods of this.#pods.values()) pods.setFailing(false);
  }

  checkFinal(): void {}

  /** Whether a pod at this address answers requests, or a node of this id; a pod that is terminating does. */
  isServing(address: string): boolean {
    return this.nodes.isUp(address) || this.serviceAt(address) !== undefined;
  }

  /** When the pod that answers requests at this address, and is to, was exchanged for others (monotonic ms). */
  findExchangedMs(address: string): number | undefined {
    return this.isStaying(address) ? this.#findPod(address)?.exchangedMs : undefined;
  }

  /** Of the pod that answers requests at this address. */
  serviceAt(address: string): ServiceKey | undefined {
    return this.#findPod(address)?.at;
  }

  /** Whether a pod answers requests at this address, and is not being deleted. */
  isStaying(address: string): boolean {
    return this.#findPod(address)?.isTerminating === false;
  }

  #findPod(address: string): (Backend & { readonly at: ServiceKey }) | undefined {
    const block = readIpv6Block(this.#stage);
    const all = [...this.#pods].flatMap(([at, { pods }]) => pods.map((pod) => ({ ...pod, at })));
    return all.find(
      (pod) => pod.isUp && [pod.address, getIpv6Of(pod.address, block)].includes(address),
    );
  }

  #apply({ at, pods, port, isDualStack }: Extract<ServiceAction, { do: 'apply' }>): void {
    const ports = [{ ...port, targetPort: TARGET_PORT, nodePort: nodePortOf(at), protocol: 'TCP' }];
    const spec = { ports, ...(isDualStack && { ipFamilies: ['IPv4', 'IPv6'] }) };
    const isThere = this.#stage.model.table.get(SERVICES, at) !== undefined;
    if (!this.#pods.has(at)) this.#start(at, pods);
    const selector = { app: partsOf(at).name };
    if (isThere) this.#people.patch(SERVICES, at, { spec });
    else this.#people.create(SERVICES, at, { spec: { ...spec, selector } });
  }

  #start(at: ServiceKey, count: number): void {
    const { clock, settings } = this.#stage;
    const { readinessGates: isGated = false } = settings;
    const onChange = (): void => {
      if (isGated) this.#gated.show(at, pods.pods);
      this.#slices.changed(at);
      this.onPodChange();
    };
    const onEnd = ({ address }: Backend): void => {
      this.onPodEnd([address, getIpv6Of(address, readIpv6Block(this.#stage))]);
    };
    const onExchange = (version: string): void => {
      if (this.#stage.model.table.get(SERVICES, at) === undefined) return;
      const selector = { app: partsOf(at).name, version };
      this.#people.patch(SERVICES, at, { spec: { selector } });
    };
    const parts = { clock, addresses: this.#addresses, isGated, onChange, onExchange, onEnd };
    const pods = new PodSet(parts);
    this.#pods.set(at, pods);
    pods.scale(count);
  }
}

/** Of the one port of a Service, whatever its name; each Service has another. */
function nodePortOf(at: string): number {
  return 30_000 + (createHash('sha256').update(at).digest().readUInt32BE() % 2768);
}

type PodAction = Exclude<ServiceAction, { readonly do: 'apply' | 'remove' }>;

function changePods(pods: PodSet | undefined, action: PodAction): void {
  if (pods === undefined) return;
  switch (action.do) {
    case 'scale':
      return pods.scale(action.pods);
    case 'roll':
      return pods.roll();
    case 'recreate':
      return pods.recreate();
    case 'exchange':
      return pods.exchange(action.staysMs);
    case 'fail':
    case 'recover':
      return pods.setFailing(action.do === 'fail');
    default:
      return action satisfies never;
  }
}
