import { existsSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_LIMITS } from '../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../src/aws/client/aws-api.ts';
import { createSdkApi } from '../../src/aws/client/sdk-api.ts';
import { type Aws, type AwsPorts, wireAws } from '../../src/aws/client/wire.ts';
import { DeadlineExceeded } from '../../src/core/ports/clock.ts';
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
  const [clock, region, userAgent] = [systemClock, 'us-east-1', 'albridge/0.0.0-test'];
  const limit = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
  return {
    api: createSdkApi({ clock, region, endpoint, leadership, userAgent, ...limit }),
    leadership,
  };
}

function leasedAt(endpoint: string): { readonly api: AwsApi; readonly lease: { isHeld: boolean } } {
  const lease = { isHeld: true };
  const leadership = { isLeader: () => lease.isHeld };
  const [clock, region, userAgent] = [systemClock, 'us-east-1', 'albridge/0.0.0-test'];
  return { api: createSdkApi({ clock, region, endpoint, leadership, userAgent }), lease };
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
  return listening(server, () => server.closeAllConnections());
}

async function listening<S extends TcpServer>(
  server: S,
  closeAll = (): void => {},
): Promise<S & AsyncDisposable> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      closeAll();
      await new Promise((closed) => server.close(closed));
    },
  });
}

function addressOf(server: TcpServer): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A configuration whose credentials come when they are let, and are given then. */
async function heldCredentials(): Promise<
  {
    readonly path: string;
    readonly given: string;
    readonly release: () => Promise<void>;
  } & AsyncDisposable
> {
  const directory = await mkdtemp(join(tmpdir(), 'albridge-credentials-'));
  const path = join(directory, 'config');
  const given = join(directory, 'given');
  const credentials = '{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b"}';
  const script = join(directory, 'credentials.sh');
  const go = join(directory, 'let');
  const wait = `while [ ! -e ${go} ]; do sleep 0.1; done`;
  await writeFile(script, `${wait}\necho '${credentials}'\ntouch ${given}\n`);
  await writeFile(path, `[default]\ncredential_process = sh ${script}\n`);
  return {
    path,
    given,
    release: () => writeFile(go, ''),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

describe('the connection to AWS', () => {
  it('says what to check if nothing listens', async () => {
    const error = await failureOf(
      awsAt('http://127.0.0.1:1').loadBalancers.find({ name: 'x' }, signal),
    );
    expect(error).toMatchObject({ reason: 'AwsUnreachable', healedBy: 'time' });
    expect((error as Error).message).toMatch(
      /ECONNREFUSED.*; if it persists, check AWS_ENDPOINT_URL, AWS_REGION/,
    );
  });

  it('reports CredentialsUnavailable if there are none', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    const error = await failureOf(
      awsAt('http://127.0.0.1:1').loadBalancers.find({ name: 'x' }, signal),
    );
    expect(error).toMatchObject({ reason: 'CredentialsUnavailable', healedBy: 'time' });
  });

  it('ends a write that gets no answer by its own time limit', async () => {
    await using server = await answering(200);
    const { loadBalancers } = awsAt(addressOf(server), 150);
    const settings = { name: 'x', scheme: 'internal', subnets: ['a', 'b'], tags: {} };
    const creating = loadBalancers.create({ ...settings, ipAddressType: 'ipv4' });
    expect(await failureOf(creating)).toMatchObject({ reason: 'AwsUnreachable', healedBy: 'time' });
  });

  it('ends a call whose credentials do not arrive by its own time limit, and never sends it', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    await using files = await heldCredentials();
    vi.stubEnv('AWS_CONFIG_FILE', files.path);
    await using server = await answering(200);
    let requests = 0;
    server.on('request', () => requests++);
    const { api } = partsAt(addressOf(server), 150);
    await expect(api.send('DescribeLoadBalancers', {}, { signal })).rejects.toThrow(
      DeadlineExceeded,
    );
    expect(existsSync(files.given)).toBe(false);
    await files.release();
    await vi.waitFor(() => access(files.given), { timeout: 10_000 });
    await sleep(200);
    expect(requests).toBe(0);
  });

  it('sends no write over an open connection once the lease is lost', async () => {
    await using server = await answering(200, '<OkResponse/>');
    const endpoint = addressOf(server).replace('127.0.0.1', 'localhost');
    const writes: unknown[] = [];
    const { api, lease } = leasedAt(endpoint);
    // Credentials are there, and the connection is not.
    await api.send('DescribeLoadBalancers', {}, { signal });
    server.closeAllConnections();
    await sleep(50);
    server.on('request', ({ url }) => writes.push(url));
    const write = failureOf(api.send('DeleteLoadBalancer', { LoadBalancerArn: 'a' }));
    await setImmediate();
    lease.isHeld = false;
    expect(await write).toMatchObject({ reason: 'LeadershipLost' });
    expect(writes).toEqual([]);
  });

  it.each([
    { id: undefined, agent: 'albridge/0.0.0-test' },
    { id: 'our-fleet', agent: 'albridge/0.0.0-test app/our-fleet' },
  ])('gives its name, and the application id $id', async ({ id, agent }) => {
    vi.stubEnv('AWS_SDK_UA_APP_ID', id);
    await using server = await answering(200, '<OkResponse/>');
    const agents: unknown[] = [];
    server.on('request', ({ headers }) => agents.push(headers['user-agent']));
    const { api } = partsAt(addressOf(server));
    for (const _ of [1, 2]) await api.send('DescribeLoadBalancers', {}, { signal });
    expect(agents).toEqual([agent, agent]);
  });

  for (const status of [429, 500, 503]) {
    it(`sends each call once, and not by the SDK's retries, also where the answer is ${status}`, async () => {
      await using server = await answering(status, '');
      const requests: unknown[] = [];
      server.on('request', ({ headers }) => requests.push(headers['amz-sdk-request']));
      const { api } = partsAt(addressOf(server));
      await failureOf(api.send('DescribeLoadBalancers', {}, { signal }));
      expect(requests).toEqual([undefined]);
    });
  }

  const breaks: Readonly<Record<string, { reason: string; does: (socket: Socket) => void }>> = {
    'hangs up': { reason: 'AwsUnreachable', does: (socket) => socket.end() },
    'resets the connection': {
      reason: 'AwsUnreachable',
      does: (socket) => socket.resetAndDestroy(),
    },
    'sends a part of an answer': {
      reason: 'AwsUnreachable',
      does: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n<a>'),
    },
    'speaks another protocol': {
      reason: 'AwsUnreadable',
      does: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    },
    'sends headers without end': {
      reason: 'AwsUnreadable',
      does: (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`),
    },
  };
  for (const [name, { reason, does }] of Object.entries(breaks)) {
    it(`says ${reason} of a server that ${name}`, async () => {
      await using server = await listening(
        createTcpServer((socket) => {
          socket.on('error', () => {});
          socket.once('data', () => does(socket));
        }),
      );
      const { loadBalancers } = awsAt(addressOf(server));
      const error = await failureOf(loadBalancers.find({ name: 'x' }, signal));
      expect(error).toMatchObject({ reason, healedBy: 'time' });
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
