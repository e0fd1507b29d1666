import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MappedTarget } from '../../../localstack/embedded/data-plane/target-table.ts';
import { answer, KEEP_ALIVE_MS } from './answer.ts';
import { ANSWERS, listTcpPorts, type Pod } from './pod.ts';

/** A pod whose life kwok plays: no more than a socket of the runner for each port. */
export class SocketPod {
  readonly pod: Pod;
  readonly rows: readonly MappedTarget[];
  readonly #servers: readonly Server[];

  private constructor(pod: Pod, listening: readonly Listening[]) {
    this.pod = pod;
    this.rows = listening.map(({ row }) => row);
    this.#servers = listening.map(({ server }) => server);
  }

  static async start(pod: Pod): Promise<SocketPod> {
    const ports = (pod.spec?.containers ?? []).flatMap(listTcpPorts);
    return new SocketPod(pod, await Promise.all(ports.map((port) => listen(pod, port))));
  }

  async kill(): Promise<void> {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

interface Listening {
  readonly server: Server;
  readonly row: MappedTarget;
}

async function listen({ metadata, status }: Pod, port: number): Promise<Listening> {
  const { name, namespace, annotations } = metadata;
  const answering = { name, namespace, answers: annotations?.[ANSWERS] ?? '200' };
  const server = createServer((...exchange) => answer(answering, ...exchange));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, row: { ip: status?.podIP ?? '', port, address } };
}
