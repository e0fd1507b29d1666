// Lives here: the AWS resources of one object as data, and the plan from observed to desired; pure.
// May import it: src/controllers/my-ingress.
// Start with: this file, then plan.ts; planned-step.ts is a step and its printed form.

import type { Permission, SecurityGroup } from '../../../aws/ec2/security-groups.ts';
import type {
  KnownCondition,
  KnownTransform,
  Listener,
  MutualTls,
  Rule,
  Tags,
  TargetGroup,
} from '../../../aws/elbv2/traffic.ts';
import type {
  HealthCheck,
  RouteFixedResponse,
  RouteRedirect,
  Spare,
  Unresolved,
} from '../routes/routes.ts';
import type { FixedSettings } from './names.ts';
import type { ResourceId } from './resource-id.ts';

/** The desired resources of one object in AWS, next to the balancer itself. */
export interface DesiredGraph {
  readonly securityGroup: DesiredSecurityGroup | undefined;
  /** The groups attached to the balancer; undefined leaves it as it is. */
  readonly attachment: readonly AttachedGroup[] | undefined;
  readonly targetGroups: readonly DesiredTargetGroup[];
  readonly listeners: readonly DesiredListener[];
}

/** An id of AWS, or one of ours that may have none yet. */
export type AttachedGroup = { readonly id: string } | { readonly resource: ResourceId };

export interface DesiredSecurityGroup {
  readonly id: ResourceId;
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly ingress: readonly Permission[];
  readonly tags: Tags;
  /** Tags that are there before it replaces the groups of an adopted balancer. */
  readonly record: Tags;
}

export interface DesiredTargetGroup {
  readonly id: ResourceId;
  readonly name: string;
  readonly fixed: FixedSettings;
  readonly port: number;
  readonly healthCheck: HealthCheck;
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Tags;
}

export interface DesiredListener {
  readonly id: ResourceId;
  readonly port: number;
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly sslPolicy?: string;
  /** The default one first. */
  readonly certificates: readonly string[];
  /** Some could not be found: those that it has stay, but for `spare`. */
  readonly unresolved?: Unresolved;
  /** Hosts of attached rules without one; those that it has stay, but for `spare`. */
  readonly uncovered?: readonly string[];
  readonly spare?: Spare;
  /** undefined: whatever it has. */
  readonly mutualTls?: MutualTls;
  /** Those of the spec, and the defaults of those that left it. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly action: DesiredAction;
  readonly tags: Tags;
  /** In the order of evaluation. */
  readonly rules: readonly DesiredRule[];
}

export interface DesiredRule {
  readonly id: ResourceId;
  readonly conditions: readonly KnownCondition[];
  readonly action: DesiredAction;
  readonly transforms: readonly KnownTransform[];
  readonly tags: Tags;
}

/** As AWS's, but target groups go by name, since they may have no ARN yet; in normal form. */
export type DesiredAction =
  | {
      readonly kind: 'forward';
      readonly targetGroups: readonly { readonly name: string; readonly weight: number }[];
      readonly stickinessSeconds?: number;
    }
  | ({ readonly kind: 'redirect' } & Required<RouteRedirect>)
  | ({ readonly kind: 'fixed-response' } & Required<RouteFixedResponse>);

/** AWS's state: everything of the balancer, and all else with the object's tags or its names. */
export interface ObservedGraph {
  /** undefined: not created yet. */
  readonly loadBalancer:
    | { readonly arn: string; readonly securityGroups: readonly string[]; readonly vpcId: string }
    | undefined;
  readonly securityGroups: readonly ObservedSecurityGroup[];
  readonly targetGroups: readonly ObservedTargetGroup[];
  readonly listeners: readonly ObservedListener[];
}

export interface ObservedSecurityGroup {
  readonly securityGroup: SecurityGroup;
  readonly tags: Tags;
}

export interface ObservedTargetGroup {
  readonly targetGroup: TargetGroup;
  readonly tags: Tags;
  /** undefined: not read in this pass. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface ObservedListener {
  readonly listener: Listener;
  /** The default one, then those added to it, of which it may be one; undefined: not read in this pass. */
  readonly certificates?: readonly string[];
  /** undefined: not read in this pass. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly tags: Tags;
  readonly rules: readonly ObservedRule[];
}

export interface ObservedRule {
  readonly rule: Rule;
  readonly tags: Tags;
}
