import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../core/ports/clock.ts';
import { OperatorError } from '../core/reconcile/operator-error.ts';

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

/** Request line and headers of a probe or a scrape take a few hundred bytes. */
const MAX_HEAD_BYTES = 4096;
const CONNECTION_LIFETIME_MS = 10_000;

/**
 * Serves GET without authentication, so a client gets little: one request per connection, and 10 s
 * to send it and to read the answer. Not on node:http, whose parser emits every request that is
 * pipelined in a chunk of 64 kB: some thousands for each connection, at tens of microseconds each,
 * before anything can stop it. Throws OperatorError AddressUnusable if it cannot listen.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    limitSocket(socket, open, options);
    void serveOne(socket, options.answer);
  });
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
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server, open) };
}

async function stop(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of open) socket.destroy();
  await closed;
}

/** A reset also frees what the kernel holds for a client that never reads. */
function limitSocket(socket: Socket, open: Set<Socket>, options: HttpServerOptions): void {
  const cancel = options.clock.setTimer(CONNECTION_LIFETIME_MS, () => socket.resetAndDestroy());
  socket.on('error', () => {}); // the client is gone; 'close' follows
  socket.once('close', () => {
    cancel();
    open.delete(socket);
  });
  open.add(socket);
  const [oldest] = open;
  if (oldest === undefined || open.size <= options.maxConnections) return;
  open.delete(oldest);
  oldest.resetAndDestroy();
}

async function serveOne(socket: Socket, answer: HttpServerOptions['answer']): Promise<void> {
  const head = await readHead(socket);
  const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/.exec(head ?? '') ?? [];
  if (method === undefined || target === undefined) return void socket.resetAndDestroy();
  const isRead = method === 'GET' || method === 'HEAD';
  const url = URL.parse(target, 'http://localhost');
  if (!isRead) return send(socket, { status: 405, body: 'only GET is served\n' });
  if (url === null) return send(socket, { status: 404, body: 'not a path\n' });
  send(socket, await answer(url), method === 'GET');
}

/** Undefined for one that is too long. What comes behind it is not read. */
function readHead(socket: Socket): Promise<string | undefined> {
  let text = '';
  return new Promise((resolve) => {
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more;
      const length = text.indexOf('\r\n\r\n');
      if (length < 0 && text.length <= MAX_HEAD_BYTES) return;
      socket.pause().removeAllListeners('data');
      resolve(length < 0 || length > MAX_HEAD_BYTES ? undefined : text);
    });
  });
}

function send(socket: Socket, answer: Answer, hasBody = true): void {
  const { status, body, contentType = 'text/plain; charset=utf-8' } = answer;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    'x-content-type-options: nosniff',
    'cache-control: no-store',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  if (hasBody) socket.write(body);
  socket.destroySoon();
}
