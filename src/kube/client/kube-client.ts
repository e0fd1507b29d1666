// Lives here: requests to the API server: cluster, credentials, transport, client, errors, rights.
// May import it: src/kube, src/setup, src/cli, src/operator.ts and src/main.ts; src/config takes cluster-source.ts.
// Start with: kube-transport.ts, the port below; then this file and kube-error.ts.

import { addJitter, type Clock, sleep, startDeadline } from '../../core/ports/clock.ts';
import { assertMayWrite, type Leadership } from '../../core/ports/leadership.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { BodyTooLarge } from '../../http/exchange.ts';
import { isNamespaceTerminating, KubeError, NoAnswerError, parseKubeError } from './kube-error.ts';
import { kubeMetrics } from './kube-metrics.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './kube-transport.ts';

export interface KubeClientOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Asked before each attempt of a write. The clients of lease and events go without. */
  readonly leadership?: Leadership;
  /** Called with every request that was refused. */
  readonly rights?: { recordRefusal(request: KubeRequest): void };
  /** Aborts when this process stops: what the server puts off is given up then. */
  readonly stopping?: AbortSignal;
  /** For one attempt, its body included; for a stream, until its headers. */
  readonly deadlineMs?: number;
}

/**
 * JSON requests over a KubeTransport. Throws KubeError for an answer that is not 2xx, NoAnswerError for a broken connection, BodyTooLarge,
 * DeadlineExceeded after `deadlineMs`, OperatorError LeadershipLost for a write that was not sent,
 * and the reason of the request's own signal.
 *
 * A request that the server put off by 429 or 503 with Retry-After is repeated, whatever its
 * method: the server says that it did not do it. A read is repeated once after a broken connection.
 * What is sent in the lane of watches is not repeated: their reflector does that.
 */
export class KubeClient {
  readonly #options: KubeClientOptions;

  constructor(options: KubeClientOptions) {
    this.#options = options;
  }

  /** The parsed body of a 2xx answer; throws KubeError for any other. */
  request<T>(request: KubeRequest): Promise<T> {
    return requestWithRetries<T>(this.#options, request);
  }

  /** A 2xx answer whose body is still to be read (a watch); throws KubeError for any other. */
  stream(request: KubeRequest): Promise<KubeResponse> {
    return openStream(this.#options, request);
  }
}

const CALL_DEADLINE_MS = 30_000;

/** The retries that a call has left. */
interface RetryBudget {
  readonly waits: number;
  readonly waitMs: number;
  readonly reconnects: number;
}

const RETRY_BUDGET: RetryBudget = { waits: 5, waitMs: 10_000, reconnects: 1 };
/** An API server that is overloaded may keep each try waiting too: the pass is repeated instead, by its backoff. */
const LONGEST_TRIES_MS = 30_000;

function chooseBudget({ method, lane }: KubeRequest): RetryBudget {
  if (lane === 'watch') return { waits: 0, waitMs: 0, reconnects: 0 };
  return method === 'GET' ? RETRY_BUDGET : { ...RETRY_BUDGET, reconnects: 0 };
}

async function requestWithRetries<T>(options: KubeClientOptions, request: KubeRequest): Promise<T> {
  let budget = chooseBudget(request);
  const startedMs = options.clock.monotonicMs();
  for (;;) {
    try {
      return await requestOnce<T>(options, request);
    } catch (error) {
      const retry = decideRetry(error, budget);
      const isLate = options.clock.monotonicMs() - startedMs >= LONGEST_TRIES_MS;
      if (!retry || (isLate && !(error instanceof NoAnswerError))) throw error;
      budget = retry.budget;
      if (retry.delayMs > 0 && !(await waitForRetry(options, request, retry.delayMs))) throw error;
    }
  }
}

/** False where the process stops. Rejects with the reason of the request's own signal. */
async function waitForRetry(
  { clock, stopping }: KubeClientOptions,
  { signal }: KubeRequest,
  delayMs: number,
): Promise<boolean> {
  const either = AbortSignal.any([signal, stopping].filter((one) => one !== undefined));
  const wait = sleep(clock, addJitter(clock, delayMs, 0.1), either);
  const hasWaited = await wait.then(
    () => true,
    () => false,
  );
  signal?.throwIfAborted();
  return hasWaited;
}

function decideRetry(
  error: unknown,
  budget: RetryBudget,
): { readonly delayMs: number; readonly budget: RetryBudget } | undefined {
  if (error instanceof NoAnswerError && budget.reconnects > 0) {
    return { delayMs: 0, budget: { ...budget, reconnects: budget.reconnects - 1 } };
  }
  const delayMs = getRetryAfterMs(error);
  if (delayMs === undefined || budget.waits === 0 || delayMs > budget.waitMs) return undefined;
  const { waits, waitMs } = budget;
  return { delayMs, budget: { ...budget, waits: waits - 1, waitMs: waitMs - delayMs } };
}

function getRetryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof KubeError)) return undefined;
  return error.status === 429 || error.status === 503 ? error.retryAfterMs : undefined;
}

async function requestOnce<T>(options: KubeClientOptions, request: KubeRequest): Promise<T> {
  const limit = startDeadline(
    options.clock,
    options.deadlineMs ?? CALL_DEADLINE_MS,
    request.signal,
  );
  try {
    const response = await send(options, { ...request, signal: limit.signal });
    return parseBody<T>(response.status, await readText(response, limit.signal));
  } finally {
    limit.release();
  }
}

/** The caller's signal ends the stream too: it goes on being followed. */
async function openStream(options: KubeClientOptions, request: KubeRequest): Promise<KubeResponse> {
  const limit = startDeadline(
    options.clock,
    options.deadlineMs ?? CALL_DEADLINE_MS,
    request.signal,
  );
  try {
    const response = await send(options, { ...request, signal: limit.signal });
    limit.meet();
    return response;
  } catch (error) {
    limit.release();
    throw error;
  }
}

/** One attempt: a 2xx answer with its body unread. */
async function send(
  options: KubeClientOptions,
  request: KubeRequest & { readonly signal: AbortSignal },
): Promise<KubeResponse> {
  request.signal.throwIfAborted();
  const beforeSend = createGuard(options, request);
  beforeSend?.();
  const response = await measure(options, request, () =>
    options.transport.request({
      ...request,
      headers: { ...createJsonHeaders(request), ...request.headers },
      ...(beforeSend && { beforeSend }),
    }),
  );
  if (response.status >= 200 && response.status < 300) return response;
  const text = await readText(response, request.signal);
  const error = parseKubeError(response.status, response.headers, text);
  if (error.status === 403 && !isNamespaceTerminating(error))
    options.rights?.recordRefusal(request);
  throw error;
}

function createGuard(options: KubeClientOptions, request: KubeRequest): (() => void) | undefined {
  const { leadership } = options;
  if (leadership === undefined || request.method === 'GET') return undefined;
  const what = request.isStatus === true ? 'status' : 'other';
  return () => assertMayWrite(leadership, what);
}

function createJsonHeaders(request: KubeRequest): Readonly<Record<string, string>> {
  const accept = { accept: 'application/json' };
  return request.body === undefined ? accept : { ...accept, 'content-type': 'application/json' };
}

async function measure(
  options: KubeClientOptions,
  request: KubeRequest & { readonly signal: AbortSignal },
  call: () => Promise<KubeResponse>,
): Promise<KubeResponse> {
  const { clock, metrics } = options;
  const { method } = request;
  const host = 'apiserver';
  const startMs = clock.monotonicMs();
  try {
    const response = await call();
    metrics.count(kubeMetrics.requests, { code: `${response.status}`, method, host });
    return response;
  } catch (error) {
    metrics.count(kubeMetrics.requests, { code: '<error>', method, host });
    throw toConnectionError(error, request.signal);
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
    throw toConnectionError(error, signal);
  }
  return text + decoder.decode();
}

/** The caller's own abort and errors that are translated already stay what they are. */
function toConnectionError(error: unknown, signal: AbortSignal): unknown {
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
