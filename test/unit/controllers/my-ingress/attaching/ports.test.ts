import { describe, expect, it } from 'vitest';
import {
  type AttachingObject,
  getSource,
} from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { digestClaim } from '../../../../../src/controllers/my-ingress/attaching/claims.ts';
import {
  decideAttachments,
  recallHolders,
} from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type {
  Decision,
  Holders,
} from '../../../../../src/controllers/my-ingress/attaching/decision.ts';
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
    const decision = decideAttachments(listenOn(80, 443), [both, one], NOBODY);
    expect(listServed(decision)).toEqual(['443 WebApp/web/both', '80 WebApp/web/one']);
    expect(listRefused(decision)).toEqual([
      'WebApp/web/both HostAndPathTaken 80 shop.example.com /*',
    ]);
  });

  it('leaves to the spec the one on which the spec has its host and path', () => {
    const rule = { name: 'own', ...HOSTS, listeners: [80], fixedResponse: { statusCode: 200 } };
    const decision = decideAttachments({ ...listenOn(80, 443), rules: [rule] }, [both], NOBODY);
    expect(listServed(decision)).toEqual(['443 WebApp/web/both']);
  });

  it('stays where it is when a listener comes on which another object has its host and path', () => {
    const waiting = draftApp('a', { ...HOSTS, listeners: [8080], createdAt: OLD });
    const before = decideAttachments(listenOn(80), [both, waiting], NOBODY);
    expect(listRefused(before)).toEqual(['WebApp/web/a NoListener']);
    const after = decideAttachments(listenOn(80, 8080), [both, waiting], before.holders);
    expect(listServed(after)).toEqual(['80 WebApp/web/both', '8080 WebApp/web/a']);
  });

  it('keeps after a restart what it held on each, and takes nothing that another one held', () => {
    const spec = listenOn(80, 443);
    const older = { ...both, createdAt: '2024-01-01T00:00:00Z' };
    const { holders } = decideAttachments(spec, [one], NOBODY);
    const decision = decideAttachments(spec, [older, one], holders);
    expect(listServed(decision)).toEqual(['443 WebApp/web/both', '80 WebApp/web/one']);
    const recorded = record(decision.holders);
    const recalled = recallHolders(spec, [older, one], recorded);
    expect(listServed(decideAttachments(spec, [older, one], recalled))).toEqual(
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
    const before = decideAttachments(PLAIN, apps, NOBODY);
    const after = decideAttachments(listenOn(80, 81), apps, before.holders);
    expect(listServed(before)).toHaveLength(100);
    expect(listServed(after)).toEqual(listServed(before));
    expect(listRefused(after)).toHaveLength(100);
    const again = decideAttachments(listenOn(80, 81), apps, after.holders);
    expect(listServed(again)).toEqual(listServed(before));
  });

  it('takes no further rule from an object that has many', () => {
    const paths = Array.from({ length: 60 }, (_, index) => `/p${index}/*`);
    const apps = [draftApp('many', { paths }), ...draftMany(40)];
    const before = decideAttachments(PLAIN, apps, NOBODY);
    const after = decideAttachments(listenOn(80, 81), apps, before.holders);
    expect(listServed(before)).toHaveLength(100);
    expect(listServed(after)).toEqual(listServed(before));
  });

  it('serves first the owner that has no rule yet', () => {
    const apps = draftMany(99);
    const before = decideAttachments(PLAIN, apps, NOBODY);
    const late = draftApp('late', { createdAt: '2026-02-01T00:00:00Z', listeners: [81] });
    const after = decideAttachments(listenOn(80, 81), [...apps, late], before.holders);
    expect(listServed(after)).toContain('81 WebApp/web/late');
    expect(listServed(after)).toHaveLength(100);
  });
});

function record(holders: Holders): ReadonlyMap<string, readonly string[]> {
  const sources = [...new Set(holders.values())];
  const held = (source: string): readonly string[] =>
    [...holders].flatMap(([claim, holder]) => (holder === source ? [digestClaim(claim)] : []));
  return new Map(sources.map((source) => [source, held(source)]));
}
