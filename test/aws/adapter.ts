import {
  ElasticLoadBalancingV2Client,
  type ElasticLoadBalancingV2ClientConfig,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { NO_LIMITS } from '../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../src/aws/client/aws-api.ts';
import { createSdkApi } from '../../src/aws/client/sdk-api.ts';
import { type Aws, wireAws } from '../../src/aws/client/wire.ts';
import type { LoadBalancer, LoadBalancerSettings } from '../../src/aws/elbv2/load-balancers.ts';
import { OperatorError } from '../../src/core/reconcile/operator-error.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { namePrefix, useCredentials } from './account/run.ts';
import { WithinRun } from './account/within-run.ts';
import { backendUnderTest } from './under-test.ts';

/** src/aws over the real SDK and real HTTP to the backend, and what the tests ask of it. */
export interface AdapterUnderTest extends Aws {
  readonly api: AwsApi;
  /** A name that nobody has had in this backend. */
  freshName(): string;
  /** Settings that every backend accepts. */
  settings(name?: string): LoadBalancerSettings & { readonly securityGroups: readonly string[] };
  created(changes?: Partial<LoadBalancerSettings>): Promise<LoadBalancer>;
  /** In somebody's account it also deletes what was made. */
  close(): Promise<void>;
}

let made = 0;

/** `endpoint` defaults to the backend's own address. */
export function adapterUnderTest(endpoint?: string, requestTimeoutMs = 10_000): AdapterUnderTest {
  const { url, region, account } = backendUnderTest();
  useCredentials(account?.credentials);
  const leadership = { isLeader: () => true };
  const sdk = createSdkApi({
    clock: systemClock,
    region,
    ...at(endpoint ?? url),
    ...atEc2(endpoint ?? url),
    leadership,
    userAgent: 'albridge/0.0.0-test',
    requestTimeoutMs,
  });
  const within = account && new WithinRun(sdk, account.id);
  const api = within ?? sdk;
  const aws = wireAws({
    api,
    clock: systemClock,
    leadership,
    metrics: new RecordingMetrics(),
    budget: NO_LIMITS,
    log: new SilentLogger(),
  });
  return {
    ...aws,
    api,
    freshName,
    settings,
    created: (changes) => aws.loadBalancers.create({ ...settings(), ...changes }),
    close: async () => {
      await within?.remove();
      sdk.close();
    },
  };
}

/** With an end, so that no name is the beginning of another. */
function freshName(): string {
  const { account } = backendUnderTest();
  return `${account ? namePrefix(account.id) : 't-'}${process.pid}-${made++}-x`;
}

function settings(name = freshName()): ReturnType<AdapterUnderTest['settings']> {
  const { network } = backendUnderTest();
  return {
    name,
    scheme: 'internal',
    subnets: network.subnets.slice(0, 2),
    securityGroups: network.securityGroups.slice(0, 1),
    ipAddressType: 'ipv4',
    tags: { team: 'web', 'albridge.io/cluster': 'c1' },
  };
}

/** The SDK's client itself, for what albridge never does. */
export function clientUnderTest(
  options: ElasticLoadBalancingV2ClientConfig,
): ElasticLoadBalancingV2Client {
  const { url, region, account } = backendUnderTest();
  useCredentials(account?.credentials);
  return new ElasticLoadBalancingV2Client({ region, maxAttempts: 1, ...at(url), ...options });
}

function at(endpoint: string): { readonly endpoint?: string } {
  return endpoint === '' ? {} : { endpoint };
}

function atEc2(ec2Endpoint: string): { readonly ec2Endpoint?: string } {
  return ec2Endpoint === '' ? {} : { ec2Endpoint };
}

/** The reason that a call ends in; `none` where it succeeds. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    if (error instanceof OperatorError) return error.reason;
    throw error;
  }
}

/** AWS's code on the wire that an `AwsApi.send` ends in; `none` where it succeeds. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return codeFrom(error);
  }
}

/** The same of what was thrown; throws it again where it is no answer of AWS. */
export function codeFrom(error: unknown): string {
  const { Code, name, $metadata } = error as {
    readonly Code?: string;
    readonly name: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  if ($metadata?.httpStatusCode === undefined) throw error;
  return (Code ?? name).replace(/Exception$/, '');
}
