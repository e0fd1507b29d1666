import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Connections accepted since the start. */
  readonly accepted: () => number;
  readonly open: () => number;
  /**
   * Bytes of the open connections vanish in both directions while the connections stay up, as
   * behind a firewall that forgot them; with `alsoNew` so do those of new connections.
   */
  readonly swallow: (options?: { readonly alsoNew?: boolean }) => void;
  /** New connections work again; swallowed ones stay dead. */
  readonly restore: () => void;
  /** Resets every open connection. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isSwallowed: boolean;
}

/** A TCP proxy on 127.0.0.1 that can do to a connection what networks do. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  let accepted = 0;
  let swallowsNew = false;
  const server = createServer((client) => {
    accepted += 1;
    const link = { client, server: connect(targetPort, '127.0.0.1'), isSwallowed: swallowsNew };
    links.add(link);
    join(link, () => links.delete(link));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const { client, server: upstream } of links) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };
  return {
    port: (server.address() as { readonly port: number }).port,
    accepted: () => accepted,
    open: () => links.size,
    swallow: ({ alsoNew = false } = {}) => {
      swallowsNew = alsoNew;
      for (const link of links) link.isSwallowed = true;
    },
    restore: () => {
      swallowsNew = false;
    },
    cut,
    stop: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function join(link: Link, onClose: () => void): void {
  const ends = [
    [link.client, link.server],
    [link.server, link.client],
  ] as const;
  for (const [from, to] of ends) {
    from.on('data', (bytes) => {
      if (!link.isSwallowed) to.write(bytes);
    });
    from.on('error', () => {});
    from.on('close', () => {
      onClose();
      if (!link.isSwallowed) to.destroy();
    });
  }
}
