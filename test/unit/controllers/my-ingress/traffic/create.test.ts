import { describe, expect, it } from 'vitest';
import { MINUTE_MS, reads, SCAN_MS, World, writes } from '../world.ts';
import { listIds, SHOP, web } from './specs.ts';

describe('a MyIngress with one backend and one rule', () => {
  const spec = {
    backends: [web],
    rules: [{ name: 'web', paths: ['/web'], forward: [{ backend: 'web' }] }],
  };

  it('takes nine calls besides the registration of its targets, and one to learn the VPC', async () => {
    const world = World.started();
    const create = async (name: string): Promise<Readonly<Record<string, number>>> =>
      world.callsDuring(async () => {
        world.apply(name, spec);
        await world.clock.advance(900);
      });
    const serving = {
      ...{ CreateSecurityGroup: 1, AuthorizeSecurityGroupIngress: 1, CreateLoadBalancer: 1 },
      ...{ CreateTargetGroup: 1, CreateListener: 1, CreateRule: 1 },
      ...{ DescribeLoadBalancers: 1, DescribeTags: 2 },
    };
    expect(await create('first')).toEqual({ ...serving, DescribeSubnets: 1 });
    expect(await create('second')).toEqual(serving);
  });

  it('learns the VPC and reserves its tokens while the finalizer is being stored', async () => {
    const world = new World();
    const release = world.kube.holdNext('addFinalizer');
    world.start();
    const before = await world.callsDuring(() => world.applied('shop', spec));
    expect(before).toEqual({ DescribeLoadBalancers: 1, DescribeSubnets: 1 });
    release();
    const after = await world.callsDuring(() => world.clock.advance(900));
    expect(after).toMatchObject({ CreateSecurityGroup: 1, CreateLoadBalancer: 1, CreateRule: 1 });
    expect(after).not.toHaveProperty('DescribeSubnets');
  });

  it('serves the listener that can be, also where AWS has refused the balancer once', async () => {
    const world = World.started();
    world.fault('CreateLoadBalancer', {
      ...{ kind: 'error', code: 'InvalidSubnet', status: 400, message: 'no free addresses' },
    });
    const listeners = [
      { port: 80, protocol: 'HTTP' as const },
      { port: 443, protocol: 'HTTPS' as const },
    ];
    world.apply('shop', { ...spec, listeners, defaultAction: { forward: [{ backend: 'web' }] } });
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(listIds(world)).toContain('listener/80');
  });

  it('names every subnet where AWS does not say which of them it does not know', async () => {
    const world = World.started();
    world.apply('shop', { ...spec, subnets: ['subnet-a', 'subnet-gone'] });
    await world.clock.advance(1_000);
    expect(world.condition('shop')).toBe('False SubnetNotFound');
    expect(world.message('shop')).toContain('does not know each of subnet-a, subnet-gone');
  });

  it('learns the VPC while AWS is asked what has its name', async () => {
    const world = new World();
    world.fault('DescribeLoadBalancers', { kind: 'delay', delayMs: 5_000 });
    world.start();
    await world.clock.settle();
    const calls = await world.callsDuring(async () => {
      world.apply('shop', spec);
      await world.clock.settle();
    });
    expect(calls).toEqual({ DescribeLoadBalancers: 1, DescribeSubnets: 1 });
  });

  it('is made although the subnets cannot be read at first, and a failed read ends no pass that has no use for it', async () => {
    const world = new World();
    const refusal = { code: 'RequestLimitExceeded', status: 503, message: 'no' } as const;
    world.fault('DescribeSubnets', { kind: 'error', ...refusal }, { forMs: 5_000 });
    world.fault(
      'DescribeLoadBalancers',
      { kind: 'error', ...refusal, code: 'ServiceUnavailable' },
      { forMs: 2_000 },
    );
    world.start();
    await world.applied('shop', spec);
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('has its plan in one log entry, with the lines of a preview', async () => {
    const world = await World.having('shop');
    await world.clock.advance(MINUTE_MS);
    world.annotate('shop', { 'albridge.io/mode': 'plan' });
    await world.edited('shop', spec, 1_000);
    const printed = world.object('shop').status?.plan?.steps;
    expect(printed).toHaveLength(6);
    const before = world.log.lines.length;
    world.annotate('shop', {});
    await world.clock.advance(1_000);
    const logged = world.log.lines.slice(before).filter(({ message }) => message === 'plan');
    expect(logged.map(({ level, fields }) => [level, fields['plan']])).toEqual([
      ['debug', printed],
    ]);
  });

  it('is Ready with its listener, target group and security group in status and in AWS', async () => {
    const world = await World.having('shop', spec);
    await world.clock.advance(2_000);
    expect(world.condition('shop')).toBe('True Available');
    const { targetGroups, listeners } = world.aws.control.snapshot();
    expect(world.object('shop').status).toMatchObject({
      listeners: [{ port: 80, arn: listeners[0]?.arn }],
      backends: [{ name: 'web', targetGroupARN: targetGroups[0]?.arn, desired: 2, registered: 2 }],
      ...{ targets: '2/2', owned: { targetGroups: [targetGroups[0]?.name] } },
    });
    expect(world.condition('shop', 'BackendsResolved')).toBe('True Resolved');
    expect(world.condition('shop', 'TargetsHealthy')).toBe('True Healthy');
  });

  it('records four events, of which none comes before the create of the balancer', async () => {
    const world = await World.having('shop', spec);
    await world.clock.advance(2_000);
    const reasons = ['CreatedALB', 'UpdatedTraffic', 'UpdatedTraffic', 'Available'];
    expect(world.events.reasons.filter((reason) => reasons.includes(reason))).toEqual(reasons);
  });

  it('has the event of its security group also where the create of the balancer fails', async () => {
    const world = new World();
    const refusal = { code: 'TooManyLoadBalancers', status: 400, message: 'no' } as const;
    world.fault('CreateLoadBalancer', { kind: 'error', ...refusal });
    world.start();
    await world.applied('shop', spec);
    const notes = world.events.recorded.map(({ note }) => note);
    expect(notes).toContainEqual(expect.stringMatching(/^Updated: create security-group/));
  });

  it('makes its security group once while AWS refuses the balancer, and again where others delete it', async () => {
    const world = World.started();
    world.aws.control.changeSettings({ quota: 0 });
    const made = await world.callsDuring(async () => {
      await world.applied('shop', spec);
      await world.clock.advance(20 * MINUTE_MS);
    });
    expect(world.condition('shop', 'Stalled')).toBe('True TooManyLoadBalancers');
    expect(made['CreateLoadBalancer']).toBeGreaterThan(3);
    expect(made['CreateSecurityGroup']).toBe(1);
    const [group] = world.beside;
    world.outOfBand('DeleteSecurityGroup', { GroupId: group?.id });
    world.aws.control.changeSettings({ quota: 50 });
    await world.clock.advance(6 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('has what it owns and the keys of its tags on record by one write before it makes anything', async () => {
    const world = new World();
    world.fault('CreateSecurityGroup', { kind: 'delay', delayMs: 5_000 });
    world.start();
    await world.clock.settle();
    world.apply('shop', { ...spec, tags: { team: 'web' } });
    await world.clock.settle();
    expect(world.kube.writes.map(({ verb }) => verb)).toEqual(['addFinalizer', 'applyStatus']);
    expect(world.object('shop').status).toMatchObject({
      owned: { securityGroup: expect.any(String), targetGroups: [expect.any(String)] },
      applied: { tags: ['team'] },
    });
  });
});

it('two listeners, twenty rules and ten backends take 51 calls at most, with the registration of their targets', async () => {
  const world = World.started();
  const names = Array.from({ length: 10 }, (_, index) => `b${index}`);
  const rules = Array.from({ length: 10 }, (_, index) => ({
    ...{ name: `r${index}`, paths: [`/${index}`], forward: [{ backend: `b${index}` }] },
  }));
  const calls = await world.callsDuring(() =>
    world.applied('shop', {
      backends: names.map((name) => ({ ...web, name })),
      listeners: [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const })),
      ...{ rules, defaultAction: { forward: [{ backend: 'b0' }] } },
    }),
  );
  expect(world.condition('shop')).toBe('True Available');
  expect(calls).toMatchObject({ CreateTargetGroup: 10, CreateListener: 2, CreateRule: 20 });
  const registrations = names.length;
  expect(reads(calls) + writes(calls) + registrations).toBeLessThanOrEqual(51);
});

it('what is as desired costs a scan one call for all target groups, and is never written again', async () => {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  const scan = await world.callsDuring(() => world.clock.advance(SCAN_MS));
  expect(scan).toEqual({
    ...{ DescribeLoadBalancers: 1, DescribeTargetGroups: 1, DescribeTags: 1 },
    DescribeSecurityGroups: 1,
  });
  expect(await world.writesDuring(() => world.clock.advance(12 * SCAN_MS))).toEqual([]);
});

it('a balancer gets its traffic later, in place', async () => {
  const world = await World.having('shop');
  const { arn } = world.balancer();
  await world.edited('shop', SHOP, MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  expect(world.balancer().arn).toBe(arn);
  expect(listIds(world)).toEqual([
    ...['listener/80', 'rule/80/spec/api/0', 'security-group/frontend'],
    ...['target-group/spec/api', 'target-group/spec/web'],
  ]);
});

it('security groups of the operator’s setting are attached next to the managed one', async () => {
  const world = World.started({ backendSecurityGroups: ['sg-admin'] });
  await world.applied('shop', SHOP);
  const managed = world.beside.find(({ id }) => id.startsWith('sg-'))?.id;
  expect(world.balancer().securityGroups).toEqual([managed, 'sg-admin']);
});
