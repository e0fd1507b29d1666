import { describe, expect, it } from 'vitest';
import { type Typed, tryRequest } from '../../../../src/cli/ui/try-request.ts';
import { readRoutes } from '../../../../src/controllers/my-ingress/routes/read-routes.ts';
import { createIngress } from './shop.ts';

const typed: Typed = {
  ...{ port: 443, method: 'GET', host: 'shop.example.com', path: '/a?b=1' },
  ...{ headers: '', from: '' },
};

function attempt(change: Partial<Typed>): ReturnType<typeof tryRequest> {
  return tryRequest(readRoutes(createIngress().spec), { ...typed, ...change });
}

describe('the request tester', () => {
  it('names the first rule that matches, and why each before it does not', () => {
    expect(attempt({})).toEqual({
      winner: 'web',
      action: 'forwards to backend stable (weight 90, 90 %), backend canary (weight 10, 10 %)',
      passedOver: [
        { rule: 'old', because: 'path-pattern /old' },
        { rule: 'team', because: 'http-header X-Team ~ ^blue' },
      ],
      remarks: [
        'team has a regular expression, which is not evaluated here: where it matches, team wins',
      ],
    });
  });

  it.each<Partial<Typed> & { readonly what: string; readonly ends: readonly string[] }>([
    {
      ...{ what: 'a redirect', path: '/old?x=1' },
      ends: ['old', 'redirects with 301 to https://shop.example.com:443/new?x=1'],
    },
    {
      ...{ what: 'the default action', host: 'other.example.com' },
      ends: ['default of 443', 'answers 404'],
    },
    { what: 'another method', method: 'POST', ends: ['default of 443', 'answers 404'] },
    {
      ...{ what: 'the redirect to HTTPS', port: 80 },
      ends: ['default of 80', 'redirects with 301 to https://shop.example.com:443/a?b=1'],
    },
  ])('describes $what', ({ ends: [winner, action], ...change }) => {
    expect(attempt(change)).toMatchObject({ winner, action });
  });

  it('reads headers and the address of the client', () => {
    const rules = [
      {
        name: 'beta',
        headers: [{ name: 'X-Beta', values: ['1*'] }],
        forward: [{ backend: 'canary', weight: 1 }],
      },
      { name: 'office', sourceCIDRs: ['10.0.0.0/8'], forward: [{ backend: 'canary', weight: 1 }] },
    ];
    const routes = readRoutes(createIngress('web', { rules }).spec);
    const winner = (change: Partial<Typed>): string | undefined =>
      tryRequest(routes, { ...typed, ...change })?.winner;
    expect(winner({ headers: 'x-other: 2\n x-beta :  17 ' })).toBe('beta');
    expect(winner({ from: '10.1.2.3' })).toBe('office');
    expect(winner({ from: 'nonsense', headers: 'nonsense' })).toBe('default of 443');
  });

  it.each(['', 'nonsense'])(
    'says which clients get another answer, without an address: "%s"',
    (from) => {
      const forward = [{ backend: 'canary', weight: 1 }];
      const sourceCIDRs = ['10.0.0.0/8', '2001:db8::/32'];
      const headers = [{ name: 'X-Team', regex: '^blue' }];
      const rules = [
        { name: 'office', paths: ['/a'], sourceCIDRs, forward },
        { name: 'elsewhere', hosts: ['other.example.com'], sourceCIDRs, forward },
        { name: 'team', headers, sourceCIDRs: ['10.0.0.0/8'], forward },
      ];
      const routes = readRoutes(createIngress('web', { rules }).spec);
      const { winner, passedOver, remarks } = tryRequest(routes, { ...typed, from }) ?? {};
      expect(winner).toBe('default of 443');
      expect(passedOver).toContainEqual({
        rule: 'elsewhere',
        because: 'host-header other.example.com',
      });
      expect(remarks).toEqual([
        'office is for clients of 10.0.0.0/8 or 2001:db8::/32, and no address is typed: for them office wins',
        'team is for clients of 10.0.0.0/8, and no address is typed: for them team wins where its regular expression matches, which is not evaluated here',
      ]);
      expect(tryRequest(routes, { ...typed, from: '192.0.2.1' })?.remarks).toEqual([]);
    },
  );

  it('names a condition that certainly fails before a regular expression, and weights of 0', () => {
    const forward = ['stable', 'canary'].map((backend) => ({ backend, weight: 0 }));
    const headers = [
      { name: 'X-Team', regex: '^blue' },
      { name: 'X-Beta', values: ['1'] },
    ];
    const rules = [
      { name: 'team', headers, forward },
      { name: 'none', forward, paths: ['/*'] },
    ];
    expect(tryRequest(readRoutes(createIngress('web', { rules }).spec), typed)).toEqual({
      winner: 'none',
      action: 'forwards to backend stable (weight 0, 0 %), backend canary (weight 0, 0 %)',
      passedOver: [{ rule: 'team', because: 'http-header X-Beta 1' }],
      remarks: [],
    });
  });

  it('knows a port on which nothing listens', () => {
    expect(attempt({ port: 8443 })).toBeUndefined();
  });
});
