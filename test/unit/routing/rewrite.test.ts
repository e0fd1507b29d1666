import { describe, expect, it } from 'vitest';
import { rewriteRequest } from '../../../src/routing/rewrite.ts';
import type { Request, Rewrite, Substitution } from '../../../src/routing/rule.ts';
import { request } from './request.ts';

/** Without a pattern of somebody else's, the engine of JavaScript will do. */
const by = (pattern: RegExp, replacement: string): Substitution => ({
  apply: (text) => text.replace(pattern, replacement),
});

type Case = readonly [rewrite: Rewrite, sent: Partial<Request>, gets: object | undefined];

const cases: Readonly<Record<string, Case>> = {
  'a host without its port': [
    { host: by(/^(.+)[.]old[.]com$/, '$1.new.com') },
    { host: 'shop.old.com:8080' },
    { host: 'shop.new.com' },
  ],
  'path and query together': [
    { url: by(/^\/dp\/(\w+)[?]a=(\d)$/, '/product?id=$1&b=$2') },
    { path: '/dp/B09', query: 'a=1' },
    { url: '/product?id=B09&b=1' },
  ],
  both: [
    { host: by(/^.*$/, 'a.b'), url: by(/^\/api/, '') },
    { path: '/api/v1' },
    { host: 'a.b', url: '/v1' },
  ],
  'nothing where nothing matches': [
    { host: by(/^x$/, 'y'), url: by(/^\/x$/, '/y') },
    { path: '/a', query: 'b' },
    {},
  ],
  'no URL without its slash': [{ url: by(/^\/api\//, '') }, { path: '/api/v1' }, undefined],
  'no empty host': [{ host: by(/^.*$/, '') }, {}, undefined],
  'no host with a path': [{ host: by(/^.*$/, 'a/b') }, {}, undefined],
};

describe('the transforms of a rule give', () => {
  it.each(Object.entries(cases))('%s', (_name, [rewrite, sent, gets]) => {
    expect(rewriteRequest(rewrite, request(sent))).toEqual(gets);
  });
});
