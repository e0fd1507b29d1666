import { expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { DEFAULT_LIMITS } from '../../../../../src/aws/budget/budget-limits.ts';
import { awsMetrics } from '../../../../../src/aws/client/aws-metrics.ts';
import { MINUTE_MS, World } from '../world.ts';

const backends = Array.from({ length: 45 }, (_, at) => ({
  name: `b${at}`,
  service: { name: `s${at}`, port: 80 },
}));

/** One rule for each backend, as far as there are. */
function routeTo(count: number): Pick<MyIngressSpec, 'rules'> {
  return {
    rules: backends.slice(0, count).map(({ name }) => {
      return { name, paths: [`/${name}/*`], forward: [{ backend: name }] };
    }),
  };
}

const LARGE: Partial<MyIngressSpec> = {
  backends,
  listeners: [80, 81, 82, 83, 84].map((port) => ({ port, protocol: 'HTTP' })),
  defaultAction: { forward: [{ backend: 'b0' }] },
};

/** These objects, all Ready, and a process that has yet to read what they have. */
async function runLarge(names: readonly string[], rules: number): Promise<World> {
  const world = World.started({ budget: DEFAULT_LIMITS, settings: { budget: 'aws' } });
  await world.clock.settle();
  for (const name of names) world.apply(name, { ...LARGE, ...routeTo(rules) });
  await world.clock.advance(names.length * 5 * MINUTE_MS);
  expect(names.map((name) => world.condition(name))).toEqual(names.map(() => 'True Available'));
  await world.restart();
  return world;
}

const SMALL: Partial<MyIngressSpec> = {
  backends: backends.slice(0, 2),
  ...routeTo(2),
  defaultAction: { forward: [{ backend: 'b0' }] },
};

const edit: Partial<MyIngressSpec> = { defaultAction: { forward: [{ backend: 'b1' }] } };

it('an object of more target groups than the budget holds tokens is edited after a restart', async () => {
  const world = await runLarge(['shop'], 1);
  await world.edited('shop', edit, 30_000);
  expect(world.condition('shop')).toBe('True Available');
});

it('several are edited at once after a restart, and hardly any is read twice', async () => {
  const names = Array.from({ length: 3 }, (_, at) => `shop-${at}`);
  const world = await runLarge(names, 1);
  const calls = await world.callsDuring(async () => {
    for (const name of names) world.edit(name, edit);
    await world.clock.advance(5 * MINUTE_MS);
  });
  expect(names.map((name) => world.condition(name))).toEqual(names.map(() => 'True Available'));
  // What is read within the first seconds of a process may be stale.
  expect(calls['DescribeTargetGroupAttributes']).toBeLessThanOrEqual(4 * backends.length);
});

it('what a failed read makes useless is not read', async () => {
  const world = await runLarge(['shop'], 1);
  world.fault(
    'DescribeListeners',
    { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' },
    { times: 1 },
  );
  const calls = await world.callsDuring(async () => {
    await world.edited('shop', edit, 20_000);
  });
  expect(calls['DescribeListeners']).toBe(1);
  expect(calls['DescribeTargetGroupAttributes'] ?? 0).toBeLessThan(backends.length);
});

it('one gets more rules than the budget holds tokens after a restart', async () => {
  const world = await runLarge(['shop'], 1);
  await world.edited('shop', routeTo(15), 5 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
});

it('one is deleted after a restart, and nothing is left', async () => {
  const world = await runLarge(['shop'], 1);
  await world.deleted('shop', 5 * MINUTE_MS);
  expect(world.exists('shop')).toBe(false);
  expect(world.beside).toEqual([]);
});

it('eight are deleted at once after a restart: what their plans wait for is not spent on reads', async () => {
  const account = { burst: 10, perSecond: 4 };
  const world = new World({
    budget: { ...DEFAULT_LIMITS, account },
    settings: { budget: 'aws' },
    concurrency: 4,
  });
  const names = Array.from({ length: 8 }, (_, at) => `shop-${at}`);
  world.start();
  await world.clock.settle();
  for (const name of names) world.apply(name, SMALL);
  await world.clock.advance(5 * MINUTE_MS);
  await world.restart();
  for (const name of names) world.delete(name);
  await world.clock.advance(MINUTE_MS);
  expect(names.filter((name) => world.exists(name))).toEqual([]);
  expect(world.beside).toEqual([]);
});

const SCARCE = { ...DEFAULT_LIMITS, account: { burst: 8, perSecond: 2 } };
const SEVEN = Array.from({ length: 7 }, (_, at) => `shop-${at}`);

/** Seven objects, all Ready, of a process with few tokens. */
async function runScarce(): Promise<World> {
  const world = World.started({ budget: SCARCE });
  await world.clock.settle();
  for (const name of SEVEN) world.apply(name, SMALL);
  await world.clock.advance(4 * MINUTE_MS);
  expect(SEVEN.map((name) => world.condition(name))).toEqual(SEVEN.map(() => 'True Available'));
  return world;
}

function listListeners({ beside }: World): World['beside'] {
  return beside.filter(({ tags }) => tags['albridge.io/resource'] === 'listener/80');
}

function countExhausted(world: World): number {
  return world.metrics.valueOf(awsMetrics.budgetExhausted) ?? 0;
}

it('those that are Ready stay as they are while their regular check waits for tokens', async () => {
  const world = await runScarce();
  const before = countExhausted(world);
  const calls = await world.callsDuring(async () => {
    const writes = await world.writesDuring(() => world.clock.advance(65 * MINUTE_MS));
    expect(writes).toEqual([]);
  });
  expect(countExhausted(world)).toBeGreaterThan(before);
  expect(calls['DescribeListeners']).toBeGreaterThanOrEqual(2 * SEVEN.length);
});

it('those of which the scan shows a difference say that their repair waits for tokens', async () => {
  const world = await runScarce();
  const before = world.events.reasons.length;
  for (const { arn } of world.balancers) world.untagOutOfBand(arn, 'albridge.io/managed-by');
  const isAnnounced = (): boolean => world.events.reasons.slice(before).includes('BudgetExhausted');
  for (let at = 0; at < 600 && !isAnnounced(); at++) await world.clock.advance(1_000);
  await world.clock.advance(2_000);
  const left = world.balancers.filter(({ tags }) => tags['albridge.io/managed-by'] === undefined);
  const names = left.map(({ tags }) => tags['albridge.io/name'] ?? '');
  expect(names).not.toEqual([]);
  expect(names.map((name) => world.condition(name, 'Reconciling'))).toEqual(
    names.map(() => 'True BudgetExhausted'),
  );
  await world.clock.advance(5 * MINUTE_MS);
  expect(SEVEN.map((name) => world.condition(name))).toEqual(SEVEN.map(() => 'True Available'));
});

it('those whose security group others have changed say that its repair waits for tokens', async () => {
  const world = await runScarce();
  const before = world.events.reasons.length;
  const groups = [...world.aws.world.network.securityGroups.values()];
  const managed = groups.filter(({ name }) => name.startsWith('albridge-')).map(({ id }) => id);
  const IpRanges = [{ CidrIp: '192.0.2.0/24' }];
  for (const GroupId of managed) {
    const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges }];
    world.outOfBand('AuthorizeSecurityGroupIngress', { GroupId, IpPermissions });
  }
  const isAnnounced = (): boolean => world.events.reasons.slice(before).includes('BudgetExhausted');
  for (let at = 0; at < 600 && !isAnnounced(); at++) await world.clock.advance(1_000);
  expect(world.events.reasons.slice(before)).toContain('BudgetExhausted');
  await world.clock.advance(4 * MINUTE_MS);
  const ports = managed.flatMap((id) => world.aws.world.network.securityGroups.get(id)?.ingress);
  expect(ports.map((rule) => rule?.ports?.from)).toEqual(managed.map(() => 80));
});

it('a regular check that finds a difference says that its repair waits for tokens', async () => {
  const world = await runScarce();
  const before = world.events.reasons.length;
  const notFound = { StatusCode: '404' };
  const drifted = [{ Type: 'fixed-response', FixedResponseConfig: notFound }];
  for (const { id } of listListeners(world)) {
    world.outOfBand('ModifyListener', { ListenerArn: id, DefaultActions: drifted });
  }
  await world.clock.advance(65 * MINUTE_MS);
  const reasons = world.events.reasons.slice(before);
  expect(reasons).toContain('BudgetExhausted');
  expect(
    reasons.filter((reason) => ['UpdatedTraffic', 'DriftRepaired'].includes(reason)),
  ).toHaveLength(SEVEN.length);
  expect(SEVEN.map((name) => world.condition(name))).toEqual(SEVEN.map(() => 'True Available'));
});

it('those that AWS does not delete stay Stalled while a further try waits for tokens', async () => {
  const world = await runScarce();
  const protection = [{ Key: 'deletion_protection.enabled', Value: 'true' }];
  for (const { arn } of world.balancers) {
    const input = { LoadBalancerArn: arn, Attributes: protection };
    world.outOfBand('ModifyLoadBalancerAttributes', input);
  }
  for (const name of SEVEN) world.delete(name);
  await world.clock.advance(10 * MINUTE_MS);
  expect(SEVEN.map((name) => world.condition(name, 'Stalled'))).toEqual(
    SEVEN.map(() => 'True DeletionBlocked'),
  );
  const before = world.events.reasons.length;
  const exhausted = countExhausted(world);
  await world.clock.advance(60 * MINUTE_MS);
  expect(countExhausted(world)).toBeGreaterThan(exhausted);
  expect(world.events.reasons.slice(before)).toEqual([]);
});

it('a regular check that AWS does not answer says so', async () => {
  const world = await runScarce();
  const before = world.events.reasons.length;
  const failure = { kind: 'error', code: 'InternalFailure', status: 500, message: 'no' } as const;
  world.fault('DescribeListeners', failure, { forMs: 40 * MINUTE_MS });
  await world.clock.advance(40 * MINUTE_MS);
  expect(world.events.reasons.slice(before)).toContain('AwsUnavailable');
});
