import type { Tags } from '../elbv2/load-balancers.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Subnet.html */
export interface Subnet {
  readonly id: string;
  readonly vpcId: string;
  readonly zone: string;
  readonly freeAddresses: number;
  readonly isAvailable: boolean;
  readonly isOnOutpost: boolean;
  readonly tags: Tags;
}

/**
 * Ends the key of the tag `kubernetes.io/role/...`, which marks the subnets for load balancers of one scheme.
 * https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html#network-requirements-subnets
 */
export type SubnetRole = 'elb' | 'internal-elb';

/** Subnets in EC2. As `SecurityGroups`: every method pays from the budget, is retried, and throws OperatorError. */
export interface Subnets {
  /** All of the account and region with the tag of this role; an answer younger than `maxAgeMs` is not read again. */
  listTagged(role: SubnetRole, maxAgeMs: number, signal: AbortSignal): Promise<readonly Subnet[]>;
}
