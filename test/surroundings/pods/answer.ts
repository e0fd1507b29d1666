import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than a balancer keeps an idle connection, as docs/zero-downtime.md asks of applications. */
const KEEP_ALIVE_MS = 75_000;

export interface Answering {
  readonly name: string;
  readonly namespace: string;
  /** See ANSWERS. */
  readonly answers: string;
}

/** Has the server of a container port listen on loopback, and returns the port there. */
export async function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Answers a request to a pod, with its name. */
export function answer(
  { name, namespace, answers }: Answering,
  { url }: IncomingMessage,
  response: ServerResponse,
): void {
  if (answers === 'nothing') return;
  const status = Number(answers);
  if (status >= 300 && status < 400) response.setHeader('location', '/elsewhere');
  response.writeHead(status).end(`pod=${name} namespace=${namespace} path=${url}\n`);
}
