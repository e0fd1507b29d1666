import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { deriveDefaultName } from '../../../../src/controllers/my-ingress/identity.ts';
import { MINUTE_MS, SCAN_MS, World, writes } from './world.ts';

const THEIRS = deriveDefaultName({ cluster: 'cluster-1', namespace: 'api', name: 'shop' });
const OWN = deriveDefaultName({ cluster: 'cluster-1', namespace: 'web', name: 'shop' });

function tagsOf(name: string, uid: string): readonly object[] {
  const tags = { cluster: 'cluster-1', namespace: 'web', name, uid };
  return Object.entries(tags).map(([key, Value]) => ({ Key: `albridge.io/${key}`, Value }));
}

describe("a spec.name that may be another object's default name", () => {
  for (const name of [THEIRS, THEIRS.toUpperCase(), 'x-alb-0123abcd']) {
    it(`is refused before any write: ${name}`, async () => {
      const world = World.started();
      const calls = await world.callsDuring(() => world.applied('shop', { name }));
      expect(writes(calls)).toBe(0);
      expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
      expect(world.message('shop')).toMatch(
        /spec\.name.*default name.*create another MyIngress without it/,
      );
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
    });
  }

  it('leaves the name to the object whose default name it is', async () => {
    const world = await World.having('squatter', { name: THEIRS });
    world.apply('shop', {}, 'api');
    await world.clock.advance(MINUTE_MS);
    expect(world.object('shop', 'api').status?.alb?.name).toBe(THEIRS);
  });

  it('is accepted by the object whose own default name it is', async () => {
    const world = await World.having('shop', { name: OWN });
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is kept by an object that holds a balancer of that name already', async () => {
    const world = new World();
    await world.clock.settle();
    const { metadata } = world.apply('shop', { name: THEIRS });
    world.outOfBand('CreateLoadBalancer', {
      Name: THEIRS,
      Subnets: ['subnet-a', 'subnet-b'],
      Scheme: 'internet-facing',
      Tags: tagsOf('shop', metadata.uid),
    });
    world.start();
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancers).toHaveLength(1);
  });

  it('is not lent by a forged status either', async () => {
    const world = new World();
    await world.clock.settle();
    world.apply('shop', { adopt: { arn: arnOf(THEIRS) } });
    await world.kube.writer<MyIngress>().applyStatus(world.object('shop'), {
      observedGeneration: 1,
      alb: { arn: arnOf(THEIRS), name: THEIRS, state: 'deleted' },
    });
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(world.balancers).toEqual([]);
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
  });
});

function arnOf(name: string): string {
  return `arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/${name}/0123456789abcdef`;
}
