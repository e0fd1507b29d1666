import type { ElasticLoadBalancingV2ClientConfig } from '@aws-sdk/client-elastic-load-balancing-v2';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { exchange } from '../../http/exchange.ts';

type HttpHandler = Extract<
  ElasticLoadBalancingV2ClientConfig['requestHandler'],
  { httpHandlerConfigs: unknown }
>;
type HttpRequest = Parameters<HttpHandler['handle']>[0];

/** Passed by the SDK from `send` to the handler. */
export interface SendOptions {
  readonly abortSignal?: AbortSignal;
  /** As in http/exchange.ts. */
  readonly beforeSend?: (() => void) | undefined;
}

/** On the way to https addresses, but for those of this machine. */
export interface Proxy {
  /** http or https, with name and password if it wants them. */
  readonly url: string;
  /** Hosts that are reached without it, between commas, as NO_PROXY has them. */
  readonly except: string;
}

const CONNECT_TIMEOUT_MS = 3000;
/** Of the requests for credentials, which come without a signal. */
const SILENCE_TIMEOUT_MS = 10_000;
const MOST_CONNECTIONS = 64;
/** As in the AWS SDK for Java; a server that says less is believed. */
const KEEP_ALIVE_MS = 60_000;

/**
 * The SDK's way to the network, for its requests for credentials by STS and SSO too: a pool of
 * HTTP/1.1 connections, and answers read whole (docs/decisions/0010-one-http-client.md).
 * https://github.com/smithy-lang/smithy-typescript/tree/main/packages/node-http-handler
 */
export function createHttpHandler(proxy?: Proxy): HttpHandler {
  const pool = createPool(proxy);
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: HttpRequest, options = {}) {
      const { abortSignal, beforeSend } = options as SendOptions;
      const { status, headers, body } = await exchange(pool, {
        origin: formatOrigin(request),
        path: formatPath(request),
        method: request.method,
        headers: request.headers,
        body: request.body as string | Uint8Array | undefined,
        signal: abortSignal,
        beforeSend,
        maxBytes: MOST_BYTES,
      });
      const whole = Buffer.concat(body);
      if (status < 300 && !isDocument(whole)) throw createStrangerError(status);
      return { response: { statusCode: status, headers, body: whole } };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy: () => void pool.destroy(),
  };
}

/** Of an answer. The largest is a page of 1,000 security groups: with 60 rules each about 15 MiB (estimated). */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * AWS answers each of our operations with a document, also where it lists nothing: JSON, or XML whose root is named after
 * the operation. Without one, or with a page for people, something else has answered, and the SDK would read it as an
 * empty account.
 * https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
function isDocument(body: Buffer): boolean {
  const head = body.toString('utf8', 0, MOST_HEAD_BYTES).trimStart();
  return head.startsWith('<') ? RESPONSE.test(head) : body.length > 0;
}

const MOST_HEAD_BYTES = 1000;
/** The root's name and all that may come before it; an error's document comes with another status. */
const RESPONSE =
  /^(?:(?:<\?[^>]*>|<!--(?:(?!-->)[^])*-->|<!(?!--)[^>]*>)\s*)*<(?!Error)\w+Response[\s/>]/;

function createStrangerError(httpStatusCode: number): Error {
  const error = new Error('the answer is no document of AWS');
  return Object.assign(error, { $metadata: { httpStatusCode } });
}

const POOL_OPTIONS = {
  connections: MOST_CONNECTIONS,
  allowH2: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  headersTimeout: SILENCE_TIMEOUT_MS,
  bodyTimeout: SILENCE_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
} as const satisfies Agent.Options;

/** As Go's, without being asked: https://pkg.go.dev/net/http#ProxyFromEnvironment */
const THIS_MACHINE = 'localhost,127.0.0.1,::1';

function createPool(proxy: Proxy | undefined): Dispatcher {
  if (proxy === undefined) return new Agent(POOL_OPTIONS);
  const noProxy = `${proxy.except},${THIS_MACHINE}`;
  // An empty text keeps what the environment may say of plain http from counting.
  return new EnvHttpProxyAgent({ ...POOL_OPTIONS, httpProxy: '', httpsProxy: proxy.url, noProxy });
}

function formatOrigin({ protocol, hostname, port }: HttpRequest): string {
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
}

function formatPath({ path, query }: HttpRequest): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => formatPair(name, value)),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function formatPair(name: string, value: string | null): string {
  const head = encodeURIComponent(name);
  return value === null ? head : `${head}=${encodeURIComponent(value)}`;
}
