import { describe, expect, it } from 'vitest';
import { coreMetrics } from '../../../../../src/core/ports/metrics.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP, web } from './specs.ts';

const PORTS = [80, 81].map((port) => ({ port, protocol: 'HTTP' as const }));

/** Reasons of all events of the ten minutes after `edit`. */
async function reasonsAfter(world: World, edit: () => void): Promise<ReadonlySet<string>> {
  await world.clock.advance(3 * MINUTE_MS);
  const before = world.events.recorded.length;
  edit();
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return new Set(world.events.reasons.slice(before));
}

describe('what an edit takes out of the spec, and what goes only once the object is Ready', () => {
  it.each([
    {
      what: 'a backend',
      edit: (world: World) => world.edit('shop', { backends: [web], rules: [] }),
      gone: 'DeleteTargetGroup',
    },
    {
      what: 'a listener and its port',
      edit: (world: World) => world.edit('shop', { listeners: PORTS.slice(1) }),
      gone: 'RevokeSecurityGroupIngress',
    },
    {
      what: 'the managed security group',
      edit: (world: World) => world.edit('shop', { securityGroups: ['sg-web'] }),
      gone: 'DeleteSecurityGroup',
    },
  ])('$what is not reported as changed by others', async ({ edit, gone }) => {
    const world = await settleShop({ ...SHOP, listeners: PORTS });
    const reasons = await reasonsAfter(world, () => edit(world));
    expect(world.writesToAws).toContain(gone);
    expect(reasons).toContain('UpdatedTraffic');
    expect(reasons).not.toContain('DriftRepaired');
    expect(world.metrics.valueOf(coreMetrics.driftRepairs) ?? 0).toBe(0);
  });

  it.each([
    ['', {}],
    [' while a removal waits for its time', { backends: [web], rules: [] }],
  ])('does not hide that others have opened a port%s', async (_when, removal) => {
    const world = await settleShop(SHOP, { scanMs: MINUTE_MS });
    await world.clock.advance(3 * MINUTE_MS);
    await world.edited('shop', removal, MINUTE_MS);
    const before = world.events.recorded.length;
    const [GroupId] = world.balancer().securityGroups;
    const IpRanges = [{ CidrIp: '0.0.0.0/0' }];
    const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges }];
    world.outOfBand('AuthorizeSecurityGroupIngress', { GroupId, IpPermissions });
    await world.clock.advance(2 * MINUTE_MS);
    expect(world.events.reasons.slice(before)).toEqual(['DriftRepaired']);
    expect(world.metrics.valueOf(coreMetrics.driftRepairs)).toBe(1);
  });
});
