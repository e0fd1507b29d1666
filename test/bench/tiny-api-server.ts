import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const KUBE_SYSTEM = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'kube-system', uid: '00000000-0000-0000-0000-000000000001' },
} as const;

/** Just enough of an API server for an operator to open its watch; answers at once. */
export class TinyApiServer {
  readonly url: string;
  readonly #server: Server;
  #onWatch: (atMs: number) => void = () => {};

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', ({ url = '' }, response) => this.#answer(url, response));
  }

  static async start(): Promise<TinyApiServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TinyApiServer(server);
  }

  /** When the next watch is opened, in ms of performance.now(). */
  nextWatch(): Promise<number> {
    return new Promise((resolve) => {
      this.#onWatch = resolve;
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(url: string, response: ServerResponse): void {
    response.setHeader('content-type', 'application/json');
    if (!url.includes('watch=true')) {
      response.end(JSON.stringify(KUBE_SYSTEM));
      return;
    }
    response.flushHeaders();
    this.#onWatch(performance.now());
  }
}
