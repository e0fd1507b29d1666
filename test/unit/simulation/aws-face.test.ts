import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { FaultEffect } from '../../../localstack/embedded/faults/fault-script.ts';
import {
  type EmbeddedAwsServer,
  startEmbeddedAws,
} from '../../../localstack/embedded/http/server.ts';
import type { AwsApi, AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { classifyOutcome, translateAwsError } from '../../../src/aws/client/aws-errors.ts';
import { createSdkApi, type SdkApi } from '../../../src/aws/client/sdk-api.ts';
import { systemClock } from '../../../src/system-clock.ts';
import { EmbeddedAwsApi } from '../../fakes/embedded-aws-api.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { seedNetwork } from '../controllers/my-ingress/network.ts';

const SEED = 5;
const FOUND = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/shop/';
const ABSENT = `${FOUND}0000000000000000`;
const CREATE = {
  Name: 'shop',
  Scheme: 'internal',
  Subnets: ['subnet-a', 'subnet-b'],
  Tags: [{ Key: 'team', Value: 'web' }],
};

interface Call {
  readonly operation: AwsOperation;
  readonly input: object;
  readonly effect?: FaultEffect;
}

/** In this order, for each builds on what came before it; `arn` is that of the balancer made first. */
function script(arn: string): Readonly<Record<string, Call>> {
  const one = { LoadBalancerArn: arn };
  const faulty = (effect: FaultEffect): Call => ({
    operation: 'DescribeLoadBalancers',
    input: { Names: ['shop'] },
    effect,
  });
  return {
    'an absent name': { operation: 'DescribeLoadBalancers', input: { Names: ['none'] } },
    'an absent ARN': { operation: 'DescribeLoadBalancers', input: { LoadBalancerArns: [ABSENT] } },
    'what is no ARN': { operation: 'DescribeLoadBalancers', input: { LoadBalancerArns: ['shop'] } },
    'the same settings again': { operation: 'CreateLoadBalancer', input: CREATE },
    'the name with other settings': {
      operation: 'CreateLoadBalancer',
      input: { ...CREATE, Subnets: ['subnet-b', 'subnet-c'] },
    },
    'an unknown subnet': {
      operation: 'CreateLoadBalancer',
      input: { ...CREATE, Name: 'other', Subnets: ['subnet-a', 'subnet-none'] },
    },
    'two subnets of one zone': {
      operation: 'CreateLoadBalancer',
      input: { ...CREATE, Name: 'other', Subnets: ['subnet-b', 'subnet-d'] },
    },
    'the balancer by name': { operation: 'DescribeLoadBalancers', input: { Names: ['shop'] } },
    'all of them': { operation: 'DescribeLoadBalancers', input: { PageSize: 400 } },
    'more tags': {
      operation: 'AddTags',
      input: { ResourceArns: [arn], Tags: [{ Key: 'a', Value: '' }] },
    },
    'fewer tags': { operation: 'RemoveTags', input: { ResourceArns: [arn], TagKeys: ['team'] } },
    'the tags': { operation: 'DescribeTags', input: { ResourceArns: [arn] } },
    'tags of what is absent': { operation: 'DescribeTags', input: { ResourceArns: [ABSENT] } },
    'other subnets': {
      operation: 'SetSubnets',
      input: { ...one, Subnets: ['subnet-a', 'subnet-c'] },
    },
    'other groups': {
      operation: 'SetSecurityGroups',
      input: { ...one, SecurityGroups: ['sg-web'] },
    },
    'a group that is none': {
      operation: 'SetSecurityGroups',
      input: { ...one, SecurityGroups: ['sg-none'] },
    },
    'another address type': {
      operation: 'SetIpAddressType',
      input: { ...one, IpAddressType: 'ipv4' },
    },
    'protection on': {
      operation: 'ModifyLoadBalancerAttributes',
      input: { ...one, Attributes: [{ Key: 'deletion_protection.enabled', Value: 'true' }] },
    },
    'an attribute that is none': {
      operation: 'ModifyLoadBalancerAttributes',
      input: { ...one, Attributes: [{ Key: 'no.such', Value: 'true' }] },
    },
    'the attributes': { operation: 'DescribeLoadBalancerAttributes', input: one },
    'a delete of what is protected': { operation: 'DeleteLoadBalancer', input: one },
    'a throttle': faulty({
      kind: 'error',
      code: 'Throttling',
      status: 400,
      message: 'Rate exceeded',
    }),
    'a failure of AWS': faulty({
      kind: 'error',
      code: 'InternalFailure',
      status: 500,
      message: 'no luck today',
    }),
    'a page of HTML': faulty({ kind: 'html500' }),
    'a connection that breaks before': faulty({ kind: 'dropBeforeApply' }),
    'an answer that is lost': faulty({ kind: 'lostResponse' }),
  };
}

/** The simulation's AwsApi has no SDK and no HTTP in it, and nobody above may be able to tell. */
describe('AWS as the simulation shows it, and as the SDK shows it over HTTP', () => {
  // The SDK signs with the time of this machine.
  const clock = new ManualClock({ startMs: Date.now() });
  let server: EmbeddedAwsServer;
  let sdk: SdkApi;
  let model: EmbeddedAws;
  let direct: AwsApi;
  let calls: Readonly<Record<string, Call>>;

  beforeAll(async () => {
    process.env['AWS_ACCESS_KEY_ID'] = 'simulation';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'simulation';
    const settings = { budget: 'off', provisioningMs: 0 } as const;
    server = await startEmbeddedAws({ seed: SEED, clock, settings });
    model = createEmbeddedAws({ clock, random: seededRandom(SEED), settings });
    for (const aws of [server.model, model]) seedNetwork(aws);
    const leadership = { isLeader: () => true };
    const { url: endpoint } = server;
    sdk = createSdkApi({
      clock: systemClock,
      region: 'us-east-1',
      endpoint,
      ec2Endpoint: endpoint,
      acmEndpoint: endpoint,
      leadership,
      userAgent: 'albridge/0.0.0-test',
    });
    direct = new EmbeddedAwsApi(model, clock);
    const both = [await sdk.send('CreateLoadBalancer', CREATE as never), await made(direct)];
    const [arn, other] = both.map(({ LoadBalancers = [] }) => LoadBalancers[0]?.LoadBalancerArn);
    expect(arn).toBe(other);
    calls = script(`${arn}`);
  });
  afterAll(async () => {
    sdk.close();
    await server.stop();
  });

  it.each(Object.keys(script('')))('are the same: %s', async (name) => {
    const call = calls[name] as Call;
    const overHttp = await toldBy(sdk, server.model, call);
    const simulated = await toldBy(direct, model, call);
    expect(simulated).toEqual(overHttp);
  });
});

function made(api: AwsApi): ReturnType<typeof api.send<'CreateLoadBalancer'>> {
  return api.send('CreateLoadBalancer', CREATE as never);
}

/** The output, or the error as the operator has it. */
async function toldBy(
  api: AwsApi,
  aws: EmbeddedAws,
  { operation, input, effect }: Call,
): Promise<unknown> {
  if (effect) aws.control.addFault({ operation, effect });
  try {
    const { $metadata: _metadata, ...output } = (await api.send(operation, input)) as {
      readonly $metadata?: unknown;
    };
    return { output };
  } catch (thrown) {
    const { reason, healedBy, message } = translateAwsError(thrown, { operation, subject: 'it' });
    return { reason, healedBy, message, ...classifyOutcome(thrown) };
  }
}
