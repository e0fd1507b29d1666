import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ids } from '../ec2/seeded-ids.ts';
import type { EmbeddedAws } from '../embedded-aws.ts';
import type { FaultEffect } from '../faults/fault-script.ts';
import type { HeldRequests } from '../faults/held-requests.ts';
import type { Input } from '../input-fields.ts';
import type { ServiceName } from '../operations.ts';
import { errorXml, successXml } from './aws-envelope.ts';
import { AwsFault } from './aws-fault.ts';
import { actionOf, checkSignature, serviceOf } from './aws-request.ts';
import { BrokenAnswer } from './broken-answer.ts';
import {
  inputFromJson,
  isJsonCall,
  JSON_TYPE,
  jsonFromFault,
  jsonFromOutput,
  targetOf,
} from './json-protocol.ts';
import { inputFromQuery } from './query-input.ts';
import { parseQuery } from './query-parser.ts';
import { readBody } from './request-body.ts';

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
  readonly type: string;
  readonly body: string;
}

/** One call as its protocol carries it. */
interface WireCall {
  readonly service: ServiceName;
  readonly params: URLSearchParams;
  /** Throws AwsFault where there is none. */
  operation(): string;
  /** Throws AwsFault where it is malformed. */
  input(): Input;
  answer(output: object, requestId: string): Answer;
  refuse(fault: AwsFault, requestId: string): Answer;
}

/** Answers one request in AWS's query or JSON protocol, or breaks its connection as a fault demands. */
export async function serveAws(
  parts: AwsFaceParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = await readCall(request);
  const requestId = parts.ids.uuid();
  // By this date the SDK corrects a clock that is off.
  const head = { 'x-amzn-requestid': requestId, date: new Date(parts.aws.now()).toUTCString() };
  try {
    const output = await carryOut(parts, request, call);
    send(response, call.answer(output, requestId), head);
  } catch (error) {
    const answer = failureAnswer(error, call, requestId);
    if (answer === undefined) request.socket.destroy();
    else send(response, answer, head);
  }
}

async function carryOut(
  { aws, held, stopping }: AwsFaceParts,
  request: IncomingMessage,
  call: WireCall,
): Promise<object> {
  const accessKeyId = checkSignature(request.headers, call.params, aws);
  const operation = call.operation();
  const input = call.input();
  const userAgent = request.headers['user-agent'] ?? '';
  const exchange = aws.begin(operation, input, { service: call.service, userAgent, accessKeyId });
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

async function readCall(request: IncomingMessage): Promise<WireCall> {
  const query = request.url?.split('?', 2)[1] ?? '';
  const body = request.method === 'POST' ? await readBody(request) : '';
  const { headers } = request;
  if (isJsonCall(headers)) return jsonCall(headers, new URLSearchParams(query), body);
  return queryCall(headers, new URLSearchParams(query === '' ? body : `${query}&${body}`));
}

function queryCall(headers: IncomingHttpHeaders, params: URLSearchParams): WireCall {
  const service = serviceOf(headers, params);
  const type = 'text/xml;charset=utf-8';
  return {
    ...{ service, params },
    operation: () => actionOf(params),
    input: () => inputFromQuery(service, parseQuery(params)),
    answer: (output, requestId) => {
      const body = successXml(service, actionOf(params), { output, requestId });
      return { status: 200, type, body };
    },
    refuse: (fault, requestId) => {
      return { status: fault.status, type, body: errorXml(service, fault, requestId) };
    },
  };
}

function jsonCall(headers: IncomingHttpHeaders, params: URLSearchParams, text: string): WireCall {
  return {
    ...{ service: 'acm', params },
    operation: () => targetOf(headers),
    input: () => inputFromJson(text),
    answer: (output) => ({ status: 200, type: JSON_TYPE, body: jsonFromOutput(output) }),
    refuse: (fault) => ({ status: fault.status, type: JSON_TYPE, body: jsonFromFault(fault) }),
  };
}

/** Undefined: no answer, break the connection. */
function failureAnswer(error: unknown, call: WireCall, requestId: string): Answer | undefined {
  if (error instanceof AwsFault) return call.refuse(error, requestId);
  if (!(error instanceof BrokenAnswer)) throw error;
  if (error.kind === 'connectionLost') return undefined;
  const body = '<html><body><h1>500 Internal Server Error</h1></body></html>';
  return { status: 500, type: 'text/html;charset=utf-8', body };
}

function send(
  response: ServerResponse,
  answer: Answer,
  head: Readonly<Record<string, string>>,
): void {
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': Buffer.byteLength(answer.body),
    ...head,
  });
  response.end(answer.body);
}
