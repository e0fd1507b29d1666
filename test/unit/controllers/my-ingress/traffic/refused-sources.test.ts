import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const CONSENT = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
const MOST_RULES = 60;

/** So many blocks of addresses from 10.`net`.0.0 on. */
function listBlocks(net: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `10.${net}.${at}.0/24`);
}

type Inbound = NonNullable<MyIngressSpec['inbound']>;

const REFUSED: Readonly<Record<string, Inbound>> = {
  'a group that does not exist': { securityGroupIDs: ['sg-0123456789abcdef0'] },
  'a prefix list with a malformed id': { prefixListIDs: ['pl-typo'] },
  'more rules than a group takes': { cidrs: listBlocks(0, MOST_RULES + 1) },
};

async function managed(inbound: Inbound): Promise<World> {
  const world = await World.having('shop', { ...SHOP, inbound });
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return world;
}

function listAdmitted({ aws }: World): readonly string[] {
  const groups = [...aws.world.network.securityGroups.values()];
  const group = groups.find(({ name }) => name.startsWith('albridge-'));
  return (group?.ingress ?? []).map(({ source }) => source.value).toSorted();
}

describe('sources that AWS refuses,', () => {
  it.each(Object.entries(REFUSED))(
    '%s, take nothing from an adopted balancer',
    async (_, inbound) => {
      const world = World.started();
      world.outOfBand('CreateLoadBalancer', {
        ...{ Name: 'legacy', Subnets: ['subnet-a', 'subnet-b'], SecurityGroups: ['sg-web'] },
        Tags: Object.entries(CONSENT).map(([Key, Value]) => ({ Key, Value })),
      });
      const { arn } = world.balancer('legacy');
      await world.applied('shop', { ...SHOP, inbound, adopt: { arn } });
      await world.clock.advance(10 * MINUTE_MS);
      expect(world.condition('shop', 'Stalled')).toMatch(/^True /);
      expect(world.balancer('legacy').securityGroups).toEqual(['sg-web']);
      await world.edited('shop', { inbound: { cidrs: ['10.0.0.0/8'] } }, MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer('legacy').securityGroups).not.toContain('sg-web');
    },
  );

  it('one above the quota of its family, take the place of none of the other family', async () => {
    const [added = '', ...cidrs] = listBlocks(1, MOST_RULES + 1);
    const world = await managed({ cidrs: [...cidrs, '2001:db8::/32'] });
    await world.edited('shop', { inbound: { cidrs: [...cidrs, added] } }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    expect(listAdmitted(world)).toContain('2001:db8::/32');
  });

  it('a prefix list that needs more room, take the place of no other source', async () => {
    const listeners = [
      { port: 80, protocol: 'HTTP' as const },
      { port: 8080, protocol: 'HTTP' as const },
    ];
    const world = await World.having('shop', { ...SHOP, listeners });
    await world.clock.advance(MINUTE_MS);
    const inbound = { prefixListIDs: ['pl-0123456789abcdef0'] };
    await world.edited('shop', { inbound }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    const before = ['0.0.0.0/0', '0.0.0.0/0'];
    expect(listAdmitted(world)).toEqual([...before, 'pl-0123456789abcdef0']);
  });

  it.each(Object.entries(REFUSED))('%s, take the place of no other source', async (_, inbound) => {
    const world = await managed({ cidrs: ['203.0.113.0/24'] });
    await world.edited('shop', { inbound }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toMatch(/^True /);
    expect(listAdmitted(world)).toContain('203.0.113.0/24');
    await world.edited('shop', { inbound: { cidrs: ['198.51.100.0/24'] } }, 5 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listAdmitted(world)).toEqual(['198.51.100.0/24']);
  });
});

it('a source that AWS refuses keeps no other from being admitted', async () => {
  const world = await managed({ cidrs: ['203.0.113.0/24'] });
  const cidrs = listBlocks(0, 9);
  const securityGroupIDs = ['sg-web', 'sg-0123456789abcdef0', 'sg-admin'];
  await world.edited('shop', { inbound: { cidrs, securityGroupIDs } }, MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True InvalidSecurityGroup');
  const admitted = ['203.0.113.0/24', ...cidrs, 'sg-web', 'sg-admin'].toSorted();
  expect(listAdmitted(world)).toEqual(admitted);
  const calls = await world.callsDuring(() => world.clock.advance(10 * MINUTE_MS));
  expect(calls['AuthorizeSecurityGroupIngress']).toBeLessThanOrEqual(10);
});

describe('a new balancer', () => {
  const cidrs = ['0.0.0.0/0'];

  it.each<[what: string, inbound: Inbound, reason: string]>([
    ['a malformed prefix list', { cidrs, prefixListIDs: ['pl-typo'] }, 'InvalidPrefixList'],
    ['an unknown group', { cidrs, securityGroupIDs: ['sg-none'] }, 'InvalidSecurityGroup'],
    [
      'both',
      { cidrs, prefixListIDs: ['pl-typo'], securityGroupIDs: ['sg-none'] },
      'InvalidPrefixList',
    ],
  ])('admits the clients that AWS accepts next to %s', async (_, inbound, reason) => {
    const world = await World.having('shop', { ...SHOP, inbound });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe(`True ${reason}`);
    expect(listAdmitted(world)).toEqual(cidrs);
  });
});

it.each([
  ['InvalidPrefixListID.NotFound', { prefixListIDs: ['pl-0123456789abcdef0'] }],
  ['InvalidPrefixListId.Malformed', { prefixListIDs: ['pl-0123456789abcdef0'] }],
  ['InvalidGroupId.Malformed', { securityGroupIDs: ['sg-web'] }],
  ['InvalidSecurityGroupId.Malformed', { securityGroupIDs: ['sg-web'] }],
])('%s of one source has the others admitted at once', async (code, inbound) => {
  const world = await managed({ cidrs: ['203.0.113.0/24'] });
  const effect = { kind: 'error', code, status: 400, message: 'refused' } as const;
  world.fault('AuthorizeSecurityGroupIngress', effect);
  await world.edited('shop', { inbound: { cidrs: ['0.0.0.0/0'], ...inbound } }, 1_000);
  expect(listAdmitted(world)).toContain('0.0.0.0/0');
});

describe('a group whose rules are full', () => {
  it.each([
    ['as many', 40, 40],
    ['fewer', 50, 20],
    ['more', 30, 50],
  ])('has %s others in their place', async (_, before, after) => {
    const world = await managed({ cidrs: listBlocks(1, before) });
    await world.edited('shop', { inbound: { cidrs: listBlocks(2, after) } }, 10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listAdmitted(world)).toEqual(listBlocks(2, after).toSorted());
  });

  it('of a prefix list has it on another port in its place', async () => {
    const world = await managed({
      prefixListIDs: ['pl-0123456789abcdef0'],
      cidrs: listBlocks(1, 4),
    });
    const listeners = [{ port: 8080, protocol: 'HTTP' as const }];
    await world.edited('shop', { listeners }, 10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listAdmitted(world)).toEqual([...listBlocks(1, 4), 'pl-0123456789abcdef0']);
  });

  it('of a prefix list has ranges in its place', async () => {
    const world = await managed({ prefixListIDs: ['pl-0123456789abcdef0'] });
    await world.edited('shop', { inbound: { cidrs: listBlocks(2, 15) } }, 10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listAdmitted(world)).toEqual(listBlocks(2, 15).toSorted());
  });

  it.each<[what: string, inbound: Inbound]>([
    ['ranges above the quota', { cidrs: listBlocks(2, MOST_RULES + 1) }],
    ['another one', { prefixListIDs: ['pl-0fedcba9876543210'] }],
  ])('of a prefix list has not %s in its place', async (_, inbound) => {
    const world = await managed({ prefixListIDs: ['pl-0123456789abcdef0'] });
    await world.edited('shop', { inbound }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    expect(listAdmitted(world)).toContain('pl-0123456789abcdef0');
  });
});
