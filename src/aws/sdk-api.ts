import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import {
  AddTagsCommand,
  CreateLoadBalancerCommand,
  DeleteLoadBalancerCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  ElasticLoadBalancingV2Client,
  ModifyLoadBalancerAttributesCommand,
  RemoveTagsCommand,
  SetIpAddressTypeCommand,
  SetSecurityGroupsCommand,
  SetSubnetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import type { AwsApi, AwsOperation, AwsOperations } from './aws-api.ts';
import { isWrite } from './aws-operations.ts';

export interface SdkApiOptions {
  readonly region: string;
  /** Base address of a stand-in for AWS; AWS's own of the region without it. */
  readonly endpoint?: string;
  readonly leadership: Leadership;
  /** albridge's own version, for the user agent. */
  readonly version: string;
  /** Of a whole request, resolving credentials included; a write has no other limit. Default 10 s. */
  readonly requestTimeoutMs?: number;
}

export interface SdkApi extends AwsApi {
  /** Closes the idle connections. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 3000;
const REQUEST_TIMEOUT_MS = 10_000;
const MOST_CONNECTIONS = 64;
/**
 * The SDK keeps the credentials file as it first read it, and so its absence, for the life of the
 * process; with this, which its types leave out of the client's options, a file that comes later
 * counts. https://github.com/smithy-lang/smithy-typescript/tree/main/packages/shared-ini-file-loader
 */
const READ_FILES_AGAIN = { ignoreCache: true } as const;

type Send<Operation extends AwsOperation> = (
  client: ElasticLoadBalancingV2Client,
  input: AwsOperations[Operation][0],
  limit: { readonly abortSignal: AbortSignal },
) => Promise<AwsOperations[Operation][1]>;

const senders: { readonly [Operation in AwsOperation]: Send<Operation> } = {
  CreateLoadBalancer: (to, input, limit) => to.send(new CreateLoadBalancerCommand(input), limit),
  DescribeLoadBalancers: (to, input, limit) =>
    to.send(new DescribeLoadBalancersCommand(input), limit),
  DeleteLoadBalancer: (to, input, limit) => to.send(new DeleteLoadBalancerCommand(input), limit),
  DescribeLoadBalancerAttributes: (to, input, limit) =>
    to.send(new DescribeLoadBalancerAttributesCommand(input), limit),
  ModifyLoadBalancerAttributes: (to, input, limit) =>
    to.send(new ModifyLoadBalancerAttributesCommand(input), limit),
  SetSubnets: (to, input, limit) => to.send(new SetSubnetsCommand(input), limit),
  SetSecurityGroups: (to, input, limit) => to.send(new SetSecurityGroupsCommand(input), limit),
  SetIpAddressType: (to, input, limit) => to.send(new SetIpAddressTypeCommand(input), limit),
  AddTags: (to, input, limit) => to.send(new AddTagsCommand(input), limit),
  RemoveTags: (to, input, limit) => to.send(new RemoveTagsCommand(input), limit),
  DescribeTags: (to, input, limit) => to.send(new DescribeTagsCommand(input), limit),
};

/**
 * AwsApi over the SDK, with the SDK's own chain of credentials:
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/setting-credentials-node.html
 * One call is one attempt; retry.ts is the retry layer.
 */
export function createSdkApi(options: SdkApiOptions): SdkApi {
  const client = createClient(options);
  const timeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  return {
    async send(operation, input, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
      if (!isWrite(operation)) await letOthersOut();
      try {
        return await senders[operation](client, input, { abortSignal });
      } catch (thrown) {
        if (timeout.aborted && !signal?.aborted) throw timeout.reason;
        throw thrown;
      }
    },
    close: () => client.destroy(),
  };
}

function createClient(options: SdkApiOptions): ElasticLoadBalancingV2Client {
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
  refuseWritesWithoutLease(client, options.leadership);
  return client;
}

/**
 * Fetching credentials may take seconds between a command and its request, and the lease may go
 * meanwhile; this is the last step before the request is on the wire.
 */
function refuseWritesWithoutLease(
  client: ElasticLoadBalancingV2Client,
  leadership: Leadership,
): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const operation = context.commandName?.replace(/Command$/, '') as AwsOperation;
      if (isWrite(operation)) assertLeader(leadership);
      return next(args);
    },
    { step: 'deserialize', name: 'refuseWritesWithoutLease', priority: 'low' },
  );
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
