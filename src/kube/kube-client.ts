import { type Clock, deadline, jitter, sleep } from '../core/clock.ts';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import type { Metrics } from '../core/metrics.ts';
import { OperatorError } from '../core/operator-error.ts';
import { BodyTooLarge } from '../http/exchange.ts';
import { isNamespaceLeaving, KubeError, NoAnswerError, parseKubeError } from './kube-error.ts';
import { kubeMetrics } from './kube-metrics.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './kube-transport.ts';

/** JSON requests over a KubeTransport. */
export interface KubeClient {
  /** The parsed body of a 2xx answer; throws KubeError for any other. */
  request<T>(request: KubeRequest): Promise<T>;
  /** A 2xx answer whose body is still to be read (a watch); throws KubeError for any other. */
  stream(request: KubeRequest): Promise<KubeResponse>;
}

export interface KubeClientOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Asked before each attempt of a write. The clients of lease and events go without. */
  readonly leadership?: Leadership;
  /** Told of every refusal. */
  readonly rights?: { refused(request: KubeRequest): void };
  /** Label of the metrics. */
  readonly host?: string;
  /** For one attempt, its body included; for a stream, until its headers. */
  readonly deadlineMs?: number;
}

/**
 * Throws KubeError for an answer that is not 2xx, NoAnswerError for a broken connection, BodyTooLarge,
 * DeadlineExceeded after `deadlineMs`, OperatorError LeadershipLost for a write that was not sent,
 * and the reason of the request's own signal.
 *
 * A request that the server put off by 429 or 503 with Retry-After is repeated, whatever its
 * method: the server says that it did not do it. A read is repeated once after a broken connection.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  return {
    request: <T>(request: KubeRequest) => requestPatiently<T>(options, request),
    stream: (request) => openStream(options, request),
  };
}

const CALL_DEADLINE_MS = 30_000;

/** How much more a call may be put off before its caller hears of it. */
interface Patience {
  readonly waits: number;
  readonly waitMs: number;
  readonly reconnects: number;
}

const PATIENCE: Patience = { waits: 5, waitMs: 10_000, reconnects: 1 };

async function requestPatiently<T>(options: KubeClientOptions, request: KubeRequest): Promise<T> {
  let patience = request.method === 'GET' ? PATIENCE : { ...PATIENCE, reconnects: 0 };
  for (;;) {
    try {
      return await requestOnce<T>(options, request);
    } catch (error) {
      const retry = retryOf(error, patience);
      if (!retry) throw error;
      patience = retry.patience;
      const signal = request.signal ?? new AbortController().signal;
      if (retry.delayMs > 0)
        await sleep(options.clock, jitter(options.clock, retry.delayMs, 0.1), signal);
    }
  }
}

function retryOf(
  error: unknown,
  patience: Patience,
): { readonly delayMs: number; readonly patience: Patience } | undefined {
  if (error instanceof NoAnswerError && patience.reconnects > 0) {
    return { delayMs: 0, patience: { ...patience, reconnects: patience.reconnects - 1 } };
  }
  const delayMs = putOffMs(error);
  if (delayMs === undefined || patience.waits === 0 || delayMs > patience.waitMs) return undefined;
  const { waits, waitMs } = patience;
  return { delayMs, patience: { ...patience, waits: waits - 1, waitMs: waitMs - delayMs } };
}

function putOffMs(error: unknown): number | undefined {
  if (!(error instanceof KubeError)) return undefined;
  return error.status === 429 || error.status === 503 ? error.retryAfterMs : undefined;
}

async function requestOnce<T>(options: KubeClientOptions, request: KubeRequest): Promise<T> {
  const limit = deadline(options.clock, options.deadlineMs ?? CALL_DEADLINE_MS, request.signal);
  try {
    const response = await send(options, { ...request, signal: limit.signal });
    return parseBody<T>(response.status, await readText(response, limit.signal));
  } finally {
    limit.release();
  }
}

async function openStream(options: KubeClientOptions, request: KubeRequest): Promise<KubeResponse> {
  const limit = deadline(options.clock, options.deadlineMs ?? CALL_DEADLINE_MS);
  const { signal: caller } = request;
  const signal = caller ? AbortSignal.any([caller, limit.signal]) : limit.signal;
  try {
    return await send(options, { ...request, signal });
  } finally {
    limit.release();
  }
}

/** One attempt: a 2xx answer with its body unread. */
async function send(
  options: KubeClientOptions,
  request: KubeRequest & { readonly signal: AbortSignal },
): Promise<KubeResponse> {
  request.signal.throwIfAborted();
  const beforeSend = guardOf(options, request);
  beforeSend?.();
  const response = await measured(options, request, () =>
    options.transport.request({
      ...request,
      headers: { ...jsonHeaders(request), ...request.headers },
      ...(beforeSend && { beforeSend }),
    }),
  );
  if (response.status >= 200 && response.status < 300) return response;
  const text = await readText(response, request.signal);
  const error = parseKubeError(response.status, response.headers, text);
  if (error.status === 403 && !isNamespaceLeaving(error)) options.rights?.refused(request);
  throw error;
}

function guardOf(options: KubeClientOptions, request: KubeRequest): (() => void) | undefined {
  const { leadership } = options;
  return leadership && request.method !== 'GET' ? () => assertLeader(leadership) : undefined;
}

function jsonHeaders(request: KubeRequest): Readonly<Record<string, string>> {
  const accept = { accept: 'application/json' };
  return request.body === undefined ? accept : { ...accept, 'content-type': 'application/json' };
}

async function measured(
  options: KubeClientOptions,
  request: KubeRequest & { readonly signal: AbortSignal },
  call: () => Promise<KubeResponse>,
): Promise<KubeResponse> {
  const { clock, metrics, host = 'apiserver' } = options;
  const { method } = request;
  const startMs = clock.monotonicMs();
  try {
    const response = await call();
    metrics.count(kubeMetrics.requests, { code: `${response.status}`, method, host });
    return response;
  } catch (error) {
    metrics.count(kubeMetrics.requests, { code: '<error>', method, host });
    throw connectionError(error, request.signal);
  } finally {
    const seconds = (clock.monotonicMs() - startMs) / 1000;
    metrics.observe(kubeMetrics.requestSeconds, { verb: method, host }, seconds);
  }
}

async function readText(response: KubeResponse, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw connectionError(error, signal);
  }
  return text + decoder.decode();
}

/** The caller's own abort and errors that are translated already stay what they are. */
function connectionError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const isTranslated = error instanceof OperatorError || error instanceof BodyTooLarge;
  return isTranslated ? error : new NoAnswerError(error);
}

function parseBody<T>(status: number, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    const message = `the answer ${status} of ${text.length} characters is not JSON`;
    throw new KubeError({ status, reason: 'NotJson', message });
  }
}
