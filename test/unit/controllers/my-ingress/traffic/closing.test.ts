import { describe, expect, it } from 'vitest';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { listIds, SHOP, web } from './specs.ts';

const listenOn = (...ports: readonly number[]) => ({
  listeners: ports.map((port) => ({ port, protocol: 'HTTP' as const })),
});

function settled(): Promise<World> {
  return settleShop({ ...SHOP, ...listenOn(80, 8080) });
}

function listOpenPorts(world: World): readonly number[] {
  const group = world.beside.find(({ id }) => id.startsWith('sg-'));
  const asked = { GroupIds: [group?.id] };
  const { SecurityGroups } = world.outOfBand('DescribeSecurityGroups', asked) as {
    SecurityGroups: { IpPermissions: { FromPort: number }[] }[];
  };
  const ports = SecurityGroups[0]?.IpPermissions.map(({ FromPort }) => FromPort) ?? [];
  return [...new Set(ports)].toSorted((a, b) => a - b);
}

it('the port of a listener that leaves the spec is closed within a minute of its deletion', async () => {
  const world = await settled();
  expect(listOpenPorts(world)).toEqual([80, 8080]);
  world.edit('shop', listenOn(80));
  const countListeners = (): number => world.aws.control.snapshot().listeners.length;
  while (countListeners() > 1) await world.clock.advance(500);
  expect(world.object('shop').status.listeners).toMatchObject([{ port: 80 }]);
  await world.clock.advance(MINUTE_MS);
  expect(listOpenPorts(world)).toEqual([80]);
});

it('the port of a listener that someone deletes after it has left the spec is closed, too', async () => {
  const world = await settled();
  const { arn } = world.aws.control.snapshot().listeners.find(({ port }) => port === 8080) ?? {};
  const fixed = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '418' } };
  const theirs = {
    ...{ ListenerArn: arn, Priority: 7, Actions: [fixed] },
    Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
  };
  world.outOfBand('CreateRule', theirs);
  await world.edited('shop', listenOn(80), 2 * MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True ResourceInUse');
  world.outOfBand('DeleteListener', { ListenerArn: arn });
  await world.clock.advance(10 * MINUTE_MS);
  expect(listOpenPorts(world)).toEqual([80]);
});

it('the managed security group is deleted within a minute of the time from which the spec gives others', async () => {
  const world = await settled();
  await world.edited('shop', { securityGroups: ['sg-web'] }, 2 * MINUTE_MS);
  expect(world.balancer().securityGroups).toEqual(['sg-web']);
  expect(listIds(world)).not.toContain('security-group/frontend');
});

it('so it is once the last listener has left the spec', async () => {
  const world = await settled();
  world.unset('shop', 'backends', 'rules', 'defaultAction', 'listeners');
  await world.clock.advance(2 * MINUTE_MS);
  expect(listIds(world)).not.toContain('security-group/frontend');
});

it('the name of a target group leaves the record within a minute of its deletion', async () => {
  const world = await settled();
  await world.edited('shop', { backends: [web], rules: [] }, 7 * MINUTE_MS);
  expect(listIds(world)).not.toContain('target-group/spec/api');
  expect(world.object('shop').status.owned?.targetGroups).toHaveLength(1);
});

describe('a restart leaves for half an hour', () => {
  it('no security group that was about to be deleted', async () => {
    const world = await settled();
    await world.edited('shop', { securityGroups: ['sg-web'] }, 3_000);
    expect(listIds(world)).toContain('security-group/frontend');
    await world.restart();
    await world.clock.advance(8 * MINUTE_MS);
    expect(listIds(world)).not.toContain('security-group/frontend');
  });

  it('no target group whose last rule was just deleted', async () => {
    const world = await settled();
    world.edit('shop', { backends: [web], rules: [] });
    while (listIds(world).some((id) => id.startsWith('rule/'))) await world.clock.advance(500);
    expect(world.object('shop').status.owned).not.toHaveProperty('removals');
    await world.restart();
    await world.clock.advance(14 * MINUTE_MS);
    expect(listIds(world)).not.toContain('target-group/spec/api');
  });
});
