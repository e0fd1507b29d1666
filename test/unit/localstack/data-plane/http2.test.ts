import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { startTarget } from '../../../fakes/http-target.ts';
import { type Http2Target, startHttp2Target } from '../../../fakes/http2-target.ts';
import { importCertificate } from '../../../surroundings/certificates.ts';
import { until } from '../../../surroundings/until.ts';
import { serveAwsForTests } from '../http/served-aws.ts';
import { BalancedPods, forwardTo } from './balanced-pods.ts';

const aws = serveAwsForTests();
const pods = new BalancedPods(aws);

/** A listener on 443 that forwards to one target of a group of this kind. */
async function listenTo(
  target: Pick<Http2Target, 'address' | 'stop'>,
  group: Parameters<BalancedPods['createGroup']>[1],
): Promise<string> {
  const made = await makeCertificate(['shop.example.com'], { algorithm: 'ECDSA' });
  const CertificateArn = await importCertificate(aws.environment, made);
  const web = await pods.createGroup('web', group);
  await pods.addTarget(web, '10.9.0.1', target);
  await pods.createListener(await pods.createBalancer(), forwardTo(web), {
    ...{ Protocol: 'HTTPS', Port: 443, Certificates: [{ CertificateArn }] },
  });
  await pods.untilHealthy(web);
  return web;
}

async function connectTo(port: number): Promise<ClientHttp2Session> {
  const listener = (await pods.listeners()).find((one) => one.port === port);
  const session = connect(`https://${listener?.address}`, { rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  return session;
}

interface Answered {
  readonly headers: IncomingHttpHeaders & { readonly ':status'?: number };
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly body: string;
}

async function ask(
  session: ClientHttp2Session,
  headers: IncomingHttpHeaders,
  body?: Buffer,
): Promise<Answered> {
  const stream = session.request({ ':authority': 'shop.example.com', ...headers });
  let trailers: IncomingHttpHeaders | undefined;
  stream.on('trailers', (given) => {
    trailers = given;
  });
  stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Answered['headers']];
  return { headers: answered, body: await text(stream), trailers };
}

describe('an answer of HTTP/1.1 that HTTP/2 does not take as it is', () => {
  const chunks = 'transfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n';
  test.each([
    ['a header twice that may be there once', 'age: 1\r\nage: 2\r\ncontent-length: 2\r\n\r\nab'],
    ['settings of HTTP/2', 'http2-settings: AAA\r\ncontent-length: 2\r\n\r\nab'],
    ['a trailer about its connection', `${chunks}te: x\r\nconnection: y\r\n\r\n`],
  ])('for %s reaches the client all the same', async (_, answer) => {
    const target = await startTarget('raw', (message, response) => {
      if (message.headers['user-agent']?.startsWith('ELB-')) response.end();
      else message.socket.end(`HTTP/1.1 200 OK\r\n${answer}`);
    });
    await listenTo(target, {});
    const answered = await ask(await connectTo(443), { ':path': '/' });
    expect(answered).toMatchObject({ headers: { ':status': 200 }, body: 'ab' });
  });
});

const GRPC = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
const HELLO = Buffer.from([0, 0, 0, 0, 5, ...Buffer.from('hello')]);

/** Echoes messages, each as it comes; knows no health check, as most servers. */
function startEcho(seen: IncomingHttpHeaders[] = []): Promise<Http2Target> {
  return startHttp2Target((stream, headers) => {
    seen.push(headers);
    if (headers[':path'] !== '/shop.Cart/Echo') {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
        { endStream: true },
      );
      return;
    }
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }),
    );
    stream.pipe(stream);
  });
}

describe('gRPC through the data plane', () => {
  test('a call of one message has its answer and its trailers', async () => {
    const seen: IncomingHttpHeaders[] = [];
    await listenTo(await startEcho(seen), { ProtocolVersion: 'GRPC' });
    const session = await connectTo(443);
    const answered = await ask(session, { ...GRPC, ':path': '/shop.Cart/Echo' }, HELLO);
    expect(answered).toMatchObject({
      headers: { ':status': 200, 'content-type': 'application/grpc' },
      trailers: { 'grpc-status': '0', 'grpc-message': 'fine' },
      body: HELLO.toString(),
    });
    expect(seen[0]).toMatchObject({
      ...{ ':method': 'POST', ':path': '/AWS.ALB/healthcheck', ':authority': '10.9.0.1:8080' },
      ...{ 'content-type': 'application/grpc', 'user-agent': 'ELB-HealthChecker/2.0' },
    });
    expect(seen.at(-1)).toMatchObject({
      ...{ ':authority': 'shop.example.com', ':scheme': 'http', te: 'trailers' },
      ...{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' },
    });
  });

  test('an answer without messages has its status all the same', async () => {
    await listenTo(await startEcho(), { ProtocolVersion: 'GRPC' });
    const answered = await ask(
      await connectTo(443),
      { ...GRPC, ':path': '/shop.Cart/None' },
      HELLO,
    );
    expect(answered).toMatchObject({
      headers: { ':status': 200 },
      trailers: { 'grpc-status': '12' },
    });
  });

  test('messages go both ways while the call lasts', async () => {
    await listenTo(await startEcho(), { ProtocolVersion: 'GRPC' });
    const session = await connectTo(443);
    const stream = session.request({ ...GRPC, ':path': '/shop.Cart/Echo' });
    let read = '';
    stream.on('data', (chunk: Buffer) => {
      read += chunk.toString();
    });
    for (const message of ['first', 'second']) {
      stream.write(message);
      await until(message, () => Promise.resolve(read.endsWith(message)));
    }
    stream.end();
    await once(stream, 'close');
    expect(read).toBe('firstsecond');
  });

  test('takes POST alone, and goes to no group for HTTP1: 464', async () => {
    await listenTo(await startEcho(), { ProtocolVersion: 'GRPC' });
    const session = await connectTo(443);
    expect((await ask(session, { ':path': '/' })).headers[':status']).toBe(464);
    expect((await pods.ask(443)).status).toBe(464);
  });

  test('a target that breaks off is 502', async () => {
    const target = await startHttp2Target((stream, headers) => {
      const isCheck = headers[':path'] === '/AWS.ALB/healthcheck';
      if (isCheck) stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true });
      else stream.close(2);
    });
    await listenTo(target, { ProtocolVersion: 'GRPC' });
    const answered = await ask(await connectTo(443), { ...GRPC, ':path': '/a/b' }, HELLO);
    expect(answered.headers[':status']).toBe(502);
  });
});

describe('HTTP/2 through the data plane', () => {
  test('reaches targets of HTTP2, with TLS and a certificate that nobody verifies', async () => {
    const target = await startHttp2Target(
      (stream, { ':path': path, ':scheme': scheme }) => {
        stream.respond({ ':status': 200, 'set-cookie': ['a=1', 'b=2'] });
        stream.end(`${scheme} ${path}`);
      },
      { isSecure: true },
    );
    await listenTo(target, {
      Protocol: 'HTTPS',
      HealthCheckProtocol: 'HTTPS',
      ProtocolVersion: 'HTTP2',
    });
    const answered = await ask(await connectTo(443), { ':path': '/a?b=c' });
    expect(answered.body).toBe('https /a?b=c');
    expect(answered.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  test('becomes HTTP/1.1 for targets of HTTP1, by host and with a body', async () => {
    const target = await startTarget('plain', (message, response) => {
      void buffer(message).then((body) => {
        const { httpVersion, headers } = message;
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        response.end(
          JSON.stringify({
            httpVersion,
            host: headers.host,
            body: body.toString(),
            pseudo: Object.keys(headers).filter((name) => name.startsWith(':')),
          }),
        );
      });
    });
    await listenTo(target, {});
    const session = await connectTo(443);
    const answered = await ask(session, { ':method': 'POST', ':path': '/' }, Buffer.from('hello'));
    expect(JSON.parse(answered.body)).toEqual({
      ...{ httpVersion: '1.1', host: 'shop.example.com', body: 'hello', pseudo: [] },
    });
    expect(answered.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    const { headers } = await ask(session, { ...GRPC, ':path': '/' });
    expect(headers[':status']).toBe(464);
  });

  test('is not spoken where the balancer has it switched off', async () => {
    await listenTo(await startTarget('plain'), {});
    const [found] = await pods.listeners();
    await pods.setAttribute(found?.loadBalancerArn ?? '', 'routing.http2.enabled', 'false');
    const session = await connectTo(443);
    await expect(once(session, 'connect')).rejects.toThrow();
    expect((await pods.ask(443)).body).toBe('plain');
  });
});
