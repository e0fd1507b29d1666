import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { MappedTarget } from '../../../localstack/embedded/data-plane/target-table.ts';
import type { KubeApi, KubeCall } from '../kube-api.ts';
import { Repeater } from '../repeater.ts';
import { ContainerProcess } from './container-process.ts';
import { describeStatus, type PodStatus } from './lifecycle.ts';
import type { Pod } from './pod.ts';

interface ProcessPodOptions {
  readonly api: KubeApi;
  /** Has the log of each container. */
  readonly directory: string;
  /** Called when `rows` of a pod have changed. */
  readonly onChange: () => void;
  /** Ends its writes to the API server. */
  readonly signal: AbortSignal;
}

/** A pod with a process for each of its containers, which lives as a kubelet has it. */
export class ProcessPod {
  readonly #options: ProcessPodOptions;
  readonly #containers: readonly ContainerProcess[];
  readonly #status: Repeater;
  #pod: Pod;
  /** The status that the API server has taken. */
  #written: PodStatus | undefined;
  readonly #killed = new AbortController();
  #isTerminating = false;

  constructor(pod: Pod, options: ProcessPodOptions) {
    this.#pod = pod;
    this.#options = options;
    const signal = AbortSignal.any([options.signal, this.#killed.signal]);
    this.#status = new Repeater(() => this.#writeStatus(), signal);
    mkdirSync(options.directory, { recursive: true });
    const { namespace, name } = pod.metadata;
    this.#containers = (pod.spec?.containers ?? []).map((container) => {
      const logPath = join(options.directory, `${namespace}_${name}_${container.name}.log`);
      return new ContainerProcess({ pod, container, logPath, onChange: () => this.#change() });
    });
    this.#status.request();
  }

  get pod(): Pod {
    return this.#pod;
  }

  get rows(): readonly MappedTarget[] {
    const ip = this.#pod.status?.podIP ?? '';
    return this.#containers.flatMap(({ addresses }) =>
      Array.from(addresses, ([port, address]) => ({ ip, port, address })),
    );
  }

  /** Takes in its newest state: a gate may have opened, or it is being deleted. */
  follow(pod: Pod): void {
    this.#pod = pod;
    this.#status.request();
    if (pod.metadata.deletionTimestamp === undefined || this.#isTerminating) return;
    this.#isTerminating = true;
    void this.#terminate(pod.metadata.deletionGracePeriodSeconds ?? 0);
  }

  /** Ends its processes at once, for a pod that the API server has no more. */
  async kill(): Promise<void> {
    this.#killed.abort();
    await Promise.all(this.#containers.map((container) => container.kill()));
  }

  /** By the grace period of the first deletion. A later one that forces it ends in `kill`. */
  async #terminate(graceSeconds: number): Promise<void> {
    await Promise.all(this.#containers.map((container) => container.terminate(graceSeconds)));
    await this.#status.settled();
    const { api, signal } = this.#options;
    await removePod(this.#pod, api, signal);
  }

  #change(): void {
    this.#options.onChange();
    this.#status.request();
  }

  /** As a kubelet does it: a merge by condition type, for this pod alone and no successor of its name. */
  async #writeStatus(): Promise<void> {
    const states = this.#containers.map(({ state }) => state);
    const context = { before: this.#written, now: new Date().toISOString() };
    const status = describeStatus(this.#pod, states, context);
    if (isDeepStrictEqual(status, this.#written)) return;
    const { uid } = this.#pod.metadata;
    await send(this.#options.api, {
      method: 'PATCH',
      path: `${pathOf(this.#pod)}/status`,
      contentType: 'application/strategic-merge-patch+json',
      body: { metadata: { uid }, status },
    });
    this.#written = status;
  }
}

/** Deletes the object of a pod whose processes are gone: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow */
export async function removePod(pod: Pod, api: KubeApi, signal: AbortSignal): Promise<void> {
  const preconditions = { uid: pod.metadata.uid };
  const body = { gracePeriodSeconds: 0, preconditions };
  const call = { method: 'DELETE', path: pathOf(pod), body } as const;
  const removal = new Repeater(() => send(api, call), signal);
  removal.request();
  await removal.settled();
}

function pathOf({ metadata: { namespace, name } }: Pod): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** A pod that is not found, or has a successor of another UID, is gone: nothing is left to do. */
async function send(api: KubeApi, call: KubeCall): Promise<void> {
  const { code, body } = await api.send(call);
  const isGone = code === 404 || (call.method === 'DELETE' && code === 409);
  if (code < 300 || isGone) return;
  throw new Error(`${call.method} ${call.path}: ${code} ${JSON.stringify(body)}`);
}
