import { describe, expect, test } from 'vitest';
import { call, createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';

interface ValueCase {
  readonly accepts: readonly string[];
  readonly rejects: readonly string[];
  readonly why: string;
}

const VALUES: Readonly<Record<string, ValueCase>> = {
  'idle_timeout.timeout_seconds': {
    accepts: ['1', '4000'],
    rejects: ['0', '4001', '99999', '-1', '1.5', '60s', ''],
    why: '1-4000 seconds',
  },
  'client_keep_alive.seconds': {
    accepts: ['60', '604800'],
    rejects: ['59', '604801'],
    why: '60-604800 seconds',
  },
  'routing.http.desync_mitigation_mode': {
    accepts: ['monitor', 'defensive', 'strictest'],
    rejects: ['Strictest', 'off'],
    why: 'an enum',
  },
  'routing.http.xff_header_processing.mode': {
    accepts: ['append', 'preserve', 'remove'],
    rejects: ['keep'],
    why: 'an enum',
  },
  'deletion_protection.enabled': {
    accepts: ['true', 'false'],
    rejects: ['yes', 'True', ''],
    why: 'a boolean in lower case',
  },
  'load_balancing.cross_zone.enabled': {
    accepts: ['true'],
    rejects: ['false'],
    why: 'always on for Application Load Balancers',
  },
  'access_logs.s3.prefix': { accepts: ['logs', ''], rejects: ['x'.repeat(1025)], why: 'free text' },
  ...Object.fromEntries(
    ['access_logs', 'connection_logs', 'health_check_logs'].map((log) => [
      `${log}.s3.bucket`,
      { accepts: ['logs'], rejects: [''], why: 'a bucket once named cannot be unnamed' },
    ]),
  ),
};

describe('ModifyLoadBalancerAttributes', () => {
  test('takes the attribute for internet gateways with IPv6 alone', () => {
    const { aws } = seededModel();
    const deny = { Key: 'ipv6.deny_all_igw_traffic', Value: 'true' };
    const outcomes = ['ipv4', 'dualstack'].map((IpAddressType) => {
      const { LoadBalancerArn } = createBalancer(aws, IpAddressType, { IpAddressType });
      return outcomeOf(aws, 'ModifyLoadBalancerAttributes', {
        LoadBalancerArn,
        Attributes: [deny],
      });
    });
    expect(outcomes).toEqual(['ValidationError', 'ok']);
  });

  test.for(Object.entries(VALUES))('checks the value of %s', ([Key, { accepts, rejects, why }]) => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    const modify = (Value: string): string =>
      outcomeOf(aws, 'ModifyLoadBalancerAttributes', {
        LoadBalancerArn,
        Attributes: [{ Key, Value }],
      });

    for (const value of accepts) expect(modify(value), `${value}: ${why}`).toBe('ok');
    const kept = aws.control.snapshot().loadBalancers[0]?.attributes[Key];
    for (const value of rejects) expect(modify(value), `${value}: ${why}`).toBe('ValidationError');
    expect(aws.control.snapshot().loadBalancers[0]?.attributes[Key]).toBe(kept);
  });

  const badLists: Readonly<
    Record<string, { readonly Attributes: unknown; readonly code: string }>
  > = {
    'an unknown key': {
      Attributes: [{ Key: 'idle.timeout', Value: '1' }],
      code: 'ValidationError',
    },
    'an inherited property of objects': {
      Attributes: [{ Key: 'constructor', Value: '1' }],
      code: 'ValidationError',
    },
    'a key of network balancers': {
      Attributes: [{ Key: 'dns_record.client_routing_policy', Value: 'any_availability_zone' }],
      code: 'ValidationError',
    },
    'no attribute': { Attributes: [], code: 'ValidationError' },
    'a key given twice': {
      Attributes: [
        { Key: 'routing.http2.enabled', Value: 'true' },
        { Key: 'routing.http2.enabled', Value: 'false' },
      ],
      code: 'ValidationError',
    },
    'more than 20': {
      Attributes: Array.from({ length: 21 }, () => ({
        Key: 'waf.fail_open.enabled',
        Value: 'true',
      })),
      code: 'ValidationError',
    },
    'logs without a bucket': {
      Attributes: [{ Key: 'access_logs.s3.enabled', Value: 'true' }],
      code: 'InvalidConfigurationRequest',
    },
  };
  test.for(Object.entries(badLists))('refuses %s', ([, { Attributes, code }]) => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    const before = aws.control.snapshot().loadBalancers;

    expect(outcomeOf(aws, 'ModifyLoadBalancerAttributes', { LoadBalancerArn, Attributes })).toBe(
      code,
    );
    expect(aws.control.snapshot().loadBalancers).toEqual(before);
  });

  test('changes all or nothing', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    const Attributes = [
      { Key: 'idle_timeout.timeout_seconds', Value: '120' },
      { Key: 'client_keep_alive.seconds', Value: '1' },
    ];

    outcomeOf(aws, 'ModifyLoadBalancerAttributes', { LoadBalancerArn, Attributes });
    expect(aws.control.snapshot().loadBalancers[0]?.attributes).toMatchObject({
      'idle_timeout.timeout_seconds': '60',
    });
  });

  test('answers the whole list and keeps what is not named', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    const answer = call(aws, 'ModifyLoadBalancerAttributes', {
      LoadBalancerArn,
      Attributes: [{ Key: 'idle_timeout.timeout_seconds', Value: '120' }],
    });

    expect(answer).toEqual(call(aws, 'DescribeLoadBalancerAttributes', { LoadBalancerArn }));
    expect(answer['Attributes']).toContainEqual({
      Key: 'idle_timeout.timeout_seconds',
      Value: '120',
    });
    expect(answer['Attributes']).toContainEqual({ Key: 'routing.http2.enabled', Value: 'true' });
    expect(answer['Attributes']).toHaveLength(23);
  });
});

test('an internal balancer is closed to internet gateways over IPv6 from the start', () => {
  const { aws } = seededModel();
  createBalancer(aws, 'outside');
  createBalancer(aws, 'inside', { Scheme: 'internal' });

  const values = aws.control
    .snapshot()
    .loadBalancers.map((balancer) => balancer.attributes['ipv6.deny_all_igw_traffic']);
  expect(values).toEqual(['false', 'true']);
});
