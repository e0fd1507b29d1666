import { describe, expect, it } from 'vitest';
import { normaliseAddress } from '../../../../../src/aws/elbv2/traffic.ts';
import { sleep } from '../../../../../src/core/ports/clock.ts';
import { createFailure } from '../../../../../src/core/reconcile/failure.ts';
import { kubeReasons } from '../../../../../src/kube/client/kube-reasons.ts';
import { draftService, draftSlice, endpointOf } from '../endpoints.ts';
import { SHOP, servedBy, TargetsBench } from '../targets-bench.ts';
import { backendOf, PlayedPods, UP } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD, OPENED, POLL_MS, rolling } from './rolling.ts';

/** From now on a read of health is carried out after half a second, and the answer to a write takes a second. */
function slowDown({ api, clock }: TargetsBench): { readonly reads: number } {
  const underWay = { reads: 0 };
  const send = api.send.bind(api);
  const { signal } = new AbortController();
  api.send = async (operation, ...rest) => {
    const isRead = operation === 'DescribeTargetHealth';
    if (isRead) underWay.reads += 1;
    if (isRead) await sleep(clock, 500, signal);
    const output = await send(operation, ...rest);
    if (isRead) underWay.reads -= 1;
    else await sleep(clock, 1_000, signal);
    return output;
  };
  return underWay;
}

describe('a pod that only its gate keeps from being Ready', () => {
  it('is a target, and its gate opens within one read of its being healthy', async () => {
    const { bench, pods, arn } = await rolling();
    expect(bench.registered(arn)).toEqual([`${OLD}:8080`, `${NEW}:8080`]);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('stays a target between the opening of its gate and its being Ready', async () => {
    const { bench, pods, arn } = await rolling();
    heal(bench);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual(OPENED);
    expect(bench.registered(arn)).toContain(`${NEW}:8080`);
  });

  it('does not take the place of a pod that leaves while nothing is Ready', async () => {
    const { bench, arn } = await rolling();
    bench.runPods({ [OLD]: 'leaving', [NEW]: 'unready' });
    await bench.clock.advance(MINUTE_MS);
    expect(bench.registered(arn)).toEqual([`${OLD}:8080`, `${NEW}:8080`]);
    bench.runPods({ [OLD]: 'leaving', [NEW]: 'ready' });
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual([`${NEW}:8080`]);
  });

  it('is none once a container of it is not ready, or another gate is closed', async () => {
    const { bench, pods, arn } = await rolling();
    pods.setConditions(NEW, []);
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual([`${OLD}:8080`]);
    pods.setConditions(NEW, UP);
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toContain(`${NEW}:8080`);
  });

  it('waits while its slice lags, because the Service selects it', async () => {
    const { bench, pods, arn } = await rolling();
    bench.runPods({ [OLD]: 'ready' });
    pods.run('10.0.0.6');
    await bench.clock.advance(5 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    expect(bench.registered(arn)).toEqual([`${OLD}:8080`]);
  });

  it('is not Ready before each group reports it healthy', async () => {
    const { bench, pods, arn } = await rolling();
    const other = bench.group('other');
    bench.kube.create(
      draftService('other', { ports: [{ name: 'http', port: 80 }], selector: { app: 'shop' } }),
    );
    bench.putSlice(draftSlice('other', [endpointOf(NEW, 'unready')]));
    pods.declare(backendOf('shop'), backendOf('other'));
    bench.targets.publish(SHOP, [
      servedBy(arn),
      servedBy(other, { backend: 'other', service: { name: 'other', port: 'http' }, isNew: true }),
    ]);
    bench.check('other', 'initial');
    heal(bench);
    await bench.clock.advance(MINUTE_MS);
    expect(bench.registered(other)).toEqual([`${NEW}:8080`]);
    expect(pods.written).toEqual([]);
    bench.check('other', 'healthy');
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('is not Ready on the word of AWS before its containers are, also where the Service publishes it', async () => {
    const { bench, pods } = await rolling();
    pods.setConditions(NEW, []);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
    await bench.clock.advance(1_000);
    heal(bench);
    await bench.clock.advance(10 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    pods.setConditions(NEW, UP);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits as long as AWS says that it is not healthy', async () => {
    const { bench, pods } = await rolling();
    bench.check('web', 'unhealthy');
    await bench.clock.advance(60 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.check('web', 'healthy');
    await bench.clock.advance(MINUTE_MS + POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits no longer where a read that was sent before its registration already shows it', async () => {
    const { bench, pods, arn } = await rolling();
    const third = '10.0.0.6';
    heal(bench);
    await bench.clock.advance(MINUTE_MS);
    const underWay = slowDown(bench);
    pods.run(third);
    while (underWay.reads === 0) await bench.clock.advance(100);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'ready', [third]: 'unready' });
    await bench.clock.advance(2_000);
    expect(bench.registered(arn)).toContain(`${third}:8080`);
    heal(bench, third);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual([...OPENED, `web/pod-${third} Healthy`]);
  });

  it('does not get the health of the pod that had its address before', async () => {
    const { bench, pods } = await rolling();
    heal(bench);
    await bench.clock.advance(POLL_MS);
    const before = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'web', name: `pod-${NEW}` },
    };
    bench.kube.delete(before);
    bench.runPods({ [OLD]: 'ready' });
    await bench.clock.advance(1_000);
    // Registered again while AWS's reads still show the target of before.
    bench.fault('DescribeTargetHealth', { kind: 'staleReads', ageMs: 8_000 }, { forMs: 8_000 });
    pods.run(NEW);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual(OPENED);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual([...OPENED, ...OPENED]);
  });
});

describe('a gate opens without AWS', () => {
  it('at once where no backend selects the pod', async () => {
    const { bench, pods } = await rolling();
    pods.run('10.0.1.4', { app: 'job', conditions: [] });
    await bench.clock.settle();
    expect(pods.written).toEqual(['web/pod-10.0.1.4 NoBackend']);
  });

  it('when the backend is removed, or its object deleted', async () => {
    const { bench, pods } = await rolling();
    pods.declare();
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('when the Service selects the pod no more', async () => {
    const { bench, pods } = await rolling();
    bench.kube.edit(draftService('shop'), (live) => ({
      ...live,
      spec: { ...live.spec, selector: { app: 'shop', version: 'v2' } },
    }));
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('when the Service of a group that is not there yet selects the pod no more', async () => {
    const pods = new PlayedPods();
    const bench = new TargetsBench({ gates: pods.attach });
    bench.runPods({ [NEW]: 'unready' });
    pods.run(NEW);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.kube.edit(draftService('shop'), (live) => ({
      ...live,
      spec: { ...live.spec, selector: { app: 'other' } },
    }));
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('when the Service has been missing for ten seconds, not where it is deleted and applied again', async () => {
    const { bench, pods } = await rolling();
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(300);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(9_900);
    expect(pods.written).toEqual([]);
    await bench.clock.advance(200);
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('where the targets of the only backend are nodes: AWS does not see the pod', async () => {
    const { bench, pods } = await rolling();
    const nodes = { targetType: 'instance' } as const;
    bench.publish(bench.group('nodes', { TargetType: 'instance' }), nodes);
    pods.declare(backendOf('shop', nodes));
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('when the Service has had no such port for ten seconds: the pod cannot be a target', async () => {
    const { bench, pods, arn } = await rolling();
    const service = { name: 'shop', port: 'admin' };
    bench.publish(arn, { service });
    pods.declare(backendOf('shop', { service }));
    await bench.clock.advance(10_100);
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('where no action names the group', async () => {
    const pods = new PlayedPods();
    const bench = new TargetsBench({ gates: pods.attach });
    bench.publish(bench.group('web', { isUsed: false }), { isNew: true });
    pods.run(NEW);
    bench.runPods({ [NEW]: 'unready' });
    await bench.clock.advance(2 * POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it.each([
    ['does not answer', ['DescribeTargetHealth', 'HealthUnavailable']],
    ['denies the reads', ['DescribeTargetHealth', 'AccessDenied']],
  ] as const)('with a Warning when AWS %s for 10 minutes', async (_name, [operation, code]) => {
    const { bench, pods } = await rolling();
    bench.refuse(operation, code, { forMs: 20 * MINUTE_MS });
    await bench.clock.advance(9.8 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    await bench.clock.advance(0.3 * MINUTE_MS);
    expect(pods.written).toEqual([`web/pod-${NEW} NoAnswer`]);
    expect(pods.events.recorded).toMatchObject([
      { key: `web/pod-${NEW}`, type: 'Warning', reason: 'NoAnswer' },
    ]);
  });

  it('and waits so long too for a group that does not come to be', async () => {
    const pods = new PlayedPods();
    const bench = new TargetsBench({ gates: pods.attach });
    bench.runPods({ [NEW]: 'unready' });
    pods.run(NEW);
    await bench.clock.advance(9.8 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    await bench.clock.advance(0.3 * MINUTE_MS);
    expect(pods.written).toEqual([`web/pod-${NEW} NoAnswer`]);
  });
});

describe('the writes', () => {
  it('are none for a pod whose slice still has the address of its predecessor', async () => {
    const { bench, pods, arn } = await rolling();
    bench.kube.delete({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { namespace: 'web', name: `pod-${NEW}` },
    });
    pods.run('10.0.0.7', { name: `pod-${NEW}` });
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual([`${OLD}:8080`]);
    expect(pods.written).toEqual([]);
  });

  it('are not repeated while the cache lags', async () => {
    const { bench, pods } = await rolling();
    heal(bench);
    pods.cache.hold();
    await bench.clock.advance(MINUTE_MS);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
    await bench.clock.advance(MINUTE_MS);
    pods.cache.catchUp();
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('are one for each pod, and none when its target is unhealthy later', async () => {
    const { bench, pods } = await rolling();
    heal(bench);
    await bench.clock.advance(POLL_MS);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
    bench.check('web', 'unhealthy');
    await bench.clock.advance(60 * MINUTE_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('are repeated until they succeed', async () => {
    const { bench, pods } = await rolling();
    heal(bench);
    pods.failures.push(
      createFailure(kubeReasons, 'Forbidden', { observed: 'no' }),
      createFailure(kubeReasons, 'ApiServerUnavailable', { observed: 'no' }),
    );
    await bench.clock.advance(2 * POLL_MS);
    expect(pods.written).toEqual(OPENED);
    const lines = bench.log.lines.filter(({ message }) => message === 'readiness gate not opened');
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
  });

  it('are repeated at once when a right was granted, not after their backoff', async () => {
    const { bench, pods } = await rolling();
    const refusal = createFailure(kubeReasons, 'Forbidden', { observed: 'no' });
    pods.failures.push(...Array.from({ length: 6 }, () => refusal));
    heal(bench);
    while (pods.failures.length > 0) await bench.clock.advance(1_000);
    await bench.clock.advance(1_000);
    expect(pods.written).toEqual([]);
    bench.targets.requeueGates();
    await bench.clock.settle();
    expect(pods.written).toEqual(OPENED);
  });

  it('wait after a start for what the groups say', async () => {
    const { bench, pods, arn } = await rolling();
    bench.stop();
    bench.start();
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.publish(arn);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });
});

it('a group that no pod waits for is read no more often than without gates', async () => {
  const { bench } = await rolling();
  heal(bench);
  await bench.clock.advance(MINUTE_MS);
  bench.sent();
  await bench.clock.advance(20 * MINUTE_MS);
  expect(bench.sent()).toEqual([]);
});

it('of a backend with IPv6 addresses the gate opens by the health of the pod at its IPv6 address', async () => {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ gates: pods.attach });
  const arn = bench.group('web', { IpAddressType: 'ipv6' });
  const address = bench.addressOfIpv6(7);
  bench.kube.create(draftService('shop'));
  const slices = { IPv4: NEW, IPv6: address };
  for (const [addressType, id] of Object.entries(slices)) {
    const endpoint = { ...endpointOf(id, 'unready'), targetRef: { kind: 'Pod', name: 'pod-7' } };
    bench.putSlice(draftSlice('shop', [endpoint], { addressType, suffix: addressType }));
  }
  pods.run(NEW, { name: 'pod-7', ipv6: address });
  bench.publish(arn, { isNew: true, ipAddressType: 'ipv6' });
  await bench.clock.advance(MINUTE_MS);
  expect(bench.registered(arn)).toEqual([`${normaliseAddress(address)}:8080`]);
  expect(pods.written).toEqual([]);
  heal(bench, normaliseAddress(address));
  await bench.clock.advance(POLL_MS);
  expect(pods.written).toEqual(['web/pod-7 Healthy']);
});

function earlyPodOf({ targets }: TargetsBench): unknown {
  return targets.read(SHOP)[0]?.earlyPod;
}

describe('a pod without a preStop hook', () => {
  it('is reported to its object as long as the Service selects it', async () => {
    const { bench, pods } = await rolling();
    const pod = pods.run('10.0.0.9', { name: 'hasty' });
    await bench.clock.advance(2_000);
    expect(earlyPodOf(bench)).toEqual({ pod: 'hasty', reason: 'NoPreStop' });
    bench.kube.delete(pod);
    bench.kube.delete({ ...pod, metadata: { ...pod.metadata, name: `pod-${NEW}` } });
    await bench.clock.advance(2_000);
    expect(earlyPodOf(bench)).toBeUndefined();
  });

  it('wakes its object, though nothing else of its targets changes', async () => {
    const pods = new PlayedPods();
    const bench = new TargetsBench({ gates: pods.attach });
    bench.runPods({ [OLD]: 'ready' });
    bench.publish(bench.group('web'), { isNew: true });
    await bench.clock.advance(MINUTE_MS);
    expect(earlyPodOf(bench)).toBeUndefined();
    bench.woken.splice(0);
    pods.run('10.0.0.9', { name: 'hasty' });
    await bench.clock.advance(2_000);
    expect(bench.woken.map(({ key }) => key)).toEqual([SHOP]);
  });

  it("is no object's where the Service does not select it, or the hook is there", async () => {
    const pods = new PlayedPods();
    const bench = new TargetsBench({ gates: pods.attach });
    bench.runPods({ [OLD]: 'ready' });
    bench.publish(bench.group('web'), { isNew: true });
    pods.run(OLD, { preStopSeconds: 20 });
    pods.run(NEW, { app: 'other' });
    await bench.clock.advance(MINUTE_MS);
    expect(earlyPodOf(bench)).toBeUndefined();
  });

  it('is known not to be there while gates are on and the Service is there', async () => {
    const { bench } = await rolling();
    const areKnown = () => bench.targets.read(SHOP)[0]?.arePodsKnown;
    expect(areKnown()).toBe(true);
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(2_000);
    expect(areKnown()).toBeUndefined();
    const ungated = new TargetsBench({});
    ungated.runPods({ [OLD]: 'ready' });
    ungated.publish(ungated.group('web'), { isNew: true });
    await ungated.clock.advance(2_000);
    expect(ungated.targets.read(SHOP)[0]).toBeDefined();
    expect(ungated.targets.read(SHOP)[0]?.arePodsKnown).toBeUndefined();
  });
});
