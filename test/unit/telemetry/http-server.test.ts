import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/system-clock.ts';
import { type HealthCheck, serveHealth } from '../../../src/telemetry/health.ts';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '../../../src/telemetry/http-server.ts';
import { type Exposition, serveMetrics } from '../../../src/telemetry/metrics.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { until } from '../../surroundings/until.ts';

const servers: HttpServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const good: HealthCheck = () => undefined;
const bad: HealthCheck = () => 'cannot list myingresses: forbidden';
const broken: HealthCheck = () => {
  throw new Error('secret inside');
};

async function start(options: Partial<HttpServerOptions> = {}): Promise<string> {
  const server = await startHttpServer({
    address: { host: '127.0.0.1', port: 0 },
    setting: 'ALBRIDGE_HEALTH_ADDRESS',
    maxConnections: 64,
    clock: systemClock,
    answer: serveHealth({ liveness: { ping: good }, readiness: {} }),
    ...options,
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

function startHealth(readiness: Readonly<Record<string, HealthCheck>>): Promise<string> {
  return start({ answer: serveHealth({ liveness: { ping: good }, readiness }) });
}

/** Past or to come, after a reset as well. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** A client by hand: what it sends is all that is sent, and it reads nothing by itself. */
async function open(base: string): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function ask(url: string, init?: RequestInit): Promise<{ status: number; body: string }> {
  const response = await fetch(url, init);
  return { status: response.status, body: await response.text() };
}

interface Case {
  readonly path: string;
  readonly readiness: Readonly<Record<string, HealthCheck>>;
  readonly status: number;
  readonly body: string;
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  'ok where all is well': {
    path: '/readyz',
    readiness: { cache: good },
    status: 200,
    body: 'ok',
    why: 'what a kubelet asks',
  },
  'ok where nothing is checked': {
    path: '/readyz',
    readiness: {},
    status: 200,
    body: 'ok',
    why: 'an answer at all is one',
  },
  'each check where asked to be verbose': {
    path: '/readyz?verbose',
    readiness: { cache: good, lease: good },
    status: 200,
    body: '[+]cache ok\n[+]lease ok\nreadyz check passed\n',
    why: 'a person looks',
  },
  'which check fails, and not why': {
    path: '/readyz',
    readiness: { cache: bad, lease: good },
    status: 500,
    body: '[-]cache failed: reason withheld\n[+]lease ok\nreadyz check failed\n',
    why: 'the kubelet copies the answer into events',
  },
  'why a check fails, to whoever asks': {
    path: '/readyz?verbose=true',
    readiness: { cache: bad },
    status: 500,
    body: '[-]cache failed: cannot list myingresses: forbidden\nreadyz check failed\n',
    why: 'a person looks for the cause',
  },
  'one check alone': {
    path: '/readyz/cache',
    readiness: { cache: bad, lease: good },
    status: 500,
    body: 'cannot list myingresses: forbidden\n',
    why: 'a sub-path per check',
  },
  'one good check alone, though others fail': {
    path: '/readyz/lease',
    readiness: { cache: bad, lease: good },
    status: 200,
    body: 'ok',
    why: 'a sub-path per check',
  },
  'not found for a check that is none': {
    path: '/readyz/constructor',
    readiness: { cache: good },
    status: 404,
    body: 'no check is named constructor\n',
    why: 'names of Object.prototype are no checks',
  },
  'a failure for a check that throws': {
    path: '/readyz?verbose',
    readiness: { cache: broken },
    status: 500,
    body: '[-]cache failed: the check itself threw an error\nreadyz check failed\n',
    why: 'and nothing of the error, and the process lives',
  },
  'liveness apart from readiness': {
    path: '/healthz?verbose',
    readiness: { cache: bad },
    status: 200,
    body: '[+]ping ok\nhealthz check passed\n',
    why: 'a restart heals no missing right',
  },
  'not found for the metrics': {
    path: '/metrics',
    readiness: {},
    status: 404,
    body: 'this port serves /healthz and /readyz\n',
    why: 'who can flood the one port cannot keep the kubelet from the other',
  },
  'not found for anything else': {
    path: '/',
    readiness: {},
    status: 404,
    body: 'this port serves /healthz and /readyz\n',
    why: 'and says what there is',
  },
};

describe('the health port', () => {
  it.each(Object.entries(cases))('answers %s', async (_name, { path, readiness, status, body }) => {
    expect(await ask(`${await startHealth(readiness)}${path}`)).toEqual({ status, body });
  });

  it('serves nothing but GET and HEAD', async () => {
    const base = await start();
    expect((await ask(`${base}/healthz`, { method: 'POST' })).status).toBe(405);
    expect(await ask(`${base}/healthz`, { method: 'HEAD' })).toEqual({ status: 200, body: '' });
  });

  it('outlives a request line that is no address', async () => {
    const base = await start();
    const socket = await open(base);
    socket.end('GET // HTTP/1.1\r\nhost: x\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toContain('404');
    expect((await ask(`${base}/healthz`)).status).toBe(200);
  });

  it('names the setting where the address is taken', async () => {
    const port = Number(new URL(await start()).port);
    await expect(start({ address: { host: '127.0.0.1', port } })).rejects.toMatchObject({
      reason: 'AddressUnusable',
      message: `cannot listen on 127.0.0.1:${port} (EADDRINUSE); set ALBRIDGE_HEALTH_ADDRESS to a free address, or to off`,
    });
  });

  it('is gone after stop, though a client keeps its connection', async () => {
    const base = await start();
    await open(base);
    await servers.splice(0)[0]?.stop();
    await expect(fetch(`${base}/healthz`)).rejects.toThrow();
  });
});

describe('the metrics port', () => {
  const exposition: Exposition = { contentType: 'text/plain; version=0.0.4', text: 'up 1\n' };

  function startMetrics(
    collect: () => Promise<Exposition>,
    options: Partial<HttpServerOptions> = {},
  ): Promise<string> {
    return start({ answer: serveMetrics(collect, systemClock), ...options });
  }

  it('serves the metrics, and nothing about health', async () => {
    const base = await startMetrics(async () => exposition);
    expect(await ask(`${base}/metrics`)).toEqual({ status: 200, body: 'up 1\n' });
    expect(await ask(`${base}/healthz`)).toEqual({
      status: 404,
      body: 'this port serves /metrics\n',
    });
  });

  it('answers 500 where the metrics cannot be collected', async () => {
    const base = await startMetrics(() => Promise.reject(new Error('no')));
    const { status, body } = await ask(`${base}/metrics`);
    expect({ status, body }).toEqual({ status: 500, body: 'the metrics could not be collected\n' });
  });

  it('collects once for all scrapes of a second, and again after it', async () => {
    const clock = new ManualClock();
    let collected = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = async (): Promise<Exposition> => {
      await promise;
      return { ...exposition, text: `scrape ${++collected}\n` };
    };
    const base = await start({ answer: serveMetrics(slow, clock) });
    const scrape = async (): Promise<string> => (await ask(`${base}/metrics`)).body;
    const first = [scrape(), scrape(), scrape()];
    resolve();
    expect(await Promise.all(first)).toEqual(Array(3).fill('scrape 1\n'));
    await clock.advance(999);
    expect(await scrape()).toBe('scrape 1\n');
    await clock.advance(1);
    expect(await scrape()).toBe('scrape 2\n');
  });
});

describe('a stranger on a port', () => {
  it('gets one answer to a thousand requests on one connection', async () => {
    let asked = 0;
    const base = await start({
      answer: async () => {
        asked += 1;
        return { status: 200, body: 'x'.repeat(100_000) };
      },
    });
    const socket = await open(base);
    socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1000));
    await closed(socket.resume());
    expect(asked).toBe(1);
  });

  it('is cut after 10 s, whether it sends nothing or reads nothing', async () => {
    const clock = new ManualClock();
    const base = await start({
      clock,
      answer: () => ({ status: 200, body: 'x'.repeat(50_000_000) }),
    });
    const silent = await open(base);
    const deaf = (await open(base)).pause();
    deaf.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
    await until('both are accepted', async () => clock.pendingTimers === 2);
    await clock.advance(10_000);
    await Promise.all([closed(silent), closed(deaf.resume())]);
    await until('no timer is left', async () => clock.pendingTimers === 0);
  });

  it('takes the place of its own older connections, never of a new client', async () => {
    const base = await start({ maxConnections: 20 });
    const first = await open(base);
    await Promise.all(Array.from({ length: 19 }, () => open(base)));
    expect((await ask(`${base}/healthz`)).status).toBe(200);
    await closed(first);
  });

  it.each([
    'x'.repeat(5000),
    `GET / HTTP/1.1\r\nx: ${'x'.repeat(5000)}\r\n\r\n`,
    'SSH-2.0\r\n\r\n',
  ])('is cut when it sends what is no small request (%#)', async (sent) => {
    const socket = await open(await start());
    let answer = '';
    socket.on('data', (text) => (answer += text)).write(sent);
    await closed(socket);
    expect(answer).toBe('');
  });

  it('is answered when its request comes byte by byte', async () => {
    const socket = await open(await start());
    let answer = '';
    socket.setNoDelay().on('data', (text) => (answer += text));
    for (const byte of 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n') {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    await closed(socket);
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nok$/);
  });
});
