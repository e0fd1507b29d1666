import { Agent, request } from 'node:https';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';

export interface KubeAnswer {
  readonly code: number;
  readonly body: unknown;
}

export interface KubeCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Default: merge patch for PATCH, else JSON. */
  readonly contentType?: string;
}

/** The API server without the weight of kubectl, as the administrator, for looks in a loop. */
export class KubeApi {
  readonly #cluster: ControlPlaneCoordinates;
  // The API server closes what is idle for 90 s: ours is let go before.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32, timeout: 60_000 });

  constructor(cluster: ControlPlaneCoordinates) {
    this.#cluster = cluster;
  }

  /** The body of a success; throws the API server's own words otherwise. */
  async ask<T>(call: KubeCall): Promise<T> {
    const { code, body } = await this.send(call);
    if (code < 300) return body as T;
    const said = (body as { readonly message?: string }).message ?? JSON.stringify(body);
    throw new Error(`${call.method} ${call.path}: ${code} ${said}`);
  }

  send(call: KubeCall): Promise<KubeAnswer> {
    const { adminToken, caPem, url } = this.#cluster;
    const plain = call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const content = call.body === undefined ? '' : JSON.stringify(call.body);
    const headers = {
      authorization: `Bearer ${adminToken}`,
      'content-type': call.contentType ?? plain,
      // Node.js adds it to no DELETE, whose body would be lost.
      'content-length': Buffer.byteLength(content),
    };
    const options = { method: call.method, ca: caPem, agent: this.#agent, headers };
    return new Promise((resolve, reject) => {
      const sent = request(new URL(call.path, url), options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: parsed(text) }));
      });
      sent.on('error', reject);
      sent.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A group that is not served yet is answered with text, `404 page not found`. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}
