import type { Key } from '../../../src/core/objects/kube-object.ts';
import type { ContainerState, Pod, PodStatus } from '../../../src/pods/pod.ts';
import type { FakeKube } from '../../fakes/fake-kube.ts';
import type { ManualClock } from '../../fakes/manual-clock.ts';

/** What nodes, schedulers and people do with the pods of a cluster in memory. */
export class Kubelet {
  readonly #kube: FakeKube;
  readonly #clock: ManualClock;

  constructor(kube: FakeKube, clock: ManualClock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  get pods(): readonly Pod[] {
    return this.#kube.server.list('Pod') as unknown as readonly Pod[];
  }

  pod(key: Key): Pod {
    const found = this.#kube.server.get('Pod', key);
    if (found === undefined) throw new Error(`no pod ${key}`);
    return found as unknown as Pod;
  }

  /** The pod runs and is ready since now. */
  run(key: Key): Promise<void> {
    return this.setStatus(key, {
      phase: 'Running',
      startTime: this.now,
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  }

  /** The pod ends as a whole, as one that is evicted does. */
  end(key: Key, status: PodStatus = { phase: 'Failed' }): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'PodFailed' }] as const;
    return this.setStatus(key, { ...this.pod(key).status, conditions, ...status });
  }

  /** The container of the pod waits for something. */
  wait(key: Key, reason: string, message?: string): Promise<void> {
    const waiting = { reason, ...(message !== undefined && { message }) };
    return this.setStatus(key, {
      phase: 'Pending',
      containerStatuses: [this.#containerStatus(key, { waiting })],
    });
  }

  /** The container has ended with this code, and the pod with it. */
  exit(key: Key, exitCode: number): Promise<void> {
    const terminated = {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      startedAt: this.pod(key).status?.startTime ?? this.now,
      finishedAt: this.now,
    };
    return this.end(key, {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [this.#containerStatus(key, { terminated })],
    });
  }

  async setStatus(key: Key, status: PodStatus): Promise<void> {
    const fields = JSON.parse(JSON.stringify(status)) as Record<string, unknown>;
    this.#kube.server.applyStatus(this.pod(key), fields);
    await this.#clock.settle();
  }

  /** Somebody deletes the pod, and it goes at once. */
  async delete(key: Key): Promise<void> {
    this.#kube.delete(this.pod(key));
    await this.#clock.settle();
  }

  /** Somebody deletes the pod, and its node is slow, or lost. */
  async deleteSlowly(key: Key): Promise<void> {
    this.#kube.server.mark(this.pod(key));
    await this.#clock.settle();
  }

  /** The node has answered at last. */
  async go(key: Key): Promise<void> {
    this.#kube.server.remove(this.pod(key));
    await this.#clock.settle();
  }

  get now(): string {
    return `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
  }

  #containerStatus(
    key: Key,
    state: ContainerState,
  ): NonNullable<PodStatus['containerStatuses']>[number] {
    const name = this.pod(key).spec?.containers?.[0]?.name ?? '';
    return { name, restartCount: 0, state };
  }
}
