import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { until } from '../surroundings/until.ts';

export interface Seen<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
  /** performance.now() when the line was there. */
  readonly atMs: number;
}

export interface Watched<T extends KubeObject> {
  /** Without query. */
  readonly path: string;
  readonly onEvent: (seen: Seen<T>) => void;
}

/** A bare watch of this process: what the API server says, with the time at which it said so. */
export class WatchStream<T extends KubeObject = KubeObject> {
  readonly #cluster: ControlPlaneCoordinates;
  readonly #watched: Watched<T>;
  #resourceVersion = '';
  #isClosed = false;
  #hangUp: () => void = () => {};

  private constructor(cluster: ControlPlaneCoordinates, watched: Watched<T>) {
    this.#cluster = cluster;
    this.#watched = watched;
  }

  static async open<T extends KubeObject>(
    cluster: ControlPlaneCoordinates,
    watched: Watched<T>,
  ): Promise<WatchStream<T>> {
    const stream = new WatchStream(cluster, watched);
    await stream.#open();
    return stream;
  }

  close(): void {
    this.#isClosed = true;
    this.#hangUp();
  }

  /** Right after its definition a kind is answered by 429 for a moment. */
  async #open(): Promise<void> {
    const response = await until(`a watch of ${this.#watched.path}`, () => this.#request());
    this.#hangUp = () => response.destroy();
    const lines = createInterface(response).on('line', (line) => this.#take(line));
    // Broken by close(), or by the end of the API server.
    for (const one of [response, lines]) one.on('error', () => {});
    // The API server drops whoever is too slow for a storm of events.
    response.on('close', () => {
      if (!this.#isClosed) this.#open().catch(() => {});
    });
  }

  async #request(): Promise<IncomingMessage> {
    const { adminToken, caPem, url } = this.#cluster;
    const query = `watch=true&resourceVersion=${this.#resourceVersion}`;
    const sent = request(new URL(`${this.#watched.path}?${query}`, url), {
      ca: caPem,
      agent: false,
      headers: { authorization: `Bearer ${adminToken}` },
    });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    sent.on('error', () => {}); // as of the response
    if (response.statusCode === 200) return response;
    sent.destroy();
    throw new Error(`watch ${this.#watched.path}: ${response.statusCode}`);
  }

  #take(line: string): void {
    const event = JSON.parse(line) as Omit<Seen<T>, 'atMs'>;
    this.#resourceVersion = event.object.metadata.resourceVersion ?? '';
    this.#watched.onEvent({ ...event, atMs: performance.now() });
  }
}
