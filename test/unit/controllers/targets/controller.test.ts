import { describe, expect, it } from 'vitest';
import { targetsMetrics } from '../../../../src/controllers/targets/flusher.ts';
import { draftService, draftSlice, endpointOf } from './endpoints.ts';
import {
  addressOf,
  filled,
  namesOf,
  podsOf,
  SHOP,
  servedBy,
  TargetsBench,
} from './targets-bench.ts';

const never = new AbortController().signal;

describe('a new group', () => {
  it('is filled at once, without a read and without a timer', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(3);
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 3']);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(3)));
    expect(bench.state).toEqual({
      ...{ backend: 'shop', isKnown: true, desired: 3, registered: 3, isFilled: true },
    });
  });

  it('gets its first target when its pod becomes ready, without a timer', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ [addressOf(0)]: 'unready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.advance(30_000);
    bench.sent();
    bench.runPods(1);
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 1']);
  });
});

describe('a change of endpoints', () => {
  it('of a quiet group is sent at once, and what follows is collected for a tenth of a second', async () => {
    const { bench, arn } = await filled();
    bench.runPods(3);
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 1']);
    bench.runPods(4);
    await bench.clock.advance(50);
    bench.runPods(5);
    await bench.clock.advance(49);
    expect(bench.sent()).toEqual([]);
    await bench.clock.advance(1);
    expect(bench.sent()).toEqual(['RegisterTargets 2']);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(5)));
  });

  it('registers before it deregisters', async () => {
    const { bench, arn } = await filled();
    bench.runPods({ [addressOf(0)]: 'leaving', [addressOf(1)]: 'ready', [addressOf(2)]: 'ready' });
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 1', 'DeregisterTargets 1']);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 1)));
  });

  it('registers before it deregisters also what changes while a call is under way', async () => {
    const { bench, arn } = await filled();
    const [first, second, third] = [addressOf(0), addressOf(1), addressOf(2)];
    const effect = { kind: 'delay', delayMs: 50 } as const;
    bench.aws.control.addFault({ operation: 'DeregisterTargets', effect });
    bench.runPods({ [first]: 'ready', [second]: 'unready', [third]: 'leaving' });
    await bench.clock.settle();
    bench.runPods({ [first]: 'unready', [second]: 'unready', [third]: 'leaving' });
    await bench.clock.advance(200);
    expect(bench.sent()).toEqual([
      ...['DeregisterTargets 1', 'RegisterTargets 1', 'DeregisterTargets 1'],
    ]);
    expect(bench.registered(arn)).toEqual([`${third}:8080`]);
  });

  it('is sent 200 targets a call', async () => {
    const { bench, arn } = await filled();
    bench.runPods(450);
    await bench.clock.settle();
    expect(bench.sent()).toEqual([
      'RegisterTargets 200',
      'RegisterTargets 200',
      'RegisterTargets 48',
    ]);
    bench.runPods({ [addressOf(0)]: 'ready' });
    await bench.clock.advance(100);
    const last = ['DeregisterTargets 200', 'DeregisterTargets 200', 'DeregisterTargets 49'];
    expect(bench.sent()).toEqual(last);
    expect(bench.registered(arn)).toEqual([`${addressOf(0)}:8080`]);
  });

  it('that changes no target sends nothing', async () => {
    const { bench } = await filled();
    bench.runPods({ ...podsOf(2), [addressOf(7)]: 'unready' });
    await bench.clock.advance(1_000);
    expect(bench.sent()).toEqual([]);
  });

  it('of another Service, or in another namespace, wakes no object', async () => {
    const { bench } = await filled();
    bench.runPods(3, 'other');
    const elsewhere = draftSlice('shop', [endpointOf('10.0.0.99')]);
    bench.kube.create({ ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'other' } });
    await bench.clock.advance(1_000);
    expect(bench.sent()).toEqual([]);
    expect(bench.state.desired).toBe(2);
  });

  it('takes a target back that still drains', async () => {
    const { bench, arn } = await filled();
    bench.runPods({ [addressOf(0)]: 'leaving', [addressOf(1)]: 'ready' });
    await bench.clock.advance(1_000);
    bench.runPods(2);
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('that leaves no pod empties the group', async () => {
    const { bench, arn } = await filled();
    bench.runPods({});
    await bench.clock.settle();
    expect(bench.registered(arn)).toEqual([]);
    expect(bench.state).toMatchObject({ desired: 0, problem: { reason: 'NoReadyEndpoints' } });
  });

  it('keeps the last pods while they serve and no other is ready', async () => {
    const { bench, arn } = await filled();
    bench.runPods({
      [addressOf(0)]: 'leaving',
      [addressOf(1)]: 'leaving',
      [addressOf(2)]: 'unready',
    });
    await bench.clock.advance(60_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    bench.runPods({ [addressOf(0)]: 'leaving', [addressOf(1)]: 'gone', [addressOf(2)]: 'ready' });
    await bench.clock.settle();
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1, 2)));
  });

  it('counts how long each target has waited', async () => {
    const { bench } = await filled();
    const before = bench.metrics.observationsOf(targetsMetrics.writeSeconds, { write: 'register' });
    bench.refuse('RegisterTargets', 'AccessDenied');
    bench.runPods(3);
    await bench.clock.advance(1_200);
    const { writeSeconds } = targetsMetrics;
    expect(bench.metrics.observationsOf(writeSeconds, { write: 'register' })).toBe(before + 1);
    const waitedSeconds = bench.metrics.valueOf(writeSeconds, { write: 'register' }) ?? 0;
    expect(waitedSeconds).toBeGreaterThanOrEqual(1);
    expect(waitedSeconds).toBeLessThan(1.2);
  });
});

describe('a changed Service', () => {
  it('whose slices follow a moment later loses no target', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, { service: { name: 'shop', port: 80 } });
    const renamed = { name: 'web', port: 80, protocol: 'TCP', targetPort: 9090 };
    const service = draftService('shop', { ports: [renamed] });
    bench.kube.edit(service, (live) => ({ ...live, spec: service.spec }));
    await bench.clock.advance(1_500);
    expect(bench.sent()).toEqual([]);
    expect(bench.state.problem?.reason).toBe('TargetPortNotFound');
    const ports = [{ name: 'web', port: 9090, protocol: 'TCP' }];
    const endpoints = Object.keys(podsOf(2)).map((id) => endpointOf(id));
    bench.putSlice(draftSlice('shop', endpoints, { ports }));
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 2']);
    bench.check('web', 'healthy');
    await bench.clock.advance(6_100);
    expect(bench.sent().filter((call) => !call.startsWith('Describe'))).toEqual([
      'DeregisterTargets 2',
    ]);
    expect(bench.state).toMatchObject({ desired: 2, registered: 2 });
    expect(bench.state.problem).toBeUndefined();
  });

  it('without the port empties the group in the end', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, { service: { name: 'shop', port: 81 } });
    await bench.clock.advance(5_000);
    bench.runPods({ ...podsOf(2), [addressOf(7)]: 'unready' });
    await bench.clock.advance(4_900);
    expect(bench.registered(arn)).toHaveLength(2);
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
    expect(bench.state.problem?.reason).toBe('ServicePortNotFound');
  });

  it('that is deleted empties the group ten seconds later', async () => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftService('shop'));
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(9_900);
    expect(bench.registered(arn)).toHaveLength(2);
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
    expect(bench.state.problem?.reason).toBe('ServiceNotFound');
  });

  it('that a backend names instead of another gives the group its pods', async () => {
    const { bench, arn } = await filled();
    bench.kube.create(draftService('cart'));
    bench.putSlice(draftSlice('cart', [endpointOf('10.0.2.9')]));
    bench.publish(arn, { service: { name: 'cart', port: 'http' } });
    await bench.clock.settle();
    bench.check('web', 'healthy');
    await bench.clock.advance(6_100);
    expect(bench.registered(arn)).toEqual(['10.0.2.9:8080']);
    bench.runPods(3);
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(['10.0.2.9:8080']);
  });
});

describe('a group of an earlier process', () => {
  it('is read once, and only the difference is written', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(3);
    bench.registerOutOfBand(arn, addressOf(0), addressOf(1), '10.0.2.200');
    bench.publish(arn);
    await bench.clock.settle();
    expect(bench.sent()).toEqual([
      ...['DescribeTargetHealth', 'RegisterTargets 1', 'DeregisterTargets 1'],
    ]);
    bench.publish(arn);
    await bench.clock.advance(1_000);
    expect(bench.sent()).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(3)));
  });

  it('that is as it should be is written to no more', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(2);
    bench.registerOutOfBand(arn, addressOf(0), addressOf(1));
    bench.publish(arn);
    expect(bench.state).toMatchObject({ isKnown: false, desired: 2, registered: 0 });
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['DescribeTargetHealth']);
    expect(bench.state).toMatchObject({ isKnown: true, registered: 2, isFilled: true, healthy: 0 });
  });

  it('whose target drains gets it back', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(1);
    bench.registerOutOfBand(arn, addressOf(0), addressOf(1));
    bench.deregisterOutOfBand(arn, addressOf(0), addressOf(1));
    bench.publish(arn);
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['DescribeTargetHealth', 'RegisterTargets 1']);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });

  it('is left alone until it is published', async () => {
    const bench = new TargetsBench();
    bench.registerOutOfBand(bench.group('web'), addressOf(9));
    bench.runPods(2);
    await bench.clock.advance(3_600_000);
    expect(bench.sent()).toEqual([]);
  });
});

describe('published groups', () => {
  it('take the place of the ones before, in their order', async () => {
    const { bench, arn } = await filled();
    const next = bench.group('next');
    bench.targets.publish(SHOP, [servedBy(next, { isNew: true }), servedBy(arn)]);
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 2']);
    expect(bench.targets.read(SHOP).map(({ registered }) => registered)).toEqual([2, 2]);
    bench.targets.publish(SHOP, [servedBy(next)]);
    bench.runPods(3);
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toHaveLength(2);
    expect(bench.registered(next)).toHaveLength(3);
  });

  it('are written to no more once they are withdrawn', async () => {
    const { bench, arn } = await filled();
    bench.runPods(3);
    bench.targets.withdraw(SHOP);
    bench.runPods(4);
    await bench.clock.advance(3_600_000);
    expect(bench.sent()).toEqual([]);
    expect(bench.registered(arn)).toHaveLength(2);
    expect(bench.targets.read(SHOP)).toEqual([]);
  });

  it('that are withdrawn while a call waits for its turn are not called about', async () => {
    const perSecond = { burst: 1, perSecond: 2 };
    const limits = { burst: 1_000, perSecond: 1_000 };
    const bench = new TargetsBench({
      budget: {
        ...{ account: limits, reads: limits, writes: limits, intensive: limits },
        ...{ ec2Reads: limits, ec2Writes: limits, acmReads: limits, registrations: perSecond },
      },
    });
    const arn = bench.group('web');
    bench.runPods(1);
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    bench.runPods(2);
    await bench.clock.advance(150);
    expect(bench.sent()).toEqual(['RegisterTargets 1']);
    bench.targets.withdraw(SHOP);
    await bench.clock.advance(5_000);
    expect(bench.sent()).toEqual([]);
  });

  it('are read after they are withdrawn and published again', async () => {
    const { bench, arn } = await filled();
    bench.targets.withdraw(SHOP);
    bench.registerOutOfBand(arn, '10.0.2.77');
    bench.publish(arn);
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['DescribeTargetHealth', 'DeregisterTargets 1']);
  });
});

describe('a pass that waits', () => {
  it('goes on when the group is filled', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(2);
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.publish(arn, { isNew: true });
    let isOver = false;
    const waiting = bench.targets.waitUntilFilled(SHOP, never).then(() => (isOver = true));
    await bench.clock.advance(299);
    expect(isOver).toBe(false);
    await bench.clock.advance(1);
    await waiting;
    expect(bench.state.isFilled).toBe(true);
  });

  it('goes on at once where there is a problem, or nothing to fill', async () => {
    const bench = new TargetsBench();
    await bench.targets.waitUntilFilled(SHOP, never);
    bench.publish(bench.group('web'), { isNew: true });
    await bench.targets.waitUntilFilled(SHOP, never);
    expect(bench.state.problem).toMatchObject({ reason: 'ServiceNotFound', sinceMs: 0 });
  });

  it('goes on when AWS fails, or the group is withdrawn', async () => {
    const bench = new TargetsBench();
    bench.runPods(1);
    bench.refuse('RegisterTargets', 'AccessDenied');
    bench.publish(bench.group('web'), { isNew: true });
    await bench.targets.waitUntilFilled(SHOP, never);
    expect(bench.state.problem?.reason).toBe('AccessDenied');
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.publish(bench.group('next'), { isNew: true });
    const waiting = bench.targets.waitUntilFilled(SHOP, never);
    bench.targets.withdraw(SHOP);
    await waiting;
  });

  it('ends when it is aborted, and leaves nothing behind', async () => {
    const bench = new TargetsBench();
    bench.runPods(1);
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.publish(bench.group('web'), { isNew: true });
    const aborting = new AbortController();
    const waiting = bench.targets.waitUntilFilled(SHOP, aborting.signal);
    aborting.abort(new Error('deadline'));
    await expect(waiting).rejects.toThrow('deadline');
  });
});

describe('a stop', () => {
  it('lets the call under way finish, sends nothing more and leaves no timer', async () => {
    const { bench, arn } = await filled();
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 300 });
    bench.runPods({ [addressOf(1)]: 'ready', [addressOf(5)]: 'ready' });
    await bench.clock.settle();
    bench.stop();
    const { stopped } = bench.targets;
    await bench.clock.finish(stopped);
    bench.runPods(9);
    await bench.clock.advance(3_600_000);
    expect(bench.sent()).toEqual(['RegisterTargets 1']);
    expect(bench.registered(arn)).toHaveLength(3);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});
