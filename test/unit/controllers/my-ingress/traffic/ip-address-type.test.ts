import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { api, web } from './specs.ts';

const DUALSTACK: Partial<MyIngressSpec> = {
  ipAddressType: 'dualstack',
  backends: [{ ...web, ipAddressType: 'ipv6' }, api],
  rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
  defaultAction: { forward: [{ backend: 'web' }] },
};

/** Without IPv6: that of a backend, or a backend that has it. */
const edits: Readonly<Record<string, Partial<MyIngressSpec>>> = {
  'a backend that gets another address family': {
    backends: [web, api],
  },
  'a backend that leaves the spec': {
    backends: [api],
    defaultAction: { forward: [{ backend: 'api' }] },
  },
};

function listFamilies(world: World): readonly string[] {
  return [...world.aws.world.traffic.targetGroups.all()].map(({ ipAddressType }) => ipAddressType);
}

function listSources(world: World): readonly string[] {
  const groups = [...world.aws.world.network.securityGroups.values()];
  const managed = groups.find(({ tags }) => tags.has('albridge.io/name'));
  return (managed?.ingress ?? []).map(({ source }) => source.value);
}

describe('a load balancer loses IPv6 in one edit with', () => {
  for (const [what, edit] of Object.entries(edits)) {
    it(what, async () => {
      const world = await settleShop(DUALSTACK);
      await world.edited('shop', { ...edit, ipAddressType: 'ipv4' }, 1_000);
      expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
      expect(world.balancer().ipAddressType).toBe('dualstack');
      expect(listSources(world)).toContain('::/0');
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer().ipAddressType).toBe('ipv4');
      expect(listSources(world)).toEqual(['0.0.0.0/0']);
      await world.clock.advance(30 * MINUTE_MS);
      expect(new Set(listFamilies(world))).toEqual(new Set(['ipv4']));
    });

    it(`${what}, and of its subnets, also where the operator is restarted`, async () => {
      const world = await settleShop({ ...DUALSTACK, subnets: ['subnet-a', 'subnet-b'] });
      const subnets = ['subnet-b', 'subnet-c'];
      await world.edited('shop', { ...edit, ipAddressType: 'ipv4', subnets }, 1_000);
      await world.restart();
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer()).toMatchObject({ ipAddressType: 'ipv4', subnets });
    });
  }
});

it('a plan shows the loss of IPv6 as a later step, and what waits for it', async () => {
  const subnets = ['subnet-b', 'subnet-c'];
  const world = await settleShop({ ...DUALSTACK, subnets: ['subnet-a', 'subnet-b'] });
  world.annotate('shop', { 'albridge.io/mode': 'plan' });
  const edit = { ipAddressType: 'ipv4', backends: [web, api], subnets } as const;
  await world.edited('shop', edit, MINUTE_MS);
  const { steps = [] } = world.object('shop').status.plan ?? {};
  expect(steps.map((step) => step.split('  (')[0])).toEqual([
    'create target-group/spec/web',
    'modify listener/80',
    'later: modify listener/80',
    'later: set address type of load-balancer',
    'later: set subnets of load-balancer',
    'later: revoke ingress of security-group/frontend',
    'later: delete target-group/spec/web',
  ]);
});
