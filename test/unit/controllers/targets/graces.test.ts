import { describe, expect, it } from 'vitest';
import type { DesiredTargets } from '../../../../src/controllers/targets/desired-targets.ts';
import { Graces } from '../../../../src/controllers/targets/graces.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { draftService, draftSlice, endpointOf } from './endpoints.ts';
import { addressOf, filled, namesOf, podsOf, type TargetsBench } from './targets-bench.ts';

describe('a Service that is deleted and applied again', () => {
  const [first, second] = [addressOf(0), addressOf(1)];

  async function deleted(): Promise<Awaited<ReturnType<typeof filled>>> {
    const ground = await filled(1);
    const { bench } = ground;
    bench.putSlice(draftSlice('shop', [endpointOf(second)], { suffix: 'b' }));
    await bench.clock.advance(1_000);
    bench.sent();
    bench.kube.delete(draftService('shop'));
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(300);
    bench.kube.delete(draftSlice('shop', [], { suffix: 'b' }));
    return ground;
  }

  async function putSlices(bench: TargetsBench, apartMs = 2_000): Promise<void> {
    bench.putSlice(draftSlice('shop', [endpointOf(first)]));
    await bench.clock.advance(apartMs);
    bench.putSlice(draftSlice('shop', [endpointOf(second)], { suffix: 'b' }));
    await bench.clock.advance(20_000);
  }

  it('loses no target where its slices come back one after the other, also the next time', async () => {
    const { bench, arn } = await deleted();
    await bench.clock.advance(1_000);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(300);
    await putSlices(bench);
    bench.kube.delete(draftSlice('shop', []));
    bench.kube.delete(draftSlice('shop', [], { suffix: 'b' }));
    await bench.clock.advance(60_000);
    await putSlices(bench);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('loses no target where the last slice comes back after the tenth second', async () => {
    const { bench, arn } = await deleted();
    await bench.clock.advance(9_500);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(300);
    await putSlices(bench, 300);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it.each([
    ['the slice of its other family', { addressType: 'IPv6' }, ['IPv4', 'IPv6']],
    ['a slice of the other family of one whose families are not known', { addressType: 'IPv6' }],
    ['a slice without the port', { ports: [{ name: 'admin', port: 9, protocol: 'TCP' }] }],
  ])('loses no target where %s comes first', async (_what, more, ipFamilies?: string[]) => {
    const { bench, arn } = await deleted();
    const spec = { ...draftService('shop').spec, ...(ipFamilies && { ipFamilies }) };
    bench.kube.create(draftService('shop', spec));
    await bench.clock.advance(20);
    bench.putSlice(draftSlice('shop', [endpointOf('2001:db8::7')], { suffix: 'c', ...more }));
    await bench.clock.advance(300);
    await putSlices(bench, 300);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('loses no target while the slice of one of its families is deleted', async () => {
    const { bench, arn } = await filled(2);
    const { spec } = draftService('shop');
    const shop = draftService('shop', { ...spec, ipFamilies: ['IPv4', 'IPv6'] });
    bench.kube.edit(shop, (live) => ({ ...live, spec: shop.spec }));
    bench.putSlice(draftSlice('shop', [], { suffix: 'c', addressType: 'IPv6' }));
    await bench.clock.advance(1_000);
    bench.sent();
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(60_000);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    bench.kube.edit(shop, (live) => ({ ...live, spec: { ...spec, ipFamilies: ['IPv6'] } }));
    await bench.clock.advance(2_100);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('loses no target where the operator starts meanwhile', async () => {
    const { bench, arn } = await deleted();
    bench.stop();
    bench.start();
    bench.publish(arn);
    await bench.clock.advance(5_000);
    bench.kube.create(draftService('shop'));
    await putSlices(bench);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('keeps no pod that is gone where the Service is back with new pods, none of which is ready', async () => {
    const { bench, arn } = await deleted();
    await bench.clock.advance(3_000);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(100);
    bench.runPods({ [addressOf(8)]: 'unready' });
    await bench.clock.advance(2_100);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('keeps a pod that is gone for no more than ten seconds in all where the Service is back within eight', async () => {
    const { bench, arn } = await deleted();
    await bench.clock.advance(6_500);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(300);
    bench.putSlice(draftSlice('shop', [endpointOf(second)]));
    await bench.clock.advance(2_500);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    await bench.clock.advance(500);
    expect(bench.registered(arn)).toEqual([`${second}:8080`]);
  });

  it('does not keep a pod that ends once its slice is back', async () => {
    const { bench, arn } = await filled(2);
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(60_000);
    bench.runPods(2);
    await bench.clock.advance(1_000);
    bench.runPods(1);
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });

  it('does not keep a pod that a slice loses while the Service is missing', async () => {
    const { bench, arn } = await filled(2);
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(100);
    bench.putSlice(draftSlice('shop', [endpointOf(first)]));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(8_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });

  it('does not keep a pod that was gone before', async () => {
    const { bench, arn } = await filled(2);
    bench.runPods(1);
    bench.kube.delete(draftService('shop'));
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });
});

describe('a Service that gets another selector and is applied again', () => {
  it('loses no target where its slices come back one after the other', async () => {
    const { bench, arn } = await filled(2);
    bench.runPods(podsOf(1, 10));
    bench.putSlice(draftSlice('shop', [endpointOf(addressOf(11))], { suffix: 'b' }));
    await bench.clock.advance(1_000);
    bench.kube.delete(draftService('shop'));
    bench.kube.delete(draftSlice('shop', []));
    bench.kube.delete(draftSlice('shop', [], { suffix: 'b' }));
    await bench.clock.advance(1_000);
    bench.kube.create(draftService('shop'));
    bench.putSlice(draftSlice('shop', [endpointOf(addressOf(10))]));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(expect.arrayContaining([...namesOf(podsOf(2, 10))]));
  });
});

describe('a group that gets another Service', () => {
  const RENAMED = { service: { name: 'next', port: 'http' } } as const;

  it('keeps the pods of the former one until one of the next one, applied a moment later, is healthy', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, RENAMED);
    await bench.clock.advance(2_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    bench.runPods(podsOf(2, 10), 'next');
    await bench.clock.advance(1_000);
    expect(bench.sent()).toEqual(['RegisterTargets 2']);
    bench.check('web', 'healthy');
    await bench.clock.advance(6_100);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 10)));
  });

  it('keeps the pods of the former one while AWS refuses those of the next one, for no more than 30 s', async () => {
    const { bench, arn } = await filled();
    bench.refuse('RegisterTargets', 'AccessDenied', { forMs: 60_000 });
    bench.runPods(podsOf(2, 10), 'next');
    bench.publish(arn, RENAMED);
    await bench.clock.advance(29_900);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('keeps no pod of both Services once the next one shows that it is not ready', async () => {
    const { bench, arn } = await filled();
    bench.runPods({ ...podsOf(1), [addressOf(1)]: 'unready', [addressOf(10)]: 'ready' }, 'next');
    bench.refuse('RegisterTargets', 'AccessDenied', { forMs: 60_000 });
    bench.publish(arn, RENAMED);
    await bench.clock.advance(500);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
    bench.runPods({ [addressOf(10)]: 'ready' }, 'next');
    await bench.clock.advance(500);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('keeps the pods of the former one also where that one was back a moment before', async () => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(1_000);
    bench.runPods(2);
    await bench.clock.advance(1_000);
    bench.publish(arn, RENAMED);
    await bench.clock.advance(9_900);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    bench.runPods(podsOf(2, 10), 'next');
    await bench.clock.advance(50);
    bench.check('web', 'healthy');
    await bench.clock.advance(6_100);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 10)));
  });

  it('keeps the pods of the former one for ten seconds in all where that one was deleted before', async () => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(5_000);
    bench.publish(arn, RENAMED);
    await bench.clock.advance(4_900);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('is empty ten seconds later where there is no such Service', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, RENAMED);
    await bench.clock.advance(11_000);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('keeps the pods of the former one for ten seconds where a second change repairs the name', async () => {
    const { bench, arn } = await filled();
    bench.publish(arn, RENAMED);
    await bench.clock.advance(5_000);
    bench.runPods({ [addressOf(10)]: 'unready' }, 'other');
    bench.publish(arn, { service: { name: 'other', port: 'http' } });
    await bench.clock.advance(4_900);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
  });
});

describe('the record of what was desired since the pods were known', () => {
  const NONE = { targets: new Map(), live: new Set<string>(), late: new Set<string>() };
  const one = { id: addressOf(0), port: 8080 };
  const other = { id: addressOf(1), port: 8080 };

  function desire(id: string): DesiredTargets {
    return { ...NONE, targets: new Map([[`${id}:8080`, { id, port: 8080 }]]) };
  }

  it('ends with the time for which such a target is kept', async () => {
    const clock = new ManualClock();
    const graces = new Graces(clock);
    const list = (): readonly number[] => [one, other].map(graces.describe(NONE).absentUntilMs);
    const endsMs = clock.monotonicMs() + 10_000;
    graces.record({ ...NONE, isUnknown: true }, desire(addressOf(0)));
    expect(list()).toEqual([Number.NEGATIVE_INFINITY, endsMs]);
    await clock.advance(10_000);
    graces.record(desire(addressOf(0)), desire(addressOf(1)));
    expect(list()).toEqual([endsMs, endsMs]);
  });
});
