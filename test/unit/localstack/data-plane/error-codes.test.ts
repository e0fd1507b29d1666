import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type HttpTarget, startTarget } from '../../../fakes/http-target.ts';
import { until } from '../../../surroundings/until.ts';
import { createGroup, forwardTo } from '../traffic/traffic-model.ts';
import { PlaneUnderTest } from './plane-under-test.ts';
import { openRaw, sendRaw, startBehind } from './raw-client.ts';

/**
 * The codes that a balancer answers with itself, one by one:
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#load-balancer-http-error-codes
 * Others of them: http2.test.ts and end-to-end.test.ts (464), forwarding.test.ts (500, 502, 503, 504),
 * half-closed.test.ts (400, 502).
 */

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: a\r\n';
const ADDRESSES = Array(31).fill('1.1.1.1').join(', ');
/** 16 K, with the rest of the line that it stands in. */
const [LONGEST, TOO_LONG] = ['x'.repeat(16_384 - 'GET / HTTP/1.1'.length), 'x'.repeat(16_385)];

describe('a request that the balancer refuses', () => {
  test.each([
    ['no header', `${GET}nonsense\r\n`, 400],
    ['one header over 16 K', `${GET}x: ${TOO_LONG}\r\n`, 400],
    ['headers over 64 K', GET + `x: ${'x'.repeat(14_000)}\r\n`.repeat(5), 400],
    ['two lengths', `${POST}content-length: 1\r\ncontent-length: 2\r\n`, 400],
    ['a length beside chunks', `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n`, 400],
    ['TRACE', 'TRACE / HTTP/1.1\r\nhost: a\r\n', 405],
    ['a URL over 16 K', `GET /${TOO_LONG} HTTP/1.1\r\nhost: a\r\n`, 414],
    ['a query over 64 K', `GET /?${'x'.repeat(70_000)} HTTP/1.1\r\nhost: a\r\n`, 414],
    ['over 30 addresses', `${GET}x-forwarded-for: ${ADDRESSES}\r\n`, 463],
    ['a coding that ends the body', `${POST}transfer-encoding: gzip\r\n`, 501],
    ['a coding inside chunks', `${POST}transfer-encoding: gzip, chunked\r\n`, 501],
    ['HTTP/2 in words', 'GET / HTTP/2.0\r\nhost: a\r\n', 505],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n', 505],
    ['HTTP/3', 'GET / HTTP/3.0\r\nhost: a\r\n', 505],
  ])('for %s gets its code', async (_, head, status) => {
    const plane = new PlaneUnderTest();
    const read = await sendRaw(plane, `${head}connection: close\r\n\r\n`);
    expect(read).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(read.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
  });

  test.each([
    ['a line of 16 K', `GET /${LONGEST} HTTP/1.1\r\nhost: a\r\n`],
    ['a header of 16 K', `${GET}x: ${'x'.repeat(16_381)}\r\n`],
    ['30 addresses', `${GET}x-forwarded-for: ${ADDRESSES.replace('1.1.1.1, ', '')}\r\n`],
    ['chunks', `${POST}Transfer-Encoding: Chunked\r\n\r\n0\r\n`],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\n'],
  ])('is none with %s: its rule forwards it, here to no target', async (_, head) => {
    const plane = new PlaneUnderTest();
    const { read } = await openRaw(plane, `${head}\r\n`);
    await until('it is answered', () => Promise.resolve(read() !== ''));
    expect(read()).toMatch(/^HTTP\/1\.1 503 /);
  });

  test('leaves the connection to the next one where nothing of it is left', async () => {
    const plane = new PlaneUnderTest();
    const last = `${GET}connection: close\r\n\r\n`;
    expect(await sendRaw(plane, `TRACE / HTTP/1.1\r\nhost: a\r\n\r\n${last}`)).toMatch(
      /^HTTP\/1\.1 405 [^]*HTTP\/1\.1 503 /,
    );
  });

  test('ends the connection where the rest of it cannot be read', async () => {
    const plane = new PlaneUnderTest();
    const body = `${POST}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`;
    expect(await sendRaw(plane, body + GET)).toMatch(/^HTTP\/1\.1 501 (?![^]*HTTP)/);
  });

  test('is broken off while the balancer is provisioned', async () => {
    const plane = new PlaneUnderTest({ provisioningMs: 1000 });
    await expect(plane.ask()).rejects.toThrow();
    await plane.advance(1000);
    expect((await plane.ask()).status).toBe(503);
  });
});

describe('a client that sends nothing for the idle timeout', () => {
  test.each([
    ['at all', ''],
    ['of the rest of its headers', GET],
  ])('%s gets 408', async (_, begun) => {
    const plane = new PlaneUnderTest();
    const { read } = await openRaw(plane, begun);
    await until('it is read', async () => {
      await plane.advance(30_000);
      return read() !== '';
    });
    expect(read()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('of the rest of its body gets 408, and the target is rid of it', async () => {
    const plane = new PlaneUnderTest();
    const seen = { arrived: false, gone: false };
    await startBehind(plane, (_, response) => {
      seen.arrived = true;
      response.on('close', () => {
        seen.gone = true;
      });
    });
    const { read } = await openRaw(plane, `${POST}content-length: 10\r\n\r\nhalf`);
    await until('it arrives', () => Promise.resolve(seen.arrived));
    await plane.advance(59_000);
    expect(read()).toBe('');
    await plane.advance(1000);
    await until('it is broken off', () => Promise.resolve(seen.gone));
    expect(read()).toMatch(/^HTTP\/1\.1 408 [^]*connection: close/i);
  });

  test('keeps its connection while it sends something', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (_, response) => response.end('here'));
    const { socket, read } = await openRaw(plane, 'GET / HTTP/1.1\r\n');
    for (const name of ['a', 'b', 'c']) {
      await sleep(20);
      await plane.advance(59_000);
      socket.write(`${name}: 1\r\n`);
    }
    socket.write('host: a\r\n\r\n');
    await until('it is answered', () => Promise.resolve(read() !== ''));
    expect(read()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

/** A plane whose requests go to the target by TLS, whatever that speaks. */
async function planeByTls(target: HttpTarget): Promise<PlaneUnderTest> {
  const plane = new PlaneUnderTest();
  const { aws, shop } = plane.model;
  const Id = await plane.addTarget(target);
  const group = createGroup(aws, 'safe', { Protocol: 'HTTPS' });
  await plane.call('RegisterTargets', { TargetGroupArn: group, Targets: [{ Id }] });
  const { Listeners } = await plane.call('DescribeListeners', { LoadBalancerArn: shop });
  const { ListenerArn } = Listeners[0];
  await plane.call('ModifyListener', { ListenerArn, DefaultActions: forwardTo(group) });
  aws.control.setTargetHealth('safe', { health: { state: 'healthy' } });
  return plane;
}

describe('a target without TLS where the group is for HTTPS', () => {
  test('is 502', async () => {
    const plane = await planeByTls(await startTarget('plain'));
    expect((await plane.ask()).status).toBe(502);
  });

  test('is 504 where the handshake takes more than 10 s', async () => {
    const target = await startTarget('silent');
    const sockets: Socket[] = [];
    const { server } = target;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => sockets.push(socket));
    const plane = await planeByTls(target);
    const before = sockets.length;
    const asked = plane.ask();
    await until('it connects', () => Promise.resolve(sockets.length > before));
    await plane.advance(9999);
    expect(await Promise.race([asked, sleep(50, 'waiting')])).toBe('waiting');
    await plane.advance(1);
    expect((await asked).status).toBe(504);
    for (const socket of sockets) socket.destroy();
  });
});
