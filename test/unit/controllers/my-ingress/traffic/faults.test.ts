import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { applyShop, settleShop } from './settle.ts';
import { api, SHOP, web } from './specs.ts';

const KEY = 'web/shop';

const RULE = { paths: ['/v2'], forward: [{ backend: 'api' }] };

function listener(world: World, port = 80) {
  const found = world.aws.control.snapshot().listeners.find((one) => one.port === port);
  if (found === undefined) throw new Error(`no listener on ${port}`);
  return found;
}

describe('what AWS refuses', () => {
  it('is one listener whose port another listener holds: its rules wait, the other listener serves', async () => {
    const world = await World.having('shop');
    const fixed = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '200' } };
    const LoadBalancerArn = world.balancer().arn;
    const held = { LoadBalancerArn, Port: 80, Protocol: 'HTTP', DefaultActions: [fixed] };
    world.outOfBand('CreateListener', held);
    const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
    await world.edited('shop', { ...SHOP, listeners }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True PortConflict');
    expect(world.message('shop')).toContain('listener 80: port 80 is held by');
    expect(listener(world, 80).rules).toHaveLength(1);
    expect(listener(world, 8080).rules).toHaveLength(2);
    expect(world.object('shop').status.listeners).toMatchObject([
      { port: 80, message: expect.stringContaining('is held by') },
      { port: 8080, arn: listener(world, 8080).arn },
    ]);
  });

  it('is one certificate: the listener without it serves', async () => {
    const certificate = 'arn:aws:acm:us-east-1:000000000000:certificate/none';
    const world = await applyShop({
      ...SHOP,
      listeners: [
        { port: 80, protocol: 'HTTP' },
        { port: 443, protocol: 'HTTPS', certificates: [certificate] },
      ],
    });
    expect(world.condition('shop', 'Stalled')).toBe('True CertificateNotFound');
    expect(world.message('shop')).toContain('listener 443: ');
    expect(listener(world, 80).rules).toHaveLength(2);
  });

  describe('is one certificate', () => {
    const certificate = 'arn:aws:acm:us-east-1:000000000000:certificate/none';
    const secure = { port: 443, protocol: 'HTTPS' as const, certificates: [certificate] };

    it('and no client is sent to the port that needs it: what redirects there stays as it was', async () => {
      const world = await settleShop();
      const before = listener(world);
      const redirecting = { port: 80, protocol: 'HTTP' as const, redirectToHTTPS: true };
      await world.edited('shop', { listeners: [redirecting, secure] }, 5 * MINUTE_MS);
      expect(world.condition('shop', 'Stalled')).toBe('True CertificateNotFound');
      expect(listener(world)).toEqual(before);
    });

    it('and what AWS refuses again changes nothing, and is no event', async () => {
      const world = await settleShop();
      world.edit('shop', { listeners: [{ port: 80, protocol: 'HTTP' }, secure] });
      await world.clock.advance(MINUTE_MS);
      const before = world.events.reasons.length;
      const calls = await world.callsDuring(() => world.clock.advance(20 * MINUTE_MS));
      expect(calls['CreateListener']).toBeGreaterThan(2);
      expect(world.events.reasons.slice(before)).toEqual([]);
    });

    it('and a rule that has left the spec is deleted from the other listener', async () => {
      const world = await settleShop();
      world.edit('shop', { listeners: [{ port: 80, protocol: 'HTTP' }, secure] });
      await world.clock.advance(MINUTE_MS);
      await world.edited('shop', { rules: [{ ...RULE, name: 'v2' }] }, 10 * MINUTE_MS);
      expect(world.condition('shop', 'Stalled')).toBe('True CertificateNotFound');
      expect(listener(world).rules).toHaveLength(2);
    });
  });

  it('is a rule too many: the others serve, and it comes once there is room', async () => {
    const world = World.started({
      settings: { limits: { 'rules-per-application-load-balancer': 2 } },
    });
    const rules = ['a', 'b', 'c'].map((name) => {
      return { name, paths: [`/${name}`], forward: [{ backend: 'api' }] };
    });
    await world.applied('shop', { ...SHOP, rules });
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    expect(world.message('shop')).toContain('rule c on port 80: ');
    expect(world.message('shop')).toContain(
      '(rules-per-application-load-balancer is 2), the spec needs 3; remove what is not used',
    );
    expect(listener(world).rules).toHaveLength(3);
    await world.edited('shop', { rules: rules.slice(1) }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listener(world).rules).toHaveLength(3);
  });

  it('is a target group of its name with the tags of another owner: it is left alone, the other backend serves', async () => {
    const world = await settleShop();
    const group = world.aws.control
      .snapshot()
      .targetGroups.find(({ name }) => name.includes('api'));
    world.untagOutOfBand(group?.arn ?? '', 'albridge.io/cluster');
    await world.clock.advance(SCAN_MS + MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toContain('backend api: ');
    expect(world.targets.published.get(KEY)?.map(({ backend }) => backend)).toEqual(['web']);
  });

  it('is everything where the policy is that of an older version: the message names the action', async () => {
    const world = World.started({ policy: 'of a balancer alone' });
    await world.applied('shop', SHOP);
    expect(world.condition('shop', 'Stalled')).toBe('True AccessDenied');
    expect(world.message('shop')).toContain('allow ec2:DescribeSubnets in the IAM policy');
    expect(world.balancers).toEqual([]);
  });
});

describe('what someone changes in AWS is repaired by the next scan', () => {
  const changes: Readonly<Record<string, (world: World) => void>> = {
    'a listener that is gone': (world) =>
      void world.outOfBand('DeleteListener', { ListenerArn: listener(world).arn }),
    'the only rule of a backend that is gone': (world) =>
      void world.outOfBand('DeleteRule', { RuleArn: listener(world).rules[0]?.arn }),
    'a target group that no action names': (world) => {
      const groups = world.aws.control.snapshot().targetGroups;
      const spare = groups.find(({ name }) => name.startsWith('shop-spare-'));
      world.outOfBand('DeleteTargetGroup', { TargetGroupArn: spare?.arn });
    },
    'tags of a target group': (world) => {
      const [group] = world.aws.control.snapshot().targetGroups;
      world.untagOutOfBand(group?.arn ?? '', 'team');
    },
    'a health check': (world) => {
      const [group] = world.aws.control.snapshot().targetGroups;
      world.outOfBand('ModifyTargetGroup', {
        TargetGroupArn: group?.arn,
        HealthCheckPath: '/elsewhere',
      });
    },
    'the security groups of the balancer': (world) =>
      void world.outOfBand('SetSecurityGroups', {
        LoadBalancerArn: world.balancer().arn,
        SecurityGroups: ['sg-web'],
      }),
  };

  for (const [what, change] of Object.entries(changes)) {
    it(what, async () => {
      const backends = [web, api, { ...api, name: 'spare' }];
      const world = await settleShop({ ...SHOP, backends, tags: { team: 'web' } });
      const before = world.beside.length;
      change(world);
      await world.clock.advance(SCAN_MS + MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(world.beside).toHaveLength(before);
      expect(world.events.reasons).toContain('DriftRepaired');
      expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
    });
  }

  it('and what only a list of one balancer shows within half an hour', async () => {
    const world = await settleShop({
      ...SHOP,
      rules: [...(SHOP.rules ?? []), { name: 'v2', paths: ['/v2'], forward: [{ backend: 'api' }] }],
    });
    world.outOfBand('DeleteRule', { RuleArn: listener(world).rules[0]?.arn });
    await world.clock.advance(36 * MINUTE_MS);
    expect(listener(world).rules).toHaveLength(3);
  });
});

describe('targets', () => {
  it('of a backend whose next group cannot be made are followed in the one that serves', async () => {
    const world = await settleShop();
    const before = world.targets.published.get(KEY);
    const error = {
      kind: 'error',
      code: 'TooManyTargetGroups',
      status: 400,
      message: 'x',
    } as const;
    world.fault('CreateTargetGroup', error, { forMs: 60 * MINUTE_MS });
    await world.edited('shop', { backends: [web, { ...api, protocol: 'HTTPS' }] }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True QuotaExceeded');
    expect(world.targets.published.get(KEY)).toMatchObject(
      before?.map(({ arn }) => ({ arn })) ?? [],
    );
  });

  it('of a Service that is not there yet are awaited for a minute, then the balancer is Ready without', async () => {
    const world = World.started();
    const problem = { reason: 'ServiceNotFound', message: 'no Service api', sinceMs: 0 };
    world.targets.say(KEY, 'api', { desired: 0, registered: 0, problem });
    await world.applied('shop', SHOP);
    expect(world.condition('shop', 'Reconciling')).toBe('True ServiceNotFound');
    expect(world.condition('shop', 'BackendsResolved')).toBe('Unknown ServiceNotFound');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.condition('shop', 'BackendsResolved')).toBe('False ServiceNotFound');
    expect(world.object('shop').status).toMatchObject({
      targets: '2/2',
      backends: [{ name: 'web' }, { name: 'api', message: 'no Service api', desired: 0 }],
    });
  });

  it('that this installation does not serve are not awaited', async () => {
    const world = World.started();
    const problem = { reason: 'BackendUnsupported', message: 'nodes are not read', sinceMs: 0 };
    world.targets.say(KEY, 'api', { desired: 0, registered: 0, problem });
    await world.applied('shop', SHOP);
    await world.clock.advance(2_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.condition('shop', 'BackendsResolved')).toBe('False BackendUnsupported');
  });

  it('that change are counted without a call to AWS', async () => {
    const world = await settleShop();
    const calls = await world.callsDuring(async () => {
      world.targets.say(KEY, 'web', { desired: 3, registered: 3, healthy: 1 });
      await world.clock.advance(2_000);
    });
    expect(calls).toEqual({});
    expect(world.object('shop').status.targets).toBe('5/5');
    expect(world.condition('shop', 'TargetsHealthy')).toBe('False TargetsUnhealthy');
    expect(world.condition('shop')).toBe('True Available');
  });

  it('that AWS does not report healthy are named, one of each backend, in its words', async () => {
    const world = await settleShop();
    const target = { id: '10.0.3.7', port: 80, state: 'unhealthy' };
    const reason = 'Target.ResponseCodeMismatch';
    const description = 'Health checks failed with these codes: [500]';
    const unhealthy = { ...target, reason, description };
    world.targets.say(KEY, 'api', { healthy: 1, unhealthy });
    await world.clock.advance(2_000);
    expect(world.message('shop', 'TargetsHealthy')).toBe(
      `healthy targets by backend: web 2/2, api 1/2. backend api: 10.0.3.7:80 is unhealthy, ${reason}: ${description}`,
    );
  });

  it('whose pods end early are warned about, by backend, until they do not', async () => {
    const world = await settleShop();
    expect(world.condition('shop', 'PodsOutlastRequests')).toBeUndefined();
    world.targets.say(KEY, 'api', { earlyPod: { pod: 'api-1', reason: 'NoPreStop' } });
    await world.clock.advance(2_000);
    expect(world.condition('shop', 'PodsOutlastRequests')).toBe('False NoPreStop');
    expect(world.message('shop', 'PodsOutlastRequests')).toMatch(/^backend api: pod api-1 has no /);
    expect(world.condition('shop')).toBe('True Available');
    world.targets.unsay(KEY, 'api');
    for (const backend of ['web', 'api']) {
      world.targets.say(KEY, backend, { arePodsKnown: true });
    }
    await world.clock.advance(2_000);
    expect(world.condition('shop', 'PodsOutlastRequests')).toBe('True PreStopSet');
  });

  it('whose pods end early are not said to be well once nothing is known of them', async () => {
    const world = await settleShop();
    world.targets.say(KEY, 'web', { arePodsKnown: true });
    world.targets.say(KEY, 'api', { earlyPod: { pod: 'api-1', reason: 'NoPreStop' } });
    await world.clock.advance(2_000);
    expect(world.condition('shop', 'PodsOutlastRequests')).toBe('False NoPreStop');
    world.targets.unsay(KEY, 'api');
    await world.clock.advance(2_000);
    expect(world.condition('shop', 'PodsOutlastRequests')).toBe('Unknown PodsUnknown');
  });

  it('that answer health checks by a redirect lead to the host that AWS asks for', async () => {
    const world = await settleShop();
    const mismatch = { state: 'unhealthy', reason: 'Target.ResponseCodeMismatch' };
    const description = 'Health checks failed with these codes: [301]';
    const unhealthy = { id: '10.0.3.7', port: 80, ...mismatch, description };
    world.targets.say(KEY, 'api', { healthy: 1, unhealthy });
    await world.clock.advance(2_000);
    expect(world.message('shop', 'TargetsHealthy')).toMatch(
      /\[301\]\. AWS checks .* the address of the pod as host: /,
    );
  });

  it('that AWS never asks lead to the zone without a subnet', async () => {
    const world = await settleShop();
    const unused = { state: 'unused', reason: 'Target.NotInUse', zone: 'us-east-1c' };
    const unhealthy = { id: '10.0.3.7', port: 80, ...unused };
    world.targets.say(KEY, 'api', { healthy: 1, unhealthy });
    await world.clock.advance(2_000);
    expect(world.message('shop', 'TargetsHealthy')).toMatch(
      /is unused, Target\.NotInUse\. .* none of its subnets is in zone us-east-1c$/,
    );
  });

  const timedOut = { id: '10.0.3.7', port: 80, state: 'unhealthy', reason: 'Target.Timeout' };
  const hint = /^targets time out and ALBRIDGE_BACKEND_SECURITY_GROUPS is not set: /;

  it('that time out behind the managed security group alone lead to that setting', async () => {
    const world = await settleShop();
    world.targets.say(KEY, 'api', { healthy: 1, unhealthy: timedOut });
    await world.clock.advance(2_000);
    expect(world.message('shop', 'TargetsHealthy')).toMatch(hint);
  });

  it('that time out behind groups of the operator or the spec do not', async () => {
    const other = new World({ backendSecurityGroups: ['sg-admin'] });
    other.start();
    await other.applied('shop', SHOP);
    for (const world of [other, await settleShop({ ...SHOP, securityGroups: ['sg-web'] })]) {
      world.targets.say(KEY, 'api', { healthy: 1, unhealthy: timedOut });
      await world.clock.advance(2_000);
      expect(world.message('shop', 'TargetsHealthy')).toMatch(
        /^healthy targets .*Target\.Timeout$/,
      );
    }
  });

  it('are those of groups that the scan has read as ours after a restart', async () => {
    const world = await settleShop();
    const before = world.targets.published.get(KEY);
    world.targets.withdraw(KEY);
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    const after = world.targets.published.get(KEY);
    expect(after?.map(({ arn }) => arn)).toEqual(before?.map(({ arn }) => arn));
    expect(after?.every(({ isNew }) => !isNew)).toBe(true);
  });

  it('are followed while the object is paused', async () => {
    const world = await settleShop();
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.targets.withdraw(KEY);
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(world.targets.published.get(KEY)).toHaveLength(2);
  });

  it('are followed while AWS does not delete the balancer', async () => {
    const attributes = { 'deletion_protection.enabled': 'true' };
    const world = await settleShop({ ...SHOP, attributes });
    await world.deleted('shop', 5 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
    expect(world.targets.published.get(KEY)).toHaveLength(2);
  });

  it('are left alone once the object is gone, also where others took its finalizer off', async () => {
    const world = await settleShop();
    const bare = { ...world.object('shop').metadata, finalizers: [] };
    world.kube.edit(world.object('shop'), (live) => ({ ...live, metadata: bare }));
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.targets.published.has(KEY)).toBe(false);
  });

  it('have no owner once the object is being deleted', async () => {
    const world = await settleShop();
    await world.deleted('shop', MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.targets.published.has(KEY)).toBe(false);
  });
});

it('an object that loses its backends shows none', async () => {
  const world = await settleShop({ backends: [api] });
  world.unset('shop', 'backends');
  await world.clock.advance(10 * MINUTE_MS);
  expect(world.object('shop').status).not.toHaveProperty('backends');
  expect(world.object('shop').status).not.toHaveProperty('targets');
  expect(world.condition('shop', 'BackendsResolved')).toBe('True NoBackends');
  expect(world.beside).toEqual([]);
  expect(web.name).toBe('web');
});
