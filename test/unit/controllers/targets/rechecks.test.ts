import { describe, expect, it } from 'vitest';
import { filled, type TargetsBench } from './targets-bench.ts';

const MINUTE_MS = 60_000;
const CHECK = {
  ...{ protocol: 'HTTP', port: 'traffic-port', path: '/', matcher: '200' },
  ...{ intervalSeconds: 20, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 3 },
};

function countReads(bench: TargetsBench): number {
  return bench.sent().filter((call) => call === 'DescribeTargetHealth').length;
}

/** A settled group that no action names any more. */
async function left(): ReturnType<typeof filled> {
  const { bench, arn } = await filled();
  const [listener] = bench.aws.control.snapshot().listeners;
  bench.outOfBand('DeleteListener', { ListenerArn: listener?.arn });
  bench.publish(arn, { isUnused: true });
  return { bench, arn };
}

describe('the health of a settled group', () => {
  it('is read again when no action names it any more', async () => {
    const { bench } = await left();
    await bench.clock.advance(6_000);
    expect(bench.state).toMatchObject({ healthy: 0, unhealthy: { state: 'unused' } });
  });

  it('is then read as rarely as that of others', async () => {
    const { bench } = await left();
    await bench.clock.advance(MINUTE_MS);
    expect(bench.state).toMatchObject({ healthy: 0, unhealthy: { state: 'unused' } });
    bench.sent();
    await bench.clock.advance(20 * MINUTE_MS);
    expect(countReads(bench)).toBe(0);
  });

  it('is unknown when an action names it again, until AWS has answered', async () => {
    const { bench, arn } = await left();
    await bench.clock.advance(10 * MINUTE_MS);
    bench.check('web', 'initial');
    bench.listen(arn);
    bench.publish(arn);
    expect(bench.state.healthy).toBeUndefined();
    await bench.clock.advance(6_000);
    expect(bench.state.healthy).toBe(0);
    bench.check('web', 'healthy');
    await bench.clock.advance(10_000);
    expect(bench.state.healthy).toBe(2);
  });

  it('is read after an edit of its health check until that may have failed, also while AWS still shows it as before', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, { healthCheck: CHECK });
    bench.publish(arn, { healthCheck: { ...CHECK, path: '/none' } });
    await bench.clock.advance(MINUTE_MS);
    expect(bench.state.healthy).toBe(2);
    bench.check('web', 'unhealthy');
    await bench.clock.advance(0.5 * MINUTE_MS);
    expect(bench.state.healthy).toBe(0);
  });

  it('is read after a pass has restored its health check, which was edited outside albridge', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, { healthCheck: CHECK });
    bench.publish(arn, { healthCheck: CHECK, observedCheck: { ...CHECK, path: '/none' } });
    await bench.clock.advance(MINUTE_MS);
    expect(countReads(bench)).toBeGreaterThan(2);
    bench.publish(arn, { healthCheck: CHECK, observedCheck: CHECK });
    await bench.clock.advance(MINUTE_MS);
    bench.sent();
    await bench.clock.advance(20 * MINUTE_MS);
    expect(countReads(bench)).toBe(0);
  });

  it('is then read as rarely as before', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, { healthCheck: CHECK });
    bench.publish(arn, { healthCheck: { ...CHECK, path: '/new' } });
    await bench.clock.advance(2 * MINUTE_MS);
    expect(countReads(bench)).toBeLessThan(12);
    await bench.clock.advance(20 * MINUTE_MS);
    expect(countReads(bench)).toBe(0);
  });

  it('is read by no pass that changes nothing', async () => {
    const { bench, arn } = await filled();
    for (const healthCheck of [undefined, CHECK, undefined, { ...CHECK }]) {
      bench.publish(arn, { isReached: true, ...(healthCheck && { healthCheck }) });
      await bench.clock.advance(MINUTE_MS);
    }
    expect(countReads(bench)).toBe(0);
  });
});
