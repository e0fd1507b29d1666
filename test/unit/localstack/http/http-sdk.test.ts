import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import {
  CreateLoadBalancerCommand,
  type CreateLoadBalancerCommandInput,
  DescribeAccountLimitsCommand,
  DescribeLoadBalancersCommand,
  DescribeTrustStoresCommand,
  ElasticLoadBalancingV2Client,
  type LoadBalancer,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, test } from 'vitest';
import type { FaultEffect } from '../../../../localstack/embedded/faults/fault-script.ts';
import { startEmbeddedAws } from '../../../../localstack/embedded/http/server.ts';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { awsMetrics } from '../../../../src/aws/client/aws-metrics.ts';
import { createSdkApi } from '../../../../src/aws/client/sdk-api.ts';
import { wireAws } from '../../../../src/aws/client/wire.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { serveAwsForTests } from './served-aws.ts';

const served = serveAwsForTests();

async function createBalancer(
  Name: string,
  input: Partial<CreateLoadBalancerCommandInput> = {},
): Promise<LoadBalancer & { LoadBalancerArn: string }> {
  const Subnets = served.network.subnets.slice(0, 2);
  const answer = await served.elb.send(new CreateLoadBalancerCommand({ Name, Subnets, ...input }));
  const [balancer] = answer.LoadBalancers ?? [];
  const LoadBalancerArn = balancer?.LoadBalancerArn ?? '';
  return { ...balancer, LoadBalancerArn };
}

describe('over HTTP with the SDK', () => {
  test('limits are described', async () => {
    const { Limits } = await served.elb.send(new DescribeAccountLimitsCommand({}));
    expect(Limits).toContainEqual({ Name: 'application-load-balancers', Max: '50' });
  });

  test('empty lists arrive as empty lists', async () => {
    await createBalancer('shop', { SecurityGroups: [] });
    await expect(createBalancer('other', { Tags: [] })).rejects.toMatchObject({
      name: 'ValidationError',
    });
    const all = await served.elb.send(new DescribeLoadBalancersCommand({ Names: [] }));
    expect(all.LoadBalancers).toHaveLength(1);
  });

  const errors: Readonly<
    Record<string, { readonly run: () => Promise<unknown>; readonly name: string }>
  > = {
    'a modelled one': {
      run: () => createBalancer('shop', { Subnets: ['subnet-x', 'subnet-y'] }),
      name: 'SubnetNotFoundException',
    },
    'an unmodelled one': { run: () => createBalancer('internal-x'), name: 'ValidationError' },
    'an operation that is not modelled': {
      run: () => served.elb.send(new DescribeTrustStoresCommand({})),
      name: 'InvalidAction',
    },
  };
  test.for(Object.entries(errors))(
    'an error has the name that AWS gives it: %s',
    async ([, { run, name }]) => {
      await expect(run()).rejects.toMatchObject({
        name,
        $metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      });
    },
  );

  test('a throttled request says so in words that the SDK retries on', async () => {
    // Its clock stands, so nothing is refilled however long the requests take.
    const nowMs = Date.now();
    const settings = { budget: 'aws' } as const;
    const server = await startEmbeddedAws({ clock: { now: () => nowMs }, settings });
    const { credentials, region } = served.elb.config;
    const options = { endpoint: server.url, region, credentials, maxAttempts: 1 };
    const client = new ElasticLoadBalancingV2Client(options);
    try {
      const all = Array.from({ length: 60 }, () =>
        client.send(new DescribeLoadBalancersCommand({})),
      );
      const refused = (await Promise.allSettled(all)).filter((one) => one.status === 'rejected');
      expect(refused).toHaveLength(20);
      expect(refused[0]?.reason).toMatchObject({
        name: 'ThrottlingException',
        message: 'Rate exceeded',
      });
    } finally {
      client.destroy();
      await server.stop();
    }
  });

  test('a client whose clock is off by an hour gets every answer all the same', async () => {
    const settings = { budget: 'off' } as const;
    const hourAhead = { now: () => Date.now() + 3_600_000 };
    const server = await startEmbeddedAws({ clock: hourAhead, settings });
    const { credentials, region } = served.elb.config;
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: (await credentials()).accessKeyId,
      AWS_SECRET_ACCESS_KEY: (await credentials()).secretAccessKey,
    });
    const leadership = { isLeader: () => true };
    const clock = systemClock;
    const api = createSdkApi({
      clock,
      leadership,
      region: await region(),
      endpoint: server.url,
      userAgent: 'albridge/0.0.0-test',
    });
    const metrics = new RecordingMetrics();
    const ports = { api, clock, leadership, metrics, budget: NO_LIMITS, log: new SilentLogger() };
    const { loadBalancers } = wireAws(ports);
    try {
      const never = new AbortController().signal;
      expect(await loadBalancers.find({ name: 'shop' }, never)).toBeUndefined();
      expect(await loadBalancers.find({ name: 'shop' }, never)).toBeUndefined();
      expect(server.control.counts()).toEqual({ DescribeLoadBalancers: 2 });
      const refused = { status_code: '403', error_code: 'SignatureDoesNotMatch' };
      expect(metrics.valueOf(awsMetrics.requests, refused)).toBe(1);
    } finally {
      api.close();
      await server.stop();
    }
  });

  test('one connection carries many requests', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = async (): Promise<boolean> => {
      const sent = request(`${served.server.url}/_localstack/health`, { agent }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return sent.reusedSocket;
    };
    expect([await get(), await get(), await get()]).toEqual([false, true, true]);
    agent.destroy();
  });
});

describe('a broken answer', () => {
  const addFault = (operation: string, effect: FaultEffect): void =>
    served.server.control.addFault({ operation, effect });
  const count = (): number => served.server.control.snapshot().loadBalancers.length;

  test('lost after the request was applied leaves the balancer behind', async () => {
    addFault('CreateLoadBalancer', { kind: 'lostResponse' });
    await expect(createBalancer('shop')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(count()).toBe(1);
    expect((await createBalancer('shop')).LoadBalancerName).toBe('shop');
    expect(count()).toBe(1);
  });

  test('dropped before the request was applied leaves nothing', async () => {
    addFault('CreateLoadBalancer', { kind: 'dropBeforeApply' });
    await expect(createBalancer('shop')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(count()).toBe(0);
  });

  test('of HTML is no AWS error, but an HTTP 500', async () => {
    addFault('*', { kind: 'html500' });
    await expect(createBalancer('shop')).rejects.toMatchObject({ $response: { statusCode: 500 } });
  });

  test('scripted as an error has its code, status and message', async () => {
    addFault('*', { kind: 'error', code: 'Throttling', status: 400, message: 'Rate exceeded' });
    await expect(createBalancer('shop')).rejects.toMatchObject({
      name: 'Throttling',
      message: 'Rate exceeded',
      $metadata: { httpStatusCode: 400 },
    });
  });

  test('comes late by the delay', async () => {
    addFault('CreateLoadBalancer', { kind: 'delay', delayMs: 30 });
    const startedAt = performance.now();
    await createBalancer('shop');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
  });

  test('waits for its release, and is applied only then', async () => {
    addFault('CreateLoadBalancer', { kind: 'hold' });
    const creating = createBalancer('shop');
    await expect
      .poll(() => served.server.held(), { timeout: 20_000 })
      .toEqual(['CreateLoadBalancer']);

    expect(count()).toBe(0);
    expect(served.server.release('DeleteLoadBalancer')).toBe(0);
    expect(served.server.release()).toBe(1);
    expect((await creating).LoadBalancerName).toBe('shop');
    expect(served.server.held()).toEqual([]);
  });
});
