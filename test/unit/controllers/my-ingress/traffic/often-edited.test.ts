import { expect, it } from 'vitest';
import { MINUTE_MS } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

it('a target group that others have changed is repaired although its rule is edited every few seconds', async () => {
  const world = await settleShop(SHOP, { scanMs: MINUTE_MS });
  const { targetGroups } = world.aws.control.snapshot();
  const group = targetGroups.find(({ name }) => name.startsWith('shop-api'));
  world.outOfBand('ModifyTargetGroup', { TargetGroupArn: group?.arn, HealthCheckPath: '/bad' });
  for (let weight = 1; weight <= 40; weight++) {
    const forward = [
      { backend: 'api', weight },
      { backend: 'web', weight: 100 },
    ];
    world.edit('shop', { rules: [{ name: 'api', paths: ['/api/*'], forward }] });
    await world.clock.advance(8_000);
  }
  expect(world.writesToAws).toContain('ModifyTargetGroup');
});
