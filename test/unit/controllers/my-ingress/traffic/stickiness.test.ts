import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { api, web } from './specs.ts';

const BOTH = {
  forward: [
    { backend: 'web', weight: 9 },
    { backend: 'api', weight: 1 },
  ],
};
const sticky = (durationSeconds: number) => ({ ...web, stickiness: { durationSeconds } });
const PLAIN: Partial<MyIngressSpec> = {
  backends: [web, api],
  rules: [{ name: 'api', paths: ['/api/*'], ...BOTH }],
  defaultAction: BOTH,
};
const STICKY: Partial<MyIngressSpec> = { ...PLAIN, backends: [sticky(60), api] };

async function edited(world: World, spec: Partial<MyIngressSpec>): Promise<readonly string[]> {
  const before = world.writesToAws.length;
  await world.edited('shop', spec, MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return world.writesToAws.slice(before);
}

/** Of the group `web`, and of each action that names it. */
function stickinessIn(world: World) {
  const { listeners, targetGroups } = world.aws.control.snapshot();
  const attributes = targetGroups.find(({ name }) => name.startsWith('shop-web'))?.attributes;
  return {
    ofGroup: [
      attributes?.['stickiness.enabled'],
      attributes?.['stickiness.lb_cookie.duration_seconds'],
    ],
    ofActions: listeners.flatMap(({ rules }) =>
      rules.map(({ actions: [action] }) => {
        const { ForwardConfig } = action as {
          ForwardConfig: { TargetGroupStickinessConfig: object };
        };
        return ForwardConfig.TargetGroupStickinessConfig;
      }),
    ),
  };
}

const on = (seconds: number) => ({ Enabled: true, DurationSeconds: seconds });
const OFF = { Enabled: false };

describe('stickiness of a backend', () => {
  it('is that of its group and of every action that names it beside others', async () => {
    const world = await settleShop(STICKY);
    expect(stickinessIn(world)).toEqual({ ofGroup: ['true', '60'], ofActions: [on(60), on(60)] });
    expect(await world.writesDuring(() => world.clock.advance(12 * 5 * MINUTE_MS))).toEqual([]);
  });

  it('comes to the actions before the group, and leaves the group before the actions', async () => {
    const world = await settleShop(PLAIN);
    expect(await edited(world, STICKY)).toEqual([
      ...['ModifyListener', 'ModifyRule', 'ModifyTargetGroupAttributes'],
    ]);
    expect(await edited(world, { backends: [sticky(120), api] })).toEqual([
      ...['ModifyTargetGroupAttributes', 'ModifyListener', 'ModifyRule'],
    ]);
    expect(stickinessIn(world)).toEqual({
      ofGroup: ['true', '120'],
      ofActions: [on(120), on(120)],
    });
    const off = await edited(world, PLAIN);
    expect(off[0]).toBe('ModifyTargetGroupAttributes');
    expect(off.slice(1).toSorted()).toEqual(['ModifyListener', 'ModifyRule']);
    expect(stickinessIn(world)).toEqual({ ofGroup: ['false', '86400'], ofActions: [OFF, OFF] });
  });

  it('that someone takes off the group and the actions comes back', async () => {
    const world = await settleShop(STICKY);
    const { listeners, targetGroups } = world.aws.control.snapshot();
    const group = targetGroups.find(({ name }) => name.startsWith('shop-web'));
    world.outOfBand('ModifyTargetGroupAttributes', {
      TargetGroupArn: group?.arn,
      Attributes: [{ Key: 'stickiness.enabled', Value: 'false' }],
    });
    const TargetGroups = targetGroups.map(({ arn }) => ({ TargetGroupArn: arn, Weight: 1 }));
    world.outOfBand('ModifyListener', {
      ListenerArn: listeners[0]?.arn,
      DefaultActions: [{ Type: 'forward', ForwardConfig: { TargetGroups } }],
    });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(stickinessIn(world)).toEqual({ ofGroup: ['true', '60'], ofActions: [on(60), on(60)] });
  });

  it('is refused by AWS where a rule of another owner stands in the way, and the rest is applied', async () => {
    const world = await settleShop(PLAIN);
    const { listeners, targetGroups } = world.aws.control.snapshot();
    const TargetGroups = targetGroups.map(({ arn }) => ({ TargetGroupArn: arn, Weight: 1 }));
    world.outOfBand('CreateRule', {
      ...{ ListenerArn: listeners[0]?.arn, Priority: 7 },
      Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
      Actions: [{ Type: 'forward', ForwardConfig: { TargetGroups } }],
    });
    await world.edited('shop', STICKY, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True InvalidConfigurationRequest');
    expect(world.message('shop')).toContain('backend web: ');
    expect(stickinessIn(world).ofActions).toContainEqual(on(60));
  });
});
