import { setImmediate } from 'node:timers/promises';
import {
  AddTagsCommand,
  CreateLoadBalancerCommand,
  DeleteLoadBalancerCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  type ElasticLoadBalancingV2Client,
  ModifyLoadBalancerAttributesCommand,
  RemoveTagsCommand,
  SetIpAddressTypeCommand,
  SetSecurityGroupsCommand,
  SetSubnetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { type Clock, deadline } from '../core/clock.ts';
import { assertLeader, type Leadership } from '../core/leadership.ts';
import { untilAborted } from '../core/until-aborted.ts';
import type { AwsApi, AwsOperation, AwsOperations } from './aws-api.ts';
import { isWrite } from './aws-operations.ts';
import type { SendOptions } from './http-handler.ts';
import { createSdkClient, type SdkClientOptions } from './sdk-client.ts';

export interface SdkApiOptions extends SdkClientOptions {
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

type Send<Operation extends AwsOperation> = (
  client: ElasticLoadBalancingV2Client,
  input: AwsOperations[Operation][0],
  how: SendOptions,
) => Promise<AwsOperations[Operation][1]>;

const senders: { readonly [Operation in AwsOperation]: Send<Operation> } = {
  CreateLoadBalancer: (to, input, how) => to.send(new CreateLoadBalancerCommand(input), how),
  DescribeLoadBalancers: (to, input, how) => to.send(new DescribeLoadBalancersCommand(input), how),
  DeleteLoadBalancer: (to, input, how) => to.send(new DeleteLoadBalancerCommand(input), how),
  DescribeLoadBalancerAttributes: (to, input, how) =>
    to.send(new DescribeLoadBalancerAttributesCommand(input), how),
  ModifyLoadBalancerAttributes: (to, input, how) =>
    to.send(new ModifyLoadBalancerAttributesCommand(input), how),
  SetSubnets: (to, input, how) => to.send(new SetSubnetsCommand(input), how),
  SetSecurityGroups: (to, input, how) => to.send(new SetSecurityGroupsCommand(input), how),
  SetIpAddressType: (to, input, how) => to.send(new SetIpAddressTypeCommand(input), how),
  AddTags: (to, input, how) => to.send(new AddTagsCommand(input), how),
  RemoveTags: (to, input, how) => to.send(new RemoveTagsCommand(input), how),
  DescribeTags: (to, input, how) => to.send(new DescribeTagsCommand(input), how),
};

/**
 * AwsApi over the SDK, with the SDK's own chain of credentials:
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/setting-credentials-node.html
 * One call is one attempt; retry.ts is the retry layer.
 */
export function createSdkApi(options: SdkApiOptions): SdkApi {
  const client = createSdkClient(options);
  const timeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const beforeWrite = (): void => assertLeader(options.leadership);
  return {
    async send(operation, input, signal) {
      const limit = deadline(options.clock, timeoutMs, signal);
      try {
        if (!isWrite(operation)) await letOthersOut();
        const beforeSend = isWrite(operation) ? beforeWrite : undefined;
        const how = { abortSignal: limit.signal, beforeSend };
        return await untilAborted(senders[operation](client, input, how), limit.signal);
      } catch (thrown) {
        throw limit.signal.aborted ? limit.signal.reason : thrown;
      } finally {
        limit.release();
      }
    },
    close: () => client.destroy(),
  };
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
