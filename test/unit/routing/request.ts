import type { Request } from '../../../src/routing/rule.ts';

/** GET http://shop.example.com/, but for `what`. */
export function request(what: Partial<Request> = {}): Request {
  return {
    protocol: 'HTTP',
    port: 80,
    method: 'GET',
    host: 'shop.example.com',
    path: '/',
    query: '',
    headers: [],
    sourceIp: '203.0.113.7',
    ...what,
  };
}
