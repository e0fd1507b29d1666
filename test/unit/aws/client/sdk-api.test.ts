import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createSdkApi,
  createSdkClient,
  type SdkApiOptions,
} from '../../../../src/aws/client/sdk-api.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { type HttpTarget, startTarget } from '../../../fakes/http-target.ts';

it('leaves in the SDK what makes up a request, and the place of its retries', () => {
  const { middlewareStack } = createSdkClient({ region: 'us-east-1', userAgent: 'albridge/0' });
  const names = middlewareStack.identify().map((entry) => entry.split(' ', 1)[0]);
  expect(names).toEqual([
    'serializerMiddleware',
    'contentLengthMiddleware',
    'hostHeaderMiddleware',
    'getUserAgentMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
});

describe('a service of AWS is asked at', () => {
  let asked: string[];
  let elb: HttpTarget;
  let other: HttpTarget;

  beforeEach(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'operator');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    asked = [];
    elb = await startNoting('elb');
    other = await startNoting('other');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all([elb.stop(), other.stop()]);
  });

  /** Refuses everything, and notes who asked for what. */
  function startNoting(name: string): Promise<HttpTarget> {
    return startTarget(name, (request, response) => {
      const [, service = ''] =
        /\/us-east-1\/(\w+)\//.exec(request.headers.authorization ?? '') ?? [];
      asked.push(`${name}: ${service}`);
      response.writeHead(400).end();
    });
  }

  async function askBoth(
    endpoints: Pick<SdkApiOptions, 'endpoint' | 'ec2Endpoint'>,
  ): Promise<void> {
    const api = createSdkApi({
      ...{ clock: systemClock, region: 'us-east-1', userAgent: 'albridge/0' },
      ...{ leadership: { isLeader: () => true }, ...endpoints },
    });
    const never = new AbortController().signal;
    await expect(api.send('DescribeLoadBalancers', {}, never)).rejects.toThrow();
    await expect(api.send('DescribeSubnets', { SubnetIds: ['subnet-a'] }, never)).rejects.toThrow();
    api.close();
  }

  it('its own address', async () => {
    await askBoth({ endpoint: `http://${elb.address}`, ec2Endpoint: `http://${other.address}` });
    expect(asked).toEqual(['elb: elasticloadbalancing', 'other: ec2']);
  });

  it("AWS's own address, where only the other service has one", async () => {
    // What the SDK falls back to stands for AWS here.
    vi.stubEnv('AWS_ENDPOINT_URL_EC2', `http://${other.address}`);
    await askBoth({ endpoint: `http://${elb.address}` });
    expect(asked).toEqual(['elb: elasticloadbalancing', 'other: ec2']);
  });
});
