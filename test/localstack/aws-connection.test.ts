import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_LIMITS } from '../../src/aws/budget-limits.ts';
import { createSdkApi } from '../../src/aws/sdk-api.ts';
import { type Aws, type AwsPorts, wireAws } from '../../src/aws/wire.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { failureOf } from './aws-bench.ts';

const signal = new AbortController().signal;

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function partsAt(
  endpoint: string,
  requestTimeoutMs?: number,
): Pick<AwsPorts, 'api' | 'leadership'> {
  const leadership = { isLeader: () => true };
  const [clock, region, version] = [systemClock, 'us-east-1', '0.0.0-test'];
  const limit = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
  return {
    api: createSdkApi({ clock, region, endpoint, leadership, version, ...limit }),
    leadership,
  };
}

function awsAt(endpoint: string, requestTimeoutMs?: number): Aws {
  return wireAws({
    ...partsAt(endpoint, requestTimeoutMs),
    clock: systemClock,
    metrics: new RecordingMetrics(),
    budget: NO_LIMITS,
    log: new SilentLogger(),
  });
}

/** Answers every request with `body`; without one, never. */
async function answering(status: number, body?: string): Promise<Server & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume();
    if (body !== undefined) response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  });
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the connection to AWS', () => {
  it('says what to check where nothing listens', async () => {
    const error = await failureOf(
      awsAt('http://127.0.0.1:1').loadBalancers.find({ name: 'x' }, signal),
    );
    expect(error).toMatchObject({ reason: 'AwsUnreachable', healedBy: 'time' });
    expect((error as Error).message).toMatch(/ECONNREFUSED.*; check AWS_ENDPOINT_URL, AWS_REGION/);
  });

  it('says CredentialsRefused where there are none', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    const error = await failureOf(
      awsAt('http://127.0.0.1:1').loadBalancers.find({ name: 'x' }, signal),
    );
    expect(error).toMatchObject({ reason: 'CredentialsRefused', healedBy: 'person' });
  });

  it('ends a write that gets no answer by its own time limit', async () => {
    await using server = await answering(200);
    const { loadBalancers } = awsAt(addressOf(server), 150);
    const settings = { name: 'x', scheme: 'internal', subnets: ['a', 'b'], tags: {} };
    const creating = loadBalancers.create({ ...settings, ipAddressType: 'ipv4' });
    expect(await failureOf(creating)).toMatchObject({ reason: 'AwsUnreachable', healedBy: 'time' });
  });

  for (const status of [429, 500, 503]) {
    it(`sends each call once, and not by the SDK's retries, also where the answer is ${status}`, async () => {
      await using server = await answering(status, '');
      const requests: unknown[] = [];
      server.on('request', ({ headers }) => requests.push(headers['amz-sdk-request']));
      const { api } = partsAt(addressOf(server));
      await failureOf(api.send('DescribeLoadBalancers', {}, signal));
      expect(requests).toEqual([undefined]);
    });
  }

  const pages: Readonly<Record<string, { status: number; body: string; why: string }>> = {
    'a login page': {
      status: 200,
      body: '<html><body>log in<br></body></html>',
      why: 'a proxy on the way',
    },
    'a page of another service': { status: 200, body: '{"ok": true}', why: 'a wrong endpoint' },
    nothing: { status: 200, body: '', why: 'the SDK takes an empty body for an empty answer' },
  };
  for (const [name, { status, body, why }] of Object.entries(pages)) {
    it(`takes ${name} with status ${status} for no answer of AWS, because: ${why}`, async () => {
      await using server = await answering(status, body);
      const { loadBalancers } = awsAt(addressOf(server));
      const error = await failureOf(loadBalancers.find({ name: 'x' }, signal));
      expect(error).toMatchObject({ reason: 'AwsUnreadable', healedBy: 'time' });
      expect((error as Error).message).not.toContain('<');
    });
  }
});
