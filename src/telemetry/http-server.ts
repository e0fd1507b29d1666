import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorError } from '../core/operator-error.ts';
import { answerHealth, type HealthChecks, type HealthQuestion } from './health.ts';
import type { Exposition } from './metrics.ts';

export interface ListenAddress {
  /** Left out: every interface. */
  readonly host?: string;
  /** 0 lets the system choose one. */
  readonly port: number;
}

export interface HttpServerOptions {
  readonly address: ListenAddress;
  /** /healthz: whether a restart would help. */
  readonly liveness: HealthChecks;
  /** /readyz: whether the operator does its work. */
  readonly readiness: HealthChecks;
  readonly metrics: () => Promise<Exposition>;
}

export interface HttpServer {
  readonly port: number;
  /** Stops listening and closes every connection. */
  stop(): Promise<void>;
}

/**
 * Serves /healthz, /readyz (each with a sub-path per check, `?verbose` and `?exclude=a`) and
 * /metrics. Throws OperatorError AddressUnusable if it cannot listen.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer(listener(options));
  const { host, port } = options.address;
  try {
    server.listen({ port, ...(host === undefined ? {} : { host }) });
    await once(server, 'listening');
  } catch (cause) {
    const { code = 'no code' } = cause as NodeJS.ErrnoException;
    throw new OperatorError({
      reason: 'AddressUnusable',
      message: `cannot listen on ${host ?? ''}:${port} (${code}); set ALBRIDGE_METRICS_ADDRESS to a free address, or to off`,
      healedBy: 'person',
      cause,
    });
  }
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function listener(options: HttpServerOptions): RequestListener {
  const health = new Map([
    ['healthz', options.liveness],
    ['readyz', options.readiness],
  ]);
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(response, { status: 405, body: 'only GET is served\n' });
    }
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url?.pathname === '/metrics') return void sendMetrics(options, response);
    const question = url && healthQuestion(url);
    const checks = question && health.get(question.endpoint);
    if (!checks) {
      return send(response, { status: 404, body: 'there are /healthz, /readyz and /metrics\n' });
    }
    send(response, answerHealth(checks, question));
  };
}

/** `/readyz`, `/readyz/` or `/readyz/<check>`; undefined for any other form of path. */
function healthQuestion(url: URL): HealthQuestion | undefined {
  const [, endpoint, check] = /^\/(\w+)(?:\/([\w.-]*))?$/.exec(url.pathname) ?? [];
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    ...(check ? { check } : {}),
    isVerbose: url.searchParams.has('verbose'),
    exclude: url.searchParams.getAll('exclude'),
  };
}

async function sendMetrics(options: HttpServerOptions, response: ServerResponse): Promise<void> {
  try {
    const { contentType, text } = await options.metrics();
    send(response, { status: 200, body: text, contentType });
  } catch {
    send(response, { status: 500, body: 'the metrics could not be collected\n' });
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

function send(response: ServerResponse, answer: Answer): void {
  const { status, body, contentType = 'text/plain; charset=utf-8' } = answer;
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}
