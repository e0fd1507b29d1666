import { createServer, type Server } from 'node:http';
import type { MappedTarget } from '../../../localstack/embedded/data-plane/target-table.ts';
import { answer, listen } from './answer.ts';
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
    return new SocketPod(pod, await Promise.all(ports.map((port) => open(pod, port))));
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

async function open({ metadata, status }: Pod, port: number): Promise<Listening> {
  const { name, namespace, annotations } = metadata;
  const answering = { name, namespace, answers: annotations?.[ANSWERS] ?? '200' };
  const server = createServer((...exchange) => answer(answering, ...exchange));
  const address = `127.0.0.1:${await listen(server)}`;
  return { server, row: { ip: status?.podIP ?? '', port, address } };
}
