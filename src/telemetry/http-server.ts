import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { OperatorError } from '../core/operator-error.ts';

export interface ListenAddress {
  /** Left out: every interface. */
  readonly host?: string;
  /** 0 lets the system choose one. */
  readonly port: number;
}

export interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly contentType?: string;
}

export interface HttpServerOptions {
  readonly address: ListenAddress;
  /** The setting that `address` comes from. */
  readonly setting: string;
  readonly clock: Clock;
  /** When one more opens, the oldest is reset. */
  readonly maxConnections: number;
  /** Answers a GET. */
  readonly answer: (url: URL) => Answer | Promise<Answer>;
}

export interface HttpServer {
  readonly port: number;
  /** Stops listening and closes every connection. */
  stop(): Promise<void>;
}

/** Headers of a probe or a scrape take a few hundred bytes. */
const MAX_HEADER_BYTES = 4096;
const CONNECTION_LIFETIME_MS = 10_000;

/**
 * Serves GET without authentication, so a client gets little: one request per connection, and 10 s
 * to send it and to read the answer. Throws OperatorError AddressUnusable if it cannot listen.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, listener(options));
  boundConnections(server, options);
  const { host, port } = options.address;
  try {
    server.listen({ port, ...(host === undefined ? {} : { host }) });
    await once(server, 'listening');
  } catch (cause) {
    const { code = 'no code' } = cause as NodeJS.ErrnoException;
    throw new OperatorError({
      reason: 'AddressUnusable',
      message: `cannot listen on ${host ?? ''}:${port} (${code}); set ${options.setting} to a free address, or to off`,
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

/** A reset also frees what the kernel holds for a client that never reads. */
function boundConnections(server: Server, options: HttpServerOptions): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const cancel = options.clock.setTimer(CONNECTION_LIFETIME_MS, () => socket.resetAndDestroy());
    socket.once('close', () => {
      cancel();
      open.delete(socket);
    });
    open.add(socket);
    const [oldest] = open;
    if (oldest === undefined || open.size <= options.maxConnections) return;
    open.delete(oldest);
    oldest.resetAndDestroy();
  });
}

/**
 * Node parses all pipelined requests of a chunk at once and holds an answer for each, so a second
 * request resets the connection.
 */
function listener({ answer }: HttpServerOptions): RequestListener {
  const asked = new WeakSet<Socket>();
  return (request, response) => {
    const { socket, method } = request;
    if (socket.destroyed) return;
    if (asked.has(socket)) return void socket.resetAndDestroy();
    asked.add(socket);
    if (method !== 'GET' && method !== 'HEAD') {
      return send(response, { status: 405, body: 'only GET is served\n' });
    }
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url === null) return send(response, { status: 404, body: 'not a path\n' });
    void Promise.resolve(answer(url)).then((given) => send(response, given));
  };
}

function send(response: ServerResponse, answer: Answer): void {
  const { status, body, contentType = 'text/plain; charset=utf-8' } = answer;
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}
