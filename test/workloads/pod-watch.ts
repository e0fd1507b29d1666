import { Agent, request } from 'node:https';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { until } from '../surroundings/until.ts';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Pod;
}

/** Sees every state of the pods of one namespace: a look now and then would miss the short ones. */
export class PodWatch {
  /** UIDs of all pods that there were, since the watch began to count. */
  readonly seen = new Set<string>();
  /** The fewest that were ready at a time, since the watch began to count. */
  fewestReady = Number.POSITIVE_INFINITY;
  readonly #pods = new Map<string, Pod>();
  readonly #agent = new Agent();
  #isCounting = false;

  constructor(cluster: ControlPlaneCoordinates, namespace: string) {
    const headers = { authorization: `Bearer ${cluster.adminToken}` };
    const path = `/api/v1/namespaces/${namespace}/pods?watch=1&labelSelector=app%3Dfrontend`;
    const options = { ca: cluster.caPem, agent: this.#agent, headers };
    let rest = '';
    request(new URL(path, cluster.url), options, (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#see(JSON.parse(line) as WatchEvent);
      });
      response.on('error', () => {});
    })
      .on('error', () => {})
      .end();
  }

  /** Names of the pods that are there to stay. */
  get names(): readonly string[] {
    return [...this.#pods.values()]
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  }

  /** Waits until just these many pods are there, all of them ready, and counts from then on. */
  async count(pods: number): Promise<void> {
    await this.whenReady(pods);
    // Some that were going may have been seen until now.
    this.seen.clear();
    for (const uid of this.#pods.keys()) this.seen.add(uid);
    this.#isCounting = true;
  }

  /** Waits until just these many pods are there, all of them ready, and none is going any more. */
  async whenReady(pods: number): Promise<void> {
    const isIt = async (): Promise<boolean> => this.#pods.size === pods && this.#ready === pods;
    await until(`${pods} ready pods and no other`, isIt);
  }

  close(): void {
    this.#agent.destroy();
  }

  get #ready(): number {
    return [...this.#pods.values()].filter(isReady).length;
  }

  #see({ type, object }: WatchEvent): void {
    const { uid } = object.metadata;
    this.seen.add(uid);
    if (type === 'DELETED') this.#pods.delete(uid);
    else this.#pods.set(uid, object);
    if (this.#isCounting) this.fewestReady = Math.min(this.fewestReady, this.#ready);
  }
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && ready?.status === 'True';
}
