import { describe, expect, it } from 'vitest';
import {
  chooseListener,
  findExactHost,
  findPath,
  formatOrigin,
} from '../../../../../src/controllers/my-ingress/routes/urls.ts';

const http = { port: 80, protocol: 'HTTP' } as const;
const high = { port: 8080, protocol: 'HTTP' } as const;
const https = { port: 443, protocol: 'HTTPS' } as const;
const admin = { port: 22, protocol: 'HTTPS' } as const;

describe('a URL', () => {
  it('goes to HTTPS before HTTP, and to the default port before the lowest', () => {
    expect(chooseListener([http, admin])).toBe(admin);
    expect(chooseListener([admin, http, https])).toBe(https);
    expect(chooseListener([high, http])).toBe(http);
    expect(chooseListener([high])).toBe(high);
    expect(chooseListener([])).toBeUndefined();
  });

  it('has the port where it is not the default one', () => {
    const origins = [http, high, https, admin].map((listener) => formatOrigin(listener, 'a.b'));
    expect(origins).toEqual(['http://a.b', 'http://a.b:8080', 'https://a.b', 'https://a.b:22']);
    expect(formatOrigin({ port: 443, protocol: 'HTTP' }, 'a.b')).toBe('http://a.b:443');
  });

  it('has the first host that is no pattern, in lower case', () => {
    const rules = [
      { paths: ['/a'] },
      { hosts: ['*.b.c', 'x?.b.c'] },
      { hosts: ['Shop.b.c', 'd.e'] },
    ];
    expect(findExactHost(rules)).toBe('shop.b.c');
    expect(findExactHost(rules.slice(0, 2))).toBeUndefined();
  });

  it('has the first path, up to a wildcard', () => {
    const paths = ['/cart', '/cart/*', '/v?/x', '*', '/*'].map((path) => [path, '/other']);
    const found = paths.map((list) => findPath({ paths: list }));
    expect(found).toEqual(['/cart', '/cart/', '/v', '/', '/']);
    expect(findPath({})).toBe('/');
  });
});
