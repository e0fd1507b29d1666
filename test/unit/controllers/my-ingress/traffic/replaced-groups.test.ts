import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, World } from '../world.ts';
import { api, SHOP, web } from './specs.ts';

const KEY = 'web/shop';
const REPLACED: Partial<MyIngressSpec> = { backends: [web, { ...api, protocol: 'HTTPS' }] };
/** The settings of `api`, as AWS is given them. */
const SAME = {
  ...{ TargetType: 'ip', Protocol: 'HTTP', ProtocolVersion: 'HTTP1', Port: 80 },
  ...{ HealthCheckProtocol: 'HTTP', HealthCheckPort: 'traffic-port', HealthCheckPath: '/' },
  ...{ HealthCheckIntervalSeconds: 15, HealthCheckTimeoutSeconds: 5 },
  ...{ HealthyThresholdCount: 2, UnhealthyThresholdCount: 2, Matcher: { HttpCode: '200' } },
  IpAddressType: 'ipv4',
};
const REFUSED = {
  kind: 'error',
  ...{ code: 'InvalidLoadBalancerAction', status: 400, message: 'refused' },
} as const;

async function settled(): Promise<World> {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  return world;
}

function findGroup(world: World, backend: string): string {
  const groups = world.aws.control.snapshot().targetGroups;
  return groups.find(({ name }) => name.startsWith(`shop-${backend}-`))?.arn ?? '';
}

function nameOf(world: World, backend: string) {
  const groups = world.aws.control.snapshot().targetGroups;
  return groups.find(({ name }) => name.startsWith(`shop-${backend}-`)) ?? { name: '' };
}

function listFollowed(world: World): readonly string[] {
  return (world.targets.published.get(KEY) ?? []).map(({ arn }) => arn);
}

describe('a pod that comes is a target of the group that requests still reach', () => {
  it('where AWS refuses to give a rule the group’s successor, and status counts each target once', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('ModifyRule', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', REPLACED, 2 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True InvalidLoadBalancerAction');
    expect(listFollowed(world)).toHaveLength(3);
    expect(listFollowed(world)).toContain(old);
    expect(world.object('shop').status.targets).toBe('4/4');
  });

  it('so it is after a restart of the operator, also of an object that is paused', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('ModifyRule', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', REPLACED, 2 * MINUTE_MS);
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toContain(old);
  });

  it('and counted as the backend’s, where AWS refuses to make its successor', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('CreateTargetGroup', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', REPLACED, 2 * MINUTE_MS);
    expect(listFollowed(world)).toContain(old);
    expect(world.object('shop').status.targets).toBe('4/4');
  });

  it('and of no other, once a listener gives them to its successor by default', async () => {
    const world = await settled();
    const old = findGroup(world, 'web');
    await world.edited('shop', { backends: [{ ...web, protocol: 'HTTPS' }, api] }, 1_000);
    expect(listFollowed(world), 'until the successor is healthy').toContain(old);
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toHaveLength(2);
    expect(listFollowed(world)).not.toContain(old);
  });

  const tls = { ...api, protocol: 'HTTPS' as const, service: { ...api.service, port: 443 } };

  it('by the port that it has always had, where its successor speaks TLS on another', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    await world.edited('shop', { backends: [web, tls] }, 1_000);
    const served = world.targets.published.get(KEY) ?? [];
    expect(served.find(({ arn }) => arn === old)?.service).toEqual(api.service);
    expect(served.find(({ arn }) => arn !== old && arn.includes('-api-'))?.service).toEqual(
      tls.service,
    );
  });

  it('by that port too, where AWS refuses to make its successor', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('CreateTargetGroup', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', { backends: [web, tls] }, 2 * MINUTE_MS);
    const served = world.targets.published.get(KEY) ?? [];
    expect(served.find(({ arn }) => arn === old)?.service).toEqual(api.service);
  });

  describe.each([
    ['', {}],
    [', also of an object that is paused', { 'albridge.io/paused': 'true' }],
    [', also of an object in plan mode', { 'albridge.io/mode': 'plan' }],
  ])('by that port after a restart of the operator%s', (_, annotations) => {
    it.each([
      ['AWS refuses to give a rule its successor', 'ModifyRule', 10_000],
      ['AWS refuses to make its successor', 'CreateTargetGroup', 10_000],
      ['its successor waits for healthy targets', undefined, 1_000],
    ] as const)('where %s', async (_why, operation, laterMs) => {
      const world = await settled();
      const old = findGroup(world, 'api');
      if (operation) world.fault(operation, REFUSED, { forMs: 60 * MINUTE_MS });
      await world.edited('shop', { backends: [web, tls] }, laterMs);
      world.annotate('shop', annotations);
      world.targets.published.clear();
      await world.restart();
      for (const ms of [100, 5_000]) {
        await world.clock.advance(ms);
        const served = world.targets.published.get(KEY);
        const found = served?.find(({ arn }) => arn === old);
        expect(found?.service ?? api.service).toEqual(api.service);
      }
      if (operation) expect(listFollowed(world)).toContain(old);
    });
  });

  it('while the rule of a backend that has left the spec stays', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    const rules = [{ name: 'new', paths: ['/*'], forward: [{ backend: 'web' }] }];
    await world.edited('shop', { backends: [web], rules }, 2_000);
    expect(listFollowed(world)).toContain(old);
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toHaveLength(1);
  });

  it.each([
    ['', undefined],
    [', also of an object that is paused', 'true'],
  ])(
    'so it is after a restart of the operator, while AWS refuses to delete the rule%s',
    async (_, paused) => {
      const world = await settled();
      const old = findGroup(world, 'api');
      world.fault('DeleteRule', REFUSED, { forMs: 60 * MINUTE_MS });
      await world.edited('shop', { backends: [web], rules: [] }, 2 * MINUTE_MS);
      if (paused) world.annotate('shop', { 'albridge.io/paused': paused });
      world.targets.published.clear();
      await world.restart();
      await world.clock.advance(MINUTE_MS);
      expect(world.targets.published.get(KEY)).toContainEqual(
        expect.objectContaining({ arn: old, isReplaced: true, service: api.service }),
      );
      expect(world.object('shop').status.targets).toBe('2/2');
    },
  );

  it('after a restart of an object that is paused, where the load balancer of others alone uses the group', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('DeleteTargetGroup', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', { backends: [web], rules: [] }, 2 * MINUTE_MS);
    const { LoadBalancers } = world.outOfBand('CreateLoadBalancer', {
      ...{ Name: 'theirs', Subnets: ['subnet-a', 'subnet-b'] },
    }) as { LoadBalancers: { LoadBalancerArn: string }[] };
    world.outOfBand('CreateListener', {
      ...{ LoadBalancerArn: LoadBalancers[0]?.LoadBalancerArn, Port: 80, Protocol: 'HTTP' },
      DefaultActions: [{ Type: 'forward', TargetGroupArn: old }],
    });
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toContain(old);
  });

  it('after a restart although AWS refuses to delete its load balancer', async () => {
    const world = await settled();
    const protection = { 'deletion_protection.enabled': 'true' };
    await world.edited('shop', { attributes: protection }, MINUTE_MS);
    await world.deleted('shop', MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toHaveLength(2);
  });
});

it('no targets are registered after a restart for a deletion that has only target groups left', async () => {
  const world = await settled();
  world.fault('DeleteTargetGroup', REFUSED, { forMs: 60 * MINUTE_MS });
  await world.deleted('shop', MINUTE_MS);
  expect(world.balancers).toEqual([]);
  expect(findGroup(world, 'api')).not.toBe('');
  world.annotate('shop', { 'albridge.io/paused': 'true' });
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(listFollowed(world)).toEqual([]);
});

it.each([
  ['is paused', { 'albridge.io/paused': 'true' }],
  ['is in plan mode', { 'albridge.io/mode': 'plan' }],
])(
  'the targets of an object that %s stay those of the Service before an edit, also after a restart',
  async (_, annotations) => {
    const world = await settled();
    world.annotate('shop', annotations);
    await world.clock.advance(1_000);
    world.edit('shop', { backends: [web, { ...api, service: { name: 'other', port: 80 } }] });
    await world.clock.advance(MINUTE_MS);
    const listServices = () => (world.targets.published.get(KEY) ?? []).map((one) => one.service);
    expect(listServices()).toEqual([web.service, api.service]);
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listServices()).toEqual([web.service, api.service]);
  },
);

it('a group that an action still sends requests to is published as such, also after a restart', async () => {
  const world = await settled();
  const blue = { name: 'blue', service: { name: 'blue', port: 80 } };
  const rule = { name: 'api', paths: ['/api/*'] };
  const listReached = (): readonly string[] => {
    const published = world.targets.published.get(KEY) ?? [];
    return published.filter(({ isReached }) => isReached).map(({ backend }) => backend);
  };
  const backends = [web, api, blue];
  const code = 'TooManyTargetGroups';
  world.fault('CreateTargetGroup', { ...REFUSED, code }, { forMs: 5 * MINUTE_MS });
  const rules = [{ ...rule, forward: [{ backend: 'blue' }] }];
  await world.edited('shop', { backends, rules }, MINUTE_MS);
  expect(listReached()).toEqual(['web', 'api']);
  world.targets.published.clear();
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(listReached()).toEqual(['web', 'api']);
  await world.clock.advance(10 * MINUTE_MS);
  expect(listReached()).toEqual(['web', 'blue']);
  const canary = { backend: 'api', weight: 0 };
  await world.edited('shop', { rules: [{ ...rule, forward: [{ backend: 'blue' }, canary] }] }, 1);
  await world.clock.advance(MINUTE_MS);
  expect(listReached()).toEqual(['web', 'blue']);
});

it('a target group of another owner, with which AWS answers our create, gets no target', async () => {
  const world = await settled();
  const { name: Name } = nameOf(world, 'api');
  await world.deleted('shop', 10 * MINUTE_MS);
  const theirs = { ...SAME, Name, VpcId: 'vpc-main' };
  const hidden = { kind: 'staleReads', ageMs: 9_000 } as const;
  world.fault('DescribeTargetGroups', hidden, { forMs: 8_000 });
  const made = world.outOfBand('CreateTargetGroup', theirs) as {
    TargetGroups: { TargetGroupArn: string }[];
  };
  const arn = made.TargetGroups[0]?.TargetGroupArn ?? '';
  world.apply('shop', SHOP);
  for (let i = 0; i < 40; i++) {
    await world.clock.advance(500);
    expect(listFollowed(world)).not.toContain(arn);
  }
  await world.clock.advance(5 * MINUTE_MS);
  expect(world.condition('shop')).toBe('False NameConflict');
});

describe('a backend whose targetType is changed', () => {
  const kinds = (world: World): Readonly<Record<string, string>> => {
    const published = world.targets.published.get(KEY) ?? [];
    return Object.fromEntries(published.map(({ arn, targetType }) => [arn, targetType]));
  };
  const backends = [web, { ...api, targetType: 'instance' as const }];

  it('gets a group of instances, and while requests reach the group of pods that is filled with pods', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('ModifyRule', REFUSED, { forMs: 5 * MINUTE_MS });
    await world.edited('shop', { backends }, MINUTE_MS);
    const { [old]: former, ...others } = kinds(world);
    expect(former).toBe('ip');
    expect(Object.values(others).toSorted()).toEqual(['instance', 'ip']);
    await world.clock.advance(20 * MINUTE_MS);
    expect(Object.keys(kinds(world))).not.toContain(old);
    expect(world.condition('shop', 'Ready')).toBe('True Available');
  });

  it('so it is after a restart of the operator, also of an object that is paused', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault('ModifyRule', REFUSED, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', { backends }, 2 * MINUTE_MS);
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(kinds(world)[old]).toBe('ip');
    expect(Object.values(kinds(world)).toSorted()).toEqual(['instance', 'ip', 'ip']);
  });

  it('so it is after a restart, and where the new group cannot be made', async () => {
    const world = await settled();
    const old = findGroup(world, 'api');
    world.fault(
      'CreateTargetGroup',
      { ...REFUSED, code: 'TooManyTargetGroups' },
      { forMs: 60 * MINUTE_MS },
    );
    await world.edited('shop', { backends }, MINUTE_MS);
    expect(kinds(world)[old]).toBe('ip');
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(kinds(world)[old]).toBe('ip');
  });
});
