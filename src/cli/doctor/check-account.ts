import { restrictWrites } from '../../aws/client/aws-api.ts';
import { classifyOutcome, translateAwsError } from '../../aws/client/aws-errors.ts';
import { createSdkApi } from '../../aws/client/sdk-api.ts';
import {
  type CallerIdentity,
  CredentialsTimeout,
  readCallerIdentity,
} from '../../aws/identity/identity.ts';
import type { AwsConfig } from '../../config/config.ts';
import {
  chooseSubnets,
  type SubnetChoice,
} from '../../controllers/my-ingress/discovery/choose-subnets.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { openAccount } from '../account/account.ts';
import { explainAwsFailure } from '../aws-failure.ts';
import { USER_AGENT } from '../cluster.ts';
import { describeError } from '../errors.ts';
import { type CalledApi, callReads } from './call-reads.ts';
import { type Check, checkClock } from './check.ts';

/** The AWS account, with the caller's credentials: whose they are, reads by calling them, subnets. */

export interface AccountScope {
  readonly aws: AwsConfig;
  readonly clusterId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Identified {
  readonly checks: readonly Check[];
  /** Undefined: nothing else needs to be asked. */
  readonly identity?: CallerIdentity;
}

/** Whose the credentials are, by STS, and whether AWS's clock agrees. */
export async function checkIdentity({ aws, clock, signal }: AccountScope): Promise<Identified> {
  const name = 'AWS credentials';
  try {
    const options = { ...aws, userAgent: USER_AGENT, clock, signal };
    const identity = await readCallerIdentity(options);
    const { arn, date } = identity;
    const mine: Check = { name, verdict: 'ok', message: `${arn}, region ${aws.region}` };
    return { checks: [mine, checkClock('AWS', date, clock.now())], identity };
  } catch (error) {
    signal.throwIfAborted();
    return { checks: [describeNoIdentity(error)] };
  }
}

function describeNoIdentity(error: unknown): Check {
  const name = 'AWS credentials';
  const { statusCode, errorCode } = classifyOutcome(error);
  const said = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  const { reason } = translateAwsError(error, {
    operation: 'DescribeLoadBalancers',
    subject: name,
  });
  if (reason === 'Throttled' || reason === 'AwsUnavailable') {
    const next = 'try again in a minute; if it persists, check the server at AWS_ENDPOINT_URL';
    return { name, verdict: 'failed', message: `STS answers ${errorCode}: ${said}`, next };
  }
  const why = error instanceof CredentialsTimeout ? error.message : explainAwsFailure(error);
  if (why !== undefined) {
    const [message = '', next = ''] = why.split(/: (.*)/s);
    return { name, verdict: 'failed', message, next };
  }
  if (statusCode > 0) {
    const next = 'log in again: aws sts get-caller-identity fails the same way';
    return { name, verdict: 'failed', message: `AWS refuses them, ${errorCode}: ${said}`, next };
  }
  if (/credential|token|profile/i.test(`${errorCode} ${said}`)) {
    const next = 'log in (aws sso login, AWS_PROFILE) to have the account checked as well';
    return { name, verdict: 'not checked', message: `none found: ${said}`, next };
  }
  const next = 'check the network, the proxy and AWS_ENDPOINT_URL';
  return { name, verdict: 'failed', message: `no answer from STS: ${said}`, next };
}

/** Every read of the operator that can be asked for. */
export async function checkReads({ aws, clock, signal }: AccountScope): Promise<readonly Check[]> {
  const never = { isLeader: (): boolean => false };
  const sdk = createSdkApi({ ...aws, clock, leadership: never, userAgent: USER_AGENT });
  const api = restrictWrites(sdk, []);
  try {
    return judgeReads(await callReads(api, signal));
  } finally {
    sdk.close();
  }
}

/** Pure. */
export function judgeReads({ allowed, refused, unasked }: CalledApi): readonly Check[] {
  const name = 'AWS reads';
  const rest =
    unasked.length === 0 ? '' : `; not asked, for lack of a resource: ${unasked.join(', ')}`;
  const message = `${allowed.length} operations answered${rest}`;
  const failures = refused.map(({ action, said }) => ({
    ...{ name: `AWS read ${action}`, verdict: 'failed' as const, message: said },
    next: 'compare your rights with docs/iam.md: the operator needs it too',
  }));
  if (allowed.length === 0) return failures;
  return [{ name, verdict: 'ok', message }, ...failures];
}

const ROLES = {
  'internet-facing': 'elb',
  internal: 'internal-elb',
} as const;

/** The subnets that a MyIngress without `spec.subnets` would get. */
export async function checkSubnets(scope: AccountScope): Promise<readonly Check[]> {
  const { aws, clusterId, clock, signal } = scope;
  const account = openAccount(aws, { clock });
  const { clusterName = clusterId, vpcId } = aws;
  try {
    const { subnets } = account.traffic();
    const checks: Check[] = [];
    for (const [scheme, role] of Object.entries(ROLES)) {
      const tagged = await subnets.listTagged(role, 0, signal);
      const choice = chooseSubnets(tagged, { clusterName, vpcId });
      checks.push(judgeSubnets(scheme, { role, tagged, choice }));
    }
    return checks;
  } catch (error) {
    signal.throwIfAborted();
    const next = 'allow ec2:DescribeSubnets, or name subnets in spec.subnets';
    return [{ name: 'subnets', verdict: 'not checked', message: describeError(error), next }];
  } finally {
    account.close();
  }
}

interface TaggedChoice {
  readonly role: string;
  readonly tagged: readonly { readonly id: string; readonly freeAddresses: number }[];
  readonly choice: SubnetChoice;
}

/** Pure. */
export function judgeSubnets(scheme: string, { role, tagged, choice }: TaggedChoice): Check {
  const name = `subnets, ${scheme}`;
  const tag = `kubernetes.io/role/${role}`;
  const next = `tag two subnets in different zones ${tag}=1, or name them in spec.subnets`;
  if (choice.kind === 'chosen') {
    const free = tagged.filter(({ id }) => choice.subnets.includes(id));
    const list = free.map(({ id, freeAddresses }) => `${id} (${freeAddresses} free)`).join(', ');
    return { name, verdict: 'ok', message: list };
  }
  if (choice.kind === 'ambiguous') {
    const message = `the subnets tagged ${tag} are in several VPCs`;
    return { name, verdict: 'warning', message, next: 'set ALBRIDGE_VPC_ID of the operator' };
  }
  const left = choice.leftOut.map(({ id, why }) => `${id}: ${why}`).join(', ');
  const message = `fewer than two zones have a usable subnet tagged ${tag}${left && `; left out ${left}`}`;
  return { name, verdict: 'warning', message, next };
}
