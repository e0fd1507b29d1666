import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const CONSENT = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
const INBOUND = { cidrs: ['203.0.113.0/24'] };

/** As of a security group that AWS does not know everywhere yet. */
function hideGroups(world: World, operation: string, forMs: number): void {
  const isEc2 = operation === 'AuthorizeSecurityGroupIngress';
  const code = isEc2 ? 'InvalidGroup.NotFound' : 'InvalidSecurityGroup';
  const message = 'The security group does not exist';
  world.fault(operation, { kind: 'error', code, status: 400, message }, { forMs });
}

/** The reasons of Stalled in the time that this takes. */
async function watchStalled(world: World, forMs: number): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let ms = 0; ms < forMs; ms += 100) {
    await world.clock.advance(100);
    seen.add(world.condition('shop', 'Stalled') ?? 'no');
  }
  return [...seen];
}

function listAdmitted({ aws }: World): readonly string[] {
  const groups = [...aws.world.network.securityGroups.values()];
  const group = groups.find(({ name }) => name.startsWith('albridge-'));
  return (group?.ingress ?? []).map(({ source }) => source.value);
}

describe('a managed security group that AWS does not know for seconds after it was made', () => {
  it.each(['CreateLoadBalancer', 'AuthorizeSecurityGroupIngress'])(
    'is no mistake of a person where %s names it',
    async (operation) => {
      const world = World.started();
      hideGroups(world, operation, 4_000);
      world.apply('shop', { ...SHOP, inbound: INBOUND });
      expect(await watchStalled(world, 9_000)).toEqual(['no']);
      expect(world.condition('shop')).toBe('True Available');
      expect(listAdmitted(world)).toEqual(INBOUND.cidrs);
    },
  );

  it.each(['CreateLoadBalancer', 'AuthorizeSecurityGroupIngress'])(
    'is none where reads do not show it either, and %s names it',
    async (operation) => {
      const world = World.started();
      hideGroups(world, operation, 4_000);
      world.fault('*', { kind: 'staleReads', ageMs: 3_000 }, { forMs: 10_000 });
      world.apply('shop', { ...SHOP, inbound: INBOUND });
      expect(await watchStalled(world, 15_000)).toEqual(['no']);
      expect(world.condition('shop')).toBe('True Available');
      expect(listAdmitted(world)).toEqual(INBOUND.cidrs);
    },
  );

  it.each(['AuthorizeSecurityGroupIngress', 'SetSecurityGroups'])(
    'is none where %s of an adopted balancer names it',
    async (operation) => {
      const world = World.started();
      world.outOfBand('CreateLoadBalancer', {
        ...{ Name: 'legacy', Subnets: ['subnet-a', 'subnet-b'], SecurityGroups: ['sg-web'] },
        Tags: Object.entries(CONSENT).map(([Key, Value]) => ({ Key, Value })),
      });
      const { arn } = world.balancer('legacy');
      hideGroups(world, operation, 4_000);
      world.apply('shop', { ...SHOP, inbound: INBOUND, adopt: { arn } });
      expect(await watchStalled(world, 9_000)).toEqual(['no']);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer('legacy').securityGroups).not.toContain('sg-web');
    },
  );

  it('is one after ten seconds', async () => {
    const world = World.started();
    hideGroups(world, 'AuthorizeSecurityGroupIngress', 10 * MINUTE_MS);
    await world.applied('shop', { ...SHOP, inbound: INBOUND });
    expect(world.condition('shop', 'Stalled')).toBeUndefined();
    expect(world.message('shop')).toContain('was made a moment ago');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True InvalidSecurityGroup');
  });
});

it.each<[what: string, spec: Partial<MyIngressSpec>]>([
  ['of spec.securityGroups', { securityGroups: ['sg-none'] }],
  ['of spec.inbound, of a group made long ago,', { inbound: { securityGroupIDs: ['sg-none'] } }],
])('a group %s that does not exist is a mistake at once', async (_, spec) => {
  const world = World.started();
  await world.applied('shop', 'inbound' in spec ? { ...SHOP, inbound: INBOUND } : SHOP);
  await world.clock.advance(MINUTE_MS);
  await world.edited('shop', spec, 1_000);
  expect(world.condition('shop', 'Stalled')).toBe('True InvalidSecurityGroup');
});
