import { describe, expect, it } from 'vitest';
import { draftService } from '../endpoints.ts';
import { SHOP, servedBy } from '../targets-bench.ts';
import { backendOf } from './played-pods.ts';
import { type Ground, heal, MINUTE_MS, NEW, OPENED, POLL_MS, rolling } from './rolling.ts';

interface HandingOver extends Ground {
  readonly next: string;
}

/** The group has a successor, and still gets all requests. */
async function handingOver(isUsed = true): Promise<HandingOver> {
  const ground = await rolling();
  const { bench, arn } = ground;
  const next = bench.group('next', { isUsed });
  bench.targets.publish(SHOP, [
    servedBy(next, { isNew: true, isUnused: !isUsed }),
    servedBy(arn, { isReplaced: true }),
  ]);
  await bench.clock.settle();
  return { ...ground, next };
}

describe('a pod that waits at its gate while its group has a successor', () => {
  it('waits for the group that still gets the requests', async () => {
    const { bench, pods } = await handingOver();
    bench.check('next', 'healthy');
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for it alone while AWS refuses to change the rule: the successor is not in use', async () => {
    const { bench, pods } = await handingOver(false);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for the successor too, which gets the requests next', async () => {
    const { bench, pods } = await handingOver();
    bench.check('next', 'initial');
    heal(bench);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.check('next', 'healthy');
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for a group with a health check that it cannot pass until the successor has the requests', async () => {
    const { bench, pods, next } = await handingOver();
    bench.check('next', 'healthy');
    bench.check('web', 'unhealthy');
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.publish(next);
    await bench.clock.settle();
    expect(pods.written).toEqual(OPENED);
  });

  it('does not wait for a group of another Service, which never has it as a target', async () => {
    const { bench, pods, arn, next } = await handingOver();
    const service = { name: 'former', port: 'http' };
    bench.kube.create(draftService('former'));
    bench.targets.publish(SHOP, [servedBy(next), servedBy(arn, { isReplaced: true, service })]);
    bench.check('next', 'healthy');
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });
});

describe('a pod whose backend has left the spec while its group still gets the requests', () => {
  it.each([
    { edit: 'of the target type', more: { targetType: 'instance' } as const },
    { edit: 'of the Service', more: { service: { name: 'other', port: 'http' } } },
    { edit: 'to another backend', more: { backend: 'other', targetType: 'instance' } as const },
  ])('waits for the group after an edit $edit', async ({ more }) => {
    const { bench, pods, arn } = await rolling();
    bench.kube.create(draftService('other'));
    const { targetType = 'ip' } = more;
    const next = bench.group('next', { isUsed: false, TargetType: targetType });
    const served = servedBy(next, { isNew: true, isUnused: true, ...more });
    bench.targets.publish(SHOP, [served, servedBy(arn, { isReplaced: true })]);
    pods.declare(backendOf('shop', more));
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for the group also where the object has no other backend, until it is deleted', async () => {
    const { bench, pods, arn } = await rolling();
    bench.publish(arn, { isReplaced: true });
    pods.declare();
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    pods.isActive = false;
    pods.declare();
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('waits for a group of an object of another namespace, until it is withdrawn', async () => {
    const { bench, pods } = await rolling();
    const service = { namespace: 'web', name: 'shop', port: 'http' };
    const former = servedBy(bench.group('former'), { isReplaced: true, service });
    bench.targets.withdraw(SHOP);
    bench.targets.publish('far/shop', [former]);
    pods.declare();
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.targets.withdraw('far/shop');
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('waits for the group of a backend that has to be created, too', async () => {
    const { bench, pods, arn } = await rolling();
    bench.publish(arn, { isReplaced: true });
    pods.declare(backendOf('shop', { backend: 'other' }));
    heal(bench);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
  });

  it('does not wait for a group of a Service of the same name in another namespace', async () => {
    const { bench, pods, arn } = await rolling();
    const shop = draftService('shop');
    bench.kube.create({ ...shop, metadata: { ...shop.metadata, namespace: 'far' } });
    const service = { name: 'shop', port: 'http', namespace: 'far' };
    const former = servedBy(bench.group('former'), { isReplaced: true, service });
    bench.targets.publish(SHOP, [servedBy(arn), former]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  const other = { backend: 'other', service: { name: 'other', port: 'http' } };

  it('waits for the group of a backend that gets no requests by the spec, while an action sends it some', async () => {
    const { bench, pods, arn } = await rolling();
    bench.publish(arn, { isReached: true });
    bench.kube.create(draftService('other'));
    pods.declare(backendOf('other', other));
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.publish(arn);
    await bench.clock.settle();
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('does not wait for a group that gets no requests by the spec', async () => {
    const { bench, pods, arn } = await rolling();
    bench.kube.create(draftService('other'));
    pods.declare(backendOf('other', other));
    await bench.clock.settle();
    expect(bench.registered(arn)).toHaveLength(2);
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });
});
