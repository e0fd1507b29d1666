import type { AwsOperation } from '../../../aws/elbv2/load-balancers.ts';
import type { ResourceId } from './resource-id.ts';

/** One write to AWS. Each resource adds what its call needs. */
export interface Step {
  readonly id: ResourceId;
  readonly operation: AwsOperation;
  /** The reason, in words for people. */
  readonly why: string;
  /** Resources that must be in place first: where one fails, this step is not executed. */
  readonly needs: readonly ResourceId[];
}

const VERBS: Partial<Readonly<Record<AwsOperation, string>>> = {
  SetSubnets: 'set subnets of',
  SetSecurityGroups: 'set security groups of',
  SetIpAddressType: 'set address type of',
  ModifyLoadBalancerAttributes: 'set attributes of',
  AuthorizeSecurityGroupIngress: 'allow ingress of',
  RevokeSecurityGroupIngress: 'revoke ingress of',
  ModifyTargetGroup: 'set health check of',
  ModifyTargetGroupAttributes: 'set attributes of',
  ModifyListenerAttributes: 'set attributes of',
  AddListenerCertificates: 'add certificate to',
  RemoveListenerCertificates: 'remove certificate from',
  SetRulePriorities: 'set priorities of rules of',
  AddTags: 'add tags to',
  RemoveTags: 'remove tags from',
  CreateTags: 'add tags to',
  DeleteTags: 'remove tags from',
};

/** Prints a step for logs, tests and documentation: `create target-group/spec/web  (not there)`. Pure. */
export function printStep({ id, operation, why }: Pick<Step, 'id' | 'operation' | 'why'>): string {
  const [verb = ''] = /^(create|modify|delete)(?=[A-Z])/i.exec(operation) ?? [];
  return `${VERBS[operation] ?? verb.toLowerCase()} ${id}  (${why})`;
}

/** One line a step. */
export function describePlan(plan: readonly Step[]): readonly string[] {
  return plan.map(printStep);
}
