import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { isReady } from '../surroundings/my-ingresses.ts';

interface Waiter {
  readonly count: number;
  readonly resolve: (atMs: number) => void;
}

/** One watch over the MyIngresses of a namespace: sees when so many of them are Ready. */
export class ReadyWatch {
  readonly #ready = new Set<string>();
  readonly #waiters = new Set<Waiter>();
  readonly #sent: ClientRequest;

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#sent = sent;
    const lines = createInterface(response).on('line', (line) => this.#take(line));
    lines.on('error', () => {}); // broken by close(), or by the end of the API server
  }

  static async open(
    { adminToken, caPem, url }: ControlPlaneCoordinates,
    namespace: string,
  ): Promise<ReadyWatch> {
    const path = `/apis/demo.rtfm.co.ua/v1/namespaces/${namespace}/myingresses?watch=true`;
    const headers = { authorization: `Bearer ${adminToken}` };
    const sent = request(new URL(path, url), { ca: caPem, agent: false, headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) {
      sent.destroy();
      throw new Error(`watch ${namespace}: ${response.statusCode}`);
    }
    sent.on('error', () => {}); // as of the lines
    return new ReadyWatch(sent, response);
  }

  /** Resolves with the time (performance.now()) at which `count` objects were Ready together. */
  async whenReady(count: number, timeoutMs = 120_000): Promise<number> {
    if (this.#ready.size >= count) return performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiter = { count, resolve };
    this.#waiters.add(waiter);
    const give = (): void =>
      reject(new Error(`${this.#ready.size} of ${count} objects are Ready after ${timeoutMs} ms`));
    const timer = setTimeout(give, timeoutMs);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    });
  }

  close(): void {
    this.#sent.destroy();
  }

  #take(line: string): void {
    const { type, object } = JSON.parse(line) as {
      readonly type: string;
      readonly object: MyIngress;
    };
    const { name } = object.metadata;
    if (type !== 'DELETED' && isReady(object)) this.#ready.add(name);
    else this.#ready.delete(name);
    for (const { count, resolve } of this.#waiters) {
      if (this.#ready.size >= count) resolve(performance.now());
    }
  }
}
