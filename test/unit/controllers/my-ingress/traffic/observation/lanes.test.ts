import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../../src/apis/my-ingress.ts';
import { coreMetrics } from '../../../../../../src/core/ports/metrics.ts';
import { MINUTE_MS, reads, SCAN_MS, World, writes } from '../../world.ts';
import { api, web } from '../specs.ts';

/** Two listeners, five rules, three target groups. */
const THREE: Partial<MyIngressSpec> = {
  securityGroups: ['sg-web'],
  backends: [web, api, { ...api, name: 'files' }],
  listeners: [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const })),
  rules: [
    { name: 'api', paths: ['/api'], forward: [{ backend: 'api' }] },
    { name: 'files', paths: ['/files'], forward: [{ backend: 'files' }] },
    { name: 'old', paths: ['/old'], listeners: [80], redirect: { path: '/', statusCode: 301 } },
  ],
  defaultAction: { forward: [{ backend: 'web' }] },
};

/** `spread`: when in each interval an object has its turn. */
async function settled(count: number, spread: number): Promise<World> {
  const world = new World({ concurrency: 16 });
  Object.assign(world.clock, { random: () => spread });
  world.start();
  await world.clock.settle();
  for (let index = 0; index < count; index++) world.apply(`shop-${index}`, THREE);
  await world.clock.advance(MINUTE_MS);
  expect(world.condition(`shop-${count - 1}`)).toBe('True Available');
  return world;
}

const countPasses = (world: World): number =>
  world.metrics.valueOf(coreMetrics.reconcileTotal) ?? 0;

it('a drift scan lists by 400 and reads tags by 20, and is no pass where nothing differs', async () => {
  const count = 60;
  const world = await settled(count, 0.99);
  const passes = countPasses(world);
  const calls = await world.callsDuring(() => world.clock.advance(25 * MINUTE_MS));
  const scans = calls['DescribeLoadBalancers'] ?? 0;
  expect(scans).toBeGreaterThanOrEqual(4);
  // Of a balancer and three target groups each.
  const ofScan = {
    DescribeLoadBalancers: 1,
    DescribeTargetGroups: 1,
    DescribeTags: (count * 4) / 20,
  };
  expect(calls).toEqual(
    Object.fromEntries(Object.entries(ofScan).map(([name, of]) => [name, of * scans])),
  );
  expect(countPasses(world)).toBe(passes);
  // So for each of 400:
  expect((1 + 3 + (400 * 4) / 20) / 400).toBeLessThanOrEqual(0.22);
});

describe('the lanes of one object', () => {
  const HOURS = 12;
  /** The lists of a scan, of one object: balancers, target groups, tags. */
  const OF_A_SCAN = 3;

  async function watched() {
    const world = await settled(1, 0.5);
    const calls = await world.callsDuring(() => world.clock.advance(HOURS * 60 * MINUTE_MS));
    return { calls, turns: calls['DescribeListeners'] ?? 0 };
  }

  it('are its structure in each half hour, and attributes in six hours', async () => {
    const { calls, turns } = await watched();
    expect(writes(calls)).toBe(0);
    expect(turns).toBe(HOURS * 2);
    expect(calls['DescribeRules']).toBe(turns * 2);
    expect(calls['DescribeTargetGroupAttributes']).toBe((HOURS / 6) * 3);
  });

  it('cost no more than what they are paced by, so that 400 objects take a fifth of what AWS allows', async () => {
    const { calls, turns } = await watched();
    const attributes = calls['DescribeTargetGroupAttributes'] ?? 0;
    const scans = (HOURS * 60 * MINUTE_MS) / SCAN_MS;
    const each = (reads(calls) - attributes - scans * OF_A_SCAN) / turns;
    expect(each).toBeLessThanOrEqual(READS_OF_THREE + 0.5);
    // Reads in a second of 400 such objects: lists and tags in a scan, structure, attributes, audits of targets.
    const lists = 84 / (SCAN_MS / 1000);
    const [structure, audits] = [0.95 * (each / READS_OF_THREE), (400 * 3) / 1_800];
    const ofAttributes = (400 * 3) / 21_600;
    expect(lists + structure + ofAttributes + audits).toBeLessThanOrEqual(10 / 5);
  });
});

/** As `countReads` has it: balancer, its tags, groups, listeners, two of rules, and the tags of them all. */
const READS_OF_THREE = 7;
