import { PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People } from '../people.ts';
import { isActive, isGated } from './pod-facts.ts';
import type { Stage } from './stage.ts';

const LEAST_MS = 100;
const SPREAD_MS = 2500;
const ENDS_AFTER_MS = 5000;
const LOOK_AGAIN_MS = 2000;
/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy */
const FIRST_BACKOFF_MS = 10_000;
const MOST_BACKOFF_MS = 300_000;

/**
 * Scheduler and kubelet, as far as a pod shows it: bound, running, ready, and gone when it is deleted. Pods with a
 * readiness gate are played by services/gated-pods.ts.
 */
export class Kubelet {
  /** Whether all is there that the containers of a pod need. */
  canStart: (pod: StoredObject) => boolean = () => true;
  /** Whether a pod that starts now ever gets ready. */
  getsReady: (pod: StoredObject) => boolean = () => true;
  /** Whether the container of a pod that starts now ends some seconds after it got ready. */
  endsSoon: (pod: StoredObject) => boolean = () => false;
  readonly #stage: Stage;
  readonly #people: People;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage, 'kubelet');
  }

  onCommit({ kind, type, object, before }: Commit): void {
    if (kind !== PODS || isGated(object)) return;
    if (type === 'DELETED') return;
    if (type === 'ADDED') this.#later(object, () => this.#run(object));
    const isNews = before?.metadata.deletionTimestamp === undefined;
    if (object.metadata.deletionTimestamp && isNews) this.#later(object, () => this.#end(object));
  }

  /** How a pod ends by itself: it stays as it is, and nothing restarts it. */
  fail(at: ObjectKey, end: { readonly phase: string; readonly reason?: string }): void {
    const live = this.#stage.model.table.get(PODS, at);
    if (live === undefined || live.metadata.deletionTimestamp) return;
    const exitCode = end.phase === 'Succeeded' ? 0 : 1;
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
    this.#people.patchStatus(PODS, at, {
      ...end,
      conditions: [{ type: 'Ready', status: 'False', reason: 'PodFailed' }],
      containerStatuses: [{ name: containerOf(live), restartCount: 0, state: { terminated } }],
    });
  }

  #run(pod: StoredObject): void {
    // A phase in which a pod has ended is its last one.
    const now = this.#now(pod);
    if (now === undefined || !isActive(now)) return;
    const at = keyOfStored(pod) as ObjectKey;
    this.#people.patch(PODS, at, { spec: { nodeName: 'node-1' } });
    this.#startOnce(pod);
  }

  /** https://kubernetes.io/docs/concepts/configuration/configmap/#using-configmaps-as-files-from-a-pod */
  #startOnce(pod: StoredObject): void {
    if (this.canStart(pod)) return this.#start(pod, 0);
    this.#after(LOOK_AGAIN_MS, pod, () => this.#startOnce(pod));
  }

  /** The container reads its configuration anew. */
  #start(pod: StoredObject, restartCount: number): void {
    this.#people.patchStatus(PODS, keyOfStored(pod) as ObjectKey, {
      phase: 'Running',
      startTime: pod.metadata.creationTimestamp,
      conditions: [{ type: 'Ready', status: this.getsReady(pod) ? 'True' : 'False' }],
      containerStatuses: [{ name: containerOf(pod), restartCount, state: { running: {} } }],
    });
    if (!this.endsSoon(pod)) return;
    this.#after(ENDS_AFTER_MS, pod, () => this.#restart(pod, restartCount + 1));
  }

  #restart(pod: StoredObject, restartCount: number): void {
    const waiting = { reason: 'CrashLoopBackOff' };
    this.#people.patchStatus(PODS, keyOfStored(pod) as ObjectKey, {
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [{ name: containerOf(pod), restartCount, state: { waiting } }],
    });
    const backoffMs = Math.min(MOST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (restartCount - 1));
    this.#after(backoffMs, pod, () => this.#start(pod, restartCount));
  }

  /** Unless it has ended, or is on its way out, by then. */
  #after(ms: number, pod: StoredObject, act: () => void): void {
    this.#stage.clock.setTimer(ms, () => {
      const now = this.#now(pod);
      if (now !== undefined && isActive(now)) act();
    });
  }

  #end(pod: StoredObject): void {
    this.#people.remove(PODS, keyOfStored(pod) as ObjectKey);
  }

  #later(pod: StoredObject, act: () => void): void {
    const { clock } = this.#stage;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => {
      if (this.#now(pod) !== undefined) act();
    });
  }

  /** This very pod as it is now. */
  #now({ metadata }: StoredObject): StoredObject | undefined {
    const live = this.#stage.model.table.get(PODS, `${metadata.namespace}/${metadata.name}`);
    return live?.metadata.uid === metadata.uid ? live : undefined;
  }
}

function containerOf(pod: StoredObject): string {
  const { containers = [] } = pod['spec'] as { containers?: readonly { readonly name: string }[] };
  return containers[0]?.name ?? '';
}
