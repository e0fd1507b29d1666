import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorXml, successXml } from './aws-envelope.ts';
import { AwsFault } from './aws-fault.ts';
import { actionOf, checkSignature, serviceOf } from './aws-request.ts';
import { BrokenAnswer } from './broken-answer.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import type { FaultEffect } from './fault-script.ts';
import type { HeldRequests } from './held-requests.ts';
import type { ServiceName } from './operations.ts';
import { inputFromQuery } from './query-input.ts';
import { parseQuery } from './query-parser.ts';
import { readBody } from './request-body.ts';
import type { Ids } from './seeded-ids.ts';

export interface AwsFaceParts {
  readonly aws: EmbeddedAws;
  readonly held: HeldRequests;
  /** For request ids only, so that they do not shift the model's ids. */
  readonly ids: Ids;
  /** Ends scripted delays when the server stops. */
  readonly stopping: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly type: 'text/xml' | 'text/html';
  readonly body: string;
}

/** Answers one request in AWS's query protocol, or breaks its connection as a fault demands. */
export async function serveAws(
  parts: AwsFaceParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const params = await readParams(request);
  const service = serviceOf(request.headers, params);
  const requestId = parts.ids.uuid();
  // By this date the SDK corrects a clock that is off.
  const head = { 'x-amzn-requestid': requestId, date: new Date(parts.aws.now()).toUTCString() };
  try {
    const output = await carryOut(parts, request, { params, service });
    const body = successXml(service, actionOf(params), { output, requestId });
    send(response, { status: 200, type: 'text/xml', body }, head);
  } catch (error) {
    const answer = failureAnswer(error, service, requestId);
    if (answer === undefined) request.socket.destroy();
    else send(response, answer, head);
  }
}

async function carryOut(
  { aws, held, stopping }: AwsFaceParts,
  request: IncomingMessage,
  { params, service }: { readonly params: URLSearchParams; readonly service: ServiceName },
): Promise<object> {
  const accessKeyId = checkSignature(request.headers, params, aws);
  const operation = actionOf(params);
  const input = inputFromQuery(service, parseQuery(params));
  const userAgent = request.headers['user-agent'] ?? '';
  const exchange = aws.begin(operation, input, { service, userAgent, accessKeyId });
  await waitFor(exchange.effect, held, { operation, stopping });
  return exchange.run() as object;
}

async function waitFor(
  effect: FaultEffect | undefined,
  held: HeldRequests,
  { operation, stopping }: { readonly operation: string; readonly stopping: AbortSignal },
): Promise<void> {
  if (effect?.kind === 'hold') await held.wait(operation);
  if (effect?.kind === 'delay') await sleep(effect.delayMs, undefined, { signal: stopping });
}

async function readParams(request: IncomingMessage): Promise<URLSearchParams> {
  const query = request.url?.split('?', 2)[1] ?? '';
  const body = request.method === 'POST' ? await readBody(request) : '';
  return new URLSearchParams(query === '' ? body : `${query}&${body}`);
}

/** Undefined: no answer, break the connection. */
function failureAnswer(
  error: unknown,
  service: ServiceName,
  requestId: string,
): Answer | undefined {
  if (error instanceof AwsFault) {
    const body = errorXml(service, error, requestId);
    return { status: error.status, type: 'text/xml', body };
  }
  if (!(error instanceof BrokenAnswer)) throw error;
  if (error.kind === 'connectionLost') return undefined;
  const body = '<html><body><h1>500 Internal Server Error</h1></body></html>';
  return { status: 500, type: 'text/html', body };
}

function send(
  response: ServerResponse,
  answer: Answer,
  head: Readonly<Record<string, string>>,
): void {
  response.writeHead(answer.status, {
    'content-type': `${answer.type};charset=utf-8`,
    'content-length': Buffer.byteLength(answer.body),
    ...head,
  });
  response.end(answer.body);
}
