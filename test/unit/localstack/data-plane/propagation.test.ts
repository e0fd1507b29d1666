import { expect, test } from 'vitest';
import { startTarget } from '../../../fakes/http-target.ts';
import { PlaneUnderTest } from './plane-under-test.ts';

const LAG_MS = 5000;

test('a target is checked only when its registration has arrived', async () => {
  const plane = new PlaneUnderTest({ propagationMs: LAG_MS });
  await plane.advance(LAG_MS);
  await plane.addTarget(await startTarget('late'));
  await plane.advance(LAG_MS - 100);
  expect(plane.health()).toMatchObject([{ Reason: 'Elb.RegistrationInProgress' }]);
  await plane.advance(200);
  await plane.untilAll('healthy');
  expect((await plane.ask()).body).toBe('late');
});

test('a target gets requests until its deregistration has arrived', async () => {
  const plane = new PlaneUnderTest();
  const Id = await plane.addTarget(await startTarget('leaving'));
  await plane.untilAll('healthy');
  plane.model.aws.control.changeSettings({ propagationMs: LAG_MS });
  const { web } = plane.model;
  await plane.call('DeregisterTargets', { TargetGroupArn: web, Targets: [{ Id }] });
  expect(plane.health()).toMatchObject([{ State: 'draining' }]);
  await plane.advance(LAG_MS - 100);
  expect((await plane.ask()).body).toBe('leaving');
  await plane.advance(200);
  expect((await plane.ask()).status).toBe(503);
});

test('a rule that is gone still sends requests to its group, whose health is forgotten by then', async () => {
  const plane = new PlaneUnderTest();
  await plane.addTarget(await startTarget('old'));
  await plane.untilAll('healthy');
  plane.model.aws.control.changeSettings({ propagationMs: LAG_MS });
  const { shop } = plane.model;
  const { Listeners } = await plane.call('DescribeListeners', { LoadBalancerArn: shop });
  const DefaultActions = [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }];
  const { ListenerArn } = Listeners[0];
  await plane.call('ModifyListener', { ListenerArn, DefaultActions });
  expect(plane.health()).toMatchObject([{ State: 'unused' }]);
  expect((await plane.ask()).body).toBe('old');
  await plane.advance(LAG_MS + 100);
  expect((await plane.ask()).status).toBe(404);
});

test('a new target is checked, and gets requests, only after the time until its first check', async () => {
  const plane = new PlaneUnderTest({ firstCheckMs: 3000 });
  await plane.addTarget(await startTarget('new'));
  await plane.advance(2900);
  expect(plane.health()).toMatchObject([{ Reason: 'Elb.InitialHealthChecking' }]);
  expect((await plane.ask()).status).toBe(503);
  await plane.advance(200);
  await plane.untilAll('healthy');
  expect((await plane.ask()).body).toBe('new');
});
