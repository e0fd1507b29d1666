import { expect, it } from 'vitest';
import type { Call } from '../../../../localstack/embedded/faults/call-log.ts';
import { listScan, splitScans } from '../../../bench/traffic/traffic-scan-calls.ts';

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:0:';
const call = (operation: string, input: Call['input']): Call => ({
  ...{ at: 0, service: 'elbv2', operation, input, outcome: 'ok' },
});

const filters = (...tags: readonly string[]): readonly object[] =>
  tags.map((tag) => ({ Name: `tag:albridge.io/${tag}`, Values: ['x'] }));

const SCAN = [
  call('DescribeLoadBalancers', { PageSize: 200 }),
  call('DescribeLoadBalancers', { PageSize: 200, Marker: '200' }),
  call('DescribeTargetGroups', { PageSize: 200 }),
  call('DescribeTags', {
    ResourceArns: Array.from('abcdefghijklmnopqrst', (one) => `${ARN}targetgroup/${one}`),
  }),
  call('DescribeSecurityGroups', { Filters: filters('cluster'), MaxResults: 200 }),
  call('DescribeSecurityGroups', { Filters: filters('cluster'), MaxResults: 200, NextToken: '2' }),
];
const TURN = [
  call('DescribeSecurityGroups', {
    ...{ Filters: filters('cluster', 'namespace', 'name'), MaxResults: 200 },
  }),
  call('DescribeLoadBalancers', { LoadBalancerArns: [`${ARN}loadbalancer/app/a`] }),
  call('DescribeTags', { ResourceArns: [`${ARN}loadbalancer/app/a`] }),
  call('DescribeTargetGroups', { LoadBalancerArn: `${ARN}loadbalancer/app/a`, PageSize: 200 }),
  call('DescribeTargetGroups', { Names: ['a-web'] }),
  call('DescribeTags', { ResourceArns: [`${ARN}targetgroup/a`, `${ARN}targetgroup/b`] }),
  call('DescribeTags', { ResourceArns: [`${ARN}listener/app/a`, `${ARN}targetgroup/a`] }),
  call('DescribeTargetHealth', { TargetGroupArn: `${ARN}targetgroup/a` }),
];

it('counts the calls of a drift scan, and not those of an object whose turn comes meanwhile', () => {
  expect(listScan([...TURN, ...SCAN])).toEqual(SCAN);
});

it('distinguishes whole scans, however slowly they proceed', () => {
  const scans = splitScans([...SCAN, ...TURN, ...SCAN, ...SCAN]);
  expect(scans.map(({ length }) => length)).toEqual([SCAN.length, SCAN.length]);
});
