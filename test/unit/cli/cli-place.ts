import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A directory and servers of each test in the file that makes it. */
export class CliPlace {
  directory = '';
  readonly #servers: Server[] = [];

  constructor() {
    beforeEach(() => {
      this.directory = mkdtempSync(join(tmpdir(), 'albridge-cli-'));
    });
    afterEach(() => {
      for (const server of this.#servers.splice(0)) {
        server.closeAllConnections();
        server.close();
      }
      rmSync(this.directory, { recursive: true });
    });
  }

  /** `127.0.0.1:PORT` of a server that answers so. */
  async listen(handler: RequestListener): Promise<string> {
    return this.serve(createServer(handler));
  }

  async serve(server: Server): Promise<string> {
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** The same in JSON, by the path. */
  answering(answer: (path: string) => Answer): Promise<string> {
    return this.listen((request, response) => {
      const { status, body } = answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  }

  writeKubeconfig(cluster: object, namespace?: unknown, user: object = {}): string {
    const path = join(this.directory, 'config');
    const config = {
      'current-context': 'a',
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a', namespace } }],
    };
    writeFileSync(path, JSON.stringify(config));
    return path;
  }
}
