import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { MappedTarget } from '../../../localstack/embedded/data-plane/target-table.ts';
import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import { makeCertificate } from '../../fakes/certificate.ts';
import type { RealParts } from '../bench-place.ts';
import { type Seen, WatchStream } from '../watch-stream.ts';

/** What the pods listen on. */
export const PORTS = { http: 8080, https: 8443 } as const;
/** A request with this query is answered so much later. */
export const SLOW = '?slow';
const SLOW_MS = 2_000;
/** Longer than a balancer keeps an idle connection, as docs/zero-downtime.md asks of applications. */
const KEEP_ALIVE_MS = 75_000;

type Pod = KubeObject & { readonly status?: { readonly podIP?: string; readonly phase?: string } };

interface RunningPod {
  readonly servers: readonly Server[];
  readonly rows: readonly MappedTarget[];
}

/**
 * A process for each pod of some namespaces: it serves while its pod exists, and every connection breaks when
 * the pod is gone.
 */
export class ServedPods {
  readonly #parts: RealParts;
  readonly #tls: { readonly cert: string; readonly key: string };
  readonly #pods = new Map<string, RunningPod>();
  readonly #watches: WatchStream<Pod>[] = [];

  private constructor(parts: RealParts, tls: { readonly cert: string; readonly key: string }) {
    this.#parts = parts;
    this.#tls = tls;
  }

  static async create(parts: RealParts): Promise<ServedPods> {
    const { certificate, privateKey } = await makeCertificate(['shop.example.com'], {
      algorithm: 'ECDSA',
    });
    return new ServedPods(parts, { cert: certificate, key: privateKey });
  }

  async serve(namespace: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const onEvent = (seen: Seen<Pod>): void => this.#follow(seen);
    this.#watches.push(await WatchStream.open<Pod>(this.#parts.cluster, { path, onEvent }));
  }

  stop(): void {
    for (const watch of this.#watches) watch.close();
    for (const uid of this.#pods.keys()) this.#end(uid);
  }

  #follow({ type, object }: Seen<Pod>): void {
    const { uid = '' } = object.metadata;
    const { podIP, phase } = object.status ?? {};
    if (type === 'DELETED') this.#end(uid);
    else if (phase === 'Running' && podIP !== undefined) void this.#begin(uid, podIP);
  }

  async #begin(uid: string, ip: string): Promise<void> {
    if (this.#pods.has(uid)) return;
    const http = createServer(answer);
    const https = createTlsServer(this.#tls, answer);
    this.#pods.set(uid, { servers: [http, https], rows: [] });
    const rows = [
      await listen(http, { ip, port: PORTS.http }),
      await listen(https, { ip, port: PORTS.https }),
    ];
    if (!this.#pods.has(uid)) return close([http, https]);
    this.#pods.set(uid, { servers: [http, https], rows });
    this.#map();
  }

  #end(uid: string): void {
    const { servers } = this.#pods.get(uid) ?? {};
    if (servers === undefined) return;
    close(servers);
    this.#pods.delete(uid);
    this.#map();
  }

  #map(): void {
    this.#parts.aws.setTargets([...this.#pods.values()].flatMap(({ rows }) => rows));
  }
}

function answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  if (url.endsWith(SLOW)) setTimeout(() => response.end('ok\n'), SLOW_MS);
  else response.end('ok\n');
}

async function listen(
  server: Server,
  target: Omit<MappedTarget, 'address'>,
): Promise<MappedTarget> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { ...target, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function close(servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}
