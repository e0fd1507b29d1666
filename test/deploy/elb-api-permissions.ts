/**
 * What AWS requires of a caller of Elastic Load Balancing (2015-12-01) beyond the right to the
 * operation itself, as AWS's page lists it: the truth that policy and stand-in are held to.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html
 */
export const elbApiPermissions: Readonly<Record<string, readonly string[]>> = {
  CreateLoadBalancer: [
    'ec2:DescribeAccountAttributes',
    'ec2:DescribeAddresses',
    'ec2:DescribeInternetGateways',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
    'ec2:DescribeVpcs',
    'iam:CreateServiceLinkedRole',
  ],
  CreateTargetGroup: [
    'ec2:DescribeInternetGateways',
    'ec2:DescribeVpcs',
    'iam:CreateServiceLinkedRole',
  ],
  RegisterTargets: [
    'ec2:DescribeInstances',
    'ec2:DescribeInternetGateways',
    'ec2:DescribeSubnets',
    'ec2:DescribeVpcs',
  ],
  SetIpAddressType: ['ec2:DescribeSubnets'],
  SetSubnets: ['ec2:DescribeSubnets'],
};

/**
 * Tags in a create call need this too.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/tagging-resources-during-creation.html
 */
export const TAGGING = 'elasticloadbalancing:AddTags';
