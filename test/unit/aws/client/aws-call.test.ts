import { describe, expect, it } from 'vitest';
import { awsMetrics } from '../../../../src/aws/client/aws-metrics.ts';
import { DeadlineExceeded } from '../../../../src/core/ports/clock.ts';
import { refuseWrite } from '../../../../src/core/ports/leadership.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import {
  accountOf,
  arnOf,
  awsError,
  bench,
  described,
  networkError,
  never,
  raise,
} from './scripted-aws-api.ts';

const settings = {
  name: 'shop',
  scheme: 'internal',
  subnets: ['subnet-a', 'subnet-b'],
  ipAddressType: 'ipv4',
  tags: { team: 'web' },
};
const shop = arnOf('shop');

/** As the SDK throws it; with the mark its next call goes by AWS's clock. */
function skewError(isCorrected: boolean): Error {
  const $metadata = { httpStatusCode: 403, ...(isCorrected && { clockSkewCorrected: true }) };
  return Object.assign(awsError('SignatureDoesNotMatch', 'Signature expired', 403), { $metadata });
}

describe('a call to AWS', () => {
  it('sends no write without the lease, and says so', async () => {
    const { loadBalancers, api, lease, clock } = bench({ SetSubnets: () => ({}) });
    lease.isHeld = false;
    const writing = clock.finish(loadBalancers.setSubnets(shop, ['subnet-a']));
    await expect(writing).rejects.toMatchObject({ reason: 'LeadershipLost', healedBy: 'time' });
    expect(api.sent).toEqual([]);
  });

  it('reads without the lease', async () => {
    const { loadBalancers, lease, clock } = bench(accountOf(new Set(['shop'])));
    lease.isHeld = false;
    const found = await clock.finish(loadBalancers.find({ name: 'shop' }, never));
    expect(found?.arn).toBe(shop);
  });

  it('sends no write of an observer, which reads', async () => {
    const { loadBalancers, api, lease, clock } = bench({
      ...accountOf(new Set(['shop'])),
      SetSubnets: () => ({}),
    });
    lease.isObserver = true;
    const writing = clock.finish(loadBalancers.setSubnets(shop, ['subnet-a']));
    await expect(writing).rejects.toMatchObject({ reason: 'InternalError' });
    expect(await clock.finish(loadBalancers.find({ name: 'shop' }, never))).toBeDefined();
    expect(api.countOf('SetSubnets')).toBe(0);
  });

  it('sends no write that its payer refuses, and all those of others', async () => {
    const { loadBalancers, traffic, api, clock } = bench({
      SetSubnets: () => ({}),
      AddTags: () => ({}),
    });
    const planning = { namespace: 'web', beforeWrite: refuseWrite };
    const one = clock.finish(loadBalancers.chargeTo(planning).setSubnets(shop, ['subnet-a']));
    await expect(one).rejects.toMatchObject({ reason: 'InternalError' });
    const other = clock.finish(traffic(planning).tags.add([shop], { a: 'b' }));
    await expect(other).rejects.toMatchObject({ reason: 'InternalError' });
    expect(api.sent).toEqual([]);
    await clock.finish(loadBalancers.setSubnets(shop, ['subnet-a']));
    expect(api.countOf('SetSubnets')).toBe(1);
  });

  it('asks the payer before each attempt, and not about reads', async () => {
    const account = accountOf(new Set(['shop']));
    const { loadBalancers, api, clock } = bench({
      ...account,
      AddTags: () => raise(networkError('ECONNRESET')),
    });
    let asked = 0;
    const beforeWrite = (): void => {
      asked++;
      if (asked === 2) throw new Error('edited');
    };
    const paid = loadBalancers.chargeTo({ namespace: 'web', beforeWrite });
    expect(await clock.finish(paid.find({ name: 'shop' }, never))).toBeDefined();
    expect(asked).toBe(0);
    await expect(clock.finish(paid.addTags(shop, { a: 'b' }))).rejects.toThrow('edited');
    expect(api.countOf('AddTags')).toBe(1);
  });

  it('checks the lease again before each attempt', async () => {
    const world = bench({
      AddTags: () => {
        world.lease.isHeld = false;
        raise(networkError('ECONNRESET'));
      },
    });
    const writing = world.clock.finish(world.loadBalancers.addTags(shop, { a: 'b' }));
    await expect(writing).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect(world.api.countOf('AddTags')).toBe(1);
  });

  it('checks the lease after the wait for a token, at the moment of dispatch', async () => {
    const { loadBalancers, api, lease, clock } = bench({ AddTags: () => ({}) });
    for (let i = 0; i < 20; i++) await clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    const waiting = loadBalancers.addTags(shop, { a: 'b' });
    await clock.settle();
    lease.isHeld = false;
    await expect(clock.finish(waiting)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect(api.countOf('AddTags')).toBe(20);
  });

  it('waits for the turn of a read of what is under way, and of no write', async () => {
    const { traffic, clock } = bench({
      AddTags: () => ({}),
      DescribeListeners: () => ({ Listeners: [] }),
    });
    const { listeners, tags } = traffic({ namespace: 'web', isUnderWay: true });
    const arns = Array.from({ length: 60 }, (_, at) => arnOf(`shop-${at}`));
    const reading = Promise.all(arns.map((arn) => listeners.list(arn, never)));
    expect(await clock.finish(reading)).toHaveLength(60);
    await clock.advance(10_000);
    const writing = Promise.all(arns.map((arn) => tags.add([arn], { a: 'b' })));
    await expect(clock.finish(writing)).rejects.toMatchObject({ reason: 'BudgetExhausted' });
  });

  it('pays a token for each attempt', async () => {
    let failures = 0;
    const { loadBalancers, clock } = bench({
      AddTags: () => (failures++ < 1 ? raise(awsError('InternalFailure', 'oops', 500)) : {}),
    });
    await clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    const startedMs = clock.monotonicMs();
    for (let i = 0; i < 18; i++) await clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    const freeMs = clock.monotonicMs() - startedMs;
    await clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    await clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    expect(freeMs).toBe(0);
    expect(clock.monotonicMs()).toBeGreaterThan(startedMs);
  });

  it('hands a read the signal and a write none', async () => {
    const { loadBalancers, api, clock } = bench({
      ...accountOf(new Set(['shop'])),
      SetSubnets: () => ({}),
    });
    const pass = new AbortController();
    await clock.finish(loadBalancers.find({ arn: shop }, pass.signal));
    await clock.finish(loadBalancers.setSubnets(shop, ['subnet-a']));
    expect(api.sent.map(({ signal }) => signal)).toEqual([pass.signal, undefined]);
  });

  for (const failuresBefore of [0, 2]) {
    it(`rejects a read aborted after ${failuresBefore} failures with the signal's own reason`, async () => {
      const pass = new AbortController();
      const reason = new Error('the pass is over');
      let failures = 0;
      const { loadBalancers, metrics, clock } = bench({
        DescribeLoadBalancers: () => {
          if (failures++ < failuresBefore) raise(awsError('InternalFailure', 'oops', 500));
          pass.abort(reason);
          raise(reason);
        },
      });
      const reading = clock.finish(loadBalancers.find({ arn: shop }, pass.signal));
      await expect(reading).rejects.toBe(reason);
      expect(metrics.valueOf(awsMetrics.requests)).toBe(failuresBefore + 1);
    });
  }

  it('does not repeat a create whose fate is unknown, whatever broke', async () => {
    for (const thrown of [
      networkError('ECONNRESET', 'TimeoutError'),
      new DOMException('timeout', 'TimeoutError'),
      new DeadlineExceeded(10_000),
      awsError('InternalFailure', 'oops', 500),
    ]) {
      const { loadBalancers, api, clock } = bench({ CreateLoadBalancer: () => raise(thrown) });
      const creating = clock.finish(loadBalancers.create(settings));
      await expect(creating).rejects.toMatchObject({ healedBy: 'time' });
      expect(api.countOf('CreateLoadBalancer')).toBe(1);
    }
  });

  it('ends a throttled create with its own turn, since the bucket is emptied', async () => {
    const { loadBalancers, api, clock } = bench({
      CreateLoadBalancer: () => raise(awsError('Throttling', 'Rate exceeded')),
    });
    const error = await clock
      .finish(loadBalancers.create(settings))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperatorError);
    expect(error).toMatchObject({ reason: 'BudgetExhausted', healedBy: 'time' });
    expect((error as OperatorError).retryAfterMs).toBeGreaterThan(5000);
    expect(api.countOf('CreateLoadBalancer')).toBe(1);
  });

  it('slows every read of the process after one was throttled', async () => {
    let isThrottling = true;
    const { loadBalancers, api, clock } = bench({
      DescribeLoadBalancers: () =>
        isThrottling
          ? raise(awsError('ThrottlingException', 'Rate exceeded'))
          : { LoadBalancers: [described('shop')] },
    });
    const first = loadBalancers.find({ arn: shop }, never);
    await clock.settle();
    isThrottling = false;
    const others = Promise.all([1, 2, 3].map(() => loadBalancers.find({ arn: shop }, never)));
    await clock.finish(Promise.all([first, others]));
    const afterHold = api.sent.slice(1).map(({ atMs }) => atMs);
    expect(afterHold).toHaveLength(4);
    expect(Math.min(...afterHold)).toBeGreaterThan(500);
  });

  it('asks once a poll while the health of one target group is unavailable, and delays no read of others', async () => {
    const { loadBalancers, traffic, api, clock } = bench({
      ...accountOf(new Set(['shop'])),
      DescribeTargetHealth: () => raise(awsError('HealthUnavailableException', 'oops', 500)),
    });
    for (let poll = 0; poll < 3; poll++) {
      const polling = clock.finish(traffic().targets.readHealth('tg', never));
      await expect(polling).rejects.toMatchObject({ reason: 'AwsUnavailable', healedBy: 'time' });
      const atMs = clock.monotonicMs();
      await clock.finish(loadBalancers.find({ arn: shop }, never));
      expect(api.sent.at(-1)).toMatchObject({ operation: 'DescribeLoadBalancers', atMs });
    }
    expect(api.countOf('DescribeTargetHealth')).toBe(3);
  });

  it('is not repeated while the trust store of one listener is not ready, and delays no write of others', async () => {
    const { loadBalancers, traffic, api, clock } = bench({
      AddTags: () => ({}),
      ModifyListener: () => raise(awsError('TrustStoreNotReadyException')),
    });
    const modifying = clock.finish(traffic().listeners.modify('listener', {}));
    await expect(modifying).rejects.toMatchObject({ reason: 'AwsUnavailable', healedBy: 'time' });
    const atMs = clock.monotonicMs();
    await clock.finish(loadBalancers.addTags(shop, { team: 'web' }));
    expect(api.sent.at(-1)).toMatchObject({ operation: 'AddTags', atMs });
    expect(api.countOf('ModifyListener')).toBe(1);
  });

  it('waits for as long as AWS asks in Retry-After', async () => {
    const asking = { $response: { headers: { 'retry-after': '20' } } };
    let isAsking = true;
    const { loadBalancers, api, clock } = bench({
      DescribeLoadBalancers: () =>
        isAsking
          ? raise(Object.assign(awsError('ServiceUnavailable', 'soon', 503), asking))
          : { LoadBalancers: [described('shop')] },
    });
    const first = clock.finish(loadBalancers.find({ arn: shop }, never));
    await expect(first).rejects.toMatchObject({ reason: 'AwsUnavailable' });
    expect(api.sent).toHaveLength(1);
    isAsking = false;
    const early = clock.finish(loadBalancers.find({ arn: shop }, never));
    await expect(early).rejects.toMatchObject({ reason: 'AwsUnavailable' });
    expect(api.sent).toHaveLength(1);
    await clock.advance(30_000);
    expect(await clock.finish(loadBalancers.find({ arn: shop }, never))).toBeDefined();
  });

  it('counts requests, calls, retries and refusals under the names of dashboards', async () => {
    let failures = 0;
    const { loadBalancers, metrics, clock } = bench({
      AddTags: () => (failures++ < 1 ? raise(awsError('Throttling', 'Rate exceeded')) : {}),
      SetSubnets: () => raise(awsError('AccessDenied', 'no')),
    });
    await clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    await clock.finish(loadBalancers.setSubnets(shop, ['a'])).catch(() => undefined);
    const addTags = { service: 'Elastic Load Balancing v2', operation: 'AddTags' };
    const ok = { status_code: '200', error_code: '' };
    const throttled = { status_code: '400', error_code: 'Throttling' };
    expect(metrics.valueOf(awsMetrics.calls, { ...addTags, ...ok })).toBe(1);
    expect(metrics.valueOf(awsMetrics.requests, { ...addTags, ...throttled })).toBe(1);
    expect(metrics.valueOf(awsMetrics.throttled, { ...addTags, ...throttled })).toBe(1);
    expect(metrics.valueOf(awsMetrics.callRetries, addTags)).toBe(1);
    expect(metrics.valueOf(awsMetrics.callSeconds, addTags)).toBeGreaterThan(0.5);
    expect(metrics.valueOf(awsMetrics.denied, { error_code: 'AccessDenied' })).toBe(1);
  });

  it('repeats at once what AWS refused for its date, a create too', async () => {
    let failures = 0;
    const { loadBalancers, api, clock } = bench({
      CreateLoadBalancer: () =>
        failures++ < 1 ? raise(skewError(true)) : { LoadBalancers: [described('shop')] },
    });
    const startedMs = clock.monotonicMs();
    await clock.finish(loadBalancers.create(settings));
    expect(api.countOf('CreateLoadBalancer')).toBe(2);
    expect(clock.monotonicMs() - startedMs).toBeLessThan(200);
  });

  it('says that a signature is wrong where the clock is right', async () => {
    const { loadBalancers, api, clock } = bench({ AddTags: () => raise(skewError(false)) });
    const writing = clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    await expect(writing).rejects.toMatchObject({ reason: 'CredentialsRefused' });
    expect(api.countOf('AddTags')).toBe(1);
  });

  it('says that a signature is wrong where the clock is corrected and AWS still refuses', async () => {
    const { loadBalancers, api, clock } = bench({ AddTags: () => raise(skewError(true)) });
    const writing = clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    await expect(writing).rejects.toMatchObject({ reason: 'CredentialsRefused' });
    expect(api.countOf('AddTags')).toBe(2);
  });

  it('waits five minutes for credentials before a person is asked for them', async () => {
    const minuteMs = 60_000;
    let hasThem = false;
    const none = Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    });
    const { loadBalancers, clock, metrics } = bench({
      AddTags: () => (hasThem ? {} : raise(none)),
    });
    const denied = () => metrics.valueOf(awsMetrics.denied, {}) ?? 0;
    const adding = () => clock.finish(loadBalancers.addTags(shop, { a: 'b' }));
    const unavailable = { reason: 'CredentialsUnavailable', healedBy: 'time' };
    await expect(adding()).rejects.toMatchObject(unavailable);
    await clock.advance(4 * minuteMs);
    await expect(adding()).rejects.toMatchObject(unavailable);
    expect(denied(), 'AWS has refused nothing').toBe(0);
    await clock.advance(2 * minuteMs);
    const refused = { reason: 'CredentialsRefused', healedBy: 'person' };
    await expect(adding()).rejects.toMatchObject(refused);
    expect(denied()).toBe(1);
    hasThem = true;
    await adding();
    hasThem = false;
    await expect(adding()).rejects.toMatchObject(unavailable);
  });

  it('waits five minutes again after credentials that AWS took, whatever it answered', async () => {
    let hasThem = false;
    const none = Object.assign(new Error('none'), { name: 'CredentialsProviderError' });
    const { loadBalancers, clock } = bench({
      DescribeLoadBalancers: () =>
        raise(hasThem ? awsError('LoadBalancerNotFoundException') : none),
    });
    const find = () => clock.finish(loadBalancers.find({ arn: shop }, never));
    const unavailable = { reason: 'CredentialsUnavailable', healedBy: 'time' };
    await expect(find()).rejects.toMatchObject(unavailable);
    hasThem = true;
    expect(await find()).toBeUndefined();
    await clock.advance(600_000);
    hasThem = false;
    await expect(find()).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['missing credentials', { name: 'CredentialsProviderError' }],
    ['a page of something else', { name: 'Unknown', $metadata: { httpStatusCode: 403 } }],
  ])('does not take %s for an answer that ends an outage', async (_, shape) => {
    const other = Object.assign(new Error('none'), shape);
    const failures = [
      awsError('InternalFailure', 'oops', 500),
      other,
      awsError('InternalFailure', 'oops', 500),
    ];
    const { loadBalancers, log, clock } = bench({
      DeleteLoadBalancer: () => raise(failures.shift() ?? other),
    });
    while (failures.length > 0) {
      await clock.finish(loadBalancers.delete(shop)).catch(() => undefined);
    }
    expect(log.shown.filter(({ message }) => message.includes('holding'))).toHaveLength(1);
  });

  it('logs each write when it is sent, with what it asks for, and no read', async () => {
    let failures = 0;
    const world = bench({
      ...accountOf(new Set(['shop'])),
      AddTags: () => (failures++ < 1 ? raise(awsError('Throttling', 'Rate exceeded')) : {}),
      SetSubnets: () => raise(awsError('AccessDenied', 'no')),
    });
    const { clock, log } = world;
    const loadBalancers = world.loadBalancers.chargeTo({
      namespace: 'web',
      log: log.child({ key: 'web/shop' }),
    });
    await clock.finish(loadBalancers.find({ name: 'shop' }, never));
    await clock.finish(loadBalancers.addTags(shop, { team: 'web' }));
    await clock.finish(loadBalancers.setSubnets(shop, ['subnet-a'])).catch(() => undefined);
    const sent = log.shown.filter(({ message }) => message === 'write to AWS');
    const common = { key: 'web/shop', subject: `load balancer ${shop}` };
    const tags = { ResourceArns: [shop], Tags: [{ Key: 'team', Value: 'web' }] };
    const subnets = { LoadBalancerArn: shop, Subnets: ['subnet-a'] };
    expect(sent.map(({ fields }) => fields)).toEqual([
      { ...common, operation: 'AddTags', input: tags },
      { ...common, operation: 'AddTags', input: tags },
      { ...common, operation: 'SetSubnets', input: subnets },
    ]);
  });

  it('logs no write that the lease forbids', async () => {
    const { loadBalancers, lease, log, clock } = bench({});
    lease.isHeld = false;
    await clock.finish(loadBalancers.delete(shop)).catch(() => undefined);
    expect(log.shown).toEqual([]);
  });

  it('counts no call where nothing was sent', async () => {
    const { loadBalancers, metrics, lease, clock } = bench({});
    lease.isHeld = false;
    await clock.finish(loadBalancers.delete(shop)).catch(() => undefined);
    expect(metrics.valueOf(awsMetrics.calls)).toBeUndefined();
    expect(metrics.valueOf(awsMetrics.requests)).toBeUndefined();
  });
});
