import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, BodyTooLarge, type Exchange, exchange } from '../../../src/http/exchange.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const opened: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

interface Line {
  ask(more?: Partial<Exchange>): Promise<Answer>;
  /** Requests that the server has got. */
  readonly requests: readonly string[];
}

/** One connection to a server of its own. */
async function lineTo(handler: Handler): Promise<Line> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Agent({ connections: 1 });
  opened.push(
    () => pool.destroy(),
    async () => {
      server.closeAllConnections();
      server.close();
    },
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plain = { origin, path: '/', method: 'POST', headers: {} };
  return { requests, ask: (more) => exchange(pool, { ...plain, ...more }) };
}

function textOf({ body }: Answer): string {
  return Buffer.concat(body).toString();
}

const fine: Handler = (_, response) => response.end('fine');
const never: Handler = () => {};
/** A line whose connection is taken by a request that gets no answer, until `giveUp`. */
async function busyLine(): Promise<Line & { readonly giveUp: () => Promise<void> }> {
  const line = await lineTo((request, response) => {
    if (request.url !== '/first') response.end('fine');
  });
  const first = new AbortController();
  const busy = expect(line.ask({ path: '/first', signal: first.signal })).rejects.toThrow('enough');
  await vi.waitFor(() => expect(line.requests).toEqual(['/first']), 20_000);
  const giveUp = (): Promise<void> => {
    first.abort(new Error('enough'));
    return busy;
  };
  return { ...line, giveUp };
}

describe('an exchange', () => {
  it('gives the whole answer, whatever its status is', async () => {
    const { ask } = await lineTo((request, response) => {
      response.writeHead(409, { 'X-One': '1', 'X-Two': ['a', 'b'] });
      response.write(`${request.method} ${request.url} ${String(request.headers['x-asks'])} `);
      request.pipe(response);
    });
    const answer = await ask({
      path: '/a?b=c',
      headers: { 'X-Asks': 'me' },
      body: 'ä'.repeat(9e4),
    });
    expect(answer).toMatchObject({ status: 409, headers: { 'x-one': '1', 'x-two': 'a,b' } });
    expect(textOf(answer)).toBe(`POST /a?b=c me ${'ä'.repeat(9e4)}`);
  });

  it('takes an informational answer for none', async () => {
    const { ask } = await lineTo((_, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeHead(201, { 'x-last': 'yes' }).end('made');
    });
    const answer = await ask();
    expect(answer).toMatchObject({ status: 201, headers: { 'x-last': 'yes' } });
    expect(textOf(answer)).toBe('made');
  });

  it('takes a part of an answer for none', async () => {
    const { ask } = await lineTo((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('a part', () => response.destroy());
    });
    await expect(ask()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });
});

it('reads no more of an answer than memory is given to it', async () => {
  let written = 0;
  const line = await lineTo((_, response) => {
    const more = (): void => {
      while (!response.closed && response.write('x'.repeat(10_000))) written += 10_000;
    };
    response.on('drain', more);
    more();
  });
  await expect(line.ask({ maxBytes: 1_000_000 })).rejects.toThrow(BodyTooLarge);
  expect(written).toBeLessThan(20_000_000);
});

describe('the signal', () => {
  it('ends an exchange with its reason, and the request with it', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const { ask, requests } = await lineTo((request) => request.socket.on('close', resolve));
    const controller = new AbortController();
    const call = expect(ask({ signal: controller.signal })).rejects.toThrow('stopping');
    await vi.waitFor(() => expect(requests).toHaveLength(1), 20_000);
    controller.abort(new Error('stopping'));
    await call;
    await gone;
  });

  it('ends it while the answer comes', async () => {
    const { ask } = await lineTo((_, response) => response.write('a part'));
    const controller = new AbortController();
    const call = expect(ask({ signal: controller.signal })).rejects.toThrow('stopping');
    setTimeout(() => controller.abort(new Error('stopping')), 20);
    await call;
  });

  it('ends one that waits for a connection at once, and that is never written', async () => {
    const { ask, requests, giveUp } = await busyLine();
    const second = new AbortController();
    const waiting = ask({ path: '/second', signal: second.signal });
    await setImmediate();
    second.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await giveUp();
    await ask({ path: '/third' });
    expect(requests).toEqual(['/first', '/third']);
  });

  it('lets nothing be asked once it has aborted, nor wait for a connection', async () => {
    const { ask, requests, giveUp } = await busyLine();
    const signal = AbortSignal.abort(new Error('stopping'));
    await expect(ask({ path: '/second', signal })).rejects.toThrow('stopping');
    await giveUp();
    await ask({ path: '/third' });
    expect(requests).toEqual(['/first', '/third']);
  });

  it.each([
    { name: 'an answer', handler: fine },
    { name: 'a broken connection', handler: ((request) => request.destroy()) as Handler },
  ])('is not listened to after $name', async ({ handler }) => {
    const { ask } = await lineTo(handler);
    const { signal } = new AbortController();
    await ask({ signal }).catch(() => {});
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('the last moment before the request is written', () => {
  const stops = (): void => {
    throw new Error('lease lost');
  };

  it('stops it by throwing, and the connection serves the next one', async () => {
    const { ask, requests } = await lineTo(fine);
    for (let time = 0; time < 3; time++) {
      await expect(ask({ path: '/no', beforeSend: stops })).rejects.toThrow('lease lost');
      expect(textOf(await ask({ path: '/yes' }))).toBe('fine');
    }
    expect(requests).toEqual(['/yes', '/yes', '/yes']);
  });

  it('has not come as long as another request has the connection', async () => {
    const { ask, giveUp } = await busyLine();
    let asked = 0;
    const waiting = ask({ beforeSend: () => asked++ });
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect(asked).toBe(0);
    await giveUp();
    await waiting;
    expect(asked).toBe(1);
  });

  it('does not come for a request that was given up', async () => {
    const { ask } = await lineTo(never);
    let asked = 0;
    const beforeSend = (): void => void asked++;
    const controller = new AbortController();
    const call = ask({ signal: controller.signal, beforeSend });
    controller.abort(new Error('stopping'));
    await expect(call).rejects.toThrow('stopping');
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect(asked).toBe(0);
  });
});
