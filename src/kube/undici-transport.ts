import { isDeepStrictEqual } from 'node:util';
import { Agent, type Dispatcher, errors, ProxyAgent } from 'undici';
import { DeadlineExceeded } from '../core/clock.ts';
import { untilAborted } from '../core/until-aborted.ts';
import { type Exchange, exchange, headersOf } from '../http/exchange.ts';
import type { Cluster, Credentials, TlsSettings } from './credentials.ts';
import { MAX_OBJECT_BYTES } from './json-lines.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './kube-transport.ts';

export interface UndiciTransport extends KubeTransport {
  /** Breaks what is still running; nothing can be requested afterwards. */
  close(): Promise<void>;
}

/**
 * Two undici pools for all requests to the API server. HTTP/1.1 on purpose: over HTTP/2 all requests
 * share one session, and undici never leaves one whose peer went silent when requests end by
 * AbortSignal; over HTTP/1.1 an aborted request takes its own connection along.
 */
export function createUndiciTransport(
  cluster: Cluster,
  options: { readonly userAgent: string },
): UndiciTransport {
  const pools = createPools(cluster);
  const transport = { cluster, pools, userAgent: options.userAgent };
  return {
    request: (request) => requestWithCredentials(transport, request),
    close: () => pools.close(),
  };
}

interface Parts {
  readonly cluster: Cluster;
  readonly pools: Pools;
  readonly userAgent: string;
}

/** A 401 may only mean that the token was replaced: it is read again, and the request sent again, once. */
async function requestWithCredentials(parts: Parts, request: KubeRequest): Promise<KubeResponse> {
  const credentials = await credentialsFor(parts, request);
  const answer = await dispatch(parts, request, credentials);
  if (answer.status !== 401) return answer;
  await readToItsEnd(answer);
  parts.cluster.forget(credentials);
  return dispatch(parts, request, await credentialsFor(parts, request));
}

/** A plugin that gives credentials may take its time; a request does not wait past its signal. */
function credentialsFor(parts: Parts, request: KubeRequest): Promise<Credentials> {
  return untilAborted(parts.cluster.credentials(), request.signal);
}

async function dispatch(
  parts: Parts,
  request: KubeRequest,
  credentials: Credentials,
): Promise<KubeResponse> {
  const { cluster, pools, userAgent } = parts;
  const lane = request.isLongLived ? 'longLived' : 'unary';
  const pool = pools.of(lane, credentials.tls);
  const base = new URL(cluster.server);
  const { method, body, signal, beforeSend } = request;
  const ask: Exchange = {
    origin: base.origin,
    path: base.pathname.replace(/\/$/, '') + request.path + queryOf(request.query),
    method,
    headers: { 'user-agent': userAgent, ...request.headers, ...credentials.headers },
    body,
    signal,
    beforeSend,
    maxBytes: MAX_OBJECT_BYTES,
  };
  try {
    return await (request.isLongLived ? open(pool, ask) : askOnce(pool, ask));
  } catch (error) {
    if (saysPathIsDead(request, error)) pools.replace(lane, pool);
    throw error;
  }
}

async function askOnce(pool: Dispatcher, ask: Exchange): Promise<KubeResponse> {
  const answer = await exchange(pool, ask);
  return { ...answer, body: inPieces(answer.body) };
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function open(pool: Dispatcher, ask: Exchange): Promise<KubeResponse> {
  ask.signal?.throwIfAborted();
  ask.beforeSend?.();
  const { body = null, signal = null, maxBytes: _, ...rest } = ask;
  const answer = await pool.request({ ...rest, body, signal });
  return { status: answer.statusCode, headers: headersOf(answer.headers), body: answer.body };
}

async function readToItsEnd({ body }: KubeResponse): Promise<void> {
  for await (const _ of body);
}

function queryOf(query: Readonly<Record<string, string>> | undefined): string {
  const text = new URLSearchParams(query ?? {}).toString();
  return text === '' ? '' : `?${text}`;
}

/** No headers in time: the path has gone silent, and the idle connections of the pool with it. */
function saysPathIsDead(request: KubeRequest, error: unknown): boolean {
  if (request.signal?.reason instanceof DeadlineExceeded) return true;
  return error instanceof errors.HeadersTimeoutError;
}

type Lane = 'unary' | 'longLived';

interface Pools {
  of(lane: Lane, tls: TlsSettings): Dispatcher;
  /** Later requests get new connections; those that still run on `dead` keep theirs. */
  replace(lane: Lane, dead: Dispatcher): void;
  close(): Promise<void>;
}

/** Both pools live as long as the certificates they were made with. */
function createPools(cluster: Cluster): Pools {
  const lanes = new Map<Lane, { readonly pool: Dispatcher; readonly tls: TlsSettings }>();
  const retired = new Set<Dispatcher>();
  const retire = (pool: Dispatcher): void => {
    retired.add(pool);
    const forget = (): void => void retired.delete(pool);
    pool.close().then(forget, forget);
  };
  return {
    of: (lane, tls) => {
      const known = lanes.get(lane);
      if (known && isDeepStrictEqual(known.tls, tls)) return known.pool;
      if (known) retire(known.pool);
      const pool = createPool(cluster, lane, tls);
      lanes.set(lane, { pool, tls });
      return pool;
    },
    replace: (lane, dead) => {
      if (lanes.get(lane)?.pool !== dead) return;
      lanes.delete(lane);
      retire(dead);
    },
    close: async () => {
      const pools = [...[...lanes.values()].map(({ pool }) => pool), ...retired];
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

/** The server closes an idle connection after 90 s: ours has to let go of it before. */
const KEEP_ALIVE_MS = 60_000;

const POOL_OPTIONS = {
  unary: { connections: 8, headersTimeout: 30_000, bodyTimeout: 60_000 },
  longLived: { headersTimeout: 0, bodyTimeout: 0 },
} as const satisfies Record<Lane, Agent.Options>;

function createPool(cluster: Cluster, lane: Lane, tls: TlsSettings): Dispatcher {
  const connection = { ...tls, keepAlive: true, keepAliveInitialDelay: 30_000 };
  const options = {
    ...POOL_OPTIONS[lane],
    allowH2: false,
    connectTimeout: 10_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
  if (cluster.proxyUrl === undefined) return new Agent({ ...options, connect: connection });
  return new ProxyAgent({ ...options, uri: cluster.proxyUrl, requestTls: connection });
}
