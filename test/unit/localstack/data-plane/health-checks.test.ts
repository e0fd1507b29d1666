import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startTarget } from '../../../fakes/http-target.ts';
import { until } from '../../../surroundings/until.ts';
import { PlaneUnderTest } from './plane-under-test.ts';

const INTERVAL_MS = 30_000;

/** A target that answers with `code.now` and remembers who asked. */
async function startChecked() {
  const seen: IncomingMessage[] = [];
  const code = { now: 200 };
  const target = await startTarget('checked', (message, response) => {
    seen.push(message);
    response.writeHead(code.now).end();
  });
  const untilSeen = (count: number): Promise<unknown> =>
    until(`${count} checks`, () => Promise.resolve(seen.length >= count));
  return { target, seen, code, untilSeen };
}

describe('health checks', () => {
  test('ask a fresh target at once, as ELB does, and then each interval', async () => {
    const plane = new PlaneUnderTest();
    const checked = await startChecked();
    const ip = await plane.addTarget(checked.target);
    await plane.untilAll('healthy');
    expect(checked.seen).toHaveLength(1);
    expect(checked.seen[0]).toMatchObject({ method: 'GET', url: '/' });
    expect(checked.seen[0]?.headers).toMatchObject({
      ...{ host: `${ip}:8080`, 'user-agent': 'ELB-HealthChecker/2.0', connection: 'close' },
    });
    await plane.advance(INTERVAL_MS - 1000);
    expect(checked.seen).toHaveLength(1);
    await plane.advance(1000);
    await checked.untilSeen(2);
  });

  test('find a target unhealthy and healthy again by the thresholds', async () => {
    const plane = new PlaneUnderTest();
    const checked = await startChecked();
    await plane.addTarget(checked.target);
    await plane.untilAll('healthy');
    checked.code.now = 503;
    await plane.advance(INTERVAL_MS);
    await checked.untilSeen(2);
    expect(plane.health()).toEqual([{ State: 'healthy' }]);
    await plane.advance(INTERVAL_MS);
    await plane.untilAll('unhealthy');
    expect(plane.health()).toMatchObject([{ Reason: 'Target.ResponseCodeMismatch' }]);

    checked.code.now = 200;
    await plane.call('ModifyTargetGroup', {
      TargetGroupArn: plane.model.web,
      HealthyThresholdCount: 2,
    });
    await plane.advance(INTERVAL_MS);
    await checked.untilSeen(4);
    expect(plane.health()).toMatchObject([{ State: 'unhealthy' }]);
    await plane.advance(INTERVAL_MS);
    await plane.untilAll('healthy');
  });

  test('time out where nothing is behind a target', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget();
    expect(plane.health()).toMatchObject([{ Reason: 'Elb.InitialHealthChecking' }]);
    await plane.advance(5000);
    await plane.advance(INTERVAL_MS - 5000);
    expect(plane.health()).toMatchObject([{ State: 'initial' }]);
    await plane.advance(5000);
    await plane.untilAll('unhealthy');
    expect(plane.health()).toMatchObject([{ Reason: 'Target.Timeout' }]);
  });

  test('wait longer where the data plane itself is late', async () => {
    const plane = new PlaneUnderTest();
    plane.lateMs = 900;
    await plane.addTarget();
    await plane.advance(INTERVAL_MS + 15_000);
    expect(plane.health()).toMatchObject([{ State: 'initial' }]);
    plane.lateMs = 0;
    plane.mapFirst(await startTarget('slow'));
    await plane.untilAll('healthy');
  });

  test('find a target that comes about while they wait', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget();
    await plane.advance(4000);
    plane.mapFirst(await startTarget('slow'));
    await plane.untilAll('healthy');
  });

  test('fail where a target breaks the connection', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget(await startTarget('rude', ({ socket }) => socket.destroy()));
    const untilNext = (): Promise<void> => plane.advance(INTERVAL_MS);
    await until('two failures', async () => {
      await untilNext();
      return plane.health()[0]?.['State'] === 'unhealthy';
    });
    expect(plane.health()).toMatchObject([{ Reason: 'Target.FailedHealthChecks' }]);
  });

  test('ask on the port and the path of the group', async () => {
    const plane = new PlaneUnderTest();
    const checked = await startChecked();
    const settings = { HealthCheckPath: '/ready?deep=1', Matcher: { HttpCode: '200-204' } };
    await plane.call('ModifyTargetGroup', { TargetGroupArn: plane.model.web, ...settings });
    checked.code.now = 204;
    await plane.addTarget(checked.target);
    await plane.untilAll('healthy');
    expect(checked.seen[0]?.url).toBe('/ready?deep=1');
  });

  test('ask on a port of their own', async () => {
    const plane = new PlaneUnderTest();
    const checked = await startChecked();
    const settings = { HealthCheckPort: '8081' };
    await plane.call('ModifyTargetGroup', { TargetGroupArn: plane.model.web, ...settings });
    const ip = await plane.addTarget(await startTarget('traffic'), [8081, checked.target]);
    await plane.untilAll('healthy');
    expect(checked.seen[0]?.headers.host).toBe(`${ip}:8081`);
  });

  test('end with the registration', async () => {
    const plane = new PlaneUnderTest();
    const checked = await startChecked();
    const Id = await plane.addTarget(checked.target);
    await plane.untilAll('healthy');
    const { web } = plane.model;
    await plane.call('DeregisterTargets', { TargetGroupArn: web, Targets: [{ Id }] });
    await plane.advance(INTERVAL_MS);
    await plane.advance(INTERVAL_MS);
    expect(checked.seen).toHaveLength(1);
  });

  test('leave a health alone that was set', async () => {
    const plane = new PlaneUnderTest();
    const checked = await startChecked();
    await plane.addTarget(checked.target);
    await plane.untilAll('healthy');
    plane.pin({ state: 'unhealthy', reason: 'Target.Timeout' });
    await plane.advance(INTERVAL_MS);
    await checked.untilSeen(2);
    await plane.advance(1);
    expect(plane.health()).toMatchObject([{ State: 'unhealthy', Reason: 'Target.Timeout' }]);
  });

  test('count again for a group that went out of use and came back', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget(await startTarget('web'));
    plane.pin({ state: 'unhealthy', reason: 'Target.Timeout' });
    const { shop } = plane.model;
    const { Listeners } = await plane.call('DescribeListeners', { LoadBalancerArn: shop });
    const { ListenerArn, DefaultActions } = Listeners[0];
    const FixedResponseConfig = { StatusCode: '404' };
    const elsewhere = [{ Type: 'fixed-response', FixedResponseConfig }];
    await plane.call('ModifyListener', { ListenerArn, DefaultActions: elsewhere });
    expect(plane.health()).toMatchObject([{ State: 'unused' }]);
    await plane.call('ModifyListener', { ListenerArn, DefaultActions });
    await plane.untilAll('healthy');
  });

  test('end with the data plane, which then sees no change any more', async () => {
    const plane = new PlaneUnderTest();
    await plane.addTarget(await startTarget('web'));
    await plane.untilAll('healthy');
    await plane.stop();
    const { web } = plane.model;
    await plane.call('ModifyTargetGroup', { TargetGroupArn: web, HealthyThresholdCount: 2 });
    expect(plane.pendingTimers).toBe(0);
  });

  test('ask nothing of a target whose zone is not enabled, or whose group nothing names', async () => {
    const plane = new PlaneUnderTest();
    const { aws, shop, web } = plane.model;
    const checked = await startChecked();
    const before = aws.world.balancers.byArn(shop);
    const placements = before?.placements.filter(({ subnetId }) => subnetId !== 'subnet-a') ?? [];
    if (before !== undefined) aws.world.balancers.put({ ...before, placements }, 0);
    await plane.addTarget(checked.target);
    await plane.advance(INTERVAL_MS);
    expect(plane.health()).toMatchObject([{ State: 'unused', Reason: 'Target.NotInUse' }]);

    const { Listeners } = await plane.call('DescribeListeners', { LoadBalancerArn: shop });
    const FixedResponseConfig = { StatusCode: '404' };
    const DefaultActions = [{ Type: 'fixed-response', FixedResponseConfig }];
    const { ListenerArn } = Listeners[0];
    await plane.call('ModifyListener', { ListenerArn, DefaultActions });
    if (before !== undefined) aws.world.balancers.put(before, 0);
    await plane.advance(INTERVAL_MS);
    expect(checked.seen).toEqual([]);

    const forward = { Type: 'forward', TargetGroupArn: web };
    await plane.call('ModifyListener', { ListenerArn, DefaultActions: [forward] });
    await plane.untilAll('healthy');
  });
});
