import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that listens on the loopback, as a pod would. */
export interface HttpTarget {
  readonly server: Server;
  /** `127.0.0.1:40123` */
  readonly address: string;
  /** Breaks its connections. */
  stop(): Promise<void>;
}

/** Answers with its name unless told otherwise. */
export async function startTarget(name: string, answer?: RequestListener): Promise<HttpTarget> {
  const server = createServer(answer ?? ((_, response) => response.end(name)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { server, address: `127.0.0.1:${port}`, stop };
}
