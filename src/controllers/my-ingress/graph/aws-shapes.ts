import type { HealthCheck } from '../routes/routes.ts';

export type Tags = Readonly<Record<string, string>>;

/** AWS's TargetGroup, flattened. */
export interface TargetGroup {
  readonly arn: string;
  readonly name: string;
  readonly targetType: string;
  readonly protocol: string;
  readonly protocolVersion: string;
  readonly port: number;
  readonly vpcId: string;
  readonly ipAddressType: string;
  readonly healthCheck: HealthCheck;
  readonly loadBalancerArns: readonly string[];
}

export interface Listener {
  readonly arn: string;
  readonly loadBalancerArn: string;
  readonly port: number;
  readonly protocol: string;
  readonly sslPolicy?: string;
  /** The default one first; the others may be missing. */
  readonly certificates: readonly string[];
  readonly defaultActions: readonly Action[];
}

export interface Rule {
  readonly arn: string;
  readonly priority: number | 'default';
  readonly conditions: readonly Condition[];
  readonly actions: readonly Action[];
  readonly hasTransforms: boolean;
}

export type Condition = KnownCondition | { readonly field: 'unknown'; readonly type: string };

export type KnownCondition =
  | {
      readonly field: 'host-header' | 'path-pattern' | 'http-request-method' | 'source-ip';
      readonly values: readonly string[];
    }
  | {
      readonly field: 'http-header';
      readonly name: string;
      readonly values: readonly string[];
      /** The values are regular expressions. */
      readonly isRegex?: true;
    }
  | { readonly field: 'query-string'; readonly values: readonly QueryValue[] };

interface QueryValue {
  readonly key?: string;
  readonly value: string;
}

export type Action =
  | {
      readonly kind: 'forward';
      readonly targetGroups: readonly { readonly arn: string; readonly weight: number }[];
      readonly stickinessSeconds?: number;
    }
  | {
      readonly kind: 'redirect';
      readonly statusCode: number;
      readonly protocol?: string;
      readonly host?: string;
      readonly port?: string;
      readonly path?: string;
      readonly query?: string;
    }
  | {
      readonly kind: 'fixed-response';
      readonly statusCode: number;
      readonly contentType?: string;
      readonly body?: string;
    }
  | { readonly kind: 'unknown'; readonly type: string };

/** One port and one source; EC2's IpPermissions, flattened. */
export interface Permission {
  readonly protocol: string;
  readonly fromPort?: number;
  readonly toPort?: number;
  readonly source: {
    readonly kind: 'ipv4' | 'ipv6' | 'prefix-list' | 'security-group';
    readonly value: string;
  };
}

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string;
  readonly ingress: readonly Permission[];
}
