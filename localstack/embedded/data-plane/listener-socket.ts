import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { ImportedCertificate } from '../acm/imported-certificate.ts';
import { secureContextOf, tlsMaterial } from './certificates.ts';
import type { ClientExchange } from './relay.ts';

export interface ListenerSocketOptions {
  readonly protocol: 'HTTP' | 'HTTPS';
  /** Ports that listeners of this process have had; the new one is added. */
  readonly usedPorts: Set<number>;
  /** For how long a client may keep an idle connection. */
  readonly keepAliveMs: number;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** For how long a client may send nothing of its first request. */
  readonly getIdleMs: () => number;
  /** Whether HTTPS speaks HTTP/2 with clients that ask for it. */
  readonly isHttp2On: () => boolean;
  /** For a client that names this server, or none. */
  readonly chooseCertificate: (servername?: string) => ImportedCertificate | undefined;
  readonly handle: (client: ClientExchange) => void;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const MAX_HTTP2_HEADER_BYTES = 65_536;
/** More than is allowed, so that the answer can say which limit is exceeded. */
const MAX_READ_HEADER_BYTES = 1_048_576;
/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-listeners.html#listener-configuration */
const MAX_STREAMS = 128;

/** A request that came by HTTP/2 has the shape of one that came by HTTP/1.1. */
type AnyServer = Server | Http2SecureServer;

/** One listener's socket on the loopback. */
export class ListenerSocket {
  readonly #server: AnyServer;
  readonly #options: ListenerSocketOptions;
  readonly #connections = new Set<Socket>();
  /** By connection: stops the wait for its first request. */
  readonly #waits = new WeakMap<Duplex, () => void>();
  /** By connection of HTTP/1: the answer that is not finished. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  #defaultCertificate: ImportedCertificate | undefined;

  private constructor(server: AnyServer, options: ListenerSocketOptions) {
    this.#server = server;
    this.#options = options;
    server.on('request', (message: IncomingMessage, response: ServerResponse) => {
      this.#beginAnswer(message, response);
      options.handle({ message, response });
    });
    server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#waits.get(socket)?.();
      handleUpgrade(options, message, { socket, head });
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
      this.#refuse(error, socket),
    );
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    const ready = options.protocol === 'HTTP' ? 'connection' : 'secureConnection';
    server.on(ready, (socket: Socket & { readonly alpnProtocol?: unknown }) => {
      if (socket.alpnProtocol === 'h2') return;
      this.#awaitRequest(socket);
      socket.once('close', () => this.#waits.get(socket)?.());
    });
    this.renew();
  }

  static async open(options: ListenerSocketOptions): Promise<ListenerSocket> {
    const settings = {
      // The timeout of a request is kept by the clock.
      ...{ maxHeaderSize: MAX_READ_HEADER_BYTES, requestTimeout: 0, headersTimeout: 0 },
      keepAliveTimeout: options.keepAliveMs,
      // Any other upgrade is an ordinary request.
      shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
        /^websocket$/i.test(headers.upgrade ?? ''),
    };
    const server =
      options.protocol === 'HTTP'
        ? createServer(settings)
        : Object.assign(createTlsServer(options), settings);
    await listenOnFreshPort(server, options.usedPorts);
    return new ListenerSocket(server, options);
  }

  get address(): string {
    return `127.0.0.1:${portOf(this.#server)}`;
  }

  /** Takes the default certificate that the listener has now; connections that are open stay. */
  renew(): void {
    const certificate = this.#options.chooseCertificate();
    if (certificate === undefined || certificate === this.#defaultCertificate) return;
    this.#defaultCertificate = certificate;
    (this.#server as Http2SecureServer).setSecureContext(tlsMaterial(certificate));
  }

  /** Breaks all connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#connections) socket.destroy();
    });
  }

  /** Whatever arrives gives the client the idle timeout again. */
  #awaitRequest(socket: Socket, readBytes = 0): void {
    const { clock, getIdleMs } = this.#options;
    const stop = clock.setTimer(getIdleMs(), () => {
      if (socket.bytesRead > readBytes) this.#awaitRequest(socket, socket.bytesRead);
      else answerUnread(socket, '408 Request Timeout');
    });
    this.#waits.set(socket, stop);
  }

  #beginAnswer({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse): void {
    if (httpVersionMajor > 1) return;
    this.#waits.get(socket)?.();
    this.#answers.set(socket, response);
    response.once('finish', () => this.#answers.delete(socket));
  }

  /** Answers what is no request, or ends before it is complete; never within another answer. */
  #refuse({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    const begun = this.#answers.get(socket);
    if (begun?.headersSent !== true) answerUnread(socket, STATUSES[code] ?? '400 Bad Request');
    else if (begun.writableEnded) socket.end();
    else socket.destroy();
  }
}

/**
 * Of requests that are not parsed; all others are 400.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#http-505-issues
 */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_INVALID_VERSION: '505 HTTP Version Not Supported',
  /** The first line of HTTP/2. */
  HPE_PAUSED_H2_UPGRADE: '505 HTTP Version Not Supported',
};

function answerUnread(socket: Duplex, status: string): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(
    `HTTP/1.1 ${status}\r\nserver: awselb/2.0\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
  );
}

/** HTTP/2 and HTTP/1.1, as the client prefers. */
function createTlsServer({
  chooseCertificate,
  isHttp2On,
}: ListenerSocketOptions): Http2SecureServer {
  return createSecureServer({
    allowHTTP1: true,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HTTP2_HEADER_BYTES },
    ALPNCallback: ({ protocols }) => {
      const spoken = isHttp2On() ? ['h2', 'http/1.1'] : ['http/1.1'];
      return spoken.find((protocol) => protocols.includes(protocol));
    },
    SNICallback: (servername, answer) => {
      const certificate = chooseCertificate(servername);
      answer(null, certificate && secureContextOf(certificate));
    },
  });
}

function handleUpgrade(
  options: ListenerSocketOptions,
  message: IncomingMessage,
  upgrade: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const response = new ServerResponse(message);
  response.assignSocket(upgrade.socket as Socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => upgrade.socket.end());
  // Node has taken its own listener off; the response is told by the end of the socket.
  upgrade.socket.on('error', () => upgrade.socket.destroy());
  options.handle({ message, response, upgrade });
}

/** A client that still knows the port of a closed listener must not reach another one. */
async function listenOnFreshPort(server: AnyServer, usedPorts: Set<number>): Promise<void> {
  await listen(server);
  const port = portOf(server);
  if (!usedPorts.has(port)) return void usedPorts.add(port);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return listenOnFreshPort(server, usedPorts);
}

function listen(server: AnyServer): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: AnyServer): number {
  return (server.address() as AddressInfo).port;
}
