import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { translateAwsError } from '../../../../src/aws/client/aws-errors.ts';
import { createHttpHandler, type Proxy } from '../../../../src/aws/client/http-handler.ts';
import { type ConnectProxy, startConnectProxy } from '../../../fakes/connect-proxy.ts';

type Handler = ReturnType<typeof createHttpHandler>;
type Request = Parameters<Handler['handle']>[0];

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Of something else than AWS, well formed as XML. */
const pages: Readonly<Record<string, string>> = {
  '/page': '<!DOCTYPE html>\n<html>log in</html>',
  '/xhtml':
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml">log in</html>',
  '/commented': '<!-- a > b -->\n<html>log in</html>',
  '/refusal': '<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>',
  '/xml': '<?xml version="1.0"?><ListAllMyBucketsResult/>',
};

const asked: Asked[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { method, url, headers } = request;
    asked.push({ method, url, headers, body });
    if (url === '/endless') return writeForever(response);
    if (url === '/empty') return response.writeHead(200).end();
    if (url === '/no-content') return response.writeHead(204).end();
    const page = pages[url ?? ''];
    if (page !== undefined) return response.writeHead(200).end(page);
    response.writeHead(202, { 'X-Amzn-RequestId': 'r-1' }).end('<OkResponse/>');
  });
});
let handler: Handler;

/** Until the client has had enough. */
function writeForever(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
}

beforeEach(async () => {
  asked.length = 0;
  handler = createHttpHandler();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  handler.destroy?.();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** As the SDK hands it over. */
function request(more: Partial<Request>): Request {
  const { port } = server.address() as AddressInfo;
  const at = { protocol: 'http:', hostname: '127.0.0.1', port, path: '/' };
  return { ...at, method: 'POST', headers: {}, query: {}, ...more } as Request;
}

it('carries what the SDK asks, and the whole answer', async () => {
  const headers = { 'content-length': '8', host: 'aws.example', 'user-agent': 'albridge/test' };
  const { response } = await handler.handle(request({ headers, body: 'Action=A' }));
  expect(asked).toMatchObject([
    {
      method: 'POST',
      url: '/',
      headers,
      body: 'Action=A',
    },
  ]);
  expect(response).toMatchObject({ statusCode: 202, headers: { 'x-amzn-requestid': 'r-1' } });
  expect(String(response.body)).toBe('<OkResponse/>');
});

it('carries the query of a request for credentials', async () => {
  const query = { role_name: 'a role', many: ['1', '2&3'], bare: null };
  await handler.handle(request({ method: 'GET', path: '/federation/credentials', query }));
  expect(asked.map(({ url }) => url)).toEqual([
    '/federation/credentials?role_name=a%20role&many=1&many=2%263&bare',
  ]);
});

it('does not hold an answer that goes on and on', async () => {
  const endless = handler.handle(request({ path: '/endless' }));
  await expect(endless).rejects.toThrow('the answer is longer than 67108864 bytes');
});

it.each(['/empty', '/no-content', ...Object.keys(pages)])(
  'takes an answer of something else for no empty list: %s',
  async (path) => {
    const refused = await handler.handle(request({ path })).catch((error: unknown) => error);
    const step = { operation: 'DescribeLoadBalancers', subject: 'all load balancers' } as const;
    expect(refused).toMatchObject({ message: 'the answer is no document of AWS' });
    expect(translateAwsError(refused, step).reason).toBe('AwsUnreadable');
  },
);

describe('with a proxy', () => {
  let proxy: ConnectProxy;
  beforeEach(async () => {
    proxy = await startConnectProxy();
    // Whoever has one has mostly the other too.
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await proxy.stop();
  });

  /** What it is refused with, as nothing that is asked here has an answer. */
  async function refusalOf(more: Partial<Request>, how: Partial<Proxy> = {}): Promise<unknown> {
    const url = `http://me:p%40ss@127.0.0.1:${proxy.port}`;
    const through = createHttpHandler({ url, except: '', ...how });
    const refused = await through.handle(request(more)).then(
      () => ({ code: 'none' }),
      (error: unknown) => error,
    );
    through.destroy?.();
    return refused;
  }

  const aws = { protocol: 'https:', hostname: 'elb.example.com', port: 443 };

  it('asks it for the way to AWS, by name and password', async () => {
    const refused = await refusalOf(aws);
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(proxy.asked).toEqual([{ line: 'CONNECT elb.example.com:443', authorization }]);
    expect(refused).toMatchObject({
      code: 'UND_ERR_ABORTED',
      message: expect.stringContaining('403'),
    });
    const step = { operation: 'CreateLoadBalancer', subject: 'load balancer web' } as const;
    expect(translateAwsError(refused, step).reason).toBe('AwsUnreachable');
  });

  it('is unreachable when the proxy is', async () => {
    await proxy.stop();
    expect(await refusalOf(aws)).toMatchObject({ code: 'ECONNREFUSED' });
    proxy = await startConnectProxy();
  });

  // Nobody listens at the port 1 of this machine.
  const direct: Readonly<Record<string, { more: Partial<Request>; how?: Partial<Proxy> }>> = {
    'to an exception': {
      more: { protocol: 'https:', hostname: '127.0.0.2', port: 1 },
      how: { except: '.amazonaws.com,127.0.0.2' },
    },
    'to this machine by its name': { more: { protocol: 'https:', hostname: 'localhost', port: 1 } },
    'to this machine': { more: { protocol: 'https:', hostname: '127.0.0.1', port: 1 } },
    'to an address of plain http': { more: { hostname: '127.0.0.2', port: 1 } },
  };
  it.each(Object.entries(direct))('leaves it out on the way %s', async (_, { more, how }) => {
    expect(await refusalOf(more, how)).toMatchObject({ code: 'ECONNREFUSED' });
    expect(proxy.asked).toEqual([]);
  });
});
