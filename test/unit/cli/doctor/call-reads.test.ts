import { expect, it } from 'vitest';
import type { AwsApi } from '../../../../src/aws/client/aws-api.ts';
import {
  type AwsOperation,
  getIamAction,
  isWrite,
  operations,
} from '../../../../src/aws/client/operations.ts';
import { callReads } from '../../../../src/cli/doctor/call-reads.ts';

const { signal } = new AbortController();
const READS = (Object.keys(operations) as AwsOperation[]).filter((one) => !isWrite(one));

/** An account with one of everything. */
function accountOf(answer: object, asked: string[] = []): AwsApi {
  const send = async (operation: string): Promise<object> => {
    asked.push(operation);
    return answer;
  };
  return { send } as Partial<AwsApi> as AwsApi;
}

const EVERYTHING = {
  LoadBalancers: [{ LoadBalancerArn: 'arn:balancer' }],
  TargetGroups: [{ TargetGroupArn: 'arn:group' }],
  Listeners: [{ ListenerArn: 'arn:listener', Protocol: 'HTTPS' }],
};

it('calls every read of the operator once where there is one of everything', async () => {
  const asked: string[] = [];
  const { allowed, refused, unasked } = await callReads(accountOf(EVERYTHING, asked), signal);
  expect(asked.toSorted()).toEqual(READS.toSorted());
  expect(allowed.toSorted()).toEqual(READS.map(getIamAction).toSorted());
  expect([refused, unasked]).toEqual([[], []]);
});

it('asks in an empty account what needs nothing to be there', async () => {
  const asked: string[] = [];
  const { allowed, unasked } = await callReads(accountOf({}, asked), signal);
  expect(asked.toSorted()).toEqual([
    ...['DescribeAccountLimits', 'DescribeLoadBalancers', 'DescribeSecurityGroups'],
    ...['DescribeSubnets', 'DescribeTargetGroups', 'ListCertificates'],
  ]);
  expect([...allowed, ...unasked].toSorted()).toEqual(READS.map(getIamAction).toSorted());
});
