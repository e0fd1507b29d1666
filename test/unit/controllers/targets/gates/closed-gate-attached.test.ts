import { expect, it } from 'vitest';
import { SHOP, servedBy, TargetsBench } from '../targets-bench.ts';
import { backendOf, PlayedPods } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD, POLL_MS } from './rolling.ts';

const OWNER = 'platform/shared';
const BACKEND = 'WebApp/web/shop/shop';
const SERVICE = { name: 'shop', port: 'http', namespace: 'web' };

/** A WebApp of the namespace `web` that is attached to a MyIngress of the namespace `platform`; its pod waits. */
async function attached(): Promise<{ readonly bench: TargetsBench; readonly pods: PlayedPods }> {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  pods.declare(backendOf('shop', { owner: OWNER, backend: BACKEND, service: SERVICE }));
  const arn = bench.group('web');
  bench.runPods({ [NEW]: 'unready' });
  bench.targets.publish(OWNER, [
    servedBy(arn, { backend: BACKEND, service: SERVICE, isNew: true }),
  ]);
  return { bench, pods };
}

it('names neither the account nor the role of the operator to the team of a WebApp', async () => {
  const { bench, pods } = await attached();
  const role = 'arn:aws:sts::111122223333:assumed-role/albridge-platform/session';
  bench.fault(
    'RegisterTargets',
    {
      ...{ kind: 'error', code: 'AccessDenied', status: 403 },
      message: `User: ${role} is not authorized to perform: elasticloadbalancing:RegisterTargets`,
    },
    { forMs: 60 * MINUTE_MS },
  );
  pods.run(NEW);
  await bench.clock.advance(3 * MINUTE_MS);
  const [told] = pods.events.recorded;
  expect(told).toMatchObject({ key: `web/pod-${NEW}`, reason: 'GateClosed' });
  expect(told?.note).not.toContain('arn:aws');
});

it('advises no field that a WebApp does not have', async () => {
  const { bench, pods } = await attached();
  pods.run(NEW);
  await bench.clock.advance(1_000);
  const health = {
    state: 'unhealthy',
    reason: 'Target.ResponseCodeMismatch',
    description: 'Health checks failed with these codes: [301]',
  } as const;
  bench.aws.control.setTargetHealth('web', { id: NEW, health });
  await bench.clock.advance(POLL_MS + 10_000);
  const [told] = pods.events.recorded;
  expect(told).toMatchObject({ key: `web/pod-${NEW}`, reason: 'GateClosed' });
  expect(told?.note).not.toContain('healthCheck.path');
});

it('says on the pod why its gate is closed for an hour where that is by the group that is replaced', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  const old = bench.group('web');
  const next = bench.group('next');
  bench.runPods({ [OLD]: 'ready' });
  bench.targets.publish(SHOP, [
    servedBy(next, { isNew: true }),
    servedBy(old, { isNew: true, isReplaced: true, isReached: true }),
  ]);
  await bench.clock.settle();
  heal(bench, OLD);
  pods.run(NEW);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  await bench.clock.advance(1_000);
  bench.check('next', 'healthy');
  const health = { state: 'unhealthy', reason: 'Target.Timeout' } as const;
  bench.aws.control.setTargetHealth('web', { id: NEW, health });
  await bench.clock.advance(60 * MINUTE_MS);
  expect(pods.written).toEqual([]);
  expect(pods.events.recorded).not.toEqual([]);
});

it('says that it cannot read its health where that is denied', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  pods.declare(backendOf('shop', { owner: OWNER, backend: BACKEND, service: SERVICE }));
  const arn = bench.group('web');
  bench.registerOutOfBand(arn, OLD, NEW);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  bench.refuse('DescribeTargetHealth', 'AccessDenied', { forMs: 60 * MINUTE_MS });
  bench.targets.publish(OWNER, [servedBy(arn, { backend: BACKEND, service: SERVICE })]);
  pods.run(NEW);
  await bench.clock.advance(5 * MINUTE_MS);
  expect(bench.sent()).not.toContain('RegisterTargets 1');
  const [closed] = pods.events.recorded;
  expect(closed?.note).toMatch(/or read its health: AccessDenied$/);
});
