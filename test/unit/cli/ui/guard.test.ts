import { describe, expect, it } from 'vitest';
import { type Asked, admit, createToken } from '../../../../src/cli/ui/guard.ts';

const own = { port: 8080, token: '0123456789abcdef0123456789abcdef' };
const asked: Asked = { method: 'GET', host: '127.0.0.1:8080', url: `/${own.token}/a/b?q=1` };

describe('who may read the page', () => {
  it('is who has the token, under the name of this machine', () => {
    const admission = admit(asked, own);
    expect(admission).toMatchObject({ kind: 'admitted', path: '/a/b' });
    expect(admit({ ...asked, host: 'localhost:8080' }, own).kind).toBe('admitted');
  });

  it.each<readonly [string, Partial<Asked>, number]>([
    ['no token', { url: '/' }, 403],
    ['a wrong token', { url: `/${'0'.repeat(32)}/` }, 403],
    ['a part of the token', { url: `/${own.token.slice(0, 31)}/` }, 403],
    ['the token somewhere else', { url: `/x/${own.token}/?token=${own.token}` }, 403],
    ['a name that others have pointed here', { host: 'evil.example:8080' }, 403],
    ['another port', { host: '127.0.0.1:80' }, 403],
    ['no host', { host: undefined }, 403],
    ['a write', { method: 'POST' }, 405],
    ['a method for the headers alone', { method: 'HEAD' }, 405],
    ['a whole URL', { url: `http://evil.example/${own.token}/` }, 400],
    ['another host in the path', { url: `//evil.example/${own.token}/` }, 403],
  ])('is no caller with %s', (_, change, status) => {
    expect(admit({ ...asked, ...change }, own)).toMatchObject({ kind: 'refused', status });
  });

  it('leaves out the port of HTTP, as browsers do, and no other one', () => {
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.1:80']) {
      expect(admit({ ...asked, host }, { ...own, port: 80 }).kind).toBe('admitted');
      expect(admit({ ...asked, host }, own).kind).toBe('refused');
    }
    expect(admit({ ...asked, host: 'evil.example' }, { ...own, port: 80 }).kind).toBe('refused');
  });

  it('cannot guess the token: it has 128 bits, and is another one each time', () => {
    const tokens = Array.from({ length: 100 }, createToken);
    expect(new Set(tokens).size).toBe(100);
    expect(tokens.every((token) => /^[0-9a-f]{32}$/.test(token))).toBe(true);
  });
});
