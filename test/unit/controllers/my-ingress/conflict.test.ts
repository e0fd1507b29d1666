import { describe, expect, it } from 'vitest';
import { type MyIngress, ownershipTagKeys } from '../../../../src/apis/my-ingress.ts';
import { type Balancer, MINUTE_MS, SCAN_MS, World, writes } from './world.ts';

const NAME = 'shop-alb-f8da8b78';

function foreign(world: World, input: Readonly<Record<string, unknown>> = {}): Balancer {
  world.outOfBand('CreateLoadBalancer', {
    Name: NAME,
    Subnets: ['subnet-a', 'subnet-b'],
    Scheme: 'internet-facing',
    ...input,
  });
  return world.balancer(NAME);
}

/** All that a foreigner could notice. */
function traces(world: World, { arn }: Balancer): unknown {
  return world.balancers.find((balancer) => balancer.arn === arn);
}

const others: Readonly<Record<string, { input: Readonly<Record<string, unknown>>; why: string }>> =
  {
    'of the same settings and no tags': { input: {}, why: 'the create call would return it' },
    'of other settings': {
      input: { Subnets: ['subnet-b', 'subnet-c'] },
      why: 'the create call would be refused',
    },
    'of another object': {
      input: { Tags: tagList({ cluster: 'cluster-1', namespace: 'web', name: 'cart' }) },
      why: 'two objects may give the same spec.name',
    },
    'of another cluster': {
      input: { Tags: tagList({ cluster: 'cluster-2', namespace: 'web', name: 'shop' }) },
      why: 'clusters share accounts',
    },
    'of another namespace': {
      input: { Tags: tagList({ cluster: 'cluster-1', namespace: 'ops', name: 'shop' }) },
      why: 'names are unique in a namespace',
    },
  };

function tagList(tags: Readonly<Record<'cluster' | 'namespace' | 'name', string>>): unknown {
  return Object.entries(tags).map(([key, Value]) => ({ Key: `albridge.io/${key}`, Value }));
}

describe('a balancer of our name', () => {
  for (const [name, { input, why }] of Object.entries(others)) {
    it(`${name} stays untouched, because: ${why}`, async () => {
      const world = new World();
      const theirs = foreign(world, input);
      world.start();
      const calls = await world.callsDuring(async () => {
        await world.applied('shop', { tags: { team: 'web' } });
        await world.clock.advance(20 * MINUTE_MS);
      });
      expect(writes(calls)).toBe(0);
      expect(traces(world, theirs)).toEqual(theirs);
      expect(world.condition('shop')).toBe('False NameConflict');
      expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
      expect(world.message('shop')).not.toContain(theirs.arn);
      // Its tags may name an object that does not exist: then it is told as an orphan too.
      const told = world.log.shown.findLast(({ fields }) => 'holder' in fields);
      expect(told?.fields['arn']).toBe(theirs.arn);
      expect(world.object('shop').status.alb).toBeUndefined();
    });

    it(`${name} stays untouched when the object is deleted`, async () => {
      const world = new World();
      const theirs = foreign(world, input);
      world.start();
      await world.applied('shop');
      await world.deleted('shop', MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(traces(world, theirs)).toEqual(theirs);
    });
  }

  it('that the create call returns is not taken for ours', async () => {
    const world = new World();
    const theirs = foreign(world);
    world.start();
    world.fault('DescribeLoadBalancers', { kind: 'staleReads', ageMs: 9_000 });
    const calls = await world.callsDuring(async () => {
      await world.applied('shop', { tags: { team: 'web' } });
      expect(world.condition('shop')).toBe('False OwnershipUnconfirmed');
      await world.clock.advance(MINUTE_MS);
    });
    expect(calls).toMatchObject({ CreateLoadBalancer: 1 });
    expect(writes(calls)).toBe(1);
    expect(world.condition('shop')).toBe('False NameConflict');
    expect(traces(world, theirs)).toEqual(theirs);
    expect(world.events.reasons).not.toContain('CreatedALB');
    await world.deleted('shop', MINUTE_MS);
    expect(traces(world, theirs)).toEqual(theirs);
    expect(world.exists('shop')).toBe(false);
  });

  it('of other settings that reads do not show yet costs one create, not one a second', async () => {
    const world = new World();
    foreign(world, { Subnets: ['subnet-b', 'subnet-c'] });
    world.start();
    const staleMs = { kind: 'staleReads', ageMs: 9_000 } as const;
    world.fault('DescribeLoadBalancers', staleMs, { forMs: 20_000 });
    const calls = await world.callsDuring(async () => {
      await world.applied('shop');
      await world.clock.advance(20_000);
    });
    expect(calls['CreateLoadBalancer']).toBe(1);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
  });

  it('of other settings that no read ever shows is Stalled, and asked for every few minutes', async () => {
    const world = new World();
    foreign(world, { Subnets: ['subnet-b', 'subnet-c'] });
    world.start();
    const hidden = {
      kind: 'error',
      code: 'LoadBalancerNotFound',
      status: 400,
      message: 'x',
    } as const;
    world.fault('DescribeLoadBalancers', hidden, { forMs: 60 * MINUTE_MS });
    const calls = await world.callsDuring(async () => {
      await world.applied('shop');
      await world.clock.advance(MINUTE_MS);
    });
    expect(calls['CreateLoadBalancer']).toBeLessThanOrEqual(2);
    expect(world.condition('shop', 'Stalled')).toBe('True DuplicateName');
  });

  it('that goes away makes room', async () => {
    const world = new World();
    const theirs = foreign(world);
    world.start();
    await world.applied('shop');
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: theirs.arn });
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.condition('shop', 'Stalled')).toBeUndefined();
  });

  it('is asked about no more than once a minute', async () => {
    const world = new World();
    foreign(world);
    world.start();
    await world.applied('shop');
    const calls = await world.callsDuring(() => world.clock.advance(60 * MINUTE_MS));
    expect(calls['DescribeLoadBalancers']).toBeLessThan(80);
    expect(world.events.reasons.filter((reason) => reason === 'NameConflict')).toHaveLength(1);
  });

  it('is reconciled again at once when the spec is edited', async () => {
    const world = new World();
    foreign(world);
    world.start();
    await world.applied('shop');
    world.untagOutOfBand(world.balancer().arn, 'none');
    world.tagOutOfBand(world.balancer().arn, {
      'albridge.io/cluster': 'cluster-1',
      'albridge.io/namespace': 'web',
      'albridge.io/name': 'shop',
      'albridge.io/uid': 'uid-of-old',
    });
    await world.edited('shop', { tags: { team: 'web' } }, 1_000);
    expect(world.condition('shop')).toBe('True Available');
  });
});

describe('whose a balancer is', () => {
  const theirs = {
    'albridge.io/cluster': 'their-cluster',
    'albridge.io/namespace': 'payroll',
    'albridge.io/name': 'salaries',
  };
  const consent = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
  const cases: Readonly<
    Record<string, { tags: Readonly<Record<string, string>>; adopts: boolean; reason: string }>
  > = {
    'a taken name': { tags: theirs, adopts: false, reason: 'NameConflict' },
    'an adoption without consent': { tags: theirs, adopts: true, reason: 'AdoptionRefused' },
    'an adoption of what another object holds': {
      tags: { ...theirs, ...consent },
      adopts: true,
      reason: 'AdoptionRefused',
    },
  };
  for (const [name, { tags, adopts, reason }] of Object.entries(cases)) {
    it(`is in the log and not in status or events: ${name}`, async () => {
      const world = new World();
      const { arn } = foreign(world);
      world.tagOutOfBand(arn, tags);
      world.start();
      await world.applied('shop', adopts ? { adopt: { arn } } : {});
      await world.clock.advance(20 * MINUTE_MS);
      expect(world.condition('shop', 'Stalled')).toBe(`True ${reason}`);
      const { status } = world.object('shop');
      const visible = JSON.stringify([status, world.events.recorded.map(({ note }) => note)]);
      const own = adopts ? [] : [arn];
      for (const secret of ['their-cluster', 'cluster-1', 'payroll', 'salaries', ...own]) {
        expect(visible).not.toContain(secret);
      }
      expect(world.message('shop')).toMatch(/held by another object.*log.*names its holder/);
      const lines = world.log.shown.filter(({ fields }) => fields['reason'] === reason);
      expect(lines).toHaveLength(1);
      expect(lines[0]?.fields).toMatchObject({
        arn,
        holder: expect.stringContaining('MyIngress payroll/salaries of cluster'),
      });
    });
  }
});

describe('losing an ownership tag', () => {
  for (const tag of ['cluster', 'namespace', 'name'] as const) {
    it(`is a release: ${tag} is not put back, and nothing is written any more`, async () => {
      const world = await World.having('shop', { tags: { team: 'web' } });
      const { arn } = world.balancer();
      world.untagOutOfBand(arn, ownershipTagKeys[tag], 'team');
      const released = world.balancer();
      const calls = await world.callsDuring(() => world.clock.advance(3 * SCAN_MS));
      expect(writes(calls)).toBe(0);
      expect(world.balancer()).toEqual(released);
      expect(world.condition('shop')).toBe('False NameConflict');
      expect(world.message('shop')).toContain('held by another object, or has lost');
    });

    it(`is a release: without ${tag} it survives the object, which goes`, async () => {
      const world = await World.having('shop');
      world.untagOutOfBand(world.balancer().arn, ownershipTagKeys[tag]);
      const released = world.balancer();
      await world.deleted('shop', 9_000);
      expect(world.exists('shop')).toBe(true);
      await world.clock.advance(MINUTE_MS);
      expect(world.exists('shop')).toBe(false);
      expect(world.balancer()).toEqual(released);
      expect(world.events.reasons).toContain('LeftALB');
    });

    it(`to another owner's value of ${tag} is a release as well`, async () => {
      const world = await World.having('shop');
      world.tagOutOfBand(world.balancer().arn, { [ownershipTagKeys[tag]]: 'theirs' });
      const released = world.balancer();
      await world.clock.advance(3 * SCAN_MS);
      expect(world.balancer()).toEqual(released);
      expect(world.condition('shop')).toBe('False NameConflict');
      const told = world.log.shown.findLast(({ fields }) => 'holder' in fields);
      expect(told?.fields['holder']).toContain('theirs');
    });
  }

  it('ends when the tag is back', async () => {
    const world = await World.having('shop');
    world.untagOutOfBand(world.balancer().arn, ownershipTagKeys.name);
    await world.clock.advance(2 * SCAN_MS);
    world.tagOutOfBand(world.balancer().arn, { [ownershipTagKeys.name]: 'shop' });
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop')).toBe('True Available');
  });
});

describe('an object that was recreated', () => {
  it('takes its balancer over, and says so', async () => {
    const world = new World();
    const theirs = foreign(world, {
      Tags: [
        ...(tagList({ cluster: 'cluster-1', namespace: 'web', name: 'shop' }) as unknown[]),
        { Key: 'albridge.io/uid', Value: 'uid-of-old' },
      ],
    });
    world.start();
    await world.applied('shop');
    expect(world.condition('shop')).toBe('True Available');
    expect(world.balancer().arn).toBe(theirs.arn);
    expect(world.balancer().tags['albridge.io/uid']).toBe('uid-1');
    const told = world.events.recorded.filter(({ reason }) => reason === 'TookOverALB');
    expect(told).toHaveLength(1);
    expect(told[0]?.note).toContain('uid-of-old');
    expect(world.events.reasons).not.toContain('CreatedALB');
  });

  it('reports it only when it has been done', async () => {
    const world = new World();
    foreign(world, {
      Tags: [
        ...(tagList({ cluster: 'cluster-1', namespace: 'web', name: 'shop' }) as unknown[]),
        { Key: 'albridge.io/uid', Value: 'uid-of-old' },
      ],
    });
    world.fault(
      'AddTags',
      { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' },
      { times: 3 },
    );
    world.start();
    await world.applied('shop');
    await world.clock.advance(20 * MINUTE_MS);
    expect(world.events.reasons.filter((reason) => reason === 'TookOverALB')).toHaveLength(1);
  });
});

describe('two objects of one cluster with the same spec.name', () => {
  it('do not share a balancer', async () => {
    const world = await World.having('first', { name: 'shared' });
    await world.applied('second', { name: 'shared' });
    expect(world.condition('first')).toBe('True Available');
    expect(world.condition('second')).toBe('False NameConflict');
    await world.deleted('second', MINUTE_MS);
    expect(world.balancers).toHaveLength(1);
    expect(world.exists('second')).toBe(false);
  });

  it('do not share one either when they are applied at the same moment', async () => {
    const world = new World();
    await world.clock.settle();
    world.apply('first', { name: 'shared' });
    world.apply('second', { name: 'shared' });
    world.start();
    await world.clock.advance(MINUTE_MS);
    const conditions = new Set([world.condition('first'), world.condition('second')]);
    expect(conditions).toEqual(new Set(['False NameConflict', 'True Available']));
  });
});

describe('a forged ARN in the status of one object', () => {
  it('neither fails nor shows in another object whose tags are read in the same call', async () => {
    const world = await World.having('neighbour');
    await world.applied('tenant');
    await world.clock.advance(MINUTE_MS);
    await world.kube.writer<MyIngress>().applyStatus(world.object('tenant'), {
      ...world.object('tenant').status,
      alb: { arn: 'arn:forged', name: 'x' },
    });
    for (const name of ['tenant', 'neighbour']) {
      world.annotate(name, { 'albridge.io/reconcile-requested-at': 'now' });
    }
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('tenant')).toBe('True Available');
    expect(world.condition('neighbour')).toBe('True Available');
    const { status } = world.object('neighbour');
    const of = world.events.recorded.filter(({ key }) => key === 'web/neighbour');
    expect(JSON.stringify([status, of])).not.toContain('forged');
    expect(status.lastHandledReconcileAt).toBe('now');
  });
});
