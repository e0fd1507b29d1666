import { describe, expect, it } from 'vitest';
import { draftService, draftSlice, endpointOf, HTTP_PORT, type SliceDraft } from './endpoints.ts';
import { addressOf, filled, namesOf, podsOf, type TargetsBench } from './targets-bench.ts';

type Ground = Awaited<ReturnType<typeof filled>>;

const both = namesOf({ ...podsOf(2), ...podsOf(2, 10) });

function sliceOf(
  count: number,
  from: number,
  more: Parameters<typeof draftSlice>[2] = {},
): SliceDraft {
  const endpoints = Object.keys(podsOf(count, from)).map((id) => endpointOf(id));
  return draftSlice('shop', endpoints, { suffix: 'b', ...more });
}

function check(bench: TargetsBench, index: number, state: 'healthy' | 'unhealthy'): void {
  const health = state === 'healthy' ? { state } : { state, reason: 'Target.Timeout' };
  bench.aws.control.setTargetHealth('web', { id: addressOf(index), health });
}

/** Four healthy pods in two slices. */
async function filledSlices(): Promise<Ground> {
  const ground = await filled(2);
  ground.bench.putSlice(sliceOf(2, 2));
  await ground.bench.clock.advance(1_000);
  ground.bench.check('web', 'healthy');
  await ground.bench.clock.advance(60_000);
  return ground;
}

describe('a Service that gets another selector', () => {
  /** Two healthy pods, and two of another version in their place. */
  async function switched(): Promise<Ground> {
    const ground = await filled();
    ground.bench.select('green');
    await ground.bench.clock.advance(50);
    ground.bench.runPods(podsOf(2, 10));
    return ground;
  }

  it('keeps the pods of before until AWS has checked all in their place', async () => {
    const { bench, arn } = await switched();
    await bench.clock.advance(10_000);
    check(bench, 11, 'healthy');
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(both);
    check(bench, 10, 'unhealthy');
    await bench.clock.advance(6_100);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 10)));
  });

  it('keeps them for no more than 30 s where none in their place is healthy', async () => {
    const { bench, arn } = await switched();
    await bench.clock.advance(1_000);
    for (const index of [10, 11]) check(bench, index, 'unhealthy');
    await bench.clock.advance(28_900);
    expect(bench.registered(arn)).toEqual(both);
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 10)));
  });

  it('keeps them for no more than 30 s where AWS does not take those in their place', async () => {
    const { bench, arn } = await filled();
    bench.refuse('RegisterTargets', 'AccessDenied', { forMs: 60_000 });
    bench.select('green');
    bench.runPods(podsOf(2, 10));
    await bench.clock.advance(29_900);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('keeps them while AWS throttles the registration of some in their place', async () => {
    const { bench, arn } = await filled(4);
    bench.select('green');
    bench.runPods(podsOf(1, 10));
    await bench.clock.advance(1_000);
    bench.check('web', 'healthy');
    bench.refuse('RegisterTargets', 'Throttling', { forMs: 20_000 });
    bench.putSlice(sliceOf(3, 11));
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(namesOf({ ...podsOf(4), ...podsOf(1, 10) }));
  });

  it('keeps none that AWS finds unhealthy', async () => {
    const { bench, arn } = await filled();
    check(bench, 0, 'unhealthy');
    // The audit finds it.
    await bench.clock.advance(40 * 60_000);
    bench.select('green');
    bench.runPods(podsOf(2, 10));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf({ ...podsOf(1, 1), ...podsOf(2, 10) }));
  });

  it('keeps none where no action names the group: AWS checks no target of it', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, { isUnused: true });
    bench.select('green');
    bench.runPods(podsOf(2, 10));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 10)));
  });

  it('takes no answer about a target that was there before for one about the target of now', async () => {
    const { bench, arn } = await switched();
    await bench.clock.advance(1_000);
    bench.check('web', 'healthy');
    await bench.clock.advance(6_100);
    bench.select('blue');
    bench.runPods(2);
    await bench.clock.settle();
    expect(bench.registered(arn)).toEqual(both);
  });

  it.each([
    ['while', 50, [...both]],
    ['no longer than', 1_100, namesOf(podsOf(2, 10))],
  ])(
    'keeps them also %s the watch of Services is a second behind that of slices: %i ms',
    async (_, laterMs, names) => {
      const { bench, arn } = await filled();
      bench.runPods(podsOf(2, 10));
      await bench.clock.advance(laterMs);
      bench.select('green');
      await bench.clock.advance(10_000);
      expect(bench.registered(arn)).toEqual(names);
    },
  );

  it('keeps those of each slice where they follow it one after the other', async () => {
    const { bench, arn } = await filledSlices();
    bench.select('green');
    bench.runPods(podsOf(2, 10));
    await bench.clock.advance(1_000);
    bench.putSlice(sliceOf(2, 12));
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(namesOf({ ...podsOf(4), ...podsOf(4, 10) }));
  });

  it('keeps those of a slice that is deleted, as fewer are needed', async () => {
    const { bench, arn } = await filledSlices();
    bench.select('green');
    bench.runPods(podsOf(4, 10));
    await bench.clock.advance(20);
    bench.kube.delete(sliceOf(0, 0));
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(namesOf({ ...podsOf(4), ...podsOf(4, 10) }));
  });

  it.each([
    ['with its slices', 0],
    ['before its slices', 500],
  ])('keeps them where it is deleted %s and applied again', async (_, laterMs) => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftService('shop'));
    if (laterMs === 0) bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(300);
    bench.kube.create(draftService('shop', { ports: [HTTP_PORT], selector: { app: 'next' } }));
    await bench.clock.advance(100);
    bench.putSlice(sliceOf(2, 10));
    await bench.clock.advance(laterMs);
    if (laterMs > 0) bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(15_000);
    expect(bench.registered(arn)).toEqual(both);
  });
});

describe('a pod that goes without another selector', () => {
  it.each([
    ['that ends as another one comes', { [addressOf(0)]: 'gone', ...podsOf(1, 10) }],
    ['that is not shown any more', podsOf(1, 10)],
  ] as const)('does not stay: one %s', async (_, pods) => {
    const { bench, arn } = await filled(1);
    bench.runPods(pods);
    await bench.clock.advance(1_100);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1, 10)));
  });

  it('does not stay where another one comes long after the selector', async () => {
    const { bench, arn } = await filled(1);
    bench.select('green');
    await bench.clock.advance(10_000);
    bench.runPods(podsOf(1, 10));
    await bench.clock.advance(1_100);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1, 10)));
  });
});

describe('a Service that gets another target port', () => {
  const ports = [{ name: 'http', port: 9090, protocol: 'TCP' }];

  it('keeps the former port of its ready pods until AWS has checked the next one', async () => {
    const { bench, arn } = await filled(1);
    bench.putSlice(sliceOf(1, 0, { suffix: 'a', ports }));
    await bench.clock.advance(20_000);
    expect(bench.registered(arn)).toEqual([8080, 9090].map((port) => `${addressOf(0)}:${port}`));
    bench.check('web', 'healthy');
    await bench.clock.advance(6_100);
    expect(bench.registered(arn)).toEqual([`${addressOf(0)}:9090`]);
  });

  it('keeps it for no more than 30 s, also with another selector meanwhile', async () => {
    const { bench, arn } = await filled(1);
    bench.putSlice(sliceOf(1, 0, { suffix: 'a', ports }));
    await bench.clock.advance(25_000);
    bench.select('green');
    bench.putSlice(sliceOf(1, 10, { suffix: 'a', ports }));
    await bench.clock.advance(5_100);
    expect(bench.registered(arn)).not.toContain(`${addressOf(0)}:8080`);
  });

  it('keeps that of each slice where they follow it one after the other', async () => {
    const { bench, arn } = await filledSlices();
    bench.putSlice(sliceOf(2, 0, { suffix: 'a', ports }));
    await bench.clock.advance(1_000);
    bench.putSlice(sliceOf(2, 2, { ports }));
    await bench.clock.advance(10_000);
    expect(bench.registered(arn)).toEqual(expect.arrayContaining([...namesOf(podsOf(4))]));
  });
});

describe('a backend that gets another Service', () => {
  it('keeps no pod of the former one that is being deleted', async () => {
    const { bench, arn } = await filled(2);
    bench.runPods({ [addressOf(0)]: 'leaving', [addressOf(1)]: 'leaving' });
    await bench.clock.advance(1_000);
    bench.runPods(podsOf(2, 10), 'next');
    bench.publish(arn, { service: { name: 'next', port: 'http' } });
    await bench.clock.advance(2_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 10)));
  });
});
