import { describe, expect, it } from 'vitest';
import { myIngressMetrics } from '../../../../src/controllers/my-ingress/orphans.ts';
import type { LogLine } from '../../../fakes/silent-logger.ts';
import { draftOf } from './drafts.ts';
import { MINUTE_MS, SCAN_MS, World, type WorldOptions, writes } from './world.ts';

async function started(options: WorldOptions = {}): Promise<World> {
  const world = World.started(options);
  await world.applied('shop');
  return world;
}

/** As a tenant may who can write the object: no finalizer, no clean-up. */
async function abandon(world: World, name = 'shop', namespace = 'web'): Promise<void> {
  const object = draftOf(name, {}, namespace);
  const strip = { finalizers: [], annotations: { 'albridge.io/paused': 'true' } };
  world.kube.edit(object, (live) => ({ ...live, metadata: { ...live.metadata, ...strip } }));
  await world.clock.advance(1_000);
  world.kube.delete(object);
  await world.clock.advance(1_000);
}

function count(world: World): number | undefined {
  return world.metrics.valueOf(myIngressMetrics.orphans);
}

function warnings(world: World): readonly LogLine[] {
  return world.log.shown.filter(({ fields }) => 'orphans' in fields);
}

describe('a balancer whose object went without its finalizer', () => {
  it('is counted, and named in one line of the log', async () => {
    const world = await started();
    const { arn } = world.balancer();
    await world.clock.advance(2 * SCAN_MS);
    expect(count(world)).toBe(0);
    await abandon(world);
    const calls = await world.callsDuring(() => world.clock.advance(5 * SCAN_MS));
    expect(count(world)).toBe(1);
    expect(warnings(world)).toMatchObject([
      { level: 'error', fields: { orphans: [{ arn, namespace: 'web', name: 'shop' }] } },
    ]);
    expect(writes(calls)).toBe(0);
    expect(world.balancer().arn).toBe(arn);
  });

  it('is counted after a restart as well, as long as there is another object', async () => {
    const world = await started();
    await world.applied('other');
    await abandon(world);
    await world.restart();
    await world.clock.advance(3 * SCAN_MS);
    expect(count(world)).toBe(1);
  });

  it('is no longer counted once it is deleted, and the log says so', async () => {
    const world = await started();
    await abandon(world);
    await world.clock.advance(3 * SCAN_MS);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    await world.clock.advance(2 * SCAN_MS);
    expect(count(world)).toBe(0);
    expect(warnings(world).map(({ level }) => level)).toEqual(['error', 'info']);
  });

  it('is no longer counted once an object of that name is there again', async () => {
    const world = await started();
    await abandon(world);
    await world.clock.advance(3 * SCAN_MS);
    await world.applied('shop');
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(count(world)).toBe(0);
  });

  for (const [how, alb] of [
    ['wants its name', undefined],
    ['has its ARN in a forged status', (arn: string) => ({ arn })],
  ] as const) {
    it(`is counted although another object, which is paused, ${how}`, async () => {
      const world = await World.having('leak', { name: 'leak-1' });
      const { arn } = world.balancer();
      await abandon(world, 'leak');
      const draft = draftOf('cover', { name: 'leak-1' });
      const annotations = { 'albridge.io/paused': 'true' };
      world.kube.create({ ...draft, metadata: { ...draft.metadata, annotations } });
      await world.clock.advance(MINUTE_MS);
      const cover = world.object('cover');
      if (alb) world.kube.server.applyStatus(cover, { ...cover.status, alb: alb(arn) });
      await world.clock.advance(3 * SCAN_MS);
      expect(world.balancer().arn).toBe(arn);
      expect(count(world)).toBe(1);
      expect(warnings(world)).toMatchObject([{ fields: { orphans: [{ arn, name: 'leak' }] } }]);
    });
  }

  const names = [
    ['a name of its own', { name: 'leak-1' }, { name: 'leak-2' }],
    ['the default name', {}, { name: 'leak-2' }],
    ['a name of its own, for one with the default name', { name: 'leak-1' }, {}],
  ] as const;
  for (const [name, first, second] of names) {
    it(`under ${name} is counted although an object of that name is there again with another balancer`, async () => {
      const world = await World.having('leak', first);
      const { arn } = world.balancer();
      await abandon(world, 'leak');
      await world.applied('leak', second);
      await world.clock.advance(3 * SCAN_MS);
      expect(world.balancers).toHaveLength(2);
      expect(count(world)).toBe(1);
      expect(warnings(world)).toMatchObject([{ fields: { orphans: [{ arn, name: 'leak' }] } }]);
    });
  }
});

/** Tags of a balancer of ours whose object is gone. */
const LOST = { cluster: 'cluster-1', namespace: 'web', name: 'gone', uid: 'u-1' };

describe('what is not counted as an orphan', () => {
  it('is the balancer of an object that is created or deleted during the scan', async () => {
    const world = await started({ scanMs: 1_000 });
    for (let i = 0; i < 20; i++) {
      await world.clock.advance(137);
      world.apply(`late-${i}`);
      await world.clock.advance(2_000);
      await world.deleted(`late-${i}`, 1_000);
    }
    await world.clock.advance(MINUTE_MS);
    expect(count(world)).toBe(0);
    expect(warnings(world)).toEqual([]);
  });

  it('is a deleted balancer that an old answer of AWS still shows', async () => {
    const world = await started({ scanMs: 1_000 });
    await world.applied('other');
    await world.clock.advance(20_000);
    await world.deleted('shop', 1_000);
    expect(world.exists('shop')).toBe(false);
    for (const operation of ['DescribeLoadBalancers', 'DescribeTags']) {
      world.fault(operation, { kind: 'staleReads', ageMs: 6_000 }, { forMs: 4_000 });
    }
    await world.clock.advance(MINUTE_MS);
    expect(warnings(world)).toEqual([]);
  });

  const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a balancer of another cluster': { ...LOST, cluster: 'cluster-2' },
    'a balancer that its owner had before albridge, and lent': { ...LOST, adopt: 'web/gone' },
    'a balancer without the tag that every create of albridge sets': {
      ...{ cluster: 'cluster-1', namespace: 'web', name: 'gone' },
    },
    'a balancer that was released': { cluster: 'cluster-1', namespace: 'web' },
    'a balancer that waits for its adoption': { cluster: 'cluster-1', adopt: 'web/shop' },
    'a balancer without an owner': {},
  };
  for (const [name, tags] of Object.entries(others)) {
    it(`is ${name}`, async () => {
      const world = await started();
      plant(world, 'planted', tags);
      await world.clock.advance(4 * SCAN_MS);
      expect(count(world)).toBe(0);
    });
  }

  it('is not one with the same tags otherwise', async () => {
    const world = await started();
    plant(world, 'planted', LOST);
    await world.clock.advance(4 * SCAN_MS);
    expect(count(world)).toBe(1);
  });

  it('is a balancer of a namespace that this operator does not watch', async () => {
    const world = await started({ namespaces: ['web'] });
    plant(world, 'planted', { ...LOST, namespace: 'api' });
    await world.clock.advance(4 * SCAN_MS);
    expect(count(world)).toBe(0);
  });

  it('costs no more reads with each scan: tags of others are read once', async () => {
    const world = await started();
    for (let i = 0; i < 100; i++) plant(world, `theirs-${i}`, { cluster: 'cluster-2' });
    const perScan = async (): Promise<number> => {
      const calls = await world.callsDuring(() => world.clock.advance(10 * SCAN_MS));
      return calls['DescribeTags'] ?? 0;
    };
    expect(await perScan()).toBeLessThanOrEqual(5 + 11);
    expect(await perScan()).toBeLessThanOrEqual(11);
  });
});

function plant(world: World, name: string, tags: Readonly<Record<string, string>>): void {
  const pairs = Object.entries(tags).map(([key, Value]) => ({ Key: `albridge.io/${key}`, Value }));
  const Tags = pairs.length > 0 ? { Tags: pairs } : {};
  world.outOfBand('CreateLoadBalancer', {
    Name: name,
    Subnets: ['subnet-a', 'subnet-b'],
    ...Tags,
  });
}
