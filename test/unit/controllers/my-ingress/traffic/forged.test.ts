import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import { driftScanMetrics } from '../../../../../src/controllers/my-ingress/drift-scan.ts';
import { coreMetrics } from '../../../../../src/core/ports/metrics.ts';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

type Status = MyIngress['status'];

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:000000000000';

const forgeries: Readonly<Record<string, (status: Status) => Partial<Status>>> = {
  'status.backends': ({ backends = [] }) => ({
    backends: backends.map((one) => ({ ...one, targetGroupARN: `${ARN}:targetgroup/theirs/0123` })),
  }),
  'an entry of status.backends that the spec has not': ({ backends = [] }) => ({
    backends: [...backends, { name: 'ghost', targetGroupARN: `${ARN}:targetgroup/theirs/0123` }],
  }),
  'status.listeners': ({ listeners = [] }) => ({
    listeners: listeners.map((one) => ({ ...one, arn: `${ARN}:listener/app/theirs/0123/4567` })),
  }),
  'status.targets': () => ({ targets: '1000/1000' }),
  'the counts of status.backends': ({ backends = [] }) => ({
    backends: backends.map((one) => ({ ...one, registered: 1000, healthy: 1000 })),
  }),
};

describe('an object with traffic whose status was forged', () => {
  it.each(Object.entries(forgeries))(
    'in %s shows its own after the next scan',
    async (_, forge) => {
      const { world, before } = await forgeStatus(forge);
      await world.clock.advance(2 * SCAN_MS);
      expect(world.object('shop').status).toMatchObject(before);
    },
  );

  it.each(Object.entries(forgeries))(
    'in %s shows its own after the next scan of an operator that was restarted',
    async (_, forge) => {
      const { world, before } = await forgeStatus(forge);
      await world.restart();
      await world.clock.advance(2 * SCAN_MS);
      expect(world.object('shop').status).toMatchObject(before);
    },
  );

  it('in its counts during a pass shows its own after that pass', async () => {
    const world = await World.having('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    const { status } = world.object('shop');
    world.tagOutOfBand(world.balancer().arn, { 'albridge.io/managed-by': 'somebody' });
    world.fault('AddTags', { kind: 'delay', delayMs: 2_000 });
    const isFound = (): boolean => world.metrics.valueOf(driftScanMetrics.found) === 1;
    for (let s = 0; s < 400 && !isFound(); s++) await world.clock.advance(1_000);
    expect(isFound()).toBe(true);
    world.kube.server.applyStatus(world.object('shop'), { ...status, targets: '1000/1000' });
    await world.clock.advance(10_000);
    expect(world.object('shop').status.targets).toBe(status.targets);
  });

  it('to list backends and listeners shows none where the spec has none', async () => {
    const world = World.started();
    const { status } = await world.applied('shop');
    const backends = [{ name: 'ghost', targetGroupARN: `${ARN}:targetgroup/theirs/0123` }];
    const listeners = [{ port: 80, arn: `${ARN}:listener/app/theirs/0123/4567` }];
    world.kube.server.applyStatus(world.object('shop'), { ...status, backends, listeners });
    await world.clock.advance(2 * SCAN_MS);
    expect(world.object('shop').status).not.toHaveProperty('backends');
    expect(world.object('shop').status).not.toHaveProperty('listeners');
  });

  it('in its counts costs one pass and no call of AWS, and one that is not forged costs no pass', async () => {
    // Each of them once a scan.
    const lists = ['DescribeLoadBalancers', 'DescribeSecurityGroups'];
    const calls = [...lists, 'DescribeTags', 'DescribeTargetGroups'];
    expect(await countCosts(false)).toEqual({ calls, areEqual: true, passes: 0 });
    expect(await countCosts(true)).toEqual({ calls, areEqual: true, passes: 1 });
  });
});

/** `before`: what status has to show again. */
async function forgeStatus(forge: (status: Status) => Partial<Status>) {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const { status } = world.object('shop');
  world.kube.server.applyStatus(world.object('shop'), { ...status, ...forge(status) });
  const { listeners, targets } = status;
  const backends = status.backends?.map(({ name, targetGroupARN }) => ({ name, targetGroupARN }));
  return { world, before: { backends, listeners, targets } };
}

/** Some drift scans of an object whose counts have changed since its create. */
async function countCosts(isForged: boolean): Promise<object> {
  const world = await World.having('shop', SHOP);
  world.targets.say('web/shop', 'web', { healthy: 1, healthAsOfMs: 1_000 });
  await world.clock.advance(MINUTE_MS);
  const { status } = world.object('shop');
  expect(status.backends).toMatchObject([{ healthy: 1 }, { healthy: 2 }]);
  const forged = { ...status, targets: '1000/1000' };
  if (isForged) world.kube.server.applyStatus(world.object('shop'), forged);
  const countPasses = (): number => world.metrics.observationsOf(coreMetrics.reconcileSeconds);
  const before = countPasses();
  const calls = await world.callsDuring(() => world.clock.advance(3 * SCAN_MS));
  const areEqual = new Set(Object.values(calls)).size === 1;
  return { calls: Object.keys(calls).sort(), areEqual, passes: countPasses() - before };
}
