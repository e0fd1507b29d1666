import { describe, expect, it } from 'vitest';
import { draftService, draftSlice, endpointOf, HTTP_PORT } from '../endpoints.ts';
import { SHOP, servedBy } from '../targets-bench.ts';
import { backendOf } from './played-pods.ts';
import { type Ground, heal, MINUTE_MS, NEW, OLD, OPENED, POLL_MS, rolling } from './rolling.ts';

const OTHER = draftService('other', { ports: [HTTP_PORT], selector: { app: 'shop' } });

/** The pod at its gate has two groups, of which only the first one reports it healthy. */
async function rollingInTwo(): Promise<Ground> {
  const ground = await rolling();
  const { bench, pods, arn } = ground;
  const service = { name: 'other', port: 'http' };
  bench.kube.create(OTHER);
  bench.putSlice(draftSlice('other', [endpointOf(NEW, 'unready')]));
  pods.declare(backendOf('shop'), backendOf('other'));
  const other = bench.group('other');
  const groups = [servedBy(arn), servedBy(other, { backend: 'other', service, isNew: true })];
  bench.targets.publish(SHOP, groups);
  bench.check('other', 'initial');
  heal(bench);
  await bench.clock.advance(MINUTE_MS);
  return ground;
}

function renamePort({ bench }: Ground, name: string): void {
  bench.kube.edit(draftService('shop'), (live) => ({
    ...live,
    spec: { ...live.spec, ports: [{ ...HTTP_PORT, name }] },
  }));
}

describe('a gate stays closed', () => {
  it('while the Service of one of two groups is deleted and applied again', async () => {
    const { bench, pods } = await rollingInTwo();
    bench.kube.delete(OTHER);
    await bench.clock.advance(300);
    bench.kube.create(OTHER);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.check('other', 'healthy');
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('no longer than ten seconds while the Service of one of two groups is missing', async () => {
    const { bench, pods } = await rollingInTwo();
    bench.kube.delete(OTHER);
    await bench.clock.advance(10_100);
    expect(pods.written).toEqual(OPENED);
  });

  it('while the backend follows a port of its Service that has another name', async () => {
    const ground = await rolling();
    const { bench, pods, arn } = ground;
    renamePort(ground, 'web');
    await bench.clock.advance(300);
    const service = { name: 'shop', port: 'web' };
    bench.publish(arn, { service });
    pods.declare(backendOf('shop', { service }));
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
  });

  it('no longer than ten seconds where the Service does not get the port', async () => {
    const ground = await rolling();
    const { bench, pods } = ground;
    renamePort(ground, 'web');
    await bench.clock.advance(10_100);
    expect(pods.written).toEqual([`web/pod-${NEW} NoBackend`]);
  });

  it('while the Service of a group that is being replaced is deleted and applied again', async () => {
    const { bench, pods, arn } = await rolling();
    const service = { name: 'next', port: 'http' };
    bench.kube.create(draftService('next', { ports: [HTTP_PORT], selector: { app: 'other' } }));
    pods.declare(backendOf('shop', { service }));
    bench.targets.publish(SHOP, [servedBy(arn, { isReplaced: true })]);
    await bench.clock.advance(1_000);
    expect(pods.written).toEqual([]);
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(300);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
  });

  it('while its Service is deleted and applied again, where another Service has been missing for long', async () => {
    const { bench, pods } = await rolling();
    pods.declare(backendOf('shop'), backendOf('lost', { owner: 'web/other' }));
    await bench.clock.advance(MINUTE_MS);
    bench.kube.delete(draftService('shop'));
    await bench.clock.advance(300);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('while AWS has just called the pod unhealthy, and the slices of its Service are made again', async () => {
    const { bench, pods } = await rolling();
    bench.aws.control.setTargetHealth('web', {
      ...{ id: NEW, health: { state: 'unhealthy', reason: 'Target.Timeout' } },
    });
    await bench.clock.advance(15 * MINUTE_MS);
    bench.kube.delete(draftService('shop'));
    bench.kube.delete(draftSlice('shop', []));
    await bench.clock.advance(300);
    bench.kube.create(draftService('shop'));
    await bench.clock.advance(500);
    bench.putSlice(draftSlice('shop', [endpointOf(OLD), endpointOf(NEW, 'unready')]));
    await bench.clock.advance(15 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(MINUTE_MS + POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('while AWS has just called the pod unhealthy, and its group is gone and another one in its place', async () => {
    const { bench, pods } = await rolling();
    bench.check('web', 'unhealthy');
    await bench.clock.advance(15 * MINUTE_MS);
    bench.targets.withdraw(SHOP);
    await bench.clock.advance(1_000);
    bench.publish(bench.group('next'), { isNew: true });
    bench.check('next', 'unhealthy');
    await bench.clock.advance(15 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.check('next', 'healthy');
    await bench.clock.advance(MINUTE_MS + POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('no longer than ten minutes after AWS has called the pod unhealthy where no other group comes', async () => {
    const { bench, pods } = await rolling();
    bench.check('web', 'unhealthy');
    await bench.clock.advance(15 * MINUTE_MS);
    bench.targets.withdraw(SHOP);
    await bench.clock.advance(8 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    await bench.clock.advance(2 * MINUTE_MS);
    expect(pods.written).toEqual([`web/pod-${NEW} NoAnswer`]);
  });

  it('no longer for a backend without a target group where AWS calls the pod healthy only after ten minutes', async () => {
    const { bench, pods } = await rolling();
    const service = { name: 'shop', port: 'http' };
    pods.declare(backendOf('shop'), backendOf('lost', { service }));
    bench.check('web', 'unhealthy');
    await bench.clock.advance(20 * MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.check('web', 'healthy');
    await bench.clock.advance(MINUTE_MS + POLL_MS);
    expect(pods.written).toEqual([`web/pod-${NEW} NoAnswer`]);
  });
});
