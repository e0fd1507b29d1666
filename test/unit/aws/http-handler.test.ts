import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpHandler } from '../../../src/aws/http-handler.ts';

type Handler = ReturnType<typeof createHttpHandler>;
type Request = Parameters<Handler['handle']>[0];

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const asked: Asked[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { method, url, headers } = request;
    asked.push({ method, url, headers, body });
    response.writeHead(202, { 'X-Amzn-RequestId': 'r-1' }).end('<ok/>');
  });
});
let handler: Handler;

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
  expect(String(response.body)).toBe('<ok/>');
});

it('carries the query of a request for credentials', async () => {
  const query = { role_name: 'a role', many: ['1', '2&3'], bare: null };
  await handler.handle(request({ method: 'GET', path: '/federation/credentials', query }));
  expect(asked.map(({ url }) => url)).toEqual([
    '/federation/credentials?role_name=a%20role&many=1&many=2%263&bare',
  ]);
});
