import { type AwsOperation, getIamAction, operations } from '../../../src/aws/client/operations.ts';
import { CREDENTIALS } from '../../surroundings/aws-stand-in.ts';

/**
 * `npm run test:aws -- --backend aws`: the adapter's half of the suite in somebody's account.
 * account.ts runs it, within-run.ts is what the tests know of it; start reading there.
 */

/** What the tests of one run know; the command hands it to them in ALBRIDGE_TEST_AWS_RUN. */
export interface AccountRun {
  readonly id: string;
  readonly region: string;
  readonly vpcId: string;
  /** One in each of three zones. */
  readonly subnets: readonly string[];
  /** Two in one zone, or none. */
  readonly sameZoneSubnets: readonly string[];
  readonly hasIpv6: boolean;
  /** Two of the run's own. */
  readonly securityGroups: readonly string[];
  readonly credentials: Credentials;
  /** JSON lines of what AWS answered. */
  readonly recordFile: string;
  /** Of a stand-in that plays AWS, for the command's own test. */
  readonly endpoint?: string;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export const RUN_TAG = 'albridge.io/test-run';

/** Names of balancers and target groups of a run begin with it, 15 of 32 letters. */
export function namePrefix(runId: string): string {
  return `t-${runId}-`;
}

/** `1122070512ab`: month, day, hour, minute (UTC) and chance. */
export function newRunId(now: Date, random: () => number = Math.random): string {
  const stamp = now.toISOString().replace(/\D/g, '').slice(4, 12);
  const chance = Math.floor(random() * 65_536);
  return `${stamp}${chance.toString(16).padStart(4, '0')}`;
}

export function isRunId(text: string): boolean {
  return /^\d{8}[0-9a-f]{4}$/.test(text);
}

/** The SDK's own chain reads these, as it does in the operator. */
export function useCredentials(credentials: Credentials = CREDENTIALS): void {
  process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
  if (credentials.sessionToken !== undefined)
    process.env['AWS_SESSION_TOKEN'] = credentials.sessionToken;
}

/** At most: the tests make about 70, the questions 2. */
const BALANCERS = 75;
/** us-east-1, each hour begun: https://aws.amazon.com/elasticloadbalancing/pricing/ */
const DOLLARS_AN_HOUR = 0.0225 + 0.008;

const ACTIONS: readonly string[] = [
  ...(Object.keys(operations) as AwsOperation[]).map(getIamAction),
  ...[
    'DescribeAccountAttributes',
    'DescribeAddresses',
    'DescribeInternetGateways',
    'DescribeVpcs',
  ].map((operation) => `ec2:${operation}`),
  'iam:CreateServiceLinkedRole (where the account has never had a load balancer)',
];

/** What the command is going to do, what that costs, and what it needs. */
export function describePlan(): string {
  const dollars = (BALANCERS * DOLLARS_AN_HOUR).toFixed(2);
  return `This runs against Elastic Load Balancing itself, in the account of your credentials:
  - makes up to ${BALANCERS} Application Load Balancers, at most 30 at once, never with a target that
    serves; some twenty target groups; two security groups without rules, and two that are open to
    everybody on port 80: one for seconds, which belongs to no balancer, and one for minutes, of a
    balancer that answers requests itself, with fixed texts
  - takes about 20 minutes
  - costs about ${dollars} USD: each balancer counts for an hour, ${DOLLARS_AN_HOUR} USD in us-east-1
  - tags everything with ${RUN_TAG}=<id of the run> and removes it at its end, after a failure and
    after Ctrl-C; what a killed run left: --clean-up <id of the run>
  - takes part in the account's API rates for that time; other controllers may be throttled
It needs a VPC with an internet gateway and subnets in three zones (the default VPC, or --vpc, or
--subnets), room for 30 more load balancers in the quota, and the rights
  ${ACTIONS.join('\n  ')}
`;
}
