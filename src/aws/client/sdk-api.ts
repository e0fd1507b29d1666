import { setImmediate } from 'node:timers/promises';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { type Clock, raceAbort, startDeadline } from '../../core/ports/clock.ts';
import { assertLeader, type Leadership } from '../../core/ports/leadership.ts';
import { acmService, createAcmCommand } from '../acm/acm-commands.ts';
import type { AcmOperation } from '../acm/operations.ts';
import { createEc2Command, ec2Service } from '../ec2/ec2-commands.ts';
import type { Ec2Operation } from '../ec2/operations.ts';
import * as elbv2Commands from '../elbv2/elbv2-commands.ts';
import type { AwsApi } from './aws-api.ts';
import { areCredentialsRefused } from './aws-errors.ts';
import { createHttpHandler, type Proxy, type SendOptions } from './http-handler.ts';
import type { ServiceName } from './operation-traits.ts';
import { type AwsOperation, type Elbv2Operation, getTraits, isWrite } from './operations.ts';

export interface SdkClientOptions {
  readonly region: string;
  /** Base address of Elastic Load Balancing; AWS's own of the region without it. */
  readonly endpoint?: string;
  readonly proxy?: Proxy;
  readonly userAgent: string;
}

export interface SdkApiOptions extends SdkClientOptions {
  /** Base address of EC2; AWS's own of the region without it. */
  readonly ec2Endpoint?: string;
  /** Base address of ACM; AWS's own of the region without it. */
  readonly acmEndpoint?: string;
  readonly clock: Clock;
  /** Asked in the moment in which a write is written to its socket. */
  readonly leadership: Leadership;
  /** Of a whole request, resolving credentials included; a write has no other limit. Default 10 s. */
  readonly requestTimeoutMs?: number;
}

export interface SdkApi extends AwsApi {
  /** Closes the idle connections. */
  close(): void;
}

const REQUEST_TIMEOUT_MS = 10_000;
const REFRESH_EVERY_MS = 30_000;

const commands: Readonly<Record<Elbv2Operation, new (input: never) => object>> = elbv2Commands;

/**
 * AwsApi over the SDK, with the SDK's own chain of credentials:
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/setting-credentials-node.html
 * One call is one attempt; aws-call.ts is the retry layer.
 */
export function createSdkApi(options: SdkApiOptions): SdkApi {
  const client = createSdkClient(options);
  const send = createSender(options, client);
  const { leadership, requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS } = options;
  const refresh = createRefresh(options.clock, client.config.credentials);
  return {
    async send(operation, input, { signal, onWrite } = {}) {
      const limit = startDeadline(options.clock, timeoutMs, signal);
      try {
        if (!isWrite(operation)) await letOthersOut();
        const beforeSend = isWrite(operation) ? beginWrite(leadership, onWrite) : undefined;
        const how = { abortSignal: limit.signal, beforeSend };
        return (await raceAbort(send(operation, input, how), limit.signal)) as never;
      } catch (thrown) {
        const reason: unknown = limit.signal.aborted ? limit.signal.reason : thrown;
        if (areCredentialsRefused(thrown)) await raceAbort(refresh(), limit.signal).catch(() => {});
        throw reason;
      } finally {
        limit.release();
      }
    },
    close: () => client.destroy(),
  };
}

type Send = (operation: AwsOperation, input: object, how: SendOptions) => Promise<unknown>;

/** By `client`, or by one of the operation's own service that shares its credentials and connections. */
function createSender(options: SdkApiOptions, client: ElasticLoadBalancingV2Client): Send {
  const { credentials, requestHandler } = client.config;
  const others = new Map<ServiceName, ElasticLoadBalancingV2Client>();
  const connect = (service: ServiceName, changes: object): ElasticLoadBalancingV2Client =>
    getOrAdd(others, service, () =>
      createSdkClient(options, { credentials, requestHandler, ...changes }),
    );
  return (operation, input, how) => {
    if (isOf('ec2', operation)) {
      const ec2 = connect('ec2', { endpoint: options.ec2Endpoint, ...ec2Service });
      return ec2.send(createEc2Command(operation, input) as never, how);
    }
    if (isOf('acm', operation)) {
      const acm = connect('acm', { endpoint: options.acmEndpoint, ...acmService });
      return acm.send(createAcmCommand(operation, input) as never, how);
    }
    const Command = commands[operation] as unknown as new (input: object) => never;
    return client.send(new Command(input), how);
  };
}

/**
 * The SDK keeps credentials without an expiry, such as the keys of a file, for the life of the process. Those that
 * AWS refuses are read again for the next call, and kept where there are no others.
 */
function createRefresh(
  clock: Clock,
  credentials: (options: { readonly forceRefresh: boolean }) => Promise<unknown>,
): () => Promise<unknown> {
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonicMs() < notBeforeMs) return Promise.resolve();
    notBeforeMs = clock.monotonicMs() + REFRESH_EVERY_MS;
    return credentials({ forceRefresh: true });
  };
}

/** Returns the callback for the moment in which the write is written to its socket. */
function beginWrite(leadership: Leadership, onWrite: (() => void) | undefined): () => void {
  return () => {
    assertLeader(leadership);
    onWrite?.();
  };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

interface OtherServices {
  readonly ec2: Ec2Operation;
  readonly acm: AcmOperation;
}

function isOf<Service extends keyof OtherServices>(
  service: Service,
  operation: AwsOperation,
): operation is OtherServices[Service] {
  return getTraits(operation).service === service;
}

/**
 * The SDK computes for up to a millisecond before its request is on the wire. A write to the API
 * server that was asked for just before, and needs two turns of the event loop to leave over an idle
 * connection, is on its way by then: the answer to both comes sooner.
 */
async function letOthersOut(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/**
 * The SDK keeps the credentials file as it first read it, and so its absence, for the life of the
 * process; with this, which its types leave out of the client's options, a file that comes later
 * counts. https://github.com/smithy-lang/smithy-typescript/tree/main/packages/shared-ini-file-loader
 */
const READ_FILES_AGAIN = { ignoreCache: true } as const;

/** One attempt a call. `changes` make it one of another service. */
export function createSdkClient(
  options: SdkClientOptions,
  changes: object = { requestHandler: createHttpHandler(options.proxy) },
): ElasticLoadBalancingV2Client {
  const client = new ElasticLoadBalancingV2Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...READ_FILES_AGAIN,
    maxAttempts: 1,
    retryMode: 'standard',
    ...changes,
  });
  leaveOutUnused(client);
  nameOnce(client, options.userAgent);
  return client;
}

/**
 * Removes from the SDK what no call here needs: walking through the whole input
 * and output for a logger that is not there, looking for the trace of a Lambda function, and its
 * retries, of which aws-call.ts is the only layer; what follows those is placed by their name, so that
 * stays.
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/middleware-stack.html
 */
function leaveOutUnused({ middlewareStack }: ElasticLoadBalancingV2Client): void {
  middlewareStack.remove('loggerMiddleware');
  middlewareStack.remove('recursionDetectionMiddleware');
  middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
}

/**
 * The SDK puts its user agent together anew for each call. This one never changes; the application
 * id is whatever AWS_SDK_UA_APP_ID or the configuration file say.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-appid.html
 */
function nameOnce({ middlewareStack, config }: ElasticLoadBalancingV2Client, name: string): void {
  let known: Promise<string> | undefined;
  const put = async (): Promise<string> => {
    const applicationId = await config.userAgentAppId();
    return applicationId === undefined ? name : `${name} app/${applicationId}`;
  };
  middlewareStack.add(
    (next) => async (args) => {
      known ??= put();
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers['user-agent'] = await known;
      return next(args);
    },
    { name: 'getUserAgentMiddleware', step: 'build', priority: 'low', override: true },
  );
}
