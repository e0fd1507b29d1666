import { describe, expect, it } from 'vitest';
import { draftService, draftSlice, endpointOf } from './endpoints.ts';
import { addressOf, filled, namesOf, podsOf } from './targets-bench.ts';

describe('slices that vanish', () => {
  it('empty no group of a Service that selects pods, for it has one always', async () => {
    const { bench, arn } = await filled(3);
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(3_600_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(3)));
    expect(bench.state.problem?.reason).toBe('NoReadyEndpoints');
    bench.runPods(podsOf(2, 1));
    await bench.clock.advance(11_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2, 1)));
    expect(bench.state.problem).toBeUndefined();
  });

  it('empty none of an earlier process either', async () => {
    const { bench, arn } = await filled();
    bench.stop();
    bench.kube.delete(draftSlice('shop', []));
    bench.start();
    bench.publish(arn);
    await bench.clock.advance(60_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('come back one after the other: no pod is deregistered before its slice is there', async () => {
    const { bench, arn } = await filled(1);
    const [first, second] = [addressOf(0), addressOf(1)];
    bench.putSlice(draftSlice('shop', [endpointOf(second)], { suffix: 'b' }));
    await bench.clock.advance(1_000);
    bench.kube.delete(draftSlice('shop', []));
    bench.kube.delete(draftSlice('shop', [], { suffix: 'b' }));
    await bench.clock.advance(60_000);
    bench.sent();
    bench.putSlice(draftSlice('shop', [endpointOf(first)]));
    await bench.clock.advance(2_000);
    bench.putSlice(draftSlice('shop', [endpointOf(second)], { suffix: 'b' }));
    await bench.clock.advance(20_000);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('go before the Service: the group is empty ten seconds after them', async () => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(1_000);
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(8_900);
    expect(bench.registered(arn)).toHaveLength(2);
    await bench.clock.advance(200);
    expect(bench.registered(arn)).toEqual([]);
  });

  it('go long before the Service: the group is empty as soon as that is gone too', async () => {
    const { bench, arn } = await filled();
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(3_600_000);
    bench.kube.delete(draftService('shop'));
    await bench.clock.settle();
    expect(bench.registered(arn)).toEqual([]);
  });
});

describe('a changed Service', () => {
  it('whose slices follow one after the other loses no target either', async () => {
    const { bench, arn } = await filled(1);
    const [first, second] = [addressOf(0), addressOf(1)];
    bench.putSlice(draftSlice('shop', [endpointOf(second)], { suffix: 'b' }));
    bench.publish(arn, { service: { name: 'shop', port: 80 } });
    await bench.clock.advance(1_000);
    bench.sent();
    const service = draftService('shop', { ports: [{ name: 'web', port: 80 }] });
    bench.kube.edit(service, (live) => ({ ...live, spec: service.spec }));
    const ports = [{ name: 'web', port: 8080, protocol: 'TCP' }];
    await bench.clock.advance(300);
    bench.putSlice(draftSlice('shop', [endpointOf(first)], { ports }));
    await bench.clock.advance(1_000);
    bench.putSlice(draftSlice('shop', [endpointOf(second)], { suffix: 'b', ports }));
    await bench.clock.advance(20_000);
    expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(2)));
  });

  it('has a slice in the end whose pods do not have the port: they go', async () => {
    const { bench, arn } = await filled(2);
    bench.runPods(1);
    bench.putSlice(draftSlice('shop', [endpointOf(addressOf(1))], { suffix: 'b', ports: [] }));
    await bench.clock.advance(11_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(1)));
  });
});
