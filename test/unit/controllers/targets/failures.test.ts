import { describe, expect, it } from 'vitest';
import { AWS_LIMITS, NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import type { ServedGroup } from '../../../../src/controllers/targets/group.ts';
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

/** No private address. */
const PUBLIC = '8.8.8.8';

type Ground = Awaited<ReturnType<typeof filled>>;

/** Replaces the first of two pods. */
function replaceOne({ bench }: Ground): void {
  bench.runPods({ [addressOf(0)]: 'leaving', [addressOf(1)]: 'ready', [addressOf(2)]: 'ready' });
}

function reasonsLogged({ log }: TargetsBench): readonly unknown[] {
  const lines = log.lines.filter(({ message }) => message === 'targets are not up to date');
  return lines.map(({ level, fields }) => `${level} ${String(fields['reason'])}`);
}

describe('a lost answer', () => {
  it.each(['RegisterTargets', 'DeregisterTargets'])(
    'of %s is asked for again',
    async (operation) => {
      const ground = await filled();
      ground.bench.fault(operation, { kind: 'lostResponse' }, { times: 5 });
      replaceOne(ground);
      await ground.bench.clock.advance(10_000);
      expect(ground.bench.registered(ground.arn)).toEqual(namesOf(podsOf(2, 1)));
      expect(ground.bench.state.problem).toBeUndefined();
    },
  );

  it('of a registration leaves no target behind whose pod is gone meanwhile', async () => {
    const { bench, arn } = await filled();
    bench.fault('RegisterTargets', { kind: 'lostResponse' }, { times: 3 });
    bench.runPods(3);
    await bench.clock.advance(700);
    expect(bench.registered(arn)).toHaveLength(3);
    bench.runPods(2);
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('of a deregistration does not keep a target away whose pod is ready again', async () => {
    const { bench, arn } = await filled();
    bench.fault('DeregisterTargets', { kind: 'lostResponse' }, { times: 3 });
    bench.runPods(1);
    await bench.clock.advance(700);
    bench.runPods(2);
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });
});

describe('a call that waits', () => {
  it('takes no target out that is desired again meanwhile', async () => {
    const { bench, arn } = await filled();
    bench.refuse('DeregisterTargets', 'ThrottlingException', { times: 2 });
    bench.runPods(1);
    await bench.clock.advance(150);
    expect(bench.sent()).toEqual(['DeregisterTargets 1']);
    bench.runPods(2);
    await bench.clock.advance(60_000);
    expect(bench.sent().filter((call) => call.startsWith('Deregister'))).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    expect(bench.state).toMatchObject({ desired: 2, registered: 2 });
    expect(bench.state.problem).toBeUndefined();
  });
});

describe('a failure', () => {
  it('is repeated ever more rarely, logged once, and gone with the first success', async () => {
    const { bench } = await filled();
    bench.refuse('RegisterTargets', 'AccessDenied', { forMs: 600_000 });
    bench.runPods(3);
    await bench.clock.advance(600_000);
    const calls = bench.sent().filter((call) => call.startsWith('Register'));
    expect(calls.length).toBeGreaterThan(10);
    expect(calls.length).toBeLessThan(18);
    expect(reasonsLogged(bench)).toEqual(['error AccessDenied']);
    expect(bench.state).toMatchObject({ registered: 2, problem: { reason: 'AccessDenied' } });
    await bench.clock.advance(75_000);
    expect(bench.state).toMatchObject({ desired: 3, registered: 3 });
    expect(bench.state.problem).toBeUndefined();
  });

  it('says since when there is one, whatever its reason', async () => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftService('shop'));
    const sinceMs = bench.clock.monotonicMs();
    bench.putSlice(draftSlice('shop', [endpointOf(addressOf(0), 'unready')]));
    await bench.clock.advance(20_000);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(20_000);
    expect(bench.state.problem).toMatchObject({ reason: 'NoReadyEndpoints', sinceMs });
    bench.runPods(2);
    await bench.clock.advance(1_000);
    expect(bench.state.problem).toBeUndefined();
    expect(bench.registered(arn)).toHaveLength(2);
  });

  it('to register does not hold up what is to be deregistered', async () => {
    const { bench, arn } = await filled(3);
    bench.refuse('RegisterTargets', 'AccessDenied', { forMs: 600_000 });
    bench.runPods({ ...podsOf(4), [addressOf(0)]: 'leaving' });
    await bench.clock.advance(200);
    bench.runPods({ ...podsOf(4), [addressOf(0)]: 'gone', [addressOf(1)]: 'leaving' });
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1, 2)));
  });

  it('to register does not deregister the last pods that serve', async () => {
    const { bench, arn } = await filled();
    bench.refuse('RegisterTargets', 'AccessDenied', { times: 1 });
    bench.runPods({
      [addressOf(0)]: 'leaving',
      [addressOf(1)]: 'leaving',
      [addressOf(2)]: 'ready',
    });
    await bench.clock.advance(500);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1, 2)));
  });

  it('of one group does not hold up another', async () => {
    const { bench, arn } = await filled();
    bench.fault('RegisterTargets', { kind: 'delay', delayMs: 8_000 });
    bench.runPods(3);
    await bench.clock.settle();
    const next = bench.group('next');
    bench.targets.publish('web/other', [servedBy(next, { isNew: true })]);
    await bench.clock.settle();
    expect(bench.registered(next)).toHaveLength(3);
    expect(bench.registered(arn)).toHaveLength(2);
    await bench.clock.advance(8_000);
    expect(bench.registered(arn)).toHaveLength(3);
  });

  it('of one call keeps what the calls before it have done', async () => {
    const { bench } = await filled();
    bench.refuse('RegisterTargets', 'AccessDenied', { skip: 1 });
    bench.runPods(602);
    await bench.clock.settle();
    expect(bench.state).toMatchObject({ desired: 602, registered: 202 });
    await bench.clock.advance(2_000);
    const calls = bench.sent().filter((call) => call.startsWith('Register'));
    expect(calls).toEqual([200, 200, 200, 200].map((count) => `RegisterTargets ${count}`));
  });

  it('of the first read writes nothing', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods(2);
    bench.registerOutOfBand(arn, '10.0.2.9');
    bench.refuse('DescribeTargetHealth', 'AccessDenied', { times: 2 });
    bench.publish(arn);
    await bench.clock.advance(1_500);
    expect(bench.registered(arn)).toEqual(['10.0.2.9:8080']);
    expect(bench.state.problem?.reason).toBe('AccessDenied');
    await bench.clock.advance(5_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('for want of the lease is no busy loop', async () => {
    const { bench, arn } = await filled();
    bench.isLeader = false;
    bench.runPods(3);
    await bench.clock.advance(600_000);
    expect(bench.sent().filter((call) => call.startsWith('Register'))).toEqual([]);
    expect(bench.registered(arn)).toHaveLength(2);
    expect(reasonsLogged(bench)).toEqual(['info LeadershipLost']);
  });
});

describe('the budget', () => {
  const tight = { ...NO_LIMITS, registrations: { burst: 1, perSecond: 0.1 } };

  it('is waited for: a group has its turn, and sends what it then needs', async () => {
    const bench = new TargetsBench({ budget: tight });
    const arn = bench.group('web');
    bench.runPods(1);
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    for (const count of [2, 3, 4]) {
      bench.runPods(count);
      await bench.clock.advance(200);
    }
    expect(bench.state).toMatchObject({ registered: 1, problem: { reason: 'BudgetExhausted' } });
    await bench.clock.advance(10_000);
    expect(bench.sent().filter((call) => call.startsWith('Register'))).toEqual([
      ...['RegisterTargets 1', 'RegisterTargets 3'],
    ]);
    expect(bench.state.problem).toBeUndefined();
  });

  it('of AWS fills many groups at its own rate', async () => {
    const bench = new TargetsBench({ budget: AWS_LIMITS });
    const groups = Array.from({ length: 60 }, (_, i) => bench.group(`g${i}`, { isUsed: false }));
    bench.aws.control.changeSettings({ budget: 'aws' });
    bench.runPods(1);
    for (const [i, arn] of groups.entries()) {
      bench.targets.publish(`web/o${i}`, [servedBy(arn, { isNew: true })]);
    }
    await bench.clock.advance(0);
    const first = bench.sent().filter((call) => call.startsWith('Register'));
    expect(first).toHaveLength(20);
    await bench.clock.advance(11_000);
    bench.aws.control.changeSettings({ budget: 'off' });
    expect(groups.filter((arn) => bench.registered(arn).length === 0)).toEqual([]);
  });
});

describe('a target that AWS refuses', () => {
  it('does not keep the others out, and is named', async () => {
    const [reason, bad] = ['InvalidTarget', PUBLIC];
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ ...podsOf(20), [bad]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(20)));
    expect(bench.sent().length).toBeLessThanOrEqual(3);
    const { desired, registered, isFilled, problem } = bench.state;
    expect({ desired, registered, isFilled }).toEqual({
      desired: 21,
      registered: 20,
      isFilled: false,
    });
    expect(problem?.reason).toBe(reason);
    expect(problem?.message).toMatch(new RegExp(`^${bad}:8080: register targets in target group`));
  });

  it('is tried again after minutes, and the others follow their pods meanwhile', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ ...podsOf(2), [PUBLIC]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    bench.check('web', 'healthy');
    bench.sent();
    await bench.clock.advance(30_000);
    bench.runPods({ ...podsOf(3), [PUBLIC]: 'ready' });
    await bench.clock.advance(29_000);
    const writes = bench.sent().filter((call) => call.includes('egister'));
    expect(writes).toEqual(['RegisterTargets 1']);
    await bench.clock.advance(3_600_000);
    const tries = bench.sent().filter((call) => call.includes('egister'));
    expect(tries.length).toBeGreaterThan(9);
    expect(tries.length).toBeLessThan(62);
    expect(bench.state).toMatchObject({ desired: 4, registered: 3 });
  });

  it('is forgotten with its pod', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ ...podsOf(2), [PUBLIC]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    bench.sent();
    bench.runPods(2);
    await bench.clock.advance(200);
    expect(bench.state.problem).toBeUndefined();
    expect(bench.state.isFilled).toBe(true);
    expect(bench.sent()).toEqual([]);
  });
});

describe('a full quota', () => {
  it.each([10, 6])(
    'of %d targets keeps nothing from going, and is used again at once',
    async (limit) => {
      const bench = new TargetsBench();
      const arn = bench.group('web');
      const counts: number[] = [];
      bench.stop();
      bench.start({
        send: (operation, input, options) =>
          bench.api.send(operation, input, options).finally(() => {
            counts.push(bench.registered(arn).length);
          }),
      });
      bench.runPods(10);
      bench.publish(arn, { isNew: true });
      await bench.clock.advance(1_000);
      bench.aws.control.changeSettings({
        limits: { 'targets-per-application-load-balancer': limit },
      });
      counts.splice(0);
      const leaving = Object.keys(podsOf(10)).map((id) => [id, 'leaving'] as const);
      bench.runPods({ ...Object.fromEntries(leaving), ...podsOf(10, 10) });
      await bench.clock.advance(1_000);
      expect(bench.registered(arn)).toEqual(namesOf(podsOf(limit, 10)));
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(counts.length).toBeLessThan(20);
    },
  );

  it('takes what fits of a batch, and one target for each retry until there is room', async () => {
    const bench = new TargetsBench({
      settings: { limits: { 'targets-per-application-load-balancer': 150 } },
    });
    const arn = bench.group('web');
    bench.runPods(200);
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    expect(bench.state).toMatchObject({ registered: 150, problem: { reason: 'QuotaExceeded' } });
    const sizes = [200, 100, 50, 25, 13, 7, 4, 2, 1];
    const writes = (): readonly string[] => bench.sent().filter((call) => call.startsWith('Reg'));
    expect(writes()).toEqual(sizes.map((size) => `RegisterTargets ${size}`));
    await bench.clock.advance(60_000);
    expect(new Set(writes())).toEqual(new Set(['RegisterTargets 1']));
    bench.aws.control.changeSettings({ limits: {} });
    await bench.clock.advance(61_000);
    expect(bench.state).toMatchObject({ registered: 200 });
    expect(writes().slice(-2)).toEqual(['RegisterTargets 1', 'RegisterTargets 49']);
  });

  it('that nothing can be removed for is reported', async () => {
    const bench = new TargetsBench({
      settings: { limits: { 'targets-per-application-load-balancer': 2 } },
    });
    const arn = bench.group('web');
    bench.runPods(2);
    bench.publish(arn, { isNew: true });
    await bench.clock.advance(1_000);
    bench.runPods(3);
    await bench.clock.advance(1_000);
    expect(bench.state).toMatchObject({ registered: 2, problem: { reason: 'QuotaExceeded' } });
  });
});

describe('a group that is gone', () => {
  it('is not written to again before a read has found it', async () => {
    const ground = await filled();
    const { bench, arn } = ground;
    bench.refuse('RegisterTargets', 'TargetGroupNotFound', { times: 1 });
    bench.refuse('DescribeTargetHealth', 'TargetGroupNotFound', { times: 3 });
    replaceOne(ground);
    await bench.clock.advance(5_000);
    const calls = bench.sent();
    expect(calls[0]).toBe('RegisterTargets 1');
    expect(calls.filter((call) => call.includes('egister'))).toHaveLength(1);
    expect(bench.state.problem?.reason).toBe('TargetGroupNotFound');
    await bench.clock.advance(20_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 1)));
    expect(bench.state.problem).toBeUndefined();
  });

  it('for good is asked for ever more rarely, and wakes its object no more', async () => {
    const { bench } = await filled();
    bench.refuse('*', 'TargetGroupNotFound', { forMs: 3_600_000 });
    bench.runPods(3);
    await bench.clock.advance(2_000);
    expect(bench.woken.splice(0).length).toBeGreaterThan(0);
    await bench.clock.advance(3_500_000);
    expect(bench.sent().length).toBeLessThan(80);
    expect(bench.woken).toEqual([]);
  });

  it('for the writes alone is asked for ever more rarely too', async () => {
    const { bench } = await filled();
    bench.refuse('RegisterTargets', 'TargetGroupNotFound', { forMs: 3_600_000 });
    bench.runPods(3);
    await bench.clock.advance(3_500_000);
    expect(bench.sent().filter((call) => call.startsWith('Register')).length).toBeLessThan(80);
  });

  it('is found out by the audit as well', async () => {
    const { bench } = await filled();
    bench.refuse('DescribeTargetHealth', 'TargetGroupNotFound', { times: 2 });
    await bench.clock.advance(2_200_000);
    expect(bench.woken.length).toBeGreaterThan(0);
    expect(reasonsLogged(bench)).toEqual(['info TargetGroupNotFound']);
    expect(bench.state.problem).toBeUndefined();
  });
});

describe('several backends', () => {
  it('of which one has no Service do not delay each other', async () => {
    const bench = new TargetsBench();
    bench.kube.create(draftService('cart'));
    bench.putSlice(draftSlice('cart', [endpointOf('10.0.2.9')]));
    const backends: readonly ServedGroup[] = ['shop', 'cart'].map((name) =>
      servedBy(bench.group(name), { isNew: true, service: { name, port: 'http' }, backend: name }),
    );
    bench.targets.publish(SHOP, backends);
    await bench.clock.settle();
    const [shop, cart] = bench.targets.read(SHOP);
    expect(shop).toMatchObject({ backend: 'shop', problem: { reason: 'ServiceNotFound' } });
    expect(cart).toMatchObject({ backend: 'cart', registered: 1, isFilled: true });
  });
});
