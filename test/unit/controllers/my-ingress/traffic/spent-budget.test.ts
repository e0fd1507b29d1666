import { expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { DEFAULT_LIMITS } from '../../../../../src/aws/budget/budget-limits.ts';
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
  const world = new World({ budget: DEFAULT_LIMITS, settings: { budget: 'aws' } });
  world.start();
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
  world.edit('shop', edit);
  await world.clock.advance(30_000);
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
    world.edit('shop', edit);
    await world.clock.advance(20_000);
  });
  expect(calls['DescribeListeners']).toBe(1);
  expect(calls['DescribeTargetGroupAttributes'] ?? 0).toBeLessThan(backends.length);
});

it('one gets more rules than the budget holds tokens after a restart', async () => {
  const world = await runLarge(['shop'], 1);
  world.edit('shop', routeTo(15));
  await world.clock.advance(5 * MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
});

it('one is deleted after a restart, and nothing is left', async () => {
  const world = await runLarge(['shop'], 1);
  world.delete('shop');
  await world.clock.advance(5 * MINUTE_MS);
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
