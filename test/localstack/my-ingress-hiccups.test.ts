import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reasonsOfMyIngress } from '../../src/cli/objects/kinds.ts';
import {
  arnOf,
  conditionOf,
  isReady,
  type MyIngresses,
  readyOf,
} from '../surroundings/my-ingresses.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { askForALook, nameFor, refusal, refuse } from './setup-faults.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let subnets: readonly string[];

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  objects = await place.createNamespace('hiccups');
  subnets = place.network.articleSubnets;
  await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
});

afterEach(() => place.standIn.clearFaults());

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

const hiccups = {
  Throttling: { effect: refusal('Throttling', 400), reason: 'Throttled' },
  RequestLimitExceeded: { effect: refusal('RequestLimitExceeded', 503), reason: 'Throttled' },
  InternalFailure: { effect: refusal('InternalFailure', 500), reason: 'AwsUnavailable' },
  ServiceUnavailable: { effect: refusal('ServiceUnavailable', 503), reason: 'AwsUnavailable' },
  PriorRequestNotComplete: {
    effect: refusal('PriorRequestNotComplete', 429),
    reason: 'PriorRequestNotComplete',
  },
  'HTML with status 500': { effect: { kind: 'html500' }, reason: 'AwsUnavailable' },
  'a connection that breaks before': {
    effect: { kind: 'dropBeforeApply' },
    reason: 'AwsUnreachable',
  },
} as const;

describe('a transient failure', () => {
  it.each(Object.entries(hiccups))('%s on create', async (title, { effect, reason }) => {
    const name = nameFor(title);
    await place.standIn.addFault({ operation: 'CreateLoadBalancer', times: 1000, effect });
    await objects.create(name, { subnets });
    const failed = await objects.whenReason(name, reason);
    expect(failed.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason },
      { type: 'Reconciling', status: 'True', reason },
    ]);
    expect(await objects.event(name, reason)).toMatchObject({ type: 'Warning' });
    await place.standIn.clearFaults();
    await objects.when(name, isReady);
    expect(await place.standIn.balancersOf(objects.namespace, name)).toHaveLength(1);
  });

  it('is retried with growing delays', async () => {
    const effect = refusal('InternalFailure', 500);
    await place.standIn.addFault({ operation: 'CreateLoadBalancer', times: 1000, effect });
    await place.standIn.clearCalls();
    await objects.create('web-paced', { subnets });
    const [first, second, third] = await until('three passes', async () => {
      const calls = await place.standIn.operatorCalls('CreateLoadBalancer');
      return calls.length >= 3 && calls.map(({ at }) => at);
    });
    await place.standIn.clearFaults();
    // One attempt each, as a failed create may have been carried out; less what a clock rounds.
    expect(Number(second) - Number(first)).toBeGreaterThan(990);
    expect(Number(third) - Number(second)).toBeGreaterThan(1990);
    await objects.when('web-paced', isReady);
  });

  it('a lost answer to a create: the balancer is found, not created again', async () => {
    await place.standIn.addFault({
      operation: 'CreateLoadBalancer',
      effect: { kind: 'lostResponse' },
    });
    await objects.create('web-lost', { subnets, tags: { team: 'web' } });
    const object = await objects.whenReady('web-lost');
    const balancers = await place.standIn.balancersOf(objects.namespace, 'web-lost');
    expect(balancers).toMatchObject([{ arn: arnOf(object), tags: { team: 'web' } }]);
  });

  it('no answer in time: the create may be carried out later, and is found then', async () => {
    await place.standIn.addFault({
      operation: 'CreateLoadBalancer',
      times: 1000,
      effect: { kind: 'hold' },
    });
    await objects.create('web-late', { subnets });
    const late = await objects.whenReason('web-late', 'AwsUnreachable');
    expect(conditionOf(late, 'Reconciling')?.status).toBe('True');
    expect(await place.standIn.balancersOf(objects.namespace, 'web-late')).toEqual([]);
    await place.standIn.clearFaults();
    await place.standIn.release();
    const object = await objects.whenReady('web-late');
    const balancers = await place.standIn.balancersOf(objects.namespace, 'web-late');
    expect(balancers.map(({ arn }) => arn)).toEqual([arnOf(object)]);
  });

  it('a failed read proves nothing: Ready stays, nothing is created', async () => {
    await objects.create('web-look', { subnets });
    const ready = await objects.whenReady('web-look');
    await place.standIn.clearCalls();
    await place.standIn.addFault({
      operation: 'DescribeLoadBalancers',
      times: 1000,
      effect: refusal('ServiceUnavailable', 503),
    });
    await askForALook(objects, 'web-look');
    const blind = await objects.when('web-look', (seen) =>
      Boolean(seen.status.conditions?.some(({ type }) => type === 'Reconciling')),
    );
    expect(readyOf(blind)).toEqual(readyOf(ready));
    await place.standIn.clearFaults();
    await objects.when('web-look', (seen) => conditionOf(seen, 'Reconciling') === undefined);
    expect(await place.standIn.operatorCalls('CreateLoadBalancer')).toEqual([]);
  });
});

describe('a deletion that AWS delays', () => {
  it.each([
    ['OperationNotPermitted', reasonsOfMyIngress.DeletionBlocked.next],
    ['ResourceInUse', 'remove what uses it, such as'],
  ])('%s is DeletionBlocked', async (code, next) => {
    const name = nameFor(`blocked-${code}`);
    await objects.create(name, { subnets });
    await objects.whenReady(name);
    await refuse(place.standIn, 'DeleteLoadBalancer', refusal(code, 400));
    await objects.startDeleting(name);
    const blocked = await objects.whenReason(name, 'DeletionBlocked');
    expect(readyOf(blocked)?.message).toContain(next);
    expect(blocked.metadata.finalizers).toEqual(['albridge.io/load-balancer']);
    await place.standIn.clearFaults();
    await askForALook(objects, name);
    await objects.isGone(name);
  });

  it('a missing right keeps the finalizer and names the right', async () => {
    await objects.create('web-keep', { subnets });
    const arn = arnOf(await objects.whenReady('web-keep'));
    await refuse(place.standIn, 'DeleteLoadBalancer', refusal('AccessDenied', 403));
    await objects.startDeleting('web-keep');
    const denied = await objects.whenReason('web-keep', 'AccessDenied');
    expect(readyOf(denied)?.message).toContain('allow elasticloadbalancing:DeleteLoadBalancer');
    expect(await place.standIn.balancer(arn)).toBeDefined();
    await place.standIn.clearFaults();
    await askForALook(objects, 'web-keep');
    await objects.isGone('web-keep');
  });

  it('waits while AWS is unreachable, and continues by itself', async () => {
    await objects.create('web-down', { subnets });
    const arn = arnOf(await objects.whenReady('web-down'));
    await place.standIn.addFault({
      operation: '*',
      times: 1000,
      effect: { kind: 'dropBeforeApply' },
    });
    await objects.startDeleting('web-down');
    const waiting = await objects.when('web-down', (seen) =>
      Boolean(conditionOf(seen, 'Reconciling')?.reason === 'AwsUnreachable'),
    );
    expect(waiting.metadata.finalizers).toEqual(['albridge.io/load-balancer']);
    await place.standIn.clearFaults();
    await objects.isGone('web-down');
    expect(await place.standIn.balancer(arn)).toBeUndefined();
  });

  it('a lost answer to the delete does no harm', async () => {
    await objects.create('web-unsaid', { subnets });
    await objects.whenReady('web-unsaid');
    await place.standIn.addFault({
      operation: 'DeleteLoadBalancer',
      effect: { kind: 'lostResponse' },
    });
    await objects.startDeleting('web-unsaid');
    await objects.isGone('web-unsaid');
    expect(await place.standIn.balancersOf(objects.namespace, 'web-unsaid')).toEqual([]);
  });
});
