import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LoadBalancerSnapshot } from '../../localstack/embedded/world-snapshot.ts';
import { arnOf, isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let subnets: readonly string[];
let operator: OperatorProcess;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 300 });
  place = placeOf(surroundings);
  objects = await place.createNamespace('crash');
  subnets = place.network.articleSubnets;
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

afterEach(async () => {
  await place.standIn.clearFaults();
  await place.standIn.release();
  await operator.stop();
});

const start = async (): Promise<void> => {
  operator = await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
};

async function kill(): Promise<void> {
  operator.signal('SIGKILL');
  await operator.exited;
}

/** Nothing is left of this object's in AWS but what its status names. */
async function expectOneBalancer(name: string): Promise<void> {
  const object = await objects.when(name, isReady);
  const balancers = await place.standIn.balancersOf(objects.namespace, name);
  expect(balancers).toMatchObject([
    { arn: arnOf(object), tags: { 'albridge.io/uid': object.metadata.uid } },
  ]);
}

/**
 * While DescribeTags is held: the balancer of an object as soon as AWS has it. Not by what is held:
 * that may be a call of the sweep at the start.
 */
async function madeAndUnrecorded(name: string): Promise<LoadBalancerSnapshot> {
  const made = await until('the balancer', async () => {
    const [balancer] = await place.standIn.balancersOf(objects.namespace, name);
    return balancer;
  });
  await place.standIn.whenHeld('DescribeTags');
  return made;
}

describe('an operator killed by SIGKILL', () => {
  it('between the finalizer and the create creates after the restart', async () => {
    await start();
    await place.standIn.addFault({ operation: 'CreateLoadBalancer', effect: { kind: 'hold' } });
    await objects.create('held', { subnets });
    await place.standIn.whenHeld('CreateLoadBalancer');
    expect((await objects.get('held')).metadata.finalizers).toEqual(['albridge.io/load-balancer']);
    await kill();
    expect(await place.standIn.balancersOf(objects.namespace)).toEqual([]);
    await start();
    await expectOneBalancer('held');
    // What hung in the network arrives at last: AWS gives it the balancer that is there.
    await place.standIn.release();
    await expectOneBalancer('held');
  });

  it('between the create and its record finds the balancer again', async () => {
    await start();
    await place.standIn.addFault({
      operation: 'DescribeTags',
      times: 99,
      effect: { kind: 'hold' },
    });
    await objects.create('unrecorded', { subnets, tags: { team: 'web', stage: 'prod' } });
    const made = await madeAndUnrecorded('unrecorded');
    expect((await objects.get('unrecorded')).status.alb).toBeUndefined();
    await kill();
    await place.standIn.clearFaults();
    // A tag leaves the spec while nobody looks: it was applied by the create, so it has to go.
    await objects.edit('unrecorded', { tags: { stage: null } });
    await start();
    await expectOneBalancer('unrecorded');
    const [found] = await place.standIn.balancersOf(objects.namespace, 'unrecorded');
    expect(found?.arn).toBe(made.arn);
    expect(found?.tags).toMatchObject({ team: 'web' });
    expect(found?.tags).not.toHaveProperty('stage');
  });

  it('between the create and its record, and the object deleted meanwhile: nothing leaks', async () => {
    await start();
    await place.standIn.addFault({
      operation: 'DescribeTags',
      times: 99,
      effect: { kind: 'hold' },
    });
    await objects.create('abandoned', { subnets });
    await madeAndUnrecorded('abandoned');
    await kill();
    await place.standIn.clearFaults();
    await objects.startDeleting('abandoned');
    expect(await objects.exists('abandoned')).toBe(true);
    await start();
    await objects.isGone('abandoned');
    expect(await place.standIn.balancersOf(objects.namespace, 'abandoned')).toEqual([]);
  });

  it('between the write-ahead record and the write undoes what it may have done', async () => {
    const idle = 'idle_timeout.timeout_seconds';
    await start();
    await objects.create('ahead', { subnets });
    const arn = arnOf(await objects.whenReady('ahead'));
    await place.standIn.addFault({
      operation: 'ModifyLoadBalancerAttributes',
      effect: { kind: 'hold' },
    });
    await objects.edit('ahead', { attributes: { [idle]: '120' } });
    await place.standIn.whenHeld('ModifyLoadBalancerAttributes');
    await kill();
    await place.standIn.release();
    const isApplied = async (): Promise<boolean> =>
      (await place.standIn.balancer(arn))?.attributes[idle] === '120';
    await until('the write that was under way', isApplied);
    // Out of the spec again before anybody has seen it in AWS.
    await objects.edit('ahead', { attributes: null });
    await start();
    await objects.when('ahead', isReady);
    await until('the value from before', async () => !(await isApplied()));
    expect((await place.standIn.balancer(arn))?.attributes[idle]).toBe('60');
  });

  it('between the delete and the removal of the finalizer lets the object go', async () => {
    await start();
    await objects.create('half', { subnets });
    const arn = arnOf(await objects.whenReady('half'));
    const effect = { kind: 'hold' } as const;
    await place.standIn.addFault({ operation: 'DeleteLoadBalancer', effect });
    await objects.startDeleting('half');
    await place.standIn.whenHeld('DeleteLoadBalancer');
    await place.standIn.addFault({ operation: 'DescribeLoadBalancers', times: 99, effect });
    await place.standIn.release('DeleteLoadBalancer');
    await until('the delete', async () => (await place.standIn.balancer(arn)) === undefined);
    await place.standIn.whenHeld('DescribeLoadBalancers');
    await kill();
    await place.standIn.clearFaults();
    await place.standIn.release();
    expect(await objects.exists('half')).toBe(true);
    await start();
    await objects.isGone('half');
    expect(await place.standIn.balancersOf(objects.namespace, 'half')).toEqual([]);
  });

  it('while many are created ends with one balancer for each', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `many-${index}`);
    await start();
    await place.standIn.addFault({
      operation: 'CreateLoadBalancer',
      skip: 3,
      times: 2,
      effect: { kind: 'lostResponse' },
    });
    await Promise.all(names.map((name) => objects.create(name, { subnets })));
    const isSome = async (): Promise<boolean> =>
      (await place.standIn.balancersOf(objects.namespace)).some(({ tags }) =>
        tags['albridge.io/name']?.startsWith('many-'),
      );
    await until('some balancers', isSome);
    await kill();
    await start();
    for (const name of names) await expectOneBalancer(name);
  });
});

describe('a restart', () => {
  it('writes nothing if nothing differs', async () => {
    await start();
    await objects.create('calm', { subnets });
    const before = await objects.whenReady('calm');
    await operator.stop();
    await place.standIn.clearCalls();
    await start();
    const isConfirmed = async (): Promise<boolean> =>
      (await place.standIn.operatorCalls('DescribeTags')).length > 0;
    await until('the first sweep', isConfirmed);
    await objects.annotate('calm', { 'albridge.io/reconcile-requested-at': 'restarted' });
    const after = await objects.when(
      'calm',
      ({ status }) => status.lastHandledReconcileAt === 'restarted',
    );
    expect(after.status.conditions).toEqual(before.status.conditions);
    expect(await place.standIn.writesOn(arnOf(before))).toEqual([]);
  });
});
