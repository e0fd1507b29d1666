import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DeadlineExceeded } from '../../../../src/core/ports/clock.ts';
import type { Cluster, Credentials } from '../../../../src/kube/client/credentials.ts';
import type { KubeRequest, KubeResponse } from '../../../../src/kube/client/kube-transport.ts';
import { UndiciTransport } from '../../../../src/kube/client/undici-transport.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const opened: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

/** A server on plain HTTP, and a transport to it whose tokens are token-1, token-2, ... */
async function setUp(
  handler: Handler,
  basePath = '',
): Promise<{
  readonly transport: UndiciTransport;
  readonly clock: ManualClock;
  readonly log: SilentLogger;
  readonly server: Server;
  readonly connections: () => number;
}> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  let connections = 0;
  server.on('connection', () => connections++);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clock = new ManualClock();
  const log = new SilentLogger();
  const transport = new UndiciTransport(clusterAt(`http://127.0.0.1:${port}${basePath}`), {
    userAgent: 'albridge/test',
    clock,
    log,
    connections: 8,
  });
  opened.push(
    () => transport.close(),
    async () => {
      server.closeAllConnections();
      server.close();
    },
  );
  return { transport, clock, log, server, connections: () => connections };
}

function clusterAt(server: string): Cluster {
  let issued = 1;
  let held = credentials(issued);
  return {
    server,
    isInCluster: false,
    context: 'test',
    namespace: undefined,
    description: 'test',
    proxyUrl: undefined,
    credentials: async () => held,
    forget: (refused) => {
      if (refused === held) held = credentials(++issued);
    },
  };
}

function credentials(issue: number): Credentials {
  return { headers: { authorization: `Bearer token-${issue}` }, tls: {} };
}

function get(path: string, more: Partial<KubeRequest> = {}): KubeRequest {
  return { method: 'GET', path, ...more };
}

async function textOf(response: KubeResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const echo: Handler = (request, response) => {
  void text(request).then((body) => {
    const { method, url, headers } = request;
    response.setHeader('X-Echo', 'yes');
    response.end(JSON.stringify({ method, url, headers, body }));
  });
};

describe('the transport', () => {
  it('sends method, path below the base address, query, headers and body', async () => {
    const { transport } = await setUp(echo, '/k8s/clusters/c-1/');
    const response = await transport.request({
      method: 'PATCH',
      path: '/api/v1/nodes/a%20b',
      query: { fieldManager: 'albridge', labelSelector: 'a=b,c' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: '{}',
    });

    expect(response.status).toBe(200);
    expect(response.headers['x-echo']).toBe('yes');
    expect(JSON.parse(await textOf(response))).toMatchObject({
      method: 'PATCH',
      url: '/k8s/clusters/c-1/api/v1/nodes/a%20b?fieldManager=albridge&labelSelector=a%3Db%2Cc',
      headers: {
        'user-agent': 'albridge/test',
        'content-type': 'application/apply-patch+yaml',
        authorization: 'Bearer token-1',
      },
      body: '{}',
    });
  });

  it('gives any status with its body', async () => {
    const { transport } = await setUp((_, response) => response.writeHead(409).end('no'));
    const response = await transport.request(get('/'));

    expect(response.status).toBe(409);
    expect(await textOf(response)).toBe('no');
  });

  it('uses at most 8 connections for 200 calls, and hardly more than one for calls in a row', async () => {
    const { transport, connections } = await setUp(echo);
    for (let call = 0; call < 20; call++) await textOf(await transport.request(get('/')));
    // The next call may begin before undici has put the connection of the last one back.
    expect(connections()).toBeLessThanOrEqual(2);

    const calls = Array.from({ length: 200 }, () => transport.request(get('/')).then(textOf));
    await Promise.all(calls);

    expect(connections()).toBeLessThanOrEqual(8);
  });

  it('gives watches connections of their own, without a limit', async () => {
    const { transport, connections } = await setUp((_, response) => {
      response.flushHeaders();
    });
    const watches = await Promise.all(
      Array.from({ length: 20 }, () => transport.request(get('/', { lane: 'watch' }))),
    );

    expect(watches.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(connections()).toBe(20);
  });

  it('rejects with the reason of the signal, before and while the body is read', async () => {
    const { transport } = await setUp((request, response) => {
      if (request.url === '/body') response.flushHeaders();
    });
    const stopping = new Error('stopping');
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = transport.request(get('/headers', { signal }));
    const reading = transport.request(get('/body', { signal, lane: 'watch' })).then(textOf);
    const both = [waiting, reading].map((call) => expect(call).rejects.toBe(stopping));
    setTimeout(() => controller.abort(stopping), 50);

    await Promise.all(both);
    await expect(transport.request(get('/', { signal }))).rejects.toBe(stopping);
  });

  it('has the system probe an idle connection after 30 s, so that the peer of a watch cannot vanish unnoticed', async () => {
    const probe = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const { transport } = await setUp(echo);

    onTestFinished(() => probe.mockRestore());

    await textOf(await transport.request(get('/', { lane: 'watch' })));

    expect(probe.mock.calls).toEqual([[true, 30_000]]);
  });

  it('rejects where no server listens', async () => {
    const { transport, server } = await setUp(echo);
    server.close();
    await once(server, 'close');

    await expect(transport.request(get('/'))).rejects.toThrow('ECONNREFUSED');
  });

  it('breaks what is running when it is closed', async () => {
    const { transport } = await setUp((_, response) => {
      response.flushHeaders();
    });
    const response = await transport.request(get('/', { lane: 'watch' }));
    const reading = expect(textOf(response)).rejects.toThrow();

    await transport.close();

    await reading;
  });
});

describe('a refused token', () => {
  it('is read again and the request sent once more', async () => {
    const seen: unknown[] = [];
    const { transport } = await setUp((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(seen.length === 1 ? 401 : 200).end('{}');
    });

    await expect(transport.request(get('/'))).resolves.toMatchObject({ status: 200 });
    expect(seen).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is an answer the second time', async () => {
    let requests = 0;
    const { transport } = await setUp((_, response) => {
      requests += 1;
      response.writeHead(401).end('{}');
    });

    await expect(transport.request(get('/'))).resolves.toMatchObject({ status: 401 });
    expect(requests).toBe(2);
  });
});

async function counted(): Promise<{
  readonly transport: UndiciTransport;
  readonly requests: () => number;
}> {
  let requests = 0;
  const { transport } = await setUp((_, response) => {
    requests += 1;
    response.end('{}');
  });
  return { transport, requests: () => requests };
}

/** A request that was asked for while the process led, and is not sent yet when it leads no more. */
async function refusedOnItsWay(transport: UndiciTransport): Promise<void> {
  let isLeader = true;
  const beforeSend = (): void => {
    if (!isLeader) throw new Error('lease lost');
  };
  const call = transport.request(get('/', { beforeSend }));
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  isLeader = false;
  await expect(call).rejects.toThrow('lease lost');
}

describe('the last moment before sending', () => {
  it('comes before each dispatch, and stops it by throwing', async () => {
    let requests = 0;
    const { transport } = await setUp((_, response) => {
      requests += 1;
      response.writeHead(401).end('{}');
    });
    let asked = 0;
    const beforeSend = (): void => {
      asked += 1;
      if (asked === 2) throw new Error('lease lost');
    };

    await expect(transport.request(get('/', { beforeSend }))).rejects.toThrow('lease lost');
    expect(requests).toBe(1);
  });

  it('comes when the connection is there that the request waits for', async () => {
    const { transport, requests } = await counted();
    await refusedOnItsWay(transport);
    expect(requests()).toBe(0);
  });

  it('comes when an idle connection is known to be alive', async () => {
    const { transport, requests } = await counted();
    await textOf(await transport.request(get('/')));
    await refusedOnItsWay(transport);
    expect(requests()).toBe(1);
  });

  it('spoils no connection by throwing', async () => {
    const { transport, requests } = await counted();
    const beforeSend = (): void => {
      throw new Error('lease lost');
    };
    const moreThanConnections = 20;
    for (let time = 1; time <= moreThanConnections; time++) {
      await expect(transport.request(get('/', { beforeSend }))).rejects.toThrow('lease lost');
      expect(await textOf(await transport.request(get('/')))).toBe('{}');
    }
    expect(requests()).toBe(moreThanConnections);
  });
});

/** Never answers work; answers the Lease; a watch gets its headers and then nothing. */
const stuck: Handler = (request, response) => {
  if (request.url === '/lease') response.end('{}');
  if (request.url === '/watch') response.flushHeaders();
};

describe('work that is not answered', () => {
  it('delays no renewal of the Lease, which has a connection of its own', async () => {
    const { transport } = await setUp(stuck);
    const work = Array.from({ length: 100 }, () => transport.request(get('/work')));
    for (const call of work) call.catch(() => {});

    const renewal = await transport.request(get('/lease', { lane: 'lease' }));

    expect(renewal.status).toBe(200);
  });

  it('leaves a request that waits for a connection as it is, whatever its deadline', async () => {
    const { transport, clock, log, connections } = await setUp(stuck);
    const work = Array.from({ length: 8 }, () => transport.request(get('/work')));
    for (const call of work) call.catch(() => {});
    while (connections() < 8) await turn();
    const deadline = new AbortController();
    const queued = transport.request(get('/work', { signal: deadline.signal }));
    const refused = expect(queued).rejects.toBeInstanceOf(DeadlineExceeded);
    await clock.advance(30_000);

    deadline.abort(new DeadlineExceeded(30_000));
    await refused;

    expect(log.lines).toEqual([]);
  });
});

interface Exceeding {
  readonly afterMs: number;
  readonly lane?: KubeRequest['lane'] | undefined;
  readonly meanwhile?: () => Promise<unknown>;
}

/** Sends one request whose deadline comes `afterMs` after it reached the server. */
async function exceed(
  { transport, clock, server }: Awaited<ReturnType<typeof setUp>>,
  { afterMs, lane, meanwhile }: Exceeding,
): Promise<void> {
  const deadline = new AbortController();
  await clock.advance(1);
  const arrived = once(server, 'request');
  const call = transport.request(get('/work', { ...(lane && { lane }), signal: deadline.signal }));
  const refused = expect(call).rejects.toBeInstanceOf(DeadlineExceeded);
  await arrived;
  await clock.advance(afterMs);
  await meanwhile?.();
  deadline.abort(new DeadlineExceeded(afterMs));
  await refused;
}

describe('a path to the API server that has gone silent', () => {
  it('is left by every lane once a request proves it, and the watches break at once', async () => {
    const place = await setUp(stuck);
    const watch = await place.transport.request(get('/watch', { lane: 'watch' }));
    const broken = expect(textOf(watch)).rejects.toThrow();

    await exceed(place, { afterMs: 5_000 });

    await broken;
    expect(place.log.lines.map(({ message }) => message)).toEqual([
      'connections to the API server are silent, reconnecting',
    ]);
  });

  it('keeps the connection of a request that is under way until its answer has arrived', async () => {
    const unanswered: ServerResponse[] = [];
    const place = await setUp((_, response) => void unanswered.push(response));
    const call = place.transport.request(get('/work'));
    await once(place.server, 'request');
    await exceed(place, { afterMs: 5_000 });
    expect(place.log.lines).toHaveLength(1);

    await turn();
    unanswered[0]?.end('{}');

    await expect(call).resolves.toMatchObject({ status: 200 });
  });

  it.each([
    { why: 'the deadline of the caller came early', afterMs: 3_000 },
    { why: 'another request was answered meanwhile', afterMs: 30_000, isAnswered: true },
    { why: 'a watch was not opened in time', afterMs: 30_000, lane: 'watch' as const },
  ])('is not concluded where $why', async ({ afterMs, lane, isAnswered = false }) => {
    const place = await setUp(stuck);
    const answer = (): Promise<unknown> => place.transport.request(get('/lease'));

    await exceed(place, { afterMs, lane, ...(isAnswered && { meanwhile: answer }) });

    expect(place.log.lines).toEqual([]);
  });

  it('is not concluded from a server that answers all requests after their deadlines, while a watch hears of it', async () => {
    let watcher: ServerResponse | undefined;
    const unanswered: ServerResponse[] = [];
    const place = await setUp((request, response) => {
      if (request.url !== '/watch') return void unanswered.push(response);
      response.flushHeaders();
      watcher = response;
    });
    const watch = await place.transport.request(get('/watch', { lane: 'watch' }));
    const heard = watch.body[Symbol.asyncIterator]();
    const hear = async (): Promise<void> => {
      watcher?.write('{"type":"BOOKMARK"}\n');
      expect(await heard.next()).toMatchObject({ done: false });
    };

    for (const lane of ['lease', undefined, 'lease'] as const) {
      await exceed(place, { lane, afterMs: 5_000, meanwhile: hear });
      await place.clock.advance(1_000);
      unanswered.pop()?.end('{}');
    }

    expect(place.log.lines).toEqual([]);
    await hear();
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
