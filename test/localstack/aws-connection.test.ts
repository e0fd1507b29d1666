import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_LIMITS } from '../../src/aws/budget-limits.ts';
import { createSdkApi, type SdkApi } from '../../src/aws/sdk-api.ts';
import { type Aws, wireAws } from '../../src/aws/wire.ts';
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

function sdkAt(endpoint: string, requestTimeoutMs = 10_000, lease = { isHeld: true }): SdkApi {
  const leadership = { isLeader: () => lease.isHeld };
  const region = 'us-east-1';
  return createSdkApi({ region, endpoint, leadership, version: '0.0.0-test', requestTimeoutMs });
}

function awsAt(endpoint: string, requestTimeoutMs?: number): Aws {
  return wireAws({
    api: sdkAt(endpoint, requestTimeoutMs),
    clock: systemClock,
    leadership: { isLeader: () => true },
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

  describe('with a request that is put together before it may leave', () => {
    const input = { Name: 'x', Subnets: ['a', 'b'] };

    it('sends nothing until it may, and counts the time limit from there', async () => {
      const arrivals: number[] = [];
      await using server = await answering(500);
      server.on('request', () => arrivals.push(performance.now()));
      const api = sdkAt(addressOf(server), 600);
      const send = api.prepare('CreateLoadBalancer', input);
      await setTimeout(800);
      expect(arrivals).toEqual([]);
      const sentMs = performance.now();
      expect(await failureOf(send())).toMatchObject({ name: 'TimeoutError' });
      expect(arrivals).toHaveLength(1);
      expect(performance.now() - sentMs).toBeGreaterThan(550);
    });

    it('has it ready by then: signed before, not after', async () => {
      const { promise: headers, resolve } = Promise.withResolvers<IncomingHttpHeaders>();
      await using server = await answering(500, 'oops');
      server.on('request', (request) => resolve(request.headers));
      const send = sdkAt(addressOf(server)).prepare('CreateLoadBalancer', input);
      await setTimeout(50);
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'another');
      await failureOf(send());
      expect((await headers).authorization).toContain('Credential=test/');
    });

    it('says what went wrong while it was put together', async () => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
      const send = sdkAt('http://127.0.0.1:1').prepare('CreateLoadBalancer', input);
      await setTimeout(50);
      expect(await failureOf(send())).toMatchObject({ name: 'CredentialsProviderError' });
    });

    it('looks at the lease when it leaves', async () => {
      await using server = await answering(500, 'oops');
      const lease = { isHeld: true };
      const send = sdkAt(addressOf(server), 10_000, lease).prepare('CreateLoadBalancer', input);
      await setTimeout(50);
      lease.isHeld = false;
      expect(await failureOf(send())).toMatchObject({ reason: 'LeadershipLost' });
    });
  });

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
