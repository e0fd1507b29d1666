import { ownershipTagKeys } from '../../apis/my-ingress.ts';
import { classifyOutcome, isHealedByTime } from '../../aws/client/aws-errors.ts';
import type { Grant } from '../../aws/client/operation-traits.ts';
import {
  type AwsOperation,
  getIamAction,
  getTraits,
  isWrite,
  operations,
} from '../../aws/client/operations.ts';
import { type Simulation, simulatePolicy } from '../../aws/identity/identity.ts';
import { explainAwsFailure } from '../aws-failure.ts';
import { USER_AGENT } from '../cluster.ts';
import type { Check } from './check.ts';
import type { AccountScope } from './check-account.ts';

/** The writes of the operator, by IAM's simulator: none is sent. */

/** Whose policies are asked about. */
export interface Principal {
  /** Of an IAM role or user. */
  readonly arn: string;
  readonly isOperator: boolean;
}

/** `callerArn` as STS has it; `operatorRoles` by the annotations of their ServiceAccounts: of several, none is asked about. Pure. */
export function choosePrincipal(
  callerArn: string,
  operatorRoles: readonly string[],
): Principal | undefined {
  const [only, other] = operatorRoles;
  if (only && other === undefined) return { arn: only, isOperator: true };
  const [, partition, account, role] =
    /^arn:([\w-]+):sts::(\d+):assumed-role\/([^/]+)\//.exec(callerArn) ?? [];
  if (role) return { arn: `arn:${partition}:iam::${account}:role/${role}`, isOperator: false };
  return /:user\//.test(callerArn) ? { arn: callerArn, isOperator: false } : undefined;
}

export async function checkWrites(
  scope: AccountScope,
  principal: Principal | undefined,
): Promise<readonly Check[]> {
  const name = 'AWS writes';
  if (principal === undefined) {
    const message = 'these credentials belong to neither a role nor a user';
    return [{ name, verdict: 'not checked', message, next: 'compare the role with docs/iam.md' }];
  }
  const { aws, clock, signal } = scope;
  const options = { ...aws, userAgent: USER_AGENT, clock, signal };
  try {
    const answers = await Promise.all(
      planSimulations(principal.arn, scope).map((one) =>
        simulatePolicy(principal.arn, one, options),
      ),
    );
    return [judgeWrites(principal, answers.flat())];
  } catch (error) {
    signal.throwIfAborted();
    return [explainRefusal(principal, error)];
  }
}

/**
 * The ARN of a session has the name of its role without the path; pure.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
 */
export function explainRefusal({ arn }: Principal, thrown: unknown): Check {
  const { errorCode } = classifyOutcome(thrown);
  if (isHealedByTime(thrown)) return explainSilence(thrown, errorCode);
  const message = `IAM does not simulate ${arn} for you: ${errorCode}`;
  const next =
    errorCode === 'NoSuchEntity'
      ? 'the role has a path that STS leaves out, as SSO roles do, or is gone: compare the role with docs/iam.md'
      : 'allow iam:SimulatePrincipalPolicy to yourself, or compare the role with docs/iam.md';
  return { name: 'AWS writes', verdict: 'not checked', message, next };
}

function explainSilence(thrown: unknown, errorCode: string): Check {
  const [why = errorCode] = explainAwsFailure(thrown)?.split(': ', 1) ?? [];
  const message = `IAM does not answer: ${why}`;
  const next =
    'try again in a minute; if it persists, check the way to IAM (HTTPS_PROXY), or compare the role with docs/iam.md';
  return { name: 'AWS writes', verdict: 'not checked', message, next };
}

/** Pure. */
export function judgeWrites({ arn, isOperator }: Principal, refused: readonly string[]): Check {
  const name = 'AWS writes';
  const whose = isOperator ? arn : `${arn} (yours; the role of the operator is not known here)`;
  const count = listWrites().length;
  if (refused.length === 0)
    return { name, verdict: 'ok', message: `${count} operations allowed to ${whose}` };
  const message = `not allowed to ${whose}: ${refused.toSorted().join(', ')}`;
  const next = 'attach deploy/iam/policy.json with your cluster id: docs/iam.md';
  return { name, verdict: isOperator ? 'failed' : 'warning', message, next };
}

/**
 * One for each set of resource types, on resources and with tags as the shipped policy wants them: on
 * nothing that exists. Pure.
 */
export function planSimulations(
  principalArn: string,
  { aws, clusterId }: Pick<AccountScope, 'aws' | 'clusterId'>,
): readonly Simulation[] {
  const [, partition = 'aws', , , account = ''] = principalArn.split(':');
  const context = {
    [`aws:RequestTag/${ownershipTagKeys.cluster}`]: clusterId,
    [`aws:ResourceTag/${ownershipTagKeys.cluster}`]: clusterId,
  };
  const byTypes = Map.groupBy(listWrites(), (operation) => {
    const { service, grant } = getTraits(operation);
    return `${service} ${listTypes(grant).join(' ')}`;
  });
  return [...byTypes.values()].map((group) => {
    const [first] = group as [AwsOperation];
    const [service] = getIamAction(first).split(':');
    const resources = listTypes(getTraits(first).grant).map(
      (type) =>
        `arn:${partition}:${service}:${aws.region}:${account}:${type.replaceAll('*', 'albridge-doctor')}`,
    );
    return { actions: group.map(getIamAction), resources, context };
  });
}

function listWrites(): readonly AwsOperation[] {
  return (Object.keys(operations) as AwsOperation[]).filter(isWrite);
}

function listTypes(grant: Grant): readonly string[] {
  if (grant.onlyIf === 'nothing') return ['*'];
  return 'in' in grant ? [...grant.on, ...(grant.in ?? [])] : grant.on;
}
