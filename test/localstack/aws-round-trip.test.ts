import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { awsMetrics } from '../../src/aws/client/aws-metrics.ts';
import type { LoadBalancer } from '../../src/aws/elbv2/load-balancers.ts';
import { type AwsBench, failureOf, startAwsBench } from './aws-bench.ts';

const signal = new AbortController().signal;
let bench: AwsBench;
let made = 0;

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  bench = await startAwsBench();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await bench.stop();
});
afterEach(() => {
  bench.server.control.clearFaults();
  bench.server.control.clearCalls();
  bench.lease.isHeld = true;
  // The next test is a process that has just started: what AWS refused in this one holds none of its calls.
  bench = { ...bench, ...bench.restarted() };
});

async function created(): Promise<LoadBalancer> {
  const balancer = await bench.loadBalancers.create(bench.settings(`lb-${made++}`));
  bench.server.control.clearCalls();
  return balancer;
}

describe('a call, over HTTP', () => {
  it('refreshes the inventory of a new process by two calls', async () => {
    const { loadBalancers, server } = bench;
    const names = ['many-0', 'many-1', 'many-2'];
    for (const name of names) await loadBalancers.create(bench.settings(name));
    server.control.clearCalls();
    const { inventory } = bench.restarted();
    await inventory.refresh(new Set(names), signal);
    expect(server.control.counts()).toEqual({ DescribeLoadBalancers: 1, DescribeTags: 1 });
    for (const name of names) {
      const loadBalancer = await loadBalancers.find({ name }, signal);
      const { tags } = bench.settings(name);
      const cached = inventory.getCached(loadBalancer?.arn ?? '');
      expect(cached).toEqual({ kind: 'observed', observed: { loadBalancer, tags } });
    }
  });

  it('reads several balancers by one call, one of them deleted', async () => {
    const { inventory, loadBalancers, server } = bench;
    const balancers = [await created(), await created(), await created()];
    const look = (): Promise<(LoadBalancer | undefined)[]> =>
      Promise.all(balancers.map(({ arn }) => inventory.observe(arn, signal)));
    expect((await look()).map((seen) => seen?.state.code)).toEqual(['active', 'active', 'active']);
    expect(server.control.counts()).toEqual({ DescribeLoadBalancers: 1 });
    await loadBalancers.delete(balancers[1]?.arn ?? '');
    expect((await look()).map((seen) => seen?.arn)).toEqual([
      balancers[0]?.arn,
      undefined,
      balancers[2]?.arn,
    ]);
  });

  it('names itself to AWS', async () => {
    await bench.loadBalancers.find({ name: 'nobody' }, signal);
    const [call] = bench.server.control.calls('DescribeLoadBalancers');
    expect(call?.userAgent).toContain('albridge/0.0.0-test');
  });
});

describe('what goes wrong, over HTTP', () => {
  it("reports AWS's message about bad input", async () => {
    const { loadBalancers, settings, subnets } = bench;
    const bad = {
      SubnetNotFound: { subnets: ['subnet-00000000', 'subnet-11111111'] },
      ValidationError: { subnets: subnets.slice(0, 1) },
      InvalidSecurityGroup: { securityGroups: ['sg-00000000000000000'] },
    };
    for (const [reason, wrong] of Object.entries(bad)) {
      const error = await failureOf(loadBalancers.create({ ...settings('bad'), ...wrong }));
      expect(error).toMatchObject({ reason, healedBy: 'person' });
    }
  });

  it('retries a throttled read within the call', async () => {
    const { arn } = await created();
    bench.server.control.addFault({
      operation: 'DescribeTags',
      effect: { kind: 'error', code: 'Throttling', status: 400, message: 'Rate exceeded' },
    });
    expect(await bench.loadBalancers.readTags(arn, signal)).toHaveProperty('team', 'web');
    expect(bench.server.control.counts()).toEqual({ DescribeTags: 2 });
    expect(bench.metrics.valueOf(awsMetrics.throttled, { operation: 'DescribeTags' })).toBe(1);
  });

  it('retries a read that was answered by HTML with status 500', async () => {
    const { arn } = await created();
    bench.server.control.addFault({ operation: '*', effect: { kind: 'html500' } });
    expect((await bench.loadBalancers.find({ arn }, signal))?.arn).toBe(arn);
    expect(bench.server.control.counts()).toEqual({ DescribeLoadBalancers: 2 });
  });

  it('shows a page of HTML that stays as AwsUnavailable, and nothing of the page', async () => {
    bench.server.control.addFault({ operation: '*', times: 3, effect: { kind: 'html500' } });
    const error = await failureOf(bench.loadBalancers.find({ name: 'x' }, signal));
    expect(error).toMatchObject({ reason: 'AwsUnavailable', healedBy: 'time' });
    expect((error as Error).message).toMatch(/^describe load balancer x: [^<]*\(HTTP 500\); /);
  });

  it('repeats an idempotent write whose answer was lost', async () => {
    const { arn } = await created();
    bench.server.control.addFault({ operation: 'AddTags', effect: { kind: 'lostResponse' } });
    await bench.loadBalancers.addTags(arn, { color: 'red' });
    expect(bench.server.control.counts()).toEqual({ AddTags: 2 });
    expect(await bench.loadBalancers.readTags(arn, signal)).toHaveProperty('color', 'red');
  });

  it('aborts a read when its pass is over, and not before', async () => {
    bench.server.control.addFault({ operation: '*', effect: { kind: 'hold' } });
    const pass = new AbortController();
    const reading = failureOf(bench.loadBalancers.find({ name: 'x' }, pass.signal));
    await vi.waitFor(() => expect(bench.server.held()).toHaveLength(1), { timeout: 10_000 });
    const reason = new Error('the pass is over');
    pass.abort(reason);
    expect(await reading).toBe(reason);
    bench.server.release();
  });

  it('refuses a write below the port too, where the lease went while it was prepared', async () => {
    bench.lease.isHeld = false;
    const writing = bench.api.send('DeleteLoadBalancer', { LoadBalancerArn: 'arn' });
    expect(await failureOf(writing)).toMatchObject({ reason: 'LeadershipLost' });
    expect(bench.server.control.counts()).toEqual({});
    await bench.api.send('DescribeLoadBalancers', {});
    expect(bench.server.control.counts()).toEqual({ DescribeLoadBalancers: 1 });
  });
});
