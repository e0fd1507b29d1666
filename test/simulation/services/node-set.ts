import { NODES } from '../api-model/kinds.ts';
import { type ObjectKey, People } from '../people.ts';
import type { Stage } from '../world/stage.ts';
import type { NodeAction } from './actions.ts';

/** As the controllers of a node set its condition Ready. */
type Readiness = 'True' | 'False' | 'Unknown';

const JOIN_MS = 1000;
const JOIN_SPREAD_MS = 4000;
const HEARTBEAT_MS = 20_000;
const SUBNETS = ['subnet-a', 'subnet-b', 'subnet-c'] as const;
const DRAINING = [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] as const;

/** The nodes of the cluster, each with its instance in AWS. A terminated one comes back as another instance. */
export class NodeSet {
  /** A node has come, gone or changed. */
  onChange: () => void = () => {};
  readonly #stage: Stage;
  readonly #people: People;
  /** By number; the instance that the node has now. */
  readonly #instances = new Map<number, string>();
  #launched = 0;
  #isOver = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'kubelet');
  }

  perform({ do: what, node }: NodeAction): void {
    switch (what) {
      case 'launch':
        return this.#launch(node);
      case 'terminate':
        return this.#terminate(node);
      case 'drain':
        return this.#people.patch(NODES, keyOf(node), { spec: { taints: DRAINING } });
      case 'fail':
        return this.#setReady(node, 'False');
      case 'silence':
        return this.#setReady(node, 'Unknown');
      case 'recover':
        return this.#setReady(node, 'True');
      default:
        return what satisfies never;
    }
  }

  /** No node is unwell from here on, and none writes any more. */
  heal(): void {
    this.#isOver = true;
    for (const node of this.#instances.keys()) this.#setReady(node, 'True');
  }

  /** Whether kube-proxy on the node of this instance forwards requests. */
  isUp(id: string): boolean {
    return [...this.#instances.values()].includes(id);
  }

  #launch(node: number): void {
    if (this.#instances.has(node)) return;
    this.#launched += 1;
    const id = `i-${String(this.#launched).padStart(17, '0')}`;
    const { aws, clock } = this.#stage;
    const subnetId = SUBNETS[node % SUBNETS.length] ?? 'subnet-a';
    aws.control.putInstance({ id, subnetId, state: 'running' });
    this.#instances.set(node, id);
    const providerID = `aws:///us-east-1a/${id}`;
    this.#people.create(NODES, keyOf(node), { spec: { providerID } });
    this.#setReady(node, 'False');
    const joinMs = JOIN_MS + JOIN_SPREAD_MS * clock.random();
    clock.setTimer(joinMs, () => this.#join(node, id));
  }

  #join(node: number, id: string): void {
    if (this.#instances.get(node) !== id) return;
    this.#setReady(node, 'True');
    this.#beat(node, id);
  }

  /** Writes that change nothing about the node. */
  #beat(node: number, id: string): void {
    const { clock } = this.#stage;
    clock.setTimer(HEARTBEAT_MS, () => {
      if (this.#isOver || this.#instances.get(node) !== id) return;
      this.#people.annotate(NODES, keyOf(node), { beat: `${clock.monotonicMs()}` });
      this.#beat(node, id);
    });
  }

  #terminate(node: number): void {
    const id = this.#instances.get(node);
    if (id === undefined) return;
    const { aws } = this.#stage;
    this.#instances.delete(node);
    const subnetId = SUBNETS[node % SUBNETS.length] ?? 'subnet-a';
    aws.control.putInstance({ id, subnetId, state: 'stopped' });
    this.#people.delete(NODES, keyOf(node));
    this.onChange();
  }

  #setReady(node: number, status: Readiness): void {
    if (!this.#instances.has(node)) return;
    this.#people.patchStatus(NODES, keyOf(node), { conditions: [{ type: 'Ready', status }] });
    this.onChange();
  }
}

function keyOf(node: number): ObjectKey {
  return `/node-${node}`;
}
