import { describe, expect, it } from 'vitest';
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
  expect(inventory.getCachedGroup('used')).toEqual({
    kind: 'observed',
    observed: { targetGroup: { ...used, loadBalancerArns: [shop] }, tags },
  });
  expect(inventory.getCachedGroup('named')).toEqual({
    kind: 'observed',
    observed: { targetGroup: named, tags },
  });
  expect(inventory.getCachedGroup('other').kind).toBe('unknown');
  expect(inventory.listOtherTargetGroups()).toContain(other?.arn);
  expect(inventory.listOtherTargetGroups()).not.toContain(named?.arn);
});

it('the scan of balancers alone asks for no target group', async () => {
  const { clock, inventory, shop, sent } = trafficBench();
  await clock.finish(inventory.refresh(new Set([shop]), never));
  expect(sent()).toEqual(['DescribeLoadBalancers', 'DescribeTags']);
  expect(inventory.getCachedGroup('api').kind).toBe('unknown');
});

describe('the scan that names no target group and searches for some', () => {
  const search = ({ clock, inventory, shop }: ReturnType<typeof trafficBench>) =>
    clock.finish(inventory.refresh(new Set([shop]), never, new Set()));

  it('lists them in one call', async () => {
    const bench = trafficBench();
    const [other] = await makeGroups(bench, 'other');
    await bench.clock.advance(W);
    bench.sent();
    await search(bench);
    expect(bench.sent()).toEqual(['DescribeLoadBalancers', 'DescribeTargetGroups', 'DescribeTags']);
    expect(bench.inventory.listOtherTargetGroups()).toContain(other?.arn);
  });

  it('finds none where it is not allowed to list them, and fails where AWS refuses it otherwise', async () => {
    const bench = trafficBench();
    const refuse = (code: string, status: number): unknown =>
      bench.model.control.addFault({
        operation: 'DescribeTargetGroups',
        effect: { kind: 'error', code, status, message: 'no' },
      });
    refuse('AccessDenied', 403);
    await search(bench);
    expect(bench.inventory.listOtherTargetGroups()).toEqual([]);
    bench.model.control.clearFaults();
    refuse('ValidationError', 400);
    await expect(search(bench)).rejects.toThrow('no');
  });
});

it('a name that was asked for and not listed is absent', async () => {
  const { clock, inventory } = trafficBench();
  await clock.finish(inventory.refresh(new Set(), never, new Set(['api'])));
  expect(inventory.getCachedGroup('api').kind).toBe('absent');
  expect(inventory.getCachedGroup('web').kind).toBe('unknown');
});

it('a group that was written to since the scan is not in question', async () => {
  const bench = trafficBench();
  const { clock, inventory } = bench;
  const [group] = await makeGroups(bench, 'api');
  await clock.advance(W);
  await clock.finish(inventory.refresh(new Set(), never, new Set(['api'])));
  expect(inventory.getCachedGroup('api').kind).toBe('observed');
  await bench.targetGroups.setAttributes(group?.arn ?? '', { 'stickiness.enabled': 'true' });
  expect(inventory.getCachedGroup('api').kind).toBe('unknown');
});
