import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { call, createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';
import { createGroup, createListener, forwardTo, trafficModel } from '../traffic/traffic-model.ts';

const MISSING_ARN =
  'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/gone/0123456789abcdef';

const BAD_ARNS: Readonly<Record<string, { readonly arn: string; readonly why: string }>> = {
  'no ARN at all': { arn: 'shop', why: 'names are no ARNs' },
  'another region': { arn: MISSING_ARN.replace('us-east-1', 'eu-west-1'), why: 'AWS answers so' },
  'another account': { arn: MISSING_ARN.replace('000000000000', '123456789012'), why: 'AWS too' },
  'another resource': {
    arn: MISSING_ARN.replace('loadbalancer/', 'listener/'),
    why: 'not its kind',
  },
  'a cut hash': { arn: MISSING_ARN.slice(0, -1), why: 'the hash has 16 digits' },
};

const names = (aws: EmbeddedAws, input: object): string[] =>
  call(aws, 'DescribeLoadBalancers', input)['LoadBalancers'].map(
    (balancer: { LoadBalancerName: string }) => balancer.LoadBalancerName,
  );

describe('DescribeLoadBalancers', () => {
  test('finds by names, by ARNs and without either', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'one');
    createBalancer(aws, 'two');

    expect(names(aws, { Names: ['two', 'one', 'two'] })).toEqual(['two', 'one']);
    expect(names(aws, { LoadBalancerArns: [LoadBalancerArn] })).toEqual(['one']);
    expect(names(aws, {})).toEqual(['one', 'two']);
    expect(names(aws, { Names: [], LoadBalancerArns: [] })).toEqual(['one', 'two']);
  });

  test('fails the whole call for one missing name or ARN', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'one');
    const describe = (input: object): string => outcomeOf(aws, 'DescribeLoadBalancers', input);

    expect(describe({ Names: ['one', 'gone'] })).toBe('LoadBalancerNotFound');
    expect(describe({ LoadBalancerArns: [LoadBalancerArn, MISSING_ARN] })).toBe(
      'LoadBalancerNotFound',
    );
    expect(() => call(aws, 'DescribeLoadBalancers', { Names: ['gone'] })).toThrow(
      "Load balancers '[gone]' not found",
    );
  });

  test('takes 20 ARNs and no more, and not names and ARNs together', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'one');
    const describe = (input: object): string => outcomeOf(aws, 'DescribeLoadBalancers', input);

    expect(describe({ LoadBalancerArns: Array(20).fill(LoadBalancerArn) })).toBe('ok');
    expect(describe({ LoadBalancerArns: Array(21).fill(LoadBalancerArn) })).toBe('ValidationError');
    expect(describe({ LoadBalancerArns: [LoadBalancerArn], Names: ['one'] })).toBe(
      'ValidationError',
    );
  });

  test('hands out no part of its own state', () => {
    const { aws } = seededModel();
    const balancer = createBalancer(aws, 'one');
    balancer['SecurityGroups'].push('sg-forged');
    balancer['AvailabilityZones'].length = 0;

    const again = call(aws, 'DescribeLoadBalancers', { Names: ['one'] })['LoadBalancers'][0];
    expect(again.SecurityGroups).toHaveLength(1);
    expect(again.AvailabilityZones).toHaveLength(2);
  });
});

describe('an operation on one balancer', () => {
  const inputs: Readonly<Record<string, object>> = {
    DescribeLoadBalancerAttributes: {},
    ModifyLoadBalancerAttributes: {
      Attributes: [{ Key: 'routing.http2.enabled', Value: 'false' }],
    },
    SetSubnets: { Subnets: ['subnet-a', 'subnet-b'] },
    SetSecurityGroups: { SecurityGroups: ['sg-web'] },
    SetIpAddressType: { IpAddressType: 'ipv4' },
  };
  test.for(Object.entries(inputs))('%s needs an existing one', ([operation, input]) => {
    const { aws } = seededModel();
    expect(outcomeOf(aws, operation, { ...input, LoadBalancerArn: MISSING_ARN })).toBe(
      'LoadBalancerNotFound',
    );
    expect(outcomeOf(aws, operation, input)).toBe('ValidationError');
  });

  test.for(Object.entries(BAD_ARNS))('refuses %s as an ARN', ([, { arn, why }]) => {
    const { aws } = seededModel();
    for (const operation of [...Object.keys(inputs), 'DeleteLoadBalancer']) {
      const input = { ...inputs[operation], LoadBalancerArn: arn };
      expect(outcomeOf(aws, operation, input), `${operation}: ${why}`).toBe('ValidationError');
    }
    expect(outcomeOf(aws, 'DescribeLoadBalancers', { LoadBalancerArns: [arn] })).toBe(
      'ValidationError',
    );
  });
});

describe('DeleteLoadBalancer', () => {
  test('removes the balancer and its tags, and succeeds for what is gone', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', {
      Tags: [{ Key: 'team', Value: 'web' }],
    });
    const remove = (): string => outcomeOf(aws, 'DeleteLoadBalancer', { LoadBalancerArn });

    expect(remove()).toBe('ok');
    expect(outcomeOf(aws, 'DescribeLoadBalancers', { Names: ['shop'] })).toBe(
      'LoadBalancerNotFound',
    );
    expect(outcomeOf(aws, 'DescribeTags', { ResourceArns: [LoadBalancerArn] })).toBe(
      'LoadBalancerNotFound',
    );
    expect(remove()).toBe('ok');
  });

  test('refuses a protected balancer until the protection is off', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    const protect = (Value: string): unknown =>
      call(aws, 'ModifyLoadBalancerAttributes', {
        LoadBalancerArn,
        Attributes: [{ Key: 'deletion_protection.enabled', Value }],
      });

    protect('true');
    expect(outcomeOf(aws, 'DeleteLoadBalancer', { LoadBalancerArn })).toBe('OperationNotPermitted');
    expect(names(aws, {})).toEqual(['shop']);
    protect('false');
    expect(outcomeOf(aws, 'DeleteLoadBalancer', { LoadBalancerArn })).toBe('ok');
  });
});

describe('DeleteLoadBalancer of one that another service uses', () => {
  test('is refused until it no longer does', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    expect(aws.control.setAssociated('shop', true)).toBe(true);
    expect(outcomeOf(aws, 'DeleteLoadBalancer', { LoadBalancerArn })).toBe('ResourceInUse');
    aws.control.setAssociated('shop', false);
    expect(outcomeOf(aws, 'DeleteLoadBalancer', { LoadBalancerArn })).toBe('ok');
  });
});

describe('SetSubnets', () => {
  test('replaces the subnets and may change the address type with them', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', { Subnets: ['subnet-b', 'subnet-c'] });
    const answer = call(aws, 'SetSubnets', {
      LoadBalancerArn,
      Subnets: ['subnet-b', 'subnet-a'],
      IpAddressType: 'dualstack',
    });

    expect(answer).toEqual({
      AvailabilityZones: [
        { ZoneName: 'us-east-1a', SubnetId: 'subnet-a', LoadBalancerAddresses: [] },
        { ZoneName: 'us-east-1b', SubnetId: 'subnet-b', LoadBalancerAddresses: [] },
      ],
      IpAddressType: 'dualstack',
    });
    expect(aws.control.snapshot().loadBalancers[0]).toMatchObject({
      subnets: ['subnet-a', 'subnet-b'],
      ipAddressType: 'dualstack',
    });
  });

  const rejected: Readonly<Record<string, { readonly input: object; readonly code: string }>> = {
    'one subnet': { input: { Subnets: ['subnet-a'] }, code: 'ValidationError' },
    'no subnet': { input: {}, code: 'ValidationError' },
    'one zone': {
      input: { Subnets: ['subnet-a', 'subnet-a2'] },
      code: 'InvalidConfigurationRequest',
    },
    'an unknown subnet': { input: { Subnets: ['subnet-a', 'subnet-x'] }, code: 'SubnetNotFound' },
    'a small subnet': { input: { Subnets: ['subnet-a', 'subnet-tiny'] }, code: 'InvalidSubnet' },
    'another VPC': {
      input: { Subnets: ['subnet-oa', 'subnet-ob'] },
      code: 'InvalidConfigurationRequest',
    },
    'dualstack without IPv6': {
      input: { Subnets: ['subnet-a', 'subnet-c'], IpAddressType: 'dualstack' },
      code: 'ValidationError',
    },
  };
  test.for(Object.entries(rejected))('refuses %s', ([, { input, code }]) => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', { Scheme: 'internal' });

    expect(outcomeOf(aws, 'SetSubnets', { LoadBalancerArn, ...input })).toBe(code);
    expect(aws.control.snapshot().loadBalancers[0]?.subnets).toEqual(['subnet-a', 'subnet-b']);
  });
});

describe('SetSecurityGroups', () => {
  test('replaces the groups', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', { SecurityGroups: ['sg-web'] });
    const answer = call(aws, 'SetSecurityGroups', {
      LoadBalancerArn,
      SecurityGroups: ['sg-admin'],
    });

    expect(answer).toEqual({ SecurityGroupIds: ['sg-admin'] });
    expect(aws.control.snapshot().loadBalancers[0]?.securityGroups).toEqual(['sg-admin']);
  });

  test('refuses an empty, an unknown and a foreign group', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop');
    const set = (...SecurityGroups: string[]): string =>
      outcomeOf(aws, 'SetSecurityGroups', { LoadBalancerArn, SecurityGroups });

    expect(set()).toBe('InvalidConfigurationRequest');
    expect(set('sg-nowhere')).toBe('InvalidSecurityGroup');
    expect(set('sg-other')).toBe('InvalidConfigurationRequest');
  });
});

test('SetIpAddressType needs IPv6 in the subnets for dualstack', () => {
  const { aws } = seededModel();
  const able = createBalancer(aws, 'able');
  const unable = createBalancer(aws, 'unable', { Subnets: ['subnet-a', 'subnet-c'] });
  const set = (arn: string, IpAddressType: string): string =>
    outcomeOf(aws, 'SetIpAddressType', { LoadBalancerArn: arn, IpAddressType });

  expect(set(able['LoadBalancerArn'], 'dualstack')).toBe('ok');
  expect(set(able['LoadBalancerArn'], 'dual')).toBe('ValidationError');
  expect(set(unable['LoadBalancerArn'], 'dualstack')).toBe('ValidationError');
  expect(aws.control.snapshot().loadBalancers.map((balancer) => balancer.ipAddressType)).toEqual([
    'dualstack',
    'ipv4',
  ]);
});

test('a balancer keeps IPv6 while an action names an IPv6 target group', () => {
  const { aws, shop: LoadBalancerArn } = trafficModel();
  call(aws, 'SetIpAddressType', { LoadBalancerArn, IpAddressType: 'dualstack' });
  const ipv6 = createGroup(aws, 'ipv6', { IpAddressType: 'ipv6' });
  const ListenerArn = createListener(aws, LoadBalancerArn, { DefaultActions: forwardTo(ipv6) });
  const toIpv4 = { LoadBalancerArn, IpAddressType: 'ipv4' };
  const Subnets = ['subnet-a', 'subnet-b'];
  const refusal = 'InvalidConfigurationRequest';
  expect(outcomeOf(aws, 'SetIpAddressType', toIpv4)).toBe(refusal);
  expect(outcomeOf(aws, 'SetSubnets', { ...toIpv4, Subnets })).toBe(refusal);
  call(aws, 'DeleteListener', { ListenerArn });
  expect(outcomeOf(aws, 'SetIpAddressType', toIpv4)).toBe('ok');
});

test('DescribeAccountLimits tells the quota in force', () => {
  const { aws } = seededModel({ quota: 3 });
  expect(call(aws, 'DescribeAccountLimits', {})['Limits']).toContainEqual({
    Name: 'application-load-balancers',
    Max: '3',
  });
});

test('an operation outside the model is InvalidAction', () => {
  const { aws } = seededModel();
  expect(outcomeOf(aws, 'CreateTrustStore', {})).toBe('InvalidAction');
  expect(() => aws.handle('DescribeTags', {}, { service: 'ec2' })).toThrow(
    'Could not find operation DescribeTags for version 2016-11-15',
  );
});
