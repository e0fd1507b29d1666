import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ProxiedRequest, startSlowProxy } from '../fakes/slow-proxy.ts';
import { isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { writeProxyKubeconfig } from '../surroundings/proxy-kubeconfig.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let subnets: readonly string[];

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  objects = await place.createNamespace('stop');
  subnets = place.network.articleSubnets;
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

/** Every wait of an operator's own, for AWS or for the API server, takes longer than this. */
const AT_ONCE_MS = 5000;

/** Resolves when nothing is left to do: an object of an earlier test would meet the next fault. */
async function start(): Promise<OperatorProcess> {
  const operator = await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
  for (const { metadata } of await objects.list()) await objects.whenReady(metadata.name);
  return operator;
}

const hasLogged = (operator: OperatorProcess, msg: string): boolean =>
  operator.log.some((line) => line.msg === msg);

describe('SIGTERM', () => {
  it('ends an idle operator at once, with exit code 0 and a last log line', async () => {
    const operator = await start();
    await objects.create('idle', { subnets });
    await objects.whenReady('idle');
    const startedMs = performance.now();
    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(AT_ONCE_MS);
    expect(operator.log.at(-1)).toMatchObject({ level: 'info', msg: 'stopped' });
  });

  it('ends waits at once: a backoff, a held read', async () => {
    const operator = await start();
    await place.standIn.addFault({
      operation: 'DescribeLoadBalancers',
      times: 99,
      effect: { kind: 'hold' },
    });
    await objects.create('reading', { subnets });
    await place.standIn.whenHeld('DescribeLoadBalancers');
    const startedMs = performance.now();
    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(AT_ONCE_MS);
    await place.standIn.clearFaults();
    await place.standIn.release();
    expect((await objects.get('reading')).status.conditions).toBeUndefined();
  });

  it('lets a write to AWS complete, and the next operator finds what it created', async () => {
    const operator = await start();
    await place.standIn.addFault({ operation: 'CreateLoadBalancer', effect: { kind: 'hold' } });
    await objects.create('writing', { subnets });
    await place.standIn.whenHeld('CreateLoadBalancer');
    operator.signal('SIGTERM');
    await operator.waitForLine((line) => line.msg === 'stopping');
    expect(hasLogged(operator, 'stopped')).toBe(false);
    await objects.create('late', { subnets });
    await place.standIn.release();
    expect(await operator.exited).toBe(0);
    expect(hasLogged(operator, 'stopped')).toBe(true);
    expect(await place.standIn.balancersOf(objects.namespace, 'writing')).toHaveLength(1);
    expect(await place.standIn.balancersOf(objects.namespace, 'late')).toEqual([]);

    const next = await start();
    for (const name of ['writing', 'late']) await objects.when(name, isReady);
    expect(await place.standIn.balancersOf(objects.namespace, 'writing')).toHaveLength(1);
    await next.stop();
  });

  it('gives a write that AWS never answers ten seconds', async () => {
    const operator = await start();
    await place.standIn.addFault({ operation: 'CreateLoadBalancer', effect: { kind: 'hold' } });
    await objects.create('mute', { subnets });
    await place.standIn.whenHeld('CreateLoadBalancer');
    const startedMs = performance.now();
    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(5000);
    expect(tookMs).toBeLessThan(20_000);
    expect(hasLogged(operator, 'stopped')).toBe(true);
    await place.standIn.release();
  });

  it('given twice ends the operator at once', async () => {
    const operator = await start();
    await place.standIn.addFault({ operation: 'CreateLoadBalancer', effect: { kind: 'hold' } });
    await objects.create('impatient', { subnets });
    await place.standIn.whenHeld('CreateLoadBalancer');
    operator.signal('SIGTERM');
    await operator.waitForLine((line) => line.msg === 'stopping');
    const startedMs = performance.now();
    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(AT_ONCE_MS);
    await place.standIn.release();
  });
});

describe('a leader whose events wait', () => {
  it('releases the Lease before it writes them: no successor waits for an event', async () => {
    const ended: ProxiedRequest[] = [];
    const proxy = await startSlowProxy(surroundings.controlPlane, (one) => void ended.push(one));
    onTestFinished(() => proxy.stop());
    const operator = await surroundings.startOperator({
      KUBECONFIG: await writeProxyKubeconfig(surroundings, proxy),
      ALBRIDGE_LEADER_ELECTION: 'on',
      POD_NAMESPACE: 'albridge-system',
    });
    proxy.holdBack(isEvent);
    await objects.create('untold', { subnets });
    await until('an event waits', async () => proxy.countHeld() > 0);
    expect(await operator.stop()).toBe(0);
    const released = ended.findLastIndex(({ path }) => path.endsWith('/leases/albridge'));
    expect(released).toBeGreaterThanOrEqual(0);
    expect(ended.findIndex(isEvent), 'given up at the end').toBeGreaterThan(released);
    expect(hasLogged(operator, 'released the lease')).toBe(true);
  });
});

const isEvent = ({ method, path }: ProxiedRequest): boolean =>
  method === 'POST' && path.endsWith('/events');
