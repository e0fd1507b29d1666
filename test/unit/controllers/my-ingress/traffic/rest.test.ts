import { describe, expect, it } from 'vitest';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP, web } from './specs.ts';

describe('an object that is as desired is not asked about every ten seconds', () => {
  /** What stands for a long time beside what the spec wants. */
  const leftovers: Readonly<Record<string, (world: World) => void>> = {
    'where a rule of someone else names a group of someone else': (world) => {
      const group = { Name: 'theirs', Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main' };
      world.outOfBand('CreateTargetGroup', { ...group, TargetType: 'ip' });
      createRule(world, 'theirs');
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    },
    'where a rule of someone else names a group that has left the spec': (world) => {
      createRule(world, 'shop-api');
      world.edit('shop', { backends: [web], rules: [] });
    },
    'where the spec gives it the group that was managed': (world) => {
      const managed = world.beside.find(({ id }) => id.startsWith('sg-'));
      world.edit('shop', { securityGroups: [managed?.id ?? ''] });
    },
  };

  for (const [what, leave] of Object.entries(leftovers)) {
    it(what, async () => {
      const world = await World.having('shop', SHOP);
      await world.clock.advance(MINUTE_MS);
      leave(world);
      await world.clock.advance(15 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      const calls = await world.callsDuring(() => world.clock.advance(10 * MINUTE_MS));
      expect(calls['DescribeLoadBalancers'] ?? 0).toBeLessThanOrEqual(4);
      expect(calls['DescribeRules'] ?? 0).toBeLessThanOrEqual(2);
    });
  }
});

function createRule(world: World, group: string): void {
  const { listeners, targetGroups } = world.aws.control.snapshot();
  const arn = targetGroups.find(({ name }) => name.startsWith(group))?.arn;
  world.outOfBand('CreateRule', {
    ...{ ListenerArn: listeners[0]?.arn, Priority: 7 },
    Actions: [{ Type: 'forward', TargetGroupArn: arn }],
    Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
  });
}
