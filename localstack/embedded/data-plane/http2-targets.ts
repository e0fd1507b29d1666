import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { groupHeaders } from './forwarded-headers.ts';

/** One request to a target; `headers` as HTTP/1.1 has them. */
export interface Http2Request {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  /** null: none. */
  readonly body: Readable | null;
}

/** HTTP/2 to targets: one connection for each, without negotiation where it is not encrypted. */
export class Http2Targets {
  readonly #sessions = new Map<string, ClientHttp2Session>();

  /** Tells the handler what undici would tell it. */
  dispatch(request: Http2Request, handler: Dispatcher.DispatchHandler): void {
    const { body, origin } = request;
    const options = { endStream: body === null };
    const stream = this.#sessionTo(origin).request(toHttp2Headers(request), options);
    relayStream(stream, handler);
    if (body === null) return;
    body.on('data', (chunk: Buffer) => handler.onBodySent?.(chunk));
    body.pipe(stream);
  }

  stop(): void {
    for (const session of this.#sessions.values()) session.destroy();
  }

  #sessionTo(origin: string): ClientHttp2Session {
    const known = this.#sessions.get(origin);
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connect(origin, { rejectUnauthorized: false });
    session.on('error', () => {}); // its streams report it
    this.#sessions.set(origin, session);
    return session;
  }
}

/** Of HTTP/2, without what concerns one connection of HTTP/1.1. */
function toHttp2Headers({ headers, method, origin, path }: Http2Request): IncomingHttpHeaders {
  const { host, ...rest } = groupHeaders(headers);
  return {
    ...rest,
    ':method': method,
    ':path': path,
    ':scheme': origin.startsWith('https') ? 'https' : 'http',
    ...(host !== undefined && { ':authority': String(host) }),
  };
}

function relayStream(stream: ClientHttp2Stream, handler: Dispatcher.DispatchHandler): void {
  const controller = new StreamController(stream);
  let trailers: IncomingHttpHeaders = {};
  let isOver = false;
  const fail = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    handler.onResponseError?.(controller, error);
  };
  handler.onRequestStart?.(controller, undefined);
  stream.on('response', (headers, flags) => {
    const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    const [kept, last] = splitStatus(headers, isAll);
    trailers = last;
    controller.rawHeaders = Object.entries(kept).flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((one) => [Buffer.from(name), Buffer.from(one)]),
    );
    handler.onResponseStart?.(controller, headers[':status'] ?? 0, kept, '');
  });
  stream.on('trailers', (headers) => {
    trailers = headers;
  });
  stream.on('data', (chunk: Buffer) => handler.onResponseData?.(controller, chunk));
  stream.on('end', () => {
    if (isOver || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
    isOver = true;
    handler.onResponseEnd?.(controller, trailers);
  });
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('the target has closed the stream')));
}

type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** An answer of gRPC without messages has its status among the headers; it is passed on behind them. */
function splitStatus(
  { ':status': _status, ...headers }: IncomingHttpHeaders & IncomingHttpStatusHeader,
  isAll: boolean,
): readonly [
  headers: Record<string, string | string[]>,
  trailers: Record<string, string | string[]>,
] {
  const pairs = Object.entries(headers as Fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const isLast = ([name]: readonly [string, unknown]): boolean => isAll && name.startsWith('grpc-');
  return [
    Object.fromEntries(pairs.filter((pair) => !isLast(pair))),
    Object.fromEntries(pairs.filter(isLast)),
  ];
}

class StreamController implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] = [];
  aborted = false;
  reason: Error | null = null;
  readonly #stream: ClientHttp2Stream;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
  }

  get paused(): boolean {
    return this.#stream.isPaused();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}
