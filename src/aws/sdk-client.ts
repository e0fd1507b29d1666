import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import type { AwsOperation } from './aws-api.ts';
import { isWrite } from './aws-operations.ts';

export interface SdkClientOptions {
  readonly region: string;
  /** Base address of a stand-in for AWS; AWS's own of the region without it. */
  readonly endpoint?: string;
  readonly leadership: Leadership;
  /** albridge's own version, for the user agent. */
  readonly version: string;
}

const CONNECT_TIMEOUT_MS = 3000;
const MOST_CONNECTIONS = 64;
/**
 * The SDK keeps the credentials file as it first read it, and so its absence, for the life of the
 * process; with this, which its types leave out of the client's options, a file that comes later
 * counts. https://github.com/smithy-lang/smithy-typescript/tree/main/packages/shared-ini-file-loader
 */
const READ_FILES_AGAIN = { ignoreCache: true } as const;

/** The SDK's client as albridge needs it: one attempt a call, no write without the lease. */
export function createSdkClient(options: SdkClientOptions): ElasticLoadBalancingV2Client {
  const pool = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  const client = new ElasticLoadBalancingV2Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...READ_FILES_AGAIN,
    maxAttempts: 1,
    retryMode: 'standard',
    customUserAgent: [['albridge', options.version]],
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      httpAgent: new HttpAgent(pool),
      httpsAgent: new HttpsAgent(pool),
    },
  });
  leaveOutUnused(client);
  refuseWritesWithoutLease(client, options.leadership);
  return client;
}

/**
 * What the SDK does for each call and nobody here has any use for: walking through the whole input
 * and output for a logger that is not there, looking for the trace of a Lambda function, and its
 * retries, of which retry.ts is the only layer; what follows them is placed by their name, so that
 * stays. https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/middleware-stack.html
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
 * Fetching credentials may take seconds between a command and its request, and the lease may go
 * meanwhile; this is the last step before the request goes to Node's HTTP client.
 */
function refuseWritesWithoutLease(
  { middlewareStack }: ElasticLoadBalancingV2Client,
  leadership: Leadership,
): void {
  middlewareStack.add(
    (next, context) => (args) => {
      const operation = context.commandName?.replace(/Command$/, '') as AwsOperation;
      if (isWrite(operation)) assertLeader(leadership);
      return next(args);
    },
    { step: 'deserialize', name: 'refuseWritesWithoutLease', priority: 'low' },
  );
}
