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
import {
  digestHolds,
  recallHolders,
} from '../../../../../src/controllers/my-ingress/attaching/holders.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { draftApp, PLAIN } from './app.ts';

const OLD = '2025-01-01T00:00:00Z';
const HOSTS = { hosts: ['shop.example.com'] };
const NOBODY: Holders = new Map();

function listenOn(...ports: readonly number[]): TrafficSpec {
  return { listeners: ports.map((port) => ({ port, protocol: 'HTTP' as const })) };
}

/** As `80 WebApp/web/shop`, without regard to order. */
function listServed({ rules }: Decision): readonly string[] {
  const served = rules.flatMap(({ rule, source }) =>
    (rule.listeners ?? []).map((port) => `${port} ${source}`),
  );
  return served.toSorted();
}

function listRefused({ refusals }: Decision): readonly string[] {
  return refusals.map(({ source, reason, claim }) =>
    [getSource(source), reason, claim].filter((part) => part !== undefined).join(' '),
  );
}

describe('a rule on several ports', () => {
  const both = draftApp('both', HOSTS);
  const one = draftApp('one', { ...HOSTS, listeners: [80], createdAt: OLD });

  it('is served on each of them where no other has its host and path', () => {
    const decision = decideAttachments(listenOn(80, 443), [both, one], { held: NOBODY });
    expect(listServed(decision)).toEqual(['443 WebApp/web/both', '80 WebApp/web/one']);
    expect(listRefused(decision)).toEqual([
      'WebApp/web/both HostAndPathTaken 80 shop.example.com /*',
    ]);
  });

  it('leaves to the spec the one on which the spec has its host and path', () => {
    const rule = { name: 'own', ...HOSTS, listeners: [80], fixedResponse: { statusCode: 200 } };
    const decision = decideAttachments({ ...listenOn(80, 443), rules: [rule] }, [both], {
      held: NOBODY,
    });
    expect(listServed(decision)).toEqual(['443 WebApp/web/both']);
  });

  it('stays where it is when a listener comes on which another object has its host and path', () => {
    const other = draftApp('a', { ...HOSTS, listeners: [8080], createdAt: OLD });
    const first = decideAttachments(listenOn(80, 8080), [both, other], { held: NOBODY });
    const without = decideAttachments(listenOn(80), [both, other], { held: first.holders });
    expect(listServed(without)).toEqual(['80 WebApp/web/both']);
    expect(listRefused(without)).toEqual(['WebApp/web/a NoListener']);
    const after = decideAttachments(listenOn(80, 8080), [both, other], { held: without.holders });
    expect(listServed(after)).toEqual(['80 WebApp/web/both', '8080 WebApp/web/a']);
  });

  it('keeps after a restart what it held on each, and takes nothing that another one held', () => {
    const spec = listenOn(80, 443);
    const older = { ...both, createdAt: '2024-01-01T00:00:00Z' };
    const { holders } = decideAttachments(spec, [one], { held: NOBODY });
    const decision = decideAttachments(spec, [older, one], { held: holders });
    expect(listServed(decision)).toEqual(['443 WebApp/web/both', '80 WebApp/web/one']);
    const recorded = record(decision.holders);
    const recalled = recallHolders({ now: [80, 443], before: [] }, [older, one], recorded);
    expect(listServed(decideAttachments(spec, [older, one], { held: recalled }))).toEqual(
      listServed(decision),
    );
  });
});

describe('a listener that is added', () => {
  function draftMany(count: number): readonly AttachingObject[] {
    return Array.from({ length: count }, (_, index) =>
      draftApp(`app-${String(index).padStart(3, '0')}`),
    );
  }

  it('takes no rule from anybody where the quota is used up', () => {
    const apps = draftMany(100);
    const before = decideAttachments(PLAIN, apps, { held: NOBODY });
    const after = decideAttachments(listenOn(80, 81), apps, { held: before.holders });
    expect(listServed(before)).toHaveLength(100);
    expect(listServed(after)).toEqual(listServed(before));
    expect(listRefused(after)).toHaveLength(100);
    const again = decideAttachments(listenOn(80, 81), apps, { held: after.holders });
    expect(listServed(again)).toEqual(listServed(before));
  });

  it('takes no further rule from an object that has many', () => {
    const paths = Array.from({ length: 60 }, (_, index) => `/p${index}/*`);
    const apps = [draftApp('many', { paths }), ...draftMany(40)];
    const before = decideAttachments(PLAIN, apps, { held: NOBODY });
    const after = decideAttachments(listenOn(80, 81), apps, { held: before.holders });
    expect(listServed(before)).toHaveLength(100);
    expect(listServed(after)).toEqual(listServed(before));
  });

  it('serves first the owner that has no rule yet', () => {
    const apps = draftMany(99);
    const before = decideAttachments(PLAIN, apps, { held: NOBODY });
    const late = draftApp('late', { createdAt: '2026-02-01T00:00:00Z', listeners: [81] });
    const after = decideAttachments(listenOn(80, 81), [...apps, late], { held: before.holders });
    expect(listServed(after)).toContain('81 WebApp/web/late');
    expect(listServed(after)).toHaveLength(100);
  });
});

describe('an edit of the listeners', () => {
  const holder = draftApp('z', HOSTS);
  const squatter = draftApp('a', { ...HOSTS, namespace: 'other', createdAt: OLD });
  const both = [squatter, holder];
  const http = { port: 80, protocol: 'HTTP' as const };
  const toHTTPS = {
    listeners: [
      { ...http, redirectToHTTPS: true },
      { ...http, port: 443 },
    ],
  };

  function hold(spec: TrafficSpec): Holders {
    const { holders } = decideAttachments(spec, [holder], { held: NOBODY });
    return decideAttachments(spec, both, { held: holders }).holders;
  }

  it.each([
    ['the port becomes a redirect', toHTTPS, ['443']],
    ['a port is added', listenOn(80, 443), ['443', '80']],
    ['the port becomes another one', listenOn(8080), ['8080']],
  ])('leaves a host and path with its holder where %s', (_what, after, ports) => {
    const decision = decideAttachments(after, both, { held: hold(PLAIN) });
    const served = ports.map((port) => `${port} WebApp/web/z`);
    expect(listServed(decision)).toEqual(served);
    expect(listServed(decideAttachments(after, both, { held: decision.holders }))).toEqual(served);
  });

  it('leaves them also where for a while there is no listener', () => {
    const none = decideAttachments({}, both, { held: hold(PLAIN) });
    expect(listServed(none)).toEqual([]);
    const { holders } = decideAttachments({}, both, { held: none.holders });
    expect(listServed(decideAttachments(PLAIN, both, { held: holders }))).toEqual([
      '80 WebApp/web/z',
    ]);
    expect(listServed(decideAttachments(listenOn(443), both, { held: holders }))).toEqual([
      '443 WebApp/web/z',
    ]);
  });

  it('leaves nothing with who no longer asks for it', () => {
    const { holders } = decideAttachments({}, both, { held: hold(PLAIN) });
    const elsewhere = draftApp('z', { hosts: ['else.example.com'] });
    const { holders: later } = decideAttachments({}, [squatter, elsewhere], { held: holders });
    expect(listServed(decideAttachments(PLAIN, both, { held: later }))).toEqual([
      '80 WebApp/other/a',
    ]);
  });

  it('takes nothing from who holds it on the other port', () => {
    const spec = listenOn(80, 443);
    const [first, second] = [80, 443].map((port) =>
      draftApp(`on-${port}`, { ...HOSTS, listeners: [port] }),
    ) as [AttachingObject, AttachingObject];
    const { holders } = decideAttachments(spec, [first, second], { held: NOBODY });
    const grown = draftApp('on-443', { ...HOSTS, createdAt: OLD });
    const decision = decideAttachments(spec, [first, grown], { held: holders });
    expect(listServed(decision)).toEqual(['443 WebApp/web/on-443', '80 WebApp/web/on-80']);
  });

  it('leaves them after a restart that has not seen the edit', () => {
    const recorded = record(hold(PLAIN));
    const held = recallHolders({ now: [443], before: [80] }, both, recorded);
    expect(listServed(decideAttachments(listenOn(443), both, { held }))).toEqual([
      '443 WebApp/web/z',
    ]);
  });

  it('leaves them after a restart that has not seen the port either, which is on record as none', () => {
    const held = hold(PLAIN);
    const ports = [[80], []] as const;
    const [before, after] = ports.map((now) => digestHolds([...held.keys()], now));
    expect(after).not.toEqual(before);
    const recorded = new Map([[getSource(holder), after ?? []]]);
    const recalled = recallHolders({ now: [], before: [] }, both, recorded);
    const { holders } = decideAttachments({}, both, { held: recalled });
    expect(digestHolds([...holders.keys()], [])).toEqual(after);
    expect(listServed(decideAttachments(listenOn(443), both, { held: holders }))).toEqual([
      '443 WebApp/web/z',
    ]);
  });

  it('leaves nothing with who no longer asks for it on a port that is still there', () => {
    const moved = draftApp('a', { ...HOSTS, listeners: [443], createdAt: OLD });
    const recorded = new Map(
      [moved, holder].map((one) => [getSource(one), [digestClaim('80 shop.example.com /*')]]),
    );
    const held = recallHolders({ now: [80], before: [80] }, [moved, holder], recorded);
    expect([...held.values()]).toEqual(['WebApp/web/z']);
  });

  it('leaves the quota with those that had it on the port that left', () => {
    const served = Array.from({ length: 50 }, (_, index) =>
      draftApp(`app-${index}`, { paths: ['/', '/x/*'] }),
    );
    const apps = [...served, draftApp('new', { createdAt: OLD })];
    const { holders } = decideAttachments(PLAIN, served, { held: NOBODY });
    const before = decideAttachments(PLAIN, apps, { held: holders });
    const after = decideAttachments(listenOn(443), apps, { held: before.holders });
    for (const decision of [before, after]) {
      expect(listRefused(decision)).toEqual(['WebApp/web/new RuleQuotaReached']);
    }
  });
});

function record(holders: Holders): ReadonlyMap<string, readonly string[]> {
  const sources = [...new Set(holders.values())];
  const held = (source: string): readonly string[] =>
    [...holders].flatMap(([claim, holder]) => (holder === source ? [digestClaim(claim)] : []));
  return new Map(sources.map((source) => [source, held(source)]));
}
