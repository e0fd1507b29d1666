import { ownershipTagKeys } from '../../../apis/my-ingress.ts';
import type { Permission } from '../../../aws/ec2/security-groups.ts';
import type {
  Condition,
  KnownCondition,
  KnownTransform,
  MutualTls,
  Tags,
} from '../../../aws/elbv2/traffic.ts';
import type { HealthCheck } from '../routes/routes.ts';
import { listNames } from './actions.ts';
import type { AttachedGroup, DesiredAction } from './graph.ts';
import type { FixedSettings } from './names.ts';
import { type Step as PlannedStep, printStep } from './planned-step.ts';
import type { ResourceId } from './resource-id.ts';

/**
 * The input of each operation. What may have no ARN yet goes by the id of its resource (`listener`) or by its
 * name (`targetGroup`, and the groups of an action); what is only changed or deleted goes by its ARN.
 */
interface Inputs {
  CreateSecurityGroup: SecurityGroupInput;
  AuthorizeSecurityGroupIngress: { readonly ingress: readonly Permission[] };
  RevokeSecurityGroupIngress: { readonly ingress: readonly Permission[] };
  DeleteSecurityGroup: { readonly groupId: string };
  SetSecurityGroups: { readonly groups: readonly AttachedGroup[] };
  CreateTargetGroup: TargetGroupInput;
  ModifyTargetGroup: HealthCheckInput;
  ModifyTargetGroupAttributes: { readonly targetGroup: string; readonly attributes: Tags };
  DeleteTargetGroup: { readonly arn: string };
  CreateListener: ListenerInput;
  ModifyListener: { readonly arn: string } & Partial<Omit<ListenerInput, 'tags'>>;
  ModifyListenerAttributes: { readonly listener: ResourceId; readonly attributes: Tags };
  AddListenerCertificates: CertificateInput;
  RemoveListenerCertificates: CertificateInput;
  DeleteListener: { readonly arn: string };
  CreateRule: RuleInput;
  ModifyRule: { readonly arn: string } & Partial<
    Pick<RuleInput, 'conditions' | 'action' | 'transforms'>
  >;
  SetRulePriorities: { readonly priorities: readonly RulePriority[] };
  DeleteRule: { readonly arn: string };
  AddTags: { readonly resource: string; readonly tags: Tags };
  RemoveTags: { readonly resource: string; readonly keys: readonly string[] };
  /** AddTags and RemoveTags of EC2. */
  CreateTags: { readonly resource: string; readonly tags: Tags };
  DeleteTags: { readonly resource: string; readonly tags: Tags };
}

export type Operation = keyof Inputs;

/** One call to AWS. */
export type Call<Name extends Operation = Operation> = {
  readonly [Each in Name]: { readonly operation: Each; readonly input: Inputs[Each] };
}[Name];

interface SecurityGroupInput {
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly tags: Tags;
}

interface TargetGroupInput extends FixedSettings {
  readonly name: string;
  readonly port: number;
  readonly healthCheck: HealthCheck;
  readonly tags: Tags;
}

interface HealthCheckInput {
  readonly arn: string;
  /** Says which codes the matcher has. */
  readonly protocolVersion: string;
  readonly healthCheck: HealthCheck;
}

interface ListenerInput {
  readonly port: number;
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly sslPolicy?: string;
  /** The default one. */
  readonly certificate?: string;
  readonly mutualTls?: MutualTls;
  readonly action: DesiredAction;
  readonly tags: Tags;
}

interface CertificateInput {
  readonly listener: ResourceId;
  readonly certificate: string;
}

interface RuleInput {
  readonly listener: ResourceId;
  readonly priority: number;
  readonly conditions: readonly KnownCondition[];
  readonly action: DesiredAction;
  readonly transforms: readonly KnownTransform[];
  readonly tags: Tags;
}

interface RulePriority {
  readonly arn: string;
  readonly priority: number;
}

export type Step<Name extends Operation = Operation> = Call<Name> & {
  /** The resource that it changes; SetRulePriorities changes a listener. */
  readonly id: ResourceId;
  readonly why: string;
  /** If a step of the same plan creates, moves or deletes one of these and fails, this one is not executed. */
  readonly needs: readonly ResourceId[];
  /** The conditions of the requests that it may concern, where its input does not have them; undefined: any request. */
  readonly concerns?: readonly Condition[];
  /** The default certificate in whose place it puts another, while the spec has it as a further one: it is listed first. */
  readonly displaces?: string;
};

/** A step that has to wait, because what replaces its resource is too new. */
export interface Postponed {
  readonly step: Step;
  readonly inMs: number;
}

/** One line a step; what has to wait comes last, and then what waits for all of it, or for targets. */
export function printPlan(plan: {
  readonly steps: readonly Step[];
  readonly postponed: readonly Postponed[];
  /** Of later plans. */
  readonly last?: readonly PlannedStep[];
}): readonly string[] {
  const later = plan.postponed.map(({ step, inMs }) => {
    return `in ${Math.ceil(inMs / 1000)} s: ${printStep(step)}`;
  });
  const last = (plan.last ?? []).map((step) => `later: ${printStep(step)}`);
  return [...plan.steps.map(printStep), ...later, ...last];
}

/**
 * The failed step that keeps this one from being executed: one that creates or changes what this one
 * needs. `failed` holds those that were not executed for this reason, too.
 */
export function findObstacle(step: Step, failed: readonly Step[]): Step | undefined {
  return failed.find(
    (one) => (isProvidingFor(step, one) && step.needs.includes(one.id)) || isInPlaceOf(one, step),
  );
}

/** Something stays until its successor is there: hosts would be left without a certificate. */
function isInPlaceOf(one: Step, { id, operation, displaces }: Step): boolean {
  if (one.id !== id) return false;
  if (operation === 'ModifyListener') return isListing(one, displaces);
  const isNewDefault = one.operation === 'ModifyListener' && one.input.certificate !== undefined;
  if (operation === 'RemoveListenerCertificates' && isNewDefault) return true;
  return one.operation === SUCCESSORS[operation];
}

function isListing({ operation, input }: Step, certificate: string | undefined): boolean {
  return operation === 'AddListenerCertificates' && input.certificate === certificate;
}

const SUCCESSORS: { readonly [Name in Operation]?: Operation } = {
  RemoveListenerCertificates: 'AddListenerCertificates',
  RevokeSecurityGroupIngress: 'AuthorizeSecurityGroupIngress',
};

/** Names of the target groups in the action that the step writes. */
export function listWritten({ input }: Step): readonly string[] {
  return 'action' in input && input.action !== undefined ? listNames(input.action) : [];
}

/** True for the step by which a listener becomes ours that its owner hands over: whatever is ours has that tag. */
export function isClaim({ operation, input }: Step): boolean {
  return operation === 'AddTags' && input.tags[ownershipTagKeys.name] !== undefined;
}

/** Writes about rules. */
export const RULE_WRITES: ReadonlySet<Operation> = new Set<Operation>([
  ...(['CreateRule', 'ModifyRule', 'SetRulePriorities', 'DeleteRule'] as const),
]);

/** Whether a listener or rule that redirects may do so no more after it. */
export function endsRedirect({ operation, input }: Step): boolean {
  if (operation === 'ModifyListener' || operation === 'ModifyRule')
    return input.action !== undefined;
  return operation === 'DeleteRule' || operation === 'DeleteListener';
}

/** Of a listener, all need its port and protocol; what changes where requests go needs who its clients may be. */
function isProvidingFor(step: Step, failed: Step): boolean {
  if (step.operation === 'DeleteListener') return endsRedirect(failed);
  const { operation, input } = failed;
  if (operation !== 'ModifyListener') return PROVIDING.has(operation) || isClaim(failed);
  if (input.port !== undefined || input.protocol !== undefined) return true;
  return input.mutualTls !== undefined && !SETTLING.has(step.operation);
}

const SETTLING: ReadonlySet<Operation> = new Set<Operation>([
  ...(['AddListenerCertificates', 'RemoveListenerCertificates'] as const),
  'ModifyListenerAttributes',
]);

const PROVIDING: ReadonlySet<Operation> = new Set<Operation>([
  ...(['CreateSecurityGroup', 'CreateTargetGroup', 'CreateListener'] as const),
  // A group that admits no client takes the place of none.
  'AuthorizeSecurityGroupIngress',
  // The record of the groups that a security group is about to replace.
  'CreateTags',
  // A rule that is deleted leaves its priority to another one.
  ...(['SetRulePriorities', 'ModifyRule', 'DeleteRule'] as const),
]);
