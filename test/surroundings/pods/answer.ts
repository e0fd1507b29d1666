import type { IncomingMessage, ServerResponse } from 'node:http';

/** Longer than a balancer keeps an idle connection, as docs/zero-downtime.md asks of applications. */
export const KEEP_ALIVE_MS = 75_000;

export interface Answering {
  readonly name: string;
  readonly namespace: string;
  /** See ANSWERS. */
  readonly answers: string;
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
