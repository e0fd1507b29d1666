import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTarget } from '../../../fakes/http-target.ts';
import { until } from '../../../surroundings/until.ts';
import { PlaneUnderTest } from './plane-under-test.ts';
import { openRaw, sendRaw, startBehind } from './raw-client.ts';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

/** What a client reads that sends this and then nothing more. */
async function sendAll(plane: PlaneUnderTest, request: string): Promise<string> {
  const { socket, read } = await openRaw(plane, '');
  let isOver = false;
  socket.on('close', () => {
    isOver = true;
  });
  socket.end(request);
  await until('the connection ends', () => Promise.resolve(isOver));
  return read();
}

describe('a client that closes its half', () => {
  test('has gone: it gets no answer of a target, which is broken off', async () => {
    const plane = new PlaneUnderTest();
    const seen = { gone: false };
    await startBehind(plane, (_, response) => {
      response.on('close', () => {
        seen.gone = true;
      });
    });
    const { socket, read } = await openRaw(plane, GET);
    socket.end();
    await until('it is broken off', () => Promise.resolve(seen.gone));
    expect(read()).toBe('');
  });

  test('gets what the balancer answers itself', async () => {
    const plane = new PlaneUnderTest();
    expect(await sendAll(plane, GET)).toMatch(/^HTTP\/1\.1 503 [^]*<\/html>/);
  });

  test('before its body is complete gets 400', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, () => {});
    const half = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf';
    expect(await sendAll(plane, half)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('the same within an answer gets no second one', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (_, response) => {
      response.write('begun');
    });
    const half = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf';
    const { socket, read } = await openRaw(plane, half);
    await until('it begins', () => Promise.resolve(read().includes('begun')));
    let isOver = false;
    socket.on('close', () => {
      isOver = true;
    });
    socket.end();
    await until('the connection ends', () => Promise.resolve(isOver));
    expect(read().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  test('of a WebSocket by a reset, before the target has answered, ends nothing else', async () => {
    const plane = new PlaneUnderTest();
    const seen = { asked: false, gone: false };
    await startBehind(plane, (_, response) => {
      seen.asked = true;
      response.on('close', () => {
        seen.gone = true;
      });
    });
    const uncaught: Error[] = [];
    const note = (error: Error): void => void uncaught.push(error);
    process.on('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    const head = 'GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const { socket } = await openRaw(plane, head);
    await until('the target is asked', () => Promise.resolve(seen.asked));
    socket.resetAndDestroy();
    await until('it is broken off', () => Promise.resolve(seen.gone));
    expect(uncaught).toEqual([]);
  });

  test('of a WebSocket gets what the target still sends', async () => {
    const plane = new PlaneUnderTest();
    const target = await startTarget('ws');
    target.server.on('upgrade', (_, socket) => {
      const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n';
      socket.write(`${head}connection: upgrade\r\n\r\n`);
      socket.on('data', () => {}).on('end', () => socket.end('all of it'));
    });
    await plane.addTarget(target);
    await plane.untilAll('healthy');
    const head = 'GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const { socket, read } = await openRaw(plane, head);
    await until('it is open', () => Promise.resolve(read().includes('101')));
    socket.end('the last');
    await until('the rest is there', () => Promise.resolve(read().endsWith('all of it')));
  });
});

describe('a target that closes its half', () => {
  test.each([
    ['without an answer', (socket: Socket) => socket.end()],
    ['by a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['within its headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nx: ')],
  ])('%s is 502', async (_, close) => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, ({ socket }) => close(socket));
    expect((await plane.ask()).status).toBe(502);
  });

  test('after an answer that has no length has given all of it', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, ({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
    expect(await plane.ask()).toMatchObject({ status: 200, body: 'all of it' });
  });

  type Answering = (message: IncomingMessage, response: ServerResponse) => void;
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';

  test.each<[string, Answering, number]>([
    ['closes its half', ({ socket }) => socket.end(`${head}half`), 0],
    ['sends no more for the idle timeout', ({ socket }) => socket.write(`${head}half`), 60_000],
  ])('and one that %s within a body: the client sees it end early', async (_, serve, idleMs) => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, serve);
    const { socket, read } = await openRaw(plane, GET);
    let isOver = false;
    socket.on('close', () => {
      isOver = true;
    });
    await until('the half is there', () => Promise.resolve(isOver || read().endsWith('half')));
    await plane.advance(idleMs);
    await until('the connection ends', () => Promise.resolve(isOver));
    expect(read()).toMatch(/content-length: 10\r\n[^]*half$/i);
  });

  test('leaves the client its connection for the next request', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, ({ socket }) => socket.end());
    const last = GET.replace('host', 'connection: close\r\nhost');
    expect(await sendRaw(plane, GET + last)).toMatch(/^HTTP\/1\.1 502 [^]*HTTP\/1\.1 502 /);
  });
});
