import { expect } from 'vitest';
import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import type { Story } from '../../unit/controllers/my-ingress/crash-play.ts';
import {
  api,
  listIds,
  SHOP as PLAIN,
  web,
} from '../../unit/controllers/my-ingress/traffic/specs.ts';
import type { World } from '../../unit/controllers/my-ingress/world.ts';

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

/** Of an object with traffic: it comes, is edited and goes. */
export const TRAFFIC_STORIES: Readonly<Record<string, Story>> = {
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
