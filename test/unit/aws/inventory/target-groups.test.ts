import { expect, it } from 'vitest';
import { STALENESS_BOUND_MS } from '../../../../src/aws/elbv2/load-balancers.ts';
import { never } from '../client/scripted-aws-api.ts';
import { makeGroups, trafficBench } from '../elbv2/traffic-bench.ts';

const W = STALENESS_BOUND_MS;

it('the scan lists target groups with their balancers and tags, in the calls for balancers and one', async () => {
  const bench = trafficBench();
  const { clock, inventory, shop } = bench;
  const [used, named, other] = await makeGroups(bench, 'used', 'named', 'other');
  const action = { kind: 'forward', targetGroups: [{ arn: used?.arn ?? '', weight: 1 }] } as const;
  await bench.listeners.create(shop, {
    port: 80,
    protocol: 'HTTP',
    defaultAction: action,
    tags: { a: 'b' },
  });
  await clock.advance(W);
  bench.sent();
  await clock.finish(inventory.refresh(new Set([shop]), never, new Set(['named'])));
  expect(bench.sent()).toEqual(['DescribeLoadBalancers', 'DescribeTargetGroups', 'DescribeTags']);
  const tags = { 'albridge.io/cluster': 'c1' };
  expect(inventory.cachedGroup('used')).toEqual({
    kind: 'observed',
    observed: { targetGroup: { ...used, loadBalancerArns: [shop] }, tags },
  });
  expect(inventory.cachedGroup('named')).toEqual({
    kind: 'observed',
    observed: { targetGroup: named, tags },
  });
  expect(inventory.cachedGroup('other').kind).toBe('unknown');
  expect(inventory.otherTargetGroups()).toContain(other?.arn);
  expect(inventory.otherTargetGroups()).not.toContain(named?.arn);
});

it('the scan of balancers alone asks for no target group', async () => {
  const { clock, inventory, shop, sent } = trafficBench();
  await clock.finish(inventory.refresh(new Set([shop]), never));
  expect(sent()).toEqual(['DescribeLoadBalancers', 'DescribeTags']);
  expect(inventory.cachedGroup('api').kind).toBe('unknown');
});

it('a name that was asked for and not listed is absent', async () => {
  const { clock, inventory } = trafficBench();
  await clock.finish(inventory.refresh(new Set(), never, new Set(['api'])));
  expect(inventory.cachedGroup('api').kind).toBe('absent');
  expect(inventory.cachedGroup('web').kind).toBe('unknown');
});

it('a group that was written to since the scan is not in question', async () => {
  const bench = trafficBench();
  const { clock, inventory } = bench;
  const [group] = await makeGroups(bench, 'api');
  await clock.advance(W);
  await clock.finish(inventory.refresh(new Set(), never, new Set(['api'])));
  expect(inventory.cachedGroup('api').kind).toBe('observed');
  await bench.targetGroups.setAttributes(group?.arn ?? '', { 'stickiness.enabled': 'true' });
  expect(inventory.cachedGroup('api').kind).toBe('unknown');
});
