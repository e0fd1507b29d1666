import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HealthCheck } from '../../../src/telemetry/health.ts';
import { type HttpServer, startHttpServer } from '../../../src/telemetry/http-server.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const good: HealthCheck = () => undefined;
const bad: HealthCheck = () => 'cannot list myingresses: forbidden';
const broken: HealthCheck = () => {
  throw new Error('secret inside');
};

async function start(readiness: Readonly<Record<string, HealthCheck>> = {}): Promise<string> {
  const server = await startHttpServer({
    address: { host: '127.0.0.1', port: 0 },
    liveness: { ping: good },
    readiness,
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
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
  'ok past an excluded check': {
    path: '/readyz?exclude=cache',
    readiness: { cache: bad },
    status: 200,
    body: 'ok',
    why: 'as the API server has it',
  },
  'the excluded check among the others': {
    path: '/readyz?exclude=cache&verbose',
    readiness: { cache: bad, lease: good },
    status: 200,
    body: '[+]cache excluded: ok\n[+]lease ok\nreadyz check passed\n',
    why: 'nobody shall take it for passed',
  },
  'a warning for an exclusion that matches nothing': {
    path: '/readyz?exclude=cash',
    readiness: { cache: bad },
    status: 500,
    body: '[-]cache failed: reason withheld\nwarn: some checks cannot be excluded: no matches for cash\nreadyz check failed\n',
    why: 'a slip would otherwise look like a failing exclusion',
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
  metrics: { path: '/metrics', readiness: {}, status: 200, body: 'up 1\n', why: 'scraped' },
  'not found for anything else': {
    path: '/',
    readiness: {},
    status: 404,
    body: 'there are /healthz, /readyz and /metrics\n',
    why: 'and says what there is',
  },
};

describe('startHttpServer', () => {
  it.each(Object.entries(cases))('answers %s', async (_name, { path, readiness, status, body }) => {
    expect(await ask(`${await start(readiness)}${path}`)).toEqual({ status, body });
  });

  it('serves nothing but GET and HEAD', async () => {
    const base = await start();
    expect((await ask(`${base}/healthz`, { method: 'POST' })).status).toBe(405);
    expect(await ask(`${base}/healthz`, { method: 'HEAD' })).toEqual({ status: 200, body: '' });
  });

  it('outlives a request line that is no address', async () => {
    const base = await start();
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.end('GET // HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toContain('404');
    expect((await ask(`${base}/healthz`)).status).toBe(200);
  });

  it('answers 500 where the metrics cannot be collected', async () => {
    const server = await startHttpServer({
      address: { host: '127.0.0.1', port: 0 },
      liveness: {},
      readiness: {},
      metrics: () => Promise.reject(new Error('no')),
    });
    servers.push(server);
    const { status, body } = await ask(`http://127.0.0.1:${server.port}/metrics`);
    expect({ status, body }).toEqual({ status: 500, body: 'the metrics could not be collected\n' });
  });

  it('names the setting where the address is taken', async () => {
    const base = await start();
    const port = Number(new URL(base).port);
    await expect(
      startHttpServer({
        address: { host: '127.0.0.1', port },
        liveness: {},
        readiness: {},
        metrics: () => Promise.reject(new Error('unused')),
      }),
    ).rejects.toMatchObject({
      reason: 'AddressUnusable',
      message: `cannot listen on 127.0.0.1:${port} (EADDRINUSE); set ALBRIDGE_METRICS_ADDRESS to a free address, or to off`,
    });
  });

  it('is gone after stop, though a client keeps its connection', async () => {
    const base = await start();
    const idle = connect(Number(new URL(base).port), '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    await servers.splice(0)[0]?.stop();
    await expect(fetch(`${base}/healthz`)).rejects.toThrow();
    idle.destroy();
  });
});
