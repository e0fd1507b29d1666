import { describe, expect, it } from 'vitest';
import type { CrashPlan } from './crashing-ports.ts';
import { MINUTE_MS, SCAN_MS, World } from './world.ts';

const IDLE = 'idle_timeout.timeout_seconds';
const HTTP2 = 'routing.http2.enabled';

describe('what leaves the spec', () => {
  it("is undone: tags go, attributes get AWS's default", async () => {
    const world = await World.having('shop');
    world.outOfBand('ModifyLoadBalancerAttributes', {
      LoadBalancerArn: world.balancer().arn,
      Attributes: [{ Key: IDLE, Value: '77' }],
    });
    await world.edited(
      'shop',
      {
        tags: { team: 'web', env: 'prod' },
        attributes: { [IDLE]: '120', [HTTP2]: 'false' },
      },
      1_000,
    );
    expect(world.object('shop').status.applied).toEqual({
      tags: ['env', 'team'],
      attributes: { [IDLE]: '77', [HTTP2]: 'true' },
    });
    await world.edited('shop', { tags: { env: 'prod' }, attributes: { [HTTP2]: 'false' } }, 1_000);
    expect(world.balancer().tags).not.toHaveProperty('team');
    expect(world.balancer().tags).toHaveProperty('env');
    expect(world.balancer().attributes).toMatchObject({ [IDLE]: '60', [HTTP2]: 'false' });
    expect(world.object('shop').status.applied).toEqual({
      tags: ['env'],
      attributes: { [HTTP2]: 'true' },
    });
    world.unset('shop', 'tags', 'attributes');
    await world.clock.advance(1_000);
    expect(world.balancer().tags).not.toHaveProperty('env');
    expect(world.balancer().attributes).toMatchObject({ [IDLE]: '60', [HTTP2]: 'true' });
    expect(world.object('shop').status.applied).toBeUndefined();
    expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
  });

  it('is undone although several values were set meanwhile', async () => {
    const world = await World.having('shop', { attributes: { [IDLE]: '120' } });
    await world.edited('shop', { attributes: { [IDLE]: '240' } }, 1_000);
    world.unset('shop', 'attributes');
    await world.clock.advance(1_000);
    expect(world.balancer().attributes[IDLE]).toBe('60');
  });

  it('is left alone where it was never ours', async () => {
    const world = await World.having('shop', { tags: { team: 'web' } });
    world.tagOutOfBand(world.balancer().arn, { cost: 'centre' });
    world.unset('shop', 'tags');
    await world.clock.advance(1_000);
    expect(world.balancer().tags).toMatchObject({ cost: 'centre' });
  });

  it('leaves alone what AWS refuses for the address type that the spec goes back to', async () => {
    const world = World.started();
    const attributes = { 'ipv6.deny_all_igw_traffic': 'true' };
    await world.applied('shop', { ipAddressType: 'dualstack', attributes });
    world.edit('shop', { ipAddressType: 'ipv4' });
    world.unset('shop', 'attributes');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().ipAddressType).toBe('ipv4');
  });

  for (const log of ['access_logs', 'connection_logs', 'health_check_logs']) {
    it(`is undone as far as AWS allows: ${log} are switched off, the name of the bucket stays`, async () => {
      const world = new World();
      const attributes = {
        [`${log}.s3.enabled`]: 'true',
        [`${log}.s3.bucket`]: 'our-logs',
        [`${log}.s3.prefix`]: 'shop',
      };
      world.start();
      await world.applied('shop', { attributes });
      expect(world.balancer().attributes).toMatchObject(attributes);
      world.unset('shop', 'attributes');
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer().attributes).toMatchObject({
        [`${log}.s3.enabled`]: 'false',
        [`${log}.s3.bucket`]: 'our-logs',
        [`${log}.s3.prefix`]: '',
      });
      expect(world.object('shop').status.applied).toBeUndefined();
      expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
    });
  }

  it('is left as it is where AWS has no default for it', async () => {
    const world = await World.having('shop');
    world.outOfBand('ModifyLoadBalancerAttributes', {
      LoadBalancerArn: world.balancer().arn,
      Attributes: [{ Key: 'access_logs.s3.bucket', Value: 'their-logs' }],
    });
    await world.edited('shop', { attributes: { 'access_logs.s3.bucket': 'our-logs' } }, 1_000);
    world.unset('shop', 'attributes');
    await world.clock.advance(1_000);
    expect(world.balancer().attributes['access_logs.s3.bucket']).toBe('our-logs');
    expect(world.object('shop').status.applied).toBeUndefined();
    expect(world.log.shown.map(({ message }) => message)).toContain(
      'attributes that left the spec stay as they are: no default is known',
    );
  });

  it('is undone although the first pass failed after its create', async () => {
    const world = World.started();
    world.fault(
      'DescribeLoadBalancerAttributes',
      { kind: 'error', code: 'InternalFailure', status: 500, message: 'x' },
      { times: 3 },
    );
    await world.clock.settle();
    world.apply('shop', { tags: { team: 'web' }, attributes: { [IDLE]: '120' } });
    await world.clock.advance(2_000);
    expect(world.condition('shop', 'Reconciling')).toBe('True AwsUnavailable');
    world.unset('shop', 'tags');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().tags).not.toHaveProperty('team');
  });

  it('is undone also for keys that every JavaScript object has', async () => {
    const world = await World.having('shop', { tags: { constructor: 'web', toString: 'x' } });
    expect(world.condition('shop')).toBe('True Available');
    world.unset('shop', 'tags');
    await world.clock.advance(1_000);
    expect(Object.keys(world.balancer().tags)).not.toContain('constructor');
    expect(Object.keys(world.balancer().tags)).not.toContain('toString');
    await world.edited('shop', { tags: { constructor: 'web' } }, 1_000);
    const note = world.events.recorded.findLast(({ reason }) => reason === 'UpdatedALB')?.note;
    expect(note).toContain('tag constructor: observed none, desired web');
  });

  it('is undone although it leaves while reads still show what was before it came', async () => {
    const world = await World.having('shop', { tags: { env: 'prod' } });
    const before = world.balancer();
    await world.clock.advance(MINUTE_MS);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 15_000 });
    add(world);
    await world.clock.advance(3_000);
    expect(world.balancer().tags).toHaveProperty('team');
    remove(world);
    await world.clock.advance(MINUTE_MS);
    expect(world.balancer()).toEqual(before);
    expect(world.object('shop').status.applied).toEqual({ tags: ['env'] });
  });

  it('and comes back is recorded with the value found before ours, not our own', async () => {
    const world = await World.having('shop', { attributes: { [IDLE]: '120' } });
    await world.clock.advance(MINUTE_MS);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 15_000 });
    world.unset('shop', 'attributes');
    await world.clock.advance(3_000);
    await world.edited('shop', { attributes: { [IDLE]: '240' } }, 3_000);
    expect(world.object('shop').status.applied).toEqual({ attributes: { [IDLE]: '60' } });
    expect(world.balancer().attributes[IDLE]).toBe('240');
  });

  for (const port of ['aws', 'kube'] as const) {
    for (const when of ['before', 'unanswered', 'after'] as const) {
      it(`is undone although the process dies ${when} any of its operations on ${port}, adding or removing`, async () => {
        for (let at = 1; at <= 12; at++) await addAndRemove({ port, when, at });
      });
    }
  }
});

/** Dies while the keys are added, and again while they are removed. */
async function addAndRemove(plan: CrashPlan): Promise<void> {
  const world = await World.having('shop', { tags: { env: 'prod' } });
  const before = world.balancer();
  for (const change of [add, remove]) {
    world.crash();
    world.start(plan);
    await world.clock.advance(1_000);
    change(world);
    await world.clock.advance(MINUTE_MS);
    await world.restart();
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  }
  expect(world.balancer(), JSON.stringify(plan)).toEqual(before);
  expect(world.object('shop').status.applied).toEqual({ tags: ['env'] });
}

function add(world: World): void {
  world.edit('shop', { tags: { env: 'prod', team: 'web' }, attributes: { [IDLE]: '120' } });
}

function remove(world: World): void {
  world.edit('shop', { tags: { env: 'prod' }, attributes: {} });
}

describe('what is taken back before it was applied', () => {
  it('is undone where the process died between the write and the status', async () => {
    const world = await World.having('shop');
    const before = world.balancer();
    world.crash();
    world.start({ port: 'aws', at: 5, when: 'unanswered' });
    await world.clock.advance(1_000);
    await world.edited('shop', { tags: { team: 'web' }, attributes: { [IDLE]: '120' } }, 1_000);
    world.crash();
    world.unset('shop', 'tags', 'attributes');
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(world.balancer()).toEqual(before);
  });
});

describe('a balancer that vanished', () => {
  it('is made again, with its attributes, and the values to go back to are those of the new one', async () => {
    const world = await World.having('shop', { attributes: {} });
    const { arn } = world.balancer();
    world.outOfBand('ModifyLoadBalancerAttributes', {
      LoadBalancerArn: arn,
      Attributes: [{ Key: IDLE, Value: '77' }],
    });
    await world.edited('shop', { attributes: { [IDLE]: '120' }, tags: { team: 'web' } }, MINUTE_MS);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: arn });
    await world.clock.advance(1.2 * SCAN_MS);
    expect(world.balancer().arn).not.toBe(arn);
    expect(world.balancer().attributes[IDLE]).toBe('120');
    expect(world.object('shop').status).toMatchObject({
      alb: { arn: world.balancer().arn },
      applied: { tags: ['team'], attributes: { [IDLE]: '60' } },
    });
    expect(world.events.reasons.filter((reason) => reason === 'ALBVanished')).toHaveLength(1);
    expect(world.events.reasons.filter((reason) => reason === 'CreatedALB')).toHaveLength(2);
    world.unset('shop', 'attributes');
    await world.clock.advance(1_000);
    expect(world.balancer().attributes[IDLE]).toBe('60');
  });

  for (const port of ['aws', 'kube'] as const) {
    for (const when of ['before', 'unanswered', 'after'] as const) {
      it(`comes back whole although the process dies ${when} any operation on ${port}`, async () => {
        for (let at = 1; at <= 12; at++) await vanishAndDie({ port, when, at });
      });

      it(`does not leak where the process dies ${when} any operation on ${port} and the object is deleted`, async () => {
        for (let at = 1; at <= 12; at++) {
          const world = await vanished({ port, when, at });
          world.crash();
          world.delete('shop');
          world.start();
          await world.clock.advance(2 * MINUTE_MS);
          expect(world.exists('shop'), `${at}`).toBe(false);
          expect(world.balancers, `${at}`).toEqual([]);
        }
      });
    }
  }
});

async function vanished(plan: CrashPlan): Promise<World> {
  const world = await World.having('shop', {
    tags: { team: 'web' },
    attributes: { [IDLE]: '120' },
  });
  world.crash();
  world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
  world.start(plan);
  await world.clock.advance(20_000);
  return world;
}

async function vanishAndDie(plan: CrashPlan): Promise<void> {
  const world = await vanished(plan);
  await world.restart();
  await world.clock.advance(10 * MINUTE_MS);
  const label = JSON.stringify(plan);
  expect(world.condition('shop'), label).toBe('True Available');
  expect(world.balancer().attributes[IDLE], label).toBe('120');
  world.unset('shop', 'attributes', 'tags');
  await world.clock.advance(MINUTE_MS);
  expect(world.balancer().attributes[IDLE], label).toBe('60');
  expect(world.balancer().tags, label).not.toHaveProperty('team');
}
