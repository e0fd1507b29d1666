import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectProxy {
  /** Without name and password, which it takes of any kind. */
  readonly port: number;
  /** What it was asked for, as `CONNECT host:port`, with what stood in Proxy-Authorization. */
  readonly asked: readonly { readonly line: string; readonly authorization: string | undefined }[];
  readonly stop: () => Promise<void>;
}

/**
 * A proxy on 127.0.0.1 as companies have it: a tunnel for each CONNECT, and nothing else. Whatever
 * host is asked for, the tunnel leads to `targetPort` of this machine; without one, the answer is 403.
 * https://www.rfc-editor.org/rfc/rfc9110#name-connect
 */
export async function startConnectProxy(targetPort?: number): Promise<ConnectProxy> {
  const asked: { line: string; authorization: string | undefined }[] = [];
  const ends = new Set<Duplex>();
  const server = createServer((request, response) => {
    asked.push({ line: `${request.method} ${request.url}`, authorization: undefined });
    response.writeHead(405).end();
  });
  server.on('connect', ({ url, headers }, client: Duplex) => {
    asked.push({ line: `CONNECT ${url}`, authorization: headers['proxy-authorization'] });
    client.on('error', () => {});
    if (targetPort === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const target = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
    ends.add(client).add(target);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop: async () => {
      for (const end of ends) end.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
