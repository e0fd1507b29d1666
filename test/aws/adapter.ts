import { NO_LIMITS } from '../../src/aws/budget-limits.ts';
import type { LoadBalancer, LoadBalancerSettings } from '../../src/aws/load-balancers.ts';
import { createSdkApi, type SdkApi } from '../../src/aws/sdk-api.ts';
import { type Aws, wireAws } from '../../src/aws/wire.ts';
import { OperatorError } from '../../src/core/operator-error.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { CREDENTIALS } from '../surroundings/aws-stand-in.ts';
import { backendUnderTest } from './under-test.ts';

/** src/aws over the real SDK and real HTTP to the backend, and what the tests ask of it. */
export interface AdapterUnderTest extends Aws {
  readonly api: SdkApi;
  /** A name that nobody has had in this backend. */
  freshName(): string;
  /** Settings that every backend accepts. */
  settings(name?: string): LoadBalancerSettings & { readonly securityGroups: readonly string[] };
  created(changes?: Partial<LoadBalancerSettings>): Promise<LoadBalancer>;
  close(): void;
}

let made = 0;

/** `endpoint` defaults to the backend's own address. */
export function adapterUnderTest(endpoint?: string, requestTimeoutMs = 10_000): AdapterUnderTest {
  const { url, region, network } = backendUnderTest();
  // The SDK's own chain reads these, as it does in the operator.
  process.env['AWS_ACCESS_KEY_ID'] = CREDENTIALS.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = CREDENTIALS.secretAccessKey;
  const leadership = { isLeader: () => true };
  const api = createSdkApi({
    clock: systemClock,
    region,
    endpoint: endpoint ?? url,
    leadership,
    userAgent: 'albridge/0.0.0-test',
    requestTimeoutMs,
  });
  const aws = wireAws({
    api,
    clock: systemClock,
    leadership,
    metrics: new RecordingMetrics(),
    budget: NO_LIMITS,
    log: new SilentLogger(),
  });
  // With an end, so that no name is the beginning of another.
  const freshName = (): string => `t-${process.pid}-${made++}-x`;
  const settings: AdapterUnderTest['settings'] = (name = freshName()) => ({
    name,
    scheme: 'internal',
    subnets: network.subnets.slice(0, 2),
    securityGroups: network.securityGroups.slice(0, 1),
    ipAddressType: 'ipv4',
    tags: { team: 'web', 'albridge.io/cluster': 'c1' },
  });
  return {
    ...aws,
    api,
    freshName,
    settings,
    created: (changes) => aws.loadBalancers.create({ ...settings(), ...changes }),
    close: () => api.close(),
  };
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
