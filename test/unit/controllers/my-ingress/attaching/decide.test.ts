import { describe, expect, it } from 'vitest';
import {
  type AttachingObject,
  getSource,
} from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { digestClaim } from '../../../../../src/controllers/my-ingress/attaching/claims.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type {
  Decision,
  Holders,
} from '../../../../../src/controllers/my-ingress/attaching/decision.ts';
import { recallHolders } from '../../../../../src/controllers/my-ingress/attaching/holders.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { draftApp, PLAIN } from './app.ts';

const NOBODY: Holders = new Map();

function decide(
  objects: readonly AttachingObject[],
  { spec = PLAIN, held = NOBODY }: { spec?: TrafficSpec; held?: Holders } = {},
): Decision {
  return decideAttachments(spec, objects, { held });
}

function accepted({ rules }: Decision): readonly string[] {
  return rules.map(({ source }) => source);
}

function refused({ refusals }: Decision): readonly string[] {
  return refusals.map(({ source, reason, takenBy }) =>
    [getSource(source), reason, takenBy].filter((part) => part !== undefined).join(' '),
  );
}

const OLD = '2025-01-01T00:00:00Z';
const HOSTS = { hosts: ['shop.example.com'] };

describe('a host and path', () => {
  it('goes to the older object, then to the first name, in whatever order they are read', () => {
    const older = draftApp('z', { ...HOSTS, createdAt: OLD });
    const [a, b] = [draftApp('a', HOSTS), draftApp('b', HOSTS)];
    for (const objects of [
      [a, b, older],
      [older, b, a],
    ]) {
      const decision = decide(objects);
      expect(accepted(decision)).toEqual(['WebApp/web/z']);
      expect(refused(decision)).toEqual([
        'WebApp/web/a HostAndPathTaken WebApp/web/z',
        'WebApp/web/b HostAndPathTaken WebApp/web/z',
      ]);
    }
    expect(accepted(decide([b, a]))).toEqual(['WebApp/web/a']);
  });

  it('stays with who holds it when an older object asks for it', () => {
    const holder = draftApp('z', HOSTS);
    const { holders } = decide([holder]);
    const thief = draftApp('a', { ...HOSTS, createdAt: OLD, namespace: 'other' });
    const decision = decide([thief, holder], { held: holders });
    expect(accepted(decision)).toEqual(['WebApp/web/z']);
    expect(accepted(decide([thief, holder], { held: decision.holders }))).toEqual(['WebApp/web/z']);
  });

  it('stays with its holder also while the holder asks for one that is taken', () => {
    const first = draftApp('first', { createdAt: OLD });
    const holder = draftApp('z', HOSTS);
    const { holders } = decide([first, holder]);
    const edited = draftApp('z', { hosts: ['shop.example.com', 'first.example.com'] });
    const thief = draftApp('a', { ...HOSTS, createdAt: OLD });
    const decision = decide([first, edited, thief], { held: holders });
    expect(accepted(decision)).toEqual(['WebApp/web/first']);
    expect(accepted(decide([first, holder, thief], { held: decision.holders }))).toEqual([
      'WebApp/web/first',
      'WebApp/web/z',
    ]);
  });

  it('is free once its holder no longer asks for it', () => {
    const { holders } = decide([draftApp('z', HOSTS)]);
    const other = draftApp('a', HOSTS);
    expect(accepted(decide([draftApp('z'), other], { held: holders }))).toContain('WebApp/web/a');
    expect(accepted(decide([other], { held: holders }))).toEqual(['WebApp/web/a']);
  });

  it('is compared as AWS does: hosts without regard to case, no path as every path', () => {
    const plain = draftApp('a', HOSTS);
    for (const draft of [{ hosts: ['Shop.Example.com'] }, { ...HOSTS, paths: ['/*'] }]) {
      expect(refused(decide([plain, draftApp('b', draft)]))).toHaveLength(1);
    }
    expect(refused(decide([plain, draftApp('b', { ...HOSTS, paths: ['/cart'] })]))).toEqual([]);
    const [all, every] = [draftApp('a', { paths: ['*'] }), draftApp('a', { paths: ['/*'] })];
    expect(refused(decide([all, { ...every, namespace: 'other' }]))).toHaveLength(1);
  });

  it.each([
    { one: ['*.a.example.com', '/*'], same: ['**.a.example.com', '/*'] },
    { one: ['*.a.example.com', '/*'], same: ['?*.a.example.com', '/*'] },
    { one: ['shop.example.com', '/*'], same: ['shop.example.com', '/**'] },
    { one: ['shop.example.com', '/*'], same: ['shop.example.com', '*/*'] },
    { one: ['shop.example.com', '/*'], same: ['shop.example.com', '?*'] },
    { one: ['*?.example.com', '/a/*'], same: ['?*.example.com', '/a/***'] },
  ] as const)('$one is no other one as $same, which matches the same', ({ one, same }) => {
    const holder = draftApp('z', { hosts: [one[0]], paths: [one[1]], createdAt: OLD });
    const thief = draftApp('a', { hosts: [same[0]], paths: [same[1]] });
    expect(accepted(decide([thief, holder]))).toEqual(['WebApp/web/z']);
  });

  it('is taken by a rule of the spec, unless that asks for more than host and path', () => {
    const rule = { name: 'own', ...HOSTS, fixedResponse: { statusCode: 418 } };
    const app = draftApp('a', HOSTS);
    const taken = decide([app], { spec: { ...PLAIN, rules: [rule] } });
    expect(refused(taken)).toEqual(['WebApp/web/a HostAndPathTaken spec']);
    const posts = { ...rule, methods: ['POST'] };
    expect(refused(decide([app], { spec: { ...PLAIN, rules: [posts] } }))).toEqual([]);
  });

  it.each([
    { methods: ['POST'] },
    { headers: [{ name: 'x', values: ['y'] }] },
    { queryStrings: [{ value: 'y' }] },
    { sourceCIDRs: ['10.0.0.0/8'] },
  ])('is left to others by a rule of the spec that asks for %s too', (condition) => {
    const rule = { name: 'own', ...HOSTS, ...condition, fixedResponse: { statusCode: 418 } };
    expect(refused(decide([draftApp('a', HOSTS)], { spec: { ...PLAIN, rules: [rule] } }))).toEqual(
      [],
    );
  });

  it('of a rule without hosts is the path of every host', () => {
    const rule = { name: 'own', paths: ['/cart'], fixedResponse: { statusCode: 418 } };
    const app = draftApp('a');
    const rules = app.rules.map(({ hosts: _none, ...one }) => ({ ...one, paths: ['/cart'] }));
    const taken = decide([{ ...app, rules }], { spec: { ...PLAIN, rules: [rule] } });
    expect(refused(taken)).toEqual(['WebApp/web/a HostAndPathTaken spec']);
  });

  it('on another port is another one', () => {
    const spec = { listeners: [80, 81].map((port) => ({ port, protocol: 'HTTP' as const })) };
    const apps = [80, 81].map((port) => draftApp(`on-${port}`, { ...HOSTS, listeners: [port] }));
    expect(refused(decide(apps, { spec }))).toEqual([]);
  });
});

describe('the order of evaluation', () => {
  it('has the narrower match first, of whichever owner, and does not depend on age', () => {
    const apps = [
      draftApp('any', { hosts: ['*.example.com'], createdAt: OLD }),
      draftApp('wide', { hosts: ['*.shop.example.com'] }),
      draftApp('below', { ...HOSTS, paths: ['/cart/*'] }),
      draftApp('exact', { ...HOSTS, paths: ['/cart/pay'] }),
      draftApp('whole', HOSTS),
    ];
    const order = ['exact', 'below', 'whole', 'wide', 'any'].map((name) => `WebApp/web/${name}`);
    expect(accepted(decide(apps))).toEqual(order);
    expect(accepted(decide(apps.toReversed()))).toEqual(order);
  });

  it.each([
    ['*.shop.example.com', '??????*.example.com'],
    ['??*.example.com', '*.example.com'],
    ['sho?.example.com', 'sho?*.example.com'],
    ['*p.example.com', '*p*.example.com'],
  ])('is not turned round by wildcards: %s before %s', (narrow, wide) => {
    const apps = [draftApp('a', { hosts: [wide] }), draftApp('z', { hosts: [narrow] })];
    expect(accepted(decide(apps))).toEqual(['WebApp/web/z', 'WebApp/web/a']);
  });

  it('is so with paths too, and counts wildcards in a row as one', () => {
    const paths = ['/**********', '/?*?*', '/?????*', '/shop/*'];
    const apps = paths.map((path, index) => draftApp(`a${index}`, { ...HOSTS, paths: [path] }));
    const { rules } = decide(apps);
    expect(rules.map(({ rule }) => rule.paths?.[0])).toEqual(paths.toReversed());
  });

  it('splits a rule of several widths, so that no part of it waits behind a wider one of another object', () => {
    const mixed = draftApp('a', { ...HOSTS, paths: ['/x/y/*', '/*', '/z'] });
    const between = draftApp('b', { ...HOSTS, paths: ['/x/*'] });
    const { rules } = decide([between, mixed]);
    expect(rules.map(({ rule }) => rule.paths)).toEqual([['/z'], ['/x/y/*'], ['/x/*'], ['/*']]);
    expect(new Set(rules.map(({ source, rule }) => `${source} ${rule.name}`)).size).toBe(4);
  });
});

describe('rules of the same width', () => {
  it('are in the order of their objects, whatever their age', () => {
    const apps = [draftApp('z', { createdAt: OLD }), draftApp('a')];
    expect(accepted(decide(apps))).toEqual(['WebApp/web/a', 'WebApp/web/z']);
  });

  it('are compared as AWS does, without regard to case', () => {
    const apps = [
      draftApp('a', { hosts: ['*.b.example.com'] }),
      draftApp('z', { hosts: ['*.A.example.com'] }),
      draftApp('b', { hosts: ['*.C.example.com'] }),
    ];
    expect(accepted(decide(apps))).toEqual(['WebApp/web/z', 'WebApp/web/a', 'WebApp/web/b']);
  });

  it('a question mark makes a pattern', () => {
    const apps = [
      draftApp('a', { hosts: ['sho?.example.com'] }),
      draftApp('z', { hosts: ['shop.example.com'] }),
    ];
    expect(accepted(decide(apps))).toEqual(['WebApp/web/z', 'WebApp/web/a']);
  });
});

describe('what status records', () => {
  it('gives a host and path that two have on record to the older one', () => {
    const [older, other] = [draftApp('z', { ...HOSTS, createdAt: OLD }), draftApp('a', HOSTS)];
    const claim = digestClaim('80 shop.example.com /*');
    const recorded = new Map([older, other].map((one) => [getSource(one), [claim]]));
    const held = recallHolders({ now: [80], before: [] }, [other, older], recorded);
    expect([...held.values()]).toEqual(['WebApp/web/z']);
  });
});

describe('the quota of rules', () => {
  const many = Array.from({ length: 120 }, (_, index) =>
    draftApp(`app-${String(index).padStart(3, '0')}`),
  );

  it('counts those of the spec first, and names who is beyond it', () => {
    const spec = {
      ...PLAIN,
      rules: [{ name: 'own', paths: ['/own'], fixedResponse: { statusCode: 200 } }],
    };
    const decision = decide(many, { spec });
    expect(decision.rules).toHaveLength(99);
    expect(refused(decision)).toHaveLength(21);
    expect(refused(decision)[0]).toBe('WebApp/web/app-099 RuleQuotaReached');
  });

  it('counts a rule on each of its listeners', () => {
    const spec = { listeners: [80, 81].map((port) => ({ port, protocol: 'HTTP' as const })) };
    expect(new Set(accepted(decide(many, { spec }))).size).toBe(50);
  });

  it('counts a rule with more values than one of AWS takes as several', () => {
    const hosts = Array.from({ length: 5 }, (_, index) => `h${index}.example.com`);
    const wide = many.map(({ name }) =>
      draftApp(name, { hosts, paths: [`/${name}`, `/x-${name}`] }),
    );
    expect(decide(wide).rules.length).toBeLessThan(100);
  });

  it('passes over a rule for which too little is left, and serves a cheaper one', () => {
    const single = draftApp('first', { createdAt: OLD });
    const double = many.map(({ name }) => {
      const hosts = ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.${name}.example.com`);
      return draftApp(name, { hosts, paths: ['/x'] });
    });
    const last = draftApp('last', { createdAt: '2026-02-01T00:00:00Z' });
    const decision = decide([single, ...double, last]);
    expect(accepted(decision)).toHaveLength(51);
    expect(accepted(decision)).toContain('WebApp/web/last');
  });

  it('is left to who has rules already', () => {
    const { holders } = decide(many.slice(0, 100));
    const older = draftApp('older', { createdAt: OLD });
    const decision = decide([older, ...many.slice(0, 100)], { held: holders });
    expect(refused(decision)).toEqual(['WebApp/web/older RuleQuotaReached']);
  });

  it('is left to all rules of each of them before the first one of a newcomer', () => {
    const served = many.slice(0, 50).map(({ name }) => draftApp(name, { paths: ['/', '/x/*'] }));
    const { holders } = decide(served);
    const decision = decide([draftApp('older', { createdAt: OLD }), ...served], { held: holders });
    expect(refused(decision)).toEqual(['WebApp/web/older RuleQuotaReached']);
  });

  it('is left to them also where one of them asks for more by an edit of its rule', () => {
    const [first, ...others] = many.slice(0, 100);
    const { holders } = decide([first ?? draftApp('first'), ...others]);
    const hosts = ['app-000', 'a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example.com`);
    const grown = draftApp('app-000', { hosts, createdAt: OLD });
    const decision = decide([grown, ...others], { held: holders });
    expect(refused(decision)).toEqual(['WebApp/web/app-000 RuleQuotaReached']);
  });

  it('has the first rule of a newcomer before a further one of who has rules already', () => {
    const served = many.slice(0, 99);
    const { holders } = decide(served);
    const greedy = draftApp('app-000', { paths: ['/*', '/x/*'], createdAt: OLD });
    const newcomer = draftApp('new', { createdAt: '2026-02-01T00:00:00Z' });
    const decision = decide([greedy, newcomer, ...served.slice(1)], { held: holders });
    expect(refused(decision)).toEqual(['WebApp/web/app-000 RuleQuotaReached']);
    expect(accepted(decision)).toContain('WebApp/web/new');
  });

  it('stays with them however often it is decided', () => {
    const served = many.slice(0, 100);
    const older = draftApp('older', { createdAt: OLD });
    let { holders } = decide(served);
    for (const _round of [1, 2, 3]) {
      const decision = decide([older, ...served], { held: holders });
      expect(refused(decision)).toEqual(['WebApp/web/older RuleQuotaReached']);
      holders = decision.holders;
    }
  });

  it('is shared in turns, one rule a round', () => {
    const paths = Array.from({ length: 99 }, (_, index) => `/p${index}/*`);
    const greedy = draftApp('greedy', { paths, createdAt: OLD });
    const modest = draftApp('modest', { paths: ['/a/*', '/b/*', '/c/*'] });
    const { rules } = decide([greedy, modest]);
    const count = (source: string): number => rules.filter((rule) => rule.source === source).length;
    expect([count('WebApp/web/greedy'), count('WebApp/web/modest')]).toEqual([97, 3]);
  });
});

it('says that no listener takes the rule', () => {
  const redirects = {
    listeners: [{ port: 80, protocol: 'HTTP' as const, redirectToHTTPS: true }],
  };
  for (const spec of [{}, redirects]) {
    expect(refused(decide([draftApp('a')], { spec }))).toEqual(['WebApp/web/a NoListener']);
  }
  const elsewhere = draftApp('a', { listeners: [443] });
  expect(refused(decide([elsewhere]))).toEqual(['WebApp/web/a NoListener']);
});

it('gives a target group to each object that has a rule, in its own namespace', () => {
  const apps = [draftApp('b', { namespace: 'team-b' }), draftApp('a', HOSTS), draftApp('c', HOSTS)];
  const { backends } = decide(apps);
  expect(backends.map(({ source, namespace }) => [source, namespace])).toEqual([
    ['WebApp/team-b/b', 'team-b'],
    ['WebApp/web/a', 'web'],
  ]);
});
