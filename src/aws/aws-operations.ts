import type { AwsOperation } from './aws-api.ts';

/**
 * AWS's token buckets, shared by everybody in an account and region; `intensive` is what AWS calls
 * resource-intensive actions.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/throttling.html
 */
export type BucketName = 'reads' | 'writes' | 'intensive';

export interface OperationTraits {
  readonly bucket: BucketName;
  /** Begins the message of every failure, followed by the object: `set subnets of` `load balancer x`. */
  readonly step: string;
  /** False: a call whose fate is unknown is not repeated before a pass has looked again. */
  readonly isIdempotent: boolean;
}

export const awsOperations: Readonly<Record<AwsOperation, OperationTraits>> = {
  // A second create with the same name and settings answers with the first one's balancer, whoever
  // owns it by then, so the next pass observes before it creates again.
  CreateLoadBalancer: {
    bucket: 'intensive',
    step: 'create',
    isIdempotent: false,
  },
  DescribeLoadBalancers: {
    bucket: 'reads',
    step: 'describe',
    isIdempotent: true,
  },
  // IAM allows it by the balancer's tags: the repetition of what was carried out may be denied.
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-resourcetag
  DeleteLoadBalancer: { bucket: 'writes', step: 'delete', isIdempotent: false },
  DescribeLoadBalancerAttributes: {
    bucket: 'reads',
    step: 'describe attributes of',
    isIdempotent: true,
  },
  ModifyLoadBalancerAttributes: {
    bucket: 'writes',
    step: 'set attributes of',
    isIdempotent: true,
  },
  SetSubnets: { bucket: 'intensive', step: 'set subnets of', isIdempotent: true },
  SetSecurityGroups: {
    bucket: 'writes',
    step: 'set security groups of',
    isIdempotent: true,
  },
  SetIpAddressType: {
    bucket: 'writes',
    step: 'set ip address type of',
    isIdempotent: true,
  },
  AddTags: { bucket: 'writes', step: 'add tags to', isIdempotent: true },
  // The same: it may have removed the very tag.
  RemoveTags: { bucket: 'writes', step: 'remove tags from', isIdempotent: false },
  DescribeTags: { bucket: 'reads', step: 'describe tags of', isIdempotent: true },
};

export function isWrite(operation: AwsOperation): boolean {
  return awsOperations[operation].bucket !== 'reads';
}
