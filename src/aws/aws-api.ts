import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';

/** The ELBv2 operations that albridge uses, as the SDK types them. */
export interface AwsOperations {
  CreateLoadBalancer: [elb.CreateLoadBalancerCommandInput, elb.CreateLoadBalancerCommandOutput];
  DescribeLoadBalancers: [
    elb.DescribeLoadBalancersCommandInput,
    elb.DescribeLoadBalancersCommandOutput,
  ];
  DeleteLoadBalancer: [elb.DeleteLoadBalancerCommandInput, elb.DeleteLoadBalancerCommandOutput];
  DescribeLoadBalancerAttributes: [
    elb.DescribeLoadBalancerAttributesCommandInput,
    elb.DescribeLoadBalancerAttributesCommandOutput,
  ];
  ModifyLoadBalancerAttributes: [
    elb.ModifyLoadBalancerAttributesCommandInput,
    elb.ModifyLoadBalancerAttributesCommandOutput,
  ];
  SetSubnets: [elb.SetSubnetsCommandInput, elb.SetSubnetsCommandOutput];
  SetSecurityGroups: [elb.SetSecurityGroupsCommandInput, elb.SetSecurityGroupsCommandOutput];
  SetIpAddressType: [elb.SetIpAddressTypeCommandInput, elb.SetIpAddressTypeCommandOutput];
  AddTags: [elb.AddTagsCommandInput, elb.AddTagsCommandOutput];
  RemoveTags: [elb.RemoveTagsCommandInput, elb.RemoveTagsCommandOutput];
  DescribeTags: [elb.DescribeTagsCommandInput, elb.DescribeTagsCommandOutput];
}

export type AwsOperation = keyof AwsOperations;

/**
 * The one way to AWS, just above the SDK client and below budget, retry, error translation and
 * inventory. One call is one HTTP request: an implementation never retries. It rejects with what
 * the SDK throws (`name` is AWS's code, e.g. LoadBalancerNotFoundException), with the reason of the
 * signal, or with DeadlineExceeded. `signal` is given for reads only: a write, once sent, is seen
 * through, and an implementation bounds its time itself.
 */
export interface AwsApi {
  send<Operation extends AwsOperation>(
    operation: Operation,
    input: AwsOperations[Operation][0],
    signal?: AbortSignal,
  ): Promise<AwsOperations[Operation][1]>;
}
