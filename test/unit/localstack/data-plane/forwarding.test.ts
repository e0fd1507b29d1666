import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listUsableTargets } from '../../../../localstack/embedded/data-plane/forwarding.ts';
import type {
  TargetGroup,
  TargetHealth,
} from '../../../../localstack/embedded/target-groups/target-group.ts';
import { startTarget } from '../../../fakes/http-target.ts';
import { until } from '../../../surroundings/until.ts';
import { forwardTo } from '../traffic/traffic-model.ts';
import { PlaneUnderTest } from './plane-under-test.ts';
import { openRaw, sendRaw, startBehind } from './raw-client.ts';

describe('a request that is forwarded', () => {
  test('keeps method, path, body and headers, and gets back what the target answers', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (message, response) => {
      const { method, url, headers } = message;
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.writeHead(201, { connection: 'close' });
      void text(message).then((body) => {
        response.end(JSON.stringify({ method, url, headers, body }));
      });
    });
    const headers = { host: 'shop.example.com', 'x-own': '1' };
    const answered = await plane.ask({
      method: 'POST',
      path: '/a%20b?c=d',
      headers,
      body: 'hello',
    });
    expect(answered).toMatchObject({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } });
    expect(JSON.parse(answered.body)).toMatchObject({
      ...{ method: 'POST', url: '/a%20b?c=d', body: 'hello' },
      headers: {
        ...headers,
        'x-forwarded-for': '127.0.0.1',
        'x-amzn-trace-id': expect.stringMatching(/^Root=/),
      },
    });
  });

  test('arrives as the transforms of its rule make it, if that is a request', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (message, response) => {
      response.end(`${message.headers.host} ${message.url}`);
    });
    const rewrites = (Regex: string, Replace: string): object => ({
      Rewrites: [{ Regex, Replace }],
    });
    const { shop, web } = plane.model;
    const { Listeners } = await plane.call('DescribeListeners', { LoadBalancerArn: shop });
    await plane.call('CreateRule', {
      ...{ ListenerArn: Listeners[0].ListenerArn, Priority: 1 },
      Conditions: [{ Field: 'path-pattern', Values: ['/api*'] }],
      Actions: forwardTo(web),
      Transforms: [
        {
          Type: 'host-header-rewrite',
          HostHeaderRewriteConfig: rewrites('^(.+)[.]example[.]com$', '$1.internal'),
        },
        { Type: 'url-rewrite', UrlRewriteConfig: rewrites('^/api(.*)$', '$1') },
      ],
    });
    const headers = { host: 'shop.example.com' };
    const ask = async (path: string): Promise<string> => (await plane.ask({ path, headers })).body;
    expect(await ask('/api/v1?a=b')).toBe('shop.internal /v1?a=b');
    expect(await ask('/other')).toBe('shop.example.com /other');
    expect(await plane.ask({ path: '/apiary', headers })).toMatchObject({ status: 500 });
  });

  test('gets the headers of its listener in place of those of the target', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (_, response) => {
      response.writeHead(200, { 'X-Frame-Options': 'SAMEORIGIN', 'X-Own': '1' }).end();
    });
    const { Listeners } = await plane.call('DescribeListeners', {
      LoadBalancerArn: plane.model.shop,
    });
    const frame = 'routing.http.response.x_frame_options.header_value';
    const set = (Value: string): Promise<unknown> =>
      plane.call('ModifyListenerAttributes', {
        ...{ ListenerArn: Listeners[0].ListenerArn, Attributes: [{ Key: frame, Value }] },
      });
    await set('DENY');
    expect((await plane.ask()).headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-own': '1' });
    await set('');
    expect((await plane.ask()).headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN' });
  });

  test('streams in both directions', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (message, response) => {
      response.writeHead(200);
      message.on('data', (chunk: Buffer) => response.write(chunk)).on('end', () => response.end());
    });
    const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
    const { socket, read } = await openRaw(plane, `${head}5\r\nfirst\r\n`);
    await until('the first chunk is back', () => Promise.resolve(read().includes('first')));
    socket.write('6\r\nsecond\r\n0\r\n\r\n');
    await until('the second one is', () => Promise.resolve(read().includes('second')));
  });

  test('lasts as long as something moves within each idle timeout', async () => {
    const plane = new PlaneUnderTest();
    let behind: ServerResponse | undefined;
    await startBehind(plane, (_, response) => {
      behind = response;
    });
    const { read } = await openRaw(plane, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until('it arrives', () => Promise.resolve(behind !== undefined));
    const steps = [
      [() => behind?.flushHeaders(), 'HTTP/1.1 200'],
      [() => behind?.write('first'), 'first'],
      [() => behind?.end('second'), 'second'],
    ] as const;
    for (const [step, sign] of steps) {
      await plane.advance(50_000);
      step();
      await until(sign, () => Promise.resolve(read().includes(sign)));
    }
  });

  test('is not read from the target faster than the client reads', async () => {
    const plane = new PlaneUnderTest();
    const chunk = Buffer.alloc(1 << 20);
    const written = { megabytes: 0 };
    await startBehind(plane, (_, response) => {
      const write = (): void => {
        while (written.megabytes < 200) {
          written.megabytes += 1;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    const { socket } = await openRaw(plane, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    socket.pause();
    let before = 0;
    await until('it stands still', async () => {
      before = written.megabytes;
      await sleep(100);
      return before > 0 && written.megabytes === before;
    });
    expect(before).toBeLessThan(100);
  });

  test('is broken off at the target when the client goes', async () => {
    const plane = new PlaneUnderTest();
    const seen = { arrived: false, gone: false };
    await startBehind(plane, (_, response) => {
      seen.arrived = true;
      response.on('close', () => {
        seen.gone = true;
      });
    });
    const { socket } = await openRaw(plane, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await until('it arrives', () => Promise.resolve(seen.arrived));
    socket.destroy();
    await until('it is broken off', () => Promise.resolve(seen.gone));
  });

  test('takes turns among healthy targets', async () => {
    const plane = new PlaneUnderTest();
    for (const name of ['a', 'b']) await startBehind(plane, (_, response) => response.end(name));
    const bodies = [await plane.ask(), await plane.ask(), await plane.ask()].map(
      ({ body }) => body,
    );
    expect(new Set(bodies)).toEqual(new Set(['a', 'b']));
    expect(bodies[2]).toBe(bodies[0]);
  });

  test.each([
    [
      'breaks the connection',
      (socket: { destroy(): void; end(text: string): void }) => socket.destroy(),
    ],
    ['answers garbage', (socket: { end(text: string): void }) => socket.end('garbage\r\n\r\n')],
    [
      'answers headers beyond 32 K',
      (socket: { end(text: string): void }) =>
        socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`),
    ],
  ])('is 502 where the target %s', async (_, spoil) => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, ({ socket }) => spoil(socket));
    expect((await plane.ask()).status).toBe(502);
  });

  test('is 504 where the target says nothing for the idle timeout', async () => {
    const plane = new PlaneUnderTest();
    let hasArrived = false;
    await startBehind(plane, () => {
      hasArrived = true;
    });
    const asked = plane.ask();
    await until('it arrives', () => Promise.resolve(hasArrived));
    await plane.advance(59_000);
    expect(await Promise.race([asked, sleep(50, 'waiting')])).toBe('waiting');
    await plane.advance(1000);
    expect((await asked).status).toBe(504);
  });

  test('is 504 where no connection comes about within 10 s', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget();
    plane.pin({ state: 'healthy' });
    const asked = plane.ask();
    const isAnswered = Promise.race([asked.then(() => true), sleep(50, false)]);
    expect(await isAnswered).toBe(false);
    await plane.advance(10_000);
    expect((await asked).status).toBe(504);
  });

  test('waits longer where the data plane itself is late', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget();
    plane.pin({ state: 'healthy' });
    plane.lateMs = 400;
    const asked = plane.ask();
    await sleep(50);
    await plane.advance(49_000);
    plane.mapFirst(await startTarget('slow'));
    expect((await asked).body).toBe('slow');
  });

  test('waits for a target that comes about in time', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget();
    plane.pin({ state: 'healthy' });
    const asked = plane.ask();
    await sleep(50);
    plane.mapFirst(await startTarget('slow'));
    expect((await asked).body).toBe('slow');
  });

  test('is 503 without targets, and while none has passed its first check', async () => {
    const plane = new PlaneUnderTest();
    expect((await plane.ask()).status).toBe(503);
    await plane.addTarget();
    expect((await plane.ask()).status).toBe(503);
  });

  test('is cut with 502 when the deregistration delay ends, and no new one comes before', async () => {
    const plane = new PlaneUnderTest();
    let arrived = 0;
    const Id = await startBehind(plane, () => {
      arrived += 1;
    });
    const TargetGroupArn = plane.model.web;
    const Attributes = [{ Key: 'deregistration_delay.timeout_seconds', Value: '20' }];
    await plane.call('ModifyTargetGroupAttributes', { TargetGroupArn, Attributes });
    plane.pin({ state: 'healthy' });
    const asked = plane.ask();
    await until('it arrives', () => Promise.resolve(arrived === 1));
    await plane.call('DeregisterTargets', { TargetGroupArn, Targets: [{ Id }] });
    expect((await plane.ask()).status).toBe(503);
    await plane.advance(19_000);
    expect(await Promise.race([asked, sleep(50, 'waiting')])).toBe('waiting');
    await plane.advance(1001);
    expect((await asked).status).toBe(502);
    expect(arrived).toBe(1);
  });

  test('goes to all where all are unhealthy', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, (_, response) => response.end('here'));
    plane.pin({ state: 'unhealthy', reason: 'Target.Timeout' });
    expect((await plane.ask()).body).toBe('here');
  });

  test('stays what it is where it asks for another protocol than WebSocket', async () => {
    const plane = new PlaneUnderTest();
    await startBehind(plane, ({ headers }, response) =>
      response.end(`upgrade: ${headers.upgrade}`),
    );
    const head = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n';
    expect(await sendRaw(plane, head)).toMatch(/^HTTP\/1\.1 200 [^]*upgrade: undefined/);
  });

  test('becomes a WebSocket, and carries what follows', async () => {
    const plane = new PlaneUnderTest();
    const target = await startTarget('ws');
    target.server.on('upgrade', (_, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
      );
      socket.on('data', (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`));
    });
    await plane.addTarget(target);
    await plane.untilAll('healthy');
    const head = 'GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const read = await sendRaw(plane, `${head}hello`);
    expect(read).toMatch(/^HTTP\/1\.1 101 /);
    expect(read).toMatch(/\r\n\r\necho hello$/);
  });

  test('of a WebSocket ends when nothing moves for the idle timeout', async () => {
    const plane = new PlaneUnderTest();
    const target = await startTarget('ws');
    let isOpen = true;
    target.server.on('upgrade', (_, socket) => {
      const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n';
      socket.write(`${head}connection: upgrade\r\n\r\n`);
      socket.on('data', (chunk: Buffer) => socket.write(chunk)).on('end', () => socket.end());
      socket.on('close', () => {
        isOpen = false;
      });
    });
    await plane.addTarget(target);
    await plane.untilAll('healthy');
    const head = 'GET /ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const { socket, read } = await openRaw(plane, head);
    await until('it is open', () => Promise.resolve(read().includes('101')));
    for (const message of ['first', 'second']) {
      await plane.advance(59_000);
      socket.write(message);
      await until(message, () => Promise.resolve(read().endsWith(message)));
    }
    await plane.advance(60_000);
    await until('it is closed', () => Promise.resolve(!isOpen && socket.closed));
  });
});

describe('the targets that take requests', () => {
  test.each([
    ['healthy unhealthy initial', 'healthy'],
    ['unhealthy unavailable initial', 'unhealthy unavailable'],
    ['initial draining unused', ''],
    ['healthy draining healthy', 'healthy healthy'],
  ])('of %s are %s', (all, usable) => {
    const states = all.split(' ') as TargetHealth['state'][];
    const targets = new Map(states.map((zone, port) => [String(port), { id: 'a', port, zone }]));
    const listed = listUsableTargets(
      { targets } as unknown as TargetGroup,
      ({ zone }) => zone as TargetHealth['state'],
    );
    expect(listed.map(({ zone }) => zone).join(' ')).toBe(usable);
  });
});
