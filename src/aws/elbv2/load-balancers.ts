// Lives here: ELBv2's part of the adapter: load balancers, listeners, rules, target groups, targets, tags.
// May import it: src/aws; src/controllers/my-ingress, src/controllers/targets and src/cli take load-balancers.ts and traffic.ts; src/controllers/my-ingress and src/controllers/targets take target-health.ts. It has words, the other two are the ports.
// Start with: this file, then operations.ts and load-balancers-client.ts.

import type { Requester, Reservation } from '../budget/budget.ts';
import type { AwsOperation } from '../client/aws-api.ts';
import type { Payer } from '../client/aws-call.ts';
import type { TaggedSecurityGroup } from '../ec2/security-groups.ts';
import type { Tags, TargetGroup } from './traffic.ts';

export type { Reservation } from '../budget/budget.ts';
export type { AwsOperation } from '../client/aws-api.ts';
export { isWrite } from '../client/operations.ts';
export type { Tags } from './traffic.ts';

/** An Application Load Balancer as albridge sees it; field by field AWS's LoadBalancer, flattened. */
export interface LoadBalancer {
  readonly arn: string;
  readonly name: string;
  readonly dns: string;
  readonly hostedZoneId: string;
  readonly vpcId: string;
  readonly type: string;
  readonly scheme: string;
  readonly ipAddressType: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly state: LoadBalancerState;
}

/** `code` is provisioning | active | active_impaired | failed; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerState.html */
export interface LoadBalancerState {
  readonly code: string;
  readonly reason?: string;
}

/** A balancer and its tags, read together. */
export interface TaggedLoadBalancer {
  readonly loadBalancer: LoadBalancer;
  readonly tags: Tags;
}

export interface TaggedTargetGroup {
  readonly targetGroup: TargetGroup;
  readonly tags: Tags;
}

export interface LoadBalancerSettings {
  readonly name: string;
  readonly scheme: string;
  readonly subnets: readonly string[];
  readonly securityGroups?: readonly string[];
  readonly ipAddressType: string;
  readonly tags: Tags;
}

export type LoadBalancerRef = { readonly arn: string } | { readonly name: string };

/**
 * Load balancers in AWS. Every method pays from the budget, is retried where
 * a retry can help, and throws OperatorError with a reason of aws/client/aws-reasons.ts. Reads take
 * the pass's signal; writes do not: once sent, a write is seen through.
 */
export interface LoadBalancers {
  /** The same calls, paid for with the turns of one namespace, or with what was reserved, and logged by its log. */
  chargeTo(payer: Payer): LoadBalancers;
  /**
   * The tokens of a whole plan at once, so that it is executed in one go or not begun. Where they
   * take longer than a second, throws BudgetExhausted and keeps the requester's place.
   */
  reserve(
    operations: readonly AwsOperation[],
    requester: Requester,
    signal: AbortSignal,
  ): Promise<Reservation>;
  /** undefined means that AWS answered LoadBalancerNotFound, and nothing else. */
  find(ref: LoadBalancerRef, signal: AbortSignal): Promise<LoadBalancer | undefined>;
  /** undefined means LoadBalancerNotFound. Asked together within a moment, 20 balancers are one call. */
  readTags(arn: string, signal: AbortSignal): Promise<Tags | undefined>;
  /** undefined means LoadBalancerNotFound. */
  readAttributes(
    arn: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>> | undefined>;
  /**
   * May answer with an existing balancer of the same name and settings, whoever owns it; throws
   * reason DuplicateName where the settings differ.
   */
  create(settings: LoadBalancerSettings): Promise<LoadBalancer>;
  setSubnets(arn: string, subnets: readonly string[]): Promise<void>;
  setSecurityGroups(arn: string, securityGroups: readonly string[]): Promise<void>;
  setIpAddressType(arn: string, ipAddressType: string): Promise<void>;
  setAttributes(arn: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  addTags(arn: string, tags: Tags): Promise<void>;
  removeTags(arn: string, keys: readonly string[]): Promise<void>;
  /** Succeeds where the balancer is already gone. Throws reason DeletionBlocked for deletion protection. */
  delete(arn: string): Promise<void>;
}

/**
 * W: for this long after a write, AWS's answers may still show what was before it. An assumption:
 * AWS states no bound.
 */
export const STALENESS_BOUND_MS = 10_000;

/** The result of the last refresh for a balancer. */
export type Cached =
  | { readonly kind: 'observed'; readonly observed: TaggedLoadBalancer }
  /** The account was listed without it: it may be gone, or newer than the listing. */
  | { readonly kind: 'absent' }
  /** Nothing: there was no refresh, or we have written to the balancer since, or just before. */
  | { readonly kind: 'unknown' };

/** The result of the last refresh for a target group. */
export type CachedGroup =
  /** `isUseOld`: we have had it used since, or just before, so that its balancers may be others. */
  | {
      readonly kind: 'observed';
      readonly observed: TaggedTargetGroup;
      readonly isUseOld?: boolean;
    }
  | { readonly kind: 'absent' | 'unknown' };

/** One shared snapshot of the account, so that the cost per balancer falls as their number grows. */
export interface Inventory {
  /**
   * Lists every balancer, in pages of `choosePageSize`, and reads the tags (20 a call) of those whose name or ARN
   * is selected, with the tokens that the budget keeps for the scan. With names of target groups, be it none, it
   * lists those as well, and reads the tags of these and of what the selected balancers use. With none it need
   * not be allowed to list them; with `every` it must be, and selects none by name.
   */
  refresh(
    selection: ReadonlySet<string>,
    signal: AbortSignal,
    targetGroupNames?: ReadonlySet<string> | 'every',
  ): Promise<void>;
  /** However old: what it says is no basis for a write. */
  getCached(arn: string): Cached;
  /** The selected ones that the last refresh listed, with their tags. */
  listSelected(): readonly TaggedLoadBalancer[];
  /** As `getCached`, the target group of a name that was asked for, or that a selected balancer uses. */
  getCachedGroup(name: string): CachedGroup;
  /** The target groups of both kinds that the last refresh listed, with their tags. */
  listTargetGroups(): readonly TaggedTargetGroup[];
  /** ARNs of the target groups that the last refresh listed next to those. */
  listOtherTargetGroups(): readonly string[];
  /** ARNs of the application balancers that the last refresh listed next to the selected ones. */
  listOthers(): readonly string[];
  /** Tags as they are now, 20 a call, paid as a refresh; those that are gone are left out. */
  readTags(arns: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Tags>>;
  /** Security groups with all of these tags as they are now, 200 a call, paid as a refresh. */
  findSecurityGroups(tags: Tags, signal: AbortSignal): Promise<readonly TaggedSecurityGroup[]>;
  /** The balancer as it is now, one call for all who ask within a moment; undefined: NotFound. */
  observe(arn: string, signal: AbortSignal): Promise<LoadBalancer | undefined>;
  /** As `LoadBalancers.chargeTo`. */
  chargeTo(payer: Payer): Inventory;
}
