import { isDeepStrictEqual } from 'node:util';
import { Agent, type Dispatcher, errors, ProxyAgent } from 'undici';
import { type Clock, DeadlineExceeded, raceAbort } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { type Exchange, exchange, joinHeaders } from '../../http/exchange.ts';
import { MAX_OBJECT_BYTES } from '../watch/json-lines.ts';
import { hideLogin } from './cluster-source.ts';
import type { Cluster, Credentials, TlsSettings } from './credentials.ts';
import { ProxyError } from './kube-error.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './kube-transport.ts';

export interface UndiciTransportOptions {
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Requests that may be under way at once, watches and the Lease apart. */
  readonly connections: number;
}

/**
 * One undici pool for each lane of requests to the API server. HTTP/1.1 on purpose: over HTTP/2 all
 * requests share one session, and undici never leaves one whose peer went silent when requests end
 * by AbortSignal; over HTTP/1.1 an aborted request takes its own connection along.
 */
export class UndiciTransport implements KubeTransport {
  readonly #connection: Connection;

  constructor(cluster: Cluster, options: UndiciTransportOptions) {
    const pools = new Pools(cluster, options.connections);
    this.#connection = { cluster, pools, path: new PathHealth(options.clock), ...options };
  }

  request(request: KubeRequest): Promise<KubeResponse> {
    return requestWithCredentials(this.#connection, request);
  }

  /** Breaks what is still running, but on a path that was left; nothing can be requested afterwards. */
  close(): Promise<void> {
    return this.#connection.pools.close();
  }
}

/** The ways to the cluster, and what is known of them. */
interface Connection extends UndiciTransportOptions {
  readonly cluster: Cluster;
  readonly pools: Pools;
  readonly path: PathHealth;
}

/** A 401 may only mean that the token was replaced: it is read again, and the request sent again, once. */
async function requestWithCredentials(
  connection: Connection,
  request: KubeRequest,
): Promise<KubeResponse> {
  const credentials = await fetchCredentials(connection, request);
  const answer = await dispatch(connection, request, credentials);
  if (answer.status !== 401) return answer;
  await drainBody(answer);
  connection.cluster.forget(credentials);
  return dispatch(connection, request, await fetchCredentials(connection, request));
}

/** A plugin that gives credentials may take its time; a request does not wait past its signal. */
function fetchCredentials(connection: Connection, request: KubeRequest): Promise<Credentials> {
  return raceAbort(connection.cluster.credentials(), request.signal);
}

async function dispatch(
  connection: Connection,
  request: KubeRequest,
  credentials: Credentials,
): Promise<KubeResponse> {
  const { cluster, clock, pools, path, userAgent } = connection;
  const { lane = 'work', method, body, signal } = request;
  const pool = pools.getPool(lane, credentials.tls);
  const base = new URL(cluster.server);
  let sentAtMs: number | undefined;
  const ask: Exchange = {
    origin: base.origin,
    path: base.pathname.replace(/\/$/, '') + request.path + formatQuery(request.query),
    method,
    headers: { 'user-agent': userAgent, ...request.headers, ...credentials.headers },
    body,
    signal,
    beforeSend: () => {
      request.beforeSend?.();
      sentAtMs = clock.monotonicMs();
    },
    maxBytes: MAX_OBJECT_BYTES,
  };
  try {
    if (lane === 'watch') return path.trackBody(await open(pool, ask));
    const answer = await exchangeOnce(pool, ask);
    path.markAlive();
    return answer;
  } catch (error) {
    if (lane !== 'watch' && path.isDead(sentAtMs, { error, signal })) reconnect(connection);
    throw isOfProxy(error, cluster) ? new ProxyError(hideLogin(cluster.proxyUrl), error) : error;
  }
}

/** With a proxy each connection is one to it. */
function isOfProxy(
  error: unknown,
  cluster: Cluster,
): cluster is Cluster & { readonly proxyUrl: string } {
  if (cluster.proxyUrl === undefined) return false;
  // Of a name with several addresses.
  const [first = error] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error && isProxyFailure(first, cluster.proxyUrl);
}

function isProxyFailure(error: NodeJS.ErrnoException, proxyUrl: string): boolean {
  const { code = '', message, syscall = '' } = error;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return proxyUrl.startsWith('https:');
  // undici has no code for what an HTTP proxy answers.
  const isNamed =
    /^UND_ERR_(?:SOCKS5|PRX)/.test(code) || /^Proxy (?:response|connection)/i.test(message);
  return isNamed || ['connect', 'getaddrinfo'].includes(syscall);
}

/** Watches that sit on the dead path would hear nothing for as long as it takes them to notice. */
function reconnect({ log, pools }: Connection): void {
  log.info('connections to the API server are silent, reconnecting');
  pools.replaceAll();
}

async function exchangeOnce(pool: Dispatcher, ask: Exchange): Promise<KubeResponse> {
  const answer = await exchange(pool, ask);
  return { ...answer, body: streamPieces(answer.body) };
}

async function* streamPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function open(pool: Dispatcher, ask: Exchange): Promise<KubeResponse> {
  ask.signal?.throwIfAborted();
  ask.beforeSend?.();
  const { body = null, signal = null, maxBytes: _, ...rest } = ask;
  const answer = await pool.request({ ...rest, body, signal });
  return { status: answer.statusCode, headers: joinHeaders(answer.headers), body: answer.body };
}

async function drainBody({ body }: KubeResponse): Promise<void> {
  for await (const _ of body);
}

function formatQuery(query: Readonly<Record<string, string>> | undefined): string {
  const text = new URLSearchParams(query ?? {}).toString();
  return text === '' ? '' : `?${text}`;
}

/** A request that got no answer for so long after it was sent, while nothing else did either. */
const DEAD_AFTER_MS = 4_000;

/**
 * Judges if the path to the API server is alive. A request that waited for a connection, one
 * that its caller gave up early, and a server that answers others prove nothing against it.
 */
class PathHealth {
  readonly #clock: Clock;
  #aliveAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  markAlive(): void {
    this.#aliveAtMs = this.#clock.monotonicMs();
  }

  trackBody(response: KubeResponse): KubeResponse {
    this.markAlive();
    return { ...response, body: this.#trackPieces(response.body) };
  }

  isDead(
    sentAtMs: number | undefined,
    failure: { readonly error: unknown; readonly signal: AbortSignal | undefined },
  ): boolean {
    const { error, signal } = failure;
    const isLate =
      signal?.reason instanceof DeadlineExceeded || error instanceof errors.HeadersTimeoutError;
    if (!isLate || sentAtMs === undefined) return false;
    return this.#aliveAtMs < sentAtMs && this.#clock.monotonicMs() - sentAtMs >= DEAD_AFTER_MS;
  }

  async *#trackPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      this.markAlive();
      yield piece;
    }
  }
}

type Lane = NonNullable<KubeRequest['lane']> | 'work';

/** The pools live as long as the certificates they were made with. */
class Pools {
  readonly #cluster: Cluster;
  readonly #connections: number;
  readonly #lanes = new Map<Lane, { readonly pool: Dispatcher; readonly tls: TlsSettings }>();

  constructor(cluster: Cluster, connections: number) {
    this.#cluster = cluster;
    this.#connections = connections;
  }

  getPool(lane: Lane, tls: TlsSettings): Dispatcher {
    const known = this.#lanes.get(lane);
    if (known && isDeepStrictEqual(known.tls, tls)) return known.pool;
    if (known) retire(known.pool);
    const pool = createPool(
      this.#cluster,
      { ...LANES[lane], ...this.#limitConnections(lane) },
      tls,
    );
    this.#lanes.set(lane, { pool, tls });
    return pool;
  }

  /** Later requests get new connections; those that still run keep theirs, but watches break. */
  replaceAll(): void {
    for (const [lane, { pool }] of this.#lanes) {
      if (lane === 'watch') void pool.destroy().catch(() => {});
      else retire(pool);
    }
    this.#lanes.clear();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ pool }) => pool.destroy()));
  }

  #limitConnections(lane: Lane): { readonly connections?: number } {
    return lane === 'work' ? { connections: this.#connections } : {};
  }
}

/** undici breaks nothing of a pool that closes already: what is under way there ends with its deadline. */
function retire(pool: Dispatcher): void {
  void pool.close().catch(() => {});
}

/**
 * The server closes an idle connection after 90 s (`IdleTimeout`): ours has to let go of it before.
 * https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apiserver/pkg/server/secure_serving.go
 */
const KEEP_ALIVE_MS = 60_000;

const LANES = {
  work: { headersTimeout: 30_000, bodyTimeout: 60_000 },
  lease: { headersTimeout: 30_000, bodyTimeout: 60_000, connections: 2 },
  watch: { headersTimeout: 0, bodyTimeout: 0 },
} as const satisfies Record<Lane, Agent.Options>;

function createPool(cluster: Cluster, lane: Agent.Options, tls: TlsSettings): Dispatcher {
  const connection = { ...tls, keepAliveInitialDelay: 30_000 };
  const options = {
    ...lane,
    allowH2: false,
    connectTimeout: 10_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
  if (cluster.proxyUrl === undefined) return new Agent({ ...options, connect: connection });
  return new ProxyAgent({ ...options, uri: cluster.proxyUrl, requestTls: connection });
}
