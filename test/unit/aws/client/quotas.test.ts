import { describe, expect, it } from 'vitest';
import { awsError, bench, type Handlers, raise } from './scripted-aws-api.ts';

const create = {
  ...{ name: 'shop', scheme: 'internal', subnets: ['a', 'b'], tags: {} },
  ipAddressType: 'ipv4',
};
const full = { CreateLoadBalancer: () => raise(awsError('TooManyLoadBalancers')) };
const limits = { Limits: [{ Name: 'application-load-balancers', Max: '50' }] };

async function refuse(handlers: Handlers) {
  const one = bench({ ...full, ...handlers });
  const attempt = (): Promise<string> =>
    one.loadBalancers.create(create).then(
      () => 'created',
      (error: Error) => error.message,
    );
  return { ...one, attempt };
}

describe('a refusal because a quota is full', () => {
  it('names the quota and its number, which are read once in ten minutes', async () => {
    const { api, clock, attempt } = await refuse({ DescribeAccountLimits: () => limits });
    expect(await attempt()).toBe(
      'create load balancer shop: said TooManyLoadBalancers (application-load-balancers is 50); ' +
        'delete unused load balancers or have the quota raised in Service Quotas',
    );
    await attempt();
    expect(api.countOf('DescribeAccountLimits')).toBe(1);
    await clock.advance(600_000);
    await attempt();
    expect(api.countOf('DescribeAccountLimits')).toBe(2);
  });

  it('is read to the last page', async () => {
    const { attempt } = await refuse({
      DescribeAccountLimits: ({ Marker }) =>
        Marker === 'more' ? limits : { Limits: [], NextMarker: 'more' },
    });
    expect(await attempt()).toContain('(application-load-balancers is 50); ');
  });

  it('lacks the number where the right to read it is missing, which is not asked for each time', async () => {
    const { api, attempt } = await refuse({
      DescribeAccountLimits: () => raise(awsError('AccessDenied', 'no', 403)),
    });
    expect(await attempt()).toContain('said TooManyLoadBalancers; delete unused');
    await attempt();
    expect(api.countOf('DescribeAccountLimits')).toBe(1);
  });

  it('is read again after a failure that passes', async () => {
    let isDown = true;
    const { clock, attempt } = await refuse({
      DescribeAccountLimits: () => (isDown ? raise(awsError('InternalFailure', 'x', 500)) : limits),
    });
    expect(await clock.finish(attempt())).toContain('said TooManyLoadBalancers; delete unused');
    isDown = false;
    await clock.advance(60_000);
    expect(await attempt()).toContain('(application-load-balancers is 50); ');
  });

  it('keeps the number that was read before where it cannot be read again', async () => {
    let isDown = false;
    const { clock, attempt } = await refuse({
      DescribeAccountLimits: () => (isDown ? raise(awsError('InternalFailure', 'x', 500)) : limits),
    });
    const before = await attempt();
    isDown = true;
    await clock.advance(600_000);
    expect(await clock.finish(attempt())).toBe(before);
  });

  it('costs no call where AWS refuses for another reason', async () => {
    const { api, loadBalancers } = bench({
      CreateLoadBalancer: () => raise(awsError('InvalidSubnet')),
    });
    await expect(loadBalancers.create(create)).rejects.toMatchObject({ reason: 'InvalidSubnet' });
    expect(api.countOf('DescribeAccountLimits')).toBe(0);
  });
});
