// Lives here: EC2's part of the adapter: the operations on security groups and subnets.
// May import it: src/aws; src/controllers/my-ingress takes security-groups.ts and subnets.ts, the ports.
// Start with: this file, then operations.ts and security-groups-client.ts.

import type { Tags } from '../elbv2/traffic.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SecurityGroup.html */
export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
  readonly ingress: readonly Permission[];
}

/** One range of ports and one source: EC2's IpPermissions, flattened. */
export interface Permission {
  /** `tcp`, `udp`, `icmp`, a number; `-1` for all. */
  readonly protocol: string;
  readonly fromPort?: number;
  readonly toPort?: number;
  readonly source: {
    readonly kind: 'ipv4' | 'ipv6' | 'prefix-list' | 'security-group';
    readonly value: string;
  };
}

export interface TaggedSecurityGroup {
  readonly securityGroup: SecurityGroup;
  readonly tags: Tags;
}

export interface SecurityGroupSettings {
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly tags: Tags;
}

export type SecurityGroupFilter =
  | { readonly ids: readonly string[] }
  /** All of these tags. */
  | { readonly tags: Tags }
  | { readonly vpcId: string; readonly name: string }
  /** Those with a rule, inbound or outbound, that names this group. */
  | { readonly referringTo: string };

/**
 * Security groups in EC2. As the ports of src/aws/elbv2/traffic.ts: every method pays from the
 * budget, is retried where that can help, and throws OperatorError.
 */
export interface SecurityGroups {
  /** With rules and tags, 200 a call; empty where there are none, or an id does not exist. */
  find(filter: SecurityGroupFilter, signal: AbortSignal): Promise<readonly TaggedSecurityGroup[]>;
  /** Throws reason DuplicateSecurityGroup where the VPC has one of this name. */
  create(settings: SecurityGroupSettings): Promise<string>;
  /** Succeeds where the permission exists already. */
  allow(id: string, permissions: readonly Permission[]): Promise<void>;
  /** Succeeds where the permission does not exist. */
  revoke(id: string, permissions: readonly Permission[]): Promise<void>;
  addTags(id: string, tags: Tags): Promise<void>;
  removeTags(id: string, tags: Tags): Promise<void>;
  /** Throws reason DependencyViolation while something refers to it. */
  delete(id: string): Promise<void>;
  /** The VPC of subnets, read once for the life of the process; undefined: a subnet does not exist. */
  findVpc(subnets: readonly string[], signal: AbortSignal): Promise<string | undefined>;
}
