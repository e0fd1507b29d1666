import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import {
  cutsOf,
  play,
  type Story,
  staleFor,
} from '../../unit/controllers/my-ingress/crash-play.ts';
import {
  api,
  listIds,
  SHOP as PLAIN,
  web,
} from '../../unit/controllers/my-ingress/traffic/specs.ts';
import { MINUTE_MS, SCAN_MS, type World } from '../../unit/controllers/my-ingress/world.ts';

const SHOP: Partial<MyIngressSpec> = { ...PLAIN, tags: { team: 'web' } };
const EDITED: Partial<MyIngressSpec> = {
  backends: [web, { ...api, attributes: { 'deregistration_delay.timeout_seconds': '30' } }],
  rules: [
    { name: 'tea', paths: ['/tea'], fixedResponse: { statusCode: 418 } },
    { name: 'api', paths: ['/v2/*'], forward: [{ backend: 'web' }] },
  ],
  inbound: { cidrs: ['10.0.0.0/8'] },
  tags: { team: 'ops' },
};

function endsAs(world: World, rules: readonly string[]): void {
  expect(world.condition('shop')).toBe('True Available');
  expect(listIds(world)).toEqual([
    'listener/80',
    ...rules.map((name) => `rule/80/spec/${name}/0`),
    'security-group/frontend',
    'target-group/spec/api',
    'target-group/spec/web',
  ]);
}

const stories: Readonly<Record<string, Story>> = {
  create: {
    before: async () => {},
    act: (world) => void world.apply('shop', SHOP),
    ends: (world) => endsAs(world, ['api']),
  },
  'create with given security groups': {
    before: async () => {},
    act: (world) => void world.apply('shop', { ...SHOP, securityGroups: ['sg-web'] }),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(listIds(world)).toHaveLength(4);
    },
  },
  edit: {
    before: (world) => world.applied('shop', SHOP),
    act: (world) => world.edit('shop', EDITED),
    ends: (world) => endsAs(world, ['api', 'tea']),
  },
  'replace a target group': {
    before: (world) => world.applied('shop', SHOP),
    act: (world) => world.edit('shop', { backends: [web, { ...api, protocol: 'HTTPS' }] }),
    ends: (world) => endsAs(world, ['api']),
  },
  'take over a listener': {
    before: async (world) => {
      await world.applied('shop');
      const { arn } = world.balancer();
      const answer = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '418' } };
      world.outOfBand('CreateListener', {
        ...{ LoadBalancerArn: arn, Port: 80, Protocol: 'HTTP', DefaultActions: [answer] },
        Tags: [
          { Key: 'albridge.io/cluster', Value: 'cluster-1' },
          { Key: 'albridge.io/adopt', Value: 'web/shop' },
        ],
      });
    },
    act: (world) => world.edit('shop', SHOP),
    ends: (world) => endsAs(world, ['api']),
  },
  'take traffic away': {
    before: (world) => world.applied('shop', SHOP),
    act: (world) => world.unset('shop', 'backends', 'rules', 'defaultAction'),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(listIds(world)).toEqual([]);
      expect(world.object('shop').status).not.toHaveProperty('owned');
    },
  },
  delete: {
    before: (world) => world.applied('shop', SHOP),
    act: (world) => world.delete('shop'),
    ends: (world) => {
      expect(world.exists('shop')).toBe(false);
      expect([world.balancers, world.beside]).toEqual([[], []]);
    },
  },
  retain: {
    before: (world) => world.applied('shop', { ...SHOP, deletionPolicy: 'Retain' }),
    act: (world) => world.delete('shop'),
    ends: (world) => {
      expect(world.exists('shop')).toBe(false);
      expect(world.beside).toEqual([]);
      expect(world.balancers).toHaveLength(1);
    },
  },
};

function expectEnd({ ends }: Story, world: World, after: string): void {
  try {
    ends(world);
  } catch (error) {
    throw new Error(`${after}: ${(error as Error).message}`, { cause: error });
  }
}

describe('a process that dies at any of its operations', () => {
  for (const [name, story] of Object.entries(stories)) {
    it(`leaves the next one to finish: ${name}`, async () => {
      const cuts = await cutsOf(story);
      expect(cuts.length).toBeGreaterThan(9);
      for (const cut of cuts) {
        const world = await play(story, cut);
        expect(world.incarnation.isOver, JSON.stringify(cut)).toBe(true);
        world.start();
        await world.clock.advance(12 * MINUTE_MS);
        expectEnd(story, world, JSON.stringify(cut));
        expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
      }
    });

    it(`leaves the next one to finish although reads are stale: ${name}`, async () => {
      for (const cut of await cutsOf(story)) {
        const world = await play(story, cut, staleFor(5 * MINUTE_MS));
        world.start();
        await world.clock.advance(20 * MINUTE_MS);
        expectEnd(story, world, JSON.stringify(cut));
      }
    });

    it(`leaves nothing where the object is deleted at that moment: ${name}`, async () => {
      for (const cut of await cutsOf(story)) {
        const world = await play(story, cut, staleFor(MINUTE_MS));
        if (world.exists('shop')) world.delete('shop');
        world.start();
        await world.clock.advance(10 * MINUTE_MS);
        expect(world.exists('shop'), JSON.stringify(cut)).toBe(false);
        expect(world.beside, JSON.stringify(cut)).toEqual([]);
      }
    });
  }
});

describe('an operator that lives on', () => {
  const losses = {
    'whose answer is lost': 'lostResponse',
    'that does not arrive': 'dropBeforeApply',
  } as const;

  for (const [name, story] of Object.entries(stories)) {
    for (const [which, kind] of Object.entries(losses)) {
      it(`finishes after any call to AWS ${which}: ${name}`, async () => {
        const calls = (await play(story, undefined)).incarnation.count('aws');
        expect(calls).toBeGreaterThan(9);
        for (let skip = 0; skip < calls; skip += 1) {
          const lose = (world: World): void => world.fault('*', { kind }, { skip, times: 1 });
          const world = await play(story, undefined, lose);
          await world.clock.advance(12 * MINUTE_MS);
          expectEnd(story, world, `call ${skip + 1}`);
          expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
        }
      });
    }
  }
});
