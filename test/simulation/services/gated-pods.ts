import { GATE_LABELS, READINESS_GATE } from '../../../src/pods/pod.ts';
import { PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { canonical, type Json, type StoredObject } from '../api-model/stored-object.ts';
import { conditionsOf } from '../owner-invariants.ts';
import { type ObjectKey, People, partsOf } from '../people.ts';
import { isGated } from '../world/pod-facts.ts';
import { isOperator, type Stage } from '../world/stage.ts';
import type { ServiceKey } from './actions.ts';
import { getIpv6Of } from './addresses.ts';
import { type Backend, nameOfPod, PRE_STOP_SECONDS } from './pod-set.ts';
import { readIpv6Block, TARGET_PORT } from './slice-controller.ts';

/** The kubelet notices a condition that others have written. */
const NOTICE_MS = 50;
const NOTICE_SPREAD_MS = 500;
const GRACE_SECONDS = 60;
const OWN_CONDITIONS: readonly string[] = ['ContainersReady', 'Ready'];

/** The pods of Services as objects, each with the readiness gate and a preStop hook. */
export class GatedPods {
  readonly #stage: Stage;
  readonly #people: People;
  /** By Service and number. */
  readonly #shown = new Map<ServiceKey, ReadonlyMap<number, Backend>>();
  /** Its gate is open, and its kubelet knows. */
  readonly #onOpen: (at: ServiceKey, id: number) => void;

  constructor(stage: Stage, onOpen: (at: ServiceKey, id: number) => void) {
    this.#stage = stage;
    this.#people = new People(stage, 'kubelet');
    this.#onOpen = onOpen;
  }

  onCommit(commit: Commit): void {
    const { kind, object, by } = commit;
    if (kind === PODS && isGated(object) && isOperator(by)) this.#judge(commit);
  }

  #judge({ type, object, before }: Commit): void {
    const name = `Pod ${object.metadata.name}`;
    if (type !== 'MODIFIED' || !hasSameButGate(object, before)) {
      return this.#stage.report('foreign-child-untouched', `${name} was written`);
    }
    if (isGateOpen(before) && !isGateOpen(object)) {
      return this.#stage.report('gate-stays-open', `the gate of ${name} was closed again`);
    }
    if (!isGateOpen(before) && isGateOpen(object)) this.#openLater(object);
  }

  /** Call after each change of the pods of a Service. */
  show(at: ServiceKey, pods: readonly Backend[]): void {
    const shown = this.#shown.get(at) ?? new Map<number, Backend>();
    this.#shown.set(at, new Map(pods.map((pod) => [pod.id, pod])));
    for (const pod of pods) this.#showOne(at, pod, shown.get(pod.id));
    const left = new Set(pods.map(({ id }) => id));
    for (const pod of shown.values()) {
      if (!left.has(pod.id)) this.#people.remove(PODS, keyOfPod(at, pod));
    }
  }

  #showOne(at: ServiceKey, pod: Backend, before: Backend | undefined): void {
    const key = keyOfPod(at, pod);
    if (before === undefined) this.#people.create(PODS, key, describePod(at));
    if (before?.isUp !== pod.isUp || before.isReady !== pod.isReady) this.#showStatus(key, pod);
    if (pod.isTerminating && before?.isTerminating !== true) this.#people.delete(PODS, key);
  }

  #showStatus(key: ObjectKey, { address, isUp, isReady }: Backend): void {
    const live = this.#stage.model.table.get(PODS, key);
    if (live === undefined) return;
    const others = conditionsOf(live).filter(({ type }) => !OWN_CONDITIONS.includes(type));
    const isHeld = isUp && !isReady && { reason: 'ReadinessGatesNotReady' };
    const conditions = [
      ...others,
      { type: 'ContainersReady', status: isUp ? 'True' : 'False' },
      { type: 'Ready', status: isReady ? 'True' : 'False', ...isHeld },
    ];
    const ips = [address, getIpv6Of(address, readIpv6Block(this.#stage))];
    const podIPs = ips.map((ip) => ({ ip }));
    this.#people.patchStatus(PODS, key, { phase: 'Running', podIP: address, podIPs, conditions });
  }

  #openLater(object: StoredObject): void {
    const { metadata } = object;
    const { clock, met } = this.#stage;
    const gate = conditionsOf(object).find(({ type }) => type === READINESS_GATE);
    met(`gate ${gate?.reason}`);
    const [, service = '', id = ''] = /^(.+)-(\d+)$/.exec(metadata.name) ?? [];
    const at: ServiceKey = `${metadata.namespace}/${service}`;
    clock.setTimer(NOTICE_MS + NOTICE_SPREAD_MS * clock.random(), () => {
      this.#onOpen(at, Number(id));
    });
  }
}

export function isGateOpen(pod: StoredObject | undefined): boolean {
  if (pod === undefined) return false;
  return conditionsOf(pod).some(({ type, status }) => type === READINESS_GATE && status === 'True');
}

function keyOfPod(at: ServiceKey, pod: Backend): ObjectKey {
  return `${partsOf(at).namespace}/${nameOfPod(at, pod)}`;
}

function describePod(at: ServiceKey): Json {
  const lifecycle = { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } };
  const ports = [{ containerPort: TARGET_PORT }];
  return {
    metadata: { labels: { app: partsOf(at).name, ...GATE_LABELS } },
    spec: {
      nodeName: 'node-1',
      readinessGates: [{ conditionType: READINESS_GATE }],
      terminationGracePeriodSeconds: GRACE_SECONDS,
      containers: [{ name: 'app', image: 'registry.example/app:1', ports, lifecycle }],
    },
  };
}

function hasSameButGate(object: StoredObject, before: StoredObject | undefined): boolean {
  return before !== undefined && textWithoutGate(object) === textWithoutGate(before);
}

function textWithoutGate(object: StoredObject): string {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = object.metadata;
  const status = (object['status'] ?? {}) as Json;
  const conditions = conditionsOf(object).filter(({ type }) => type !== READINESS_GATE);
  return canonical({ ...object, metadata, status: { ...status, conditions } });
}
