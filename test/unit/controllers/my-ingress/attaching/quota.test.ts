import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttachingObject } from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type {
  Decision,
  Holders,
} from '../../../../../src/controllers/my-ingress/attaching/decision.ts';
import type { Joined } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import {
  type Hold,
  shareQuota,
} from '../../../../../src/controllers/my-ingress/attaching/turns.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { certificateArn } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { draftApp } from './app.ts';

/** Two ports, and as many rules of the spec. */
function draftSpec(rules: number): TrafficSpec {
  return {
    listeners: [80, 443].map((port) => ({ port, protocol: 'HTTP' as const })),
    rules: Array.from({ length: rules }, (_, index) => ({
      ...{ name: `own-${index}`, hosts: [`own-${index}.example.com`], listeners: [80] },
      fixedResponse: { statusCode: 200 },
    })),
  };
}

function listServed({ rules }: Decision): readonly string[] {
  return rules.map(({ source, rule }) => [source, rule.paths, rule.listeners].join(' '));
}

/** With more hosts it counts as two rules of AWS. */
function listHosts(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}.example.com`);
}

const turns = fc.record({
  ...{ source: fc.constantFrom('a', 'b', 'c'), name: fc.constantFrom('x', 'y') },
  cost: fc.integer({ min: 1, max: 3 }),
  hold: fc.constantFrom<Hold>('all', 'some', 'elsewhere', 'none'),
});

describe('what is served of a quota that is used up', () => {
  it('stays when the same is decided again', () => {
    fc.assert(
      fc.property(fc.array(turns, { maxLength: 8 }), fc.nat({ max: 12 }), (drafted, left) => {
        const candidates = drafted.map(({ name, ...others }) => ({ ...others, rule: { name } }));
        const served = shareQuota(candidates, { left, getHold: ({ hold }) => hold });
        const again = shareQuota(candidates, {
          left,
          getHold: (one) => (served.has(one) ? 'all' : one.hold),
        });
        expect(again).toEqual(served);
      }),
      { seed: 1, numRuns: 5000 },
    );
  });

  it('gets no new rule while one that is held does not fit', () => {
    const [modest, edited] = [['/b/*'], ['/a', '/b/*']].map((paths) =>
      draftApp('p', { paths }),
    ) as [AttachingObject, AttachingObject];
    const hosts = listHosts('u', 5);
    const costly = draftApp('u', {
      ...{ hosts, paths: ['/x'], listeners: [80], createdAt: '2026-01-02T00:00:00Z' },
    });
    const decide = (own: number, app: AttachingObject, held: Holders): Decision =>
      decideAttachments(draftSpec(own), [app, costly], { held });
    const first = decide(96, modest, new Map());
    expect(listServed(first)).toContain('WebApp/web/u /x 80');
    const grown = decide(97, modest, first.holders);
    const served = ['WebApp/web/p /b/* 80', 'WebApp/web/p /b/* 443'];
    expect(listServed(grown)).toEqual(served);
    let { holders } = grown;
    for (const _round of [1, 2, 3]) {
      const decision = decide(97, edited, holders);
      expect(listServed(decision)).toEqual(served);
      ({ holders } = decision);
    }
    expect(listServed(decide(96, edited, holders))).toContain('WebApp/web/u /x 80');
  });

  it('counts a host or path once that a rule names in several ways', () => {
    const ways = {
      hosts: ['*.a.com', '**.a.com', '?*.A.com'],
      paths: ['/x/*', '/x/**', '?x/*', '/b', '?b'],
    };
    const paths = ['/*', '/x/*', '/y/*'];
    const apps = ['b', 'c', 'd'].map((name) => draftApp(name, { paths, listeners: [80] }));
    const draft = { hosts: ['*.a.com'], paths: ['/x/*', '/b'], listeners: [80] };
    const decide = (app: AttachingObject, held: Holders): Decision =>
      decideAttachments(draftSpec(89), [app, ...apps], { held });
    const before = decide(draftApp('a', draft), new Map());
    const after = decide(draftApp('a', { ...draft, ...ways }), before.holders);
    expect(before.rules).toHaveLength(11);
    expect(listServed(after)).toEqual(listServed(before));
    expect(after.refusals).toEqual([]);
  });
});

/** Rules of a port, by what their tags name. */
function listRules(world: World, port: number): readonly string[] {
  const { listeners } = world.aws.control.snapshot();
  const { rules = [] } = listeners.find((one) => one.port === port) ?? {};
  return rules.flatMap(({ tags: { 'albridge.io/resource': id = '' } }) => {
    return id.startsWith('rule/') ? [id.split('/').slice(2).join('/')] : [];
  });
}

it('60 attached applications move to HTTPS, and none is without a rule at any time', async () => {
  const apps = Array.from({ length: 60 }, (_, index) => draftApp(`app${index}`));
  let held: Holders = new Map();
  const world = World.started({
    join: (object): Joined => {
      const attached = decideAttachments(object.spec, apps, { held });
      held = attached.holders;
      return { ...object, spec: { ...object.spec, attached } };
    },
  });
  world.aws.control.setCertificates([certificateArn(1)]);
  await world.applied('shop', { listeners: [{ port: 80, protocol: 'HTTP' }] });
  await world.clock.advance(2 * MINUTE_MS);
  const all = listRules(world, 80);
  expect(all).toHaveLength(60);
  world.edit('shop', {
    listeners: [
      { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
      { port: 443, protocol: 'HTTPS', certificates: [certificateArn(1)] },
    ],
  });
  for (const operation of ['CreateRule', 'DeleteRule']) {
    const forMs = 5 * MINUTE_MS;
    world.fault(operation, { kind: 'delay', delayMs: 100 }, { forMs });
  }
  for (let step = 0; step < 1_000; step += 1) {
    await world.clock.advance(100);
    const there = new Set([...listRules(world, 80), ...listRules(world, 443)]);
    expect(all.filter((one) => !there.has(one))).toEqual([]);
  }
  expect(listRules(world, 80)).toEqual([]);
  expect(listRules(world, 443).toSorted()).toEqual(all.toSorted());
  expect(world.condition('shop')).toBe('True Available');
});

it.each([
  ['', 'c.example.com', 4],
  [', beside a host that it does not get', 'a.example.com', 3],
])(
  'what AWS has refused for its quota%s comes later, and is no change by others',
  async (_beside, host, rules) => {
    const apps = [
      draftApp('a', { listeners: [80] }),
      draftApp('b', { listeners: [81] }),
      draftApp('c', { hosts: [host] }),
    ];
    const world = World.started({
      join: (object): Joined => {
        const attached = decideAttachments(object.spec, apps, { held: new Map() });
        return { ...object, spec: { ...object.spec, attached } };
      },
    });
    world.aws.control.changeSettings({ limits: { 'rules-per-application-load-balancer': 2 } });
    const listeners = [80, 81].map((port) => ({ port, protocol: 'HTTP' as const }));
    await world.applied('shop', { listeners });
    await world.clock.advance(2 * MINUTE_MS);
    expect([...listRules(world, 80), ...listRules(world, 81)]).toHaveLength(2);
    expect(world.condition('shop')).toBe('True Available');
    world.aws.control.changeSettings({ limits: { 'rules-per-application-load-balancer': 100 } });
    await world.clock.advance(10 * MINUTE_MS);
    expect([...listRules(world, 80), ...listRules(world, 81)]).toHaveLength(rules);
    expect(world.events.reasons).not.toContain('DriftRepaired');
  },
);

it('what others have taken from one application is a repair, also while AWS refuses another one', async () => {
  const apps = ['a', 'b', 'c'].map((name) => draftApp(name));
  const world = World.started({
    join: (object): Joined => {
      const attached = decideAttachments(object.spec, apps, { held: new Map() });
      return { ...object, spec: { ...object.spec, attached } };
    },
  });
  world.aws.control.changeSettings({ limits: { 'rules-per-application-load-balancer': 2 } });
  await world.applied('shop', { listeners: [{ port: 80, protocol: 'HTTP' }] });
  await world.clock.advance(2 * MINUTE_MS);
  const [first] = world.aws.control.snapshot().listeners.flatMap(({ rules }) => rules);
  world.outOfBand('ModifyRule', {
    RuleArn: first?.arn,
    Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['others.example.com'] } }],
  });
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.events.reasons).toContain('DriftRepaired');
});
