import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { cut } from '../../core/objects/collections.ts';
import { OperatorError, rewordError } from '../../core/reconcile/operator-error.ts';
import { type AwsCall, chargeTo } from '../client/aws-call.ts';
import { allowAbsence, createUnreadableError, isAbsence } from '../client/aws-errors.ts';
import type { AwsOperation } from '../client/operations.ts';
import type { FindPayer } from '../inventory/batch.ts';
import type { LoadBalancer, LoadBalancerRef, LoadBalancerState } from './load-balancers.ts';

/** AWS's bound on ARNs in one DescribeLoadBalancers or DescribeTags. */
export const MOST_ARNS = 20;

/** Up to so many, halves would be more calls. */
const ONE_BY_ONE = 4;

/** Each ARN with its answer, undefined where it is absent, or a failure that names it alone. */
export type Answers<T> = ReadonlyMap<string, T | undefined | Promise<T | undefined>>;

/** Without `findPayer` the call's own payer pays. */
export interface Calls {
  readonly call: AwsCall;
  readonly findPayer?: FindPayer;
}

/** Throws reason LoadBalancerNotFound. */
export async function describeOne(
  call: AwsCall,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<LoadBalancer> {
  const subject = `load balancer ${'arn' in ref ? ref.arn : ref.name}`;
  const input = 'arn' in ref ? { LoadBalancerArns: [ref.arn] } : { Names: [ref.name] };
  const answer = await call('DescribeLoadBalancers', input, { subject, signal });
  const found = shapeLoadBalancers(answer).find((balancer) => isMeant(balancer, ref));
  if (found) return found;
  const said = 'the answer lacks the load balancer and does not say that it is not found';
  throw createUnreadableError({ operation: 'DescribeLoadBalancers', subject }, said);
}

/** Up to 20. */
export function describeThese(
  { call: shared, findPayer }: Calls,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<Answers<LoadBalancer>> {
  return readEach('DescribeLoadBalancers', arns, async (asked) => {
    const call = findPayer ? chargeTo(findPayer(asked), shared) : shared;
    const [arn = ''] = asked;
    if (asked.length === 1) return new Map([[arn, await describeOne(call, { arn }, signal)]]);
    const input = { LoadBalancerArns: [...asked] };
    const answer = await call('DescribeLoadBalancers', input, {
      subject: describeSubject(asked),
      signal,
    });
    return new Map(shapeLoadBalancers(answer).map((balancer) => [balancer.arn, balancer]));
  });
}

/** Every balancer of the account and region. What it lacks may exist: a listing may be stale. */
export async function describeAll(
  call: AwsCall,
  pageSize: number,
  signal: AbortSignal,
): Promise<readonly LoadBalancer[]> {
  const subject = 'all load balancers';
  const listed: LoadBalancer[] = [];
  let marker: string | undefined;
  do {
    const input = { PageSize: pageSize, ...(marker && { Marker: marker }) };
    const page = await call('DescribeLoadBalancers', input, { subject, signal });
    listed.push(...shapeLoadBalancers(page));
    marker = page.NextMarker;
  } while (marker);
  return listed;
}

/**
 * Reads many in one call. One that is missing, or that AWS refuses, a forged one perhaps, fails the
 * whole call, and AWS does not say which: the halves are asked until it stands alone, and fails
 * nobody else. Never throws.
 */
export async function readEach<T>(
  operation: AwsOperation,
  arns: readonly string[],
  read: (arns: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<Answers<T>> {
  const [only = '', ...others] = arns;
  if (others.length === 0) return readAlone(operation, only, read);
  try {
    const found = await read(arns);
    const missing = arns.filter((arn) => !found.has(arn));
    const parts = [];
    for (const arn of missing) parts.push(...(await readAlone(operation, arn, read)));
    return new Map([...found, ...parts]);
  } catch (error) {
    if (!isAbsence(operation, error) && !isOfOneArn(error)) return failEach(arns, error);
    const size = arns.length > ONE_BY_ONE ? Math.ceil(arns.length / 2) : 1;
    const parts = [];
    for (const some of cut(arns, size)) parts.push(...(await readEach(operation, some, read)));
    return new Map(parts);
  }
}

/** In a message, and distinct for reads of one moment. */
export function describeSubject(arns: readonly string[]): string {
  const [first = ''] = arns;
  const kinds = new Set(arns.map(readKind));
  const [kind = ''] = kinds;
  if (arns.length === 1) return `${kind} ${first}`;
  return `${arns.length} ${kinds.size === 1 ? `${kind}s` : 'resources'}, first ${first}`;
}

/** By the resource part of the ARN; whatever else it is was meant as a load balancer. */
const KINDS = {
  targetgroup: 'target group',
  listener: 'listener',
  'listener-rule': 'rule',
} as const;

function readKind(arn: string): string {
  const type = /^arn:[^:]*:elasticloadbalancing:[^:]*:[^:]*:([^/]+)\//.exec(arn)?.[1];
  return Object.entries(KINDS).find(([name]) => name === type)?.[1] ?? 'load balancer';
}

async function readAlone<T>(
  operation: AwsOperation,
  arn: string,
  read: (arns: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<Answers<T>> {
  const reading = allowAbsence(
    operation,
    read([arn]).then((found) => found.get(arn)),
  );
  await Promise.allSettled([reading]);
  return new Map([[arn, reading]]);
}

/** The others may be a neighbour's, or a tenant's forgeries: each failure names its own ARN only. */
function failEach(arns: readonly string[], error: unknown): Answers<never> {
  const failures = arns.map((arn) => {
    const own = (why: string): string =>
      why.replace(describeSubject(arns), () => describeSubject([arn]));
    const failure = Promise.reject<never>(rewordError(error, own));
    failure.catch(() => {}); // whoever asked may have left
    return [arn, failure] as const;
  });
  return new Map(failures);
}

/** AWS calls text that is no ARN of ours a ValidationError, and has a code for each other resource. */
export function isOfOneArn(error: unknown): boolean {
  return error instanceof OperatorError && OF_ONE_ARN.has(error.reason);
}

const OF_ONE_ARN: ReadonlySet<string> = new Set([
  ...['ValidationError', 'AwsError'],
  ...['ListenerNotFound', 'RuleNotFound', 'TargetGroupNotFound'],
]);

function shapeLoadBalancers(
  answer: elb.DescribeLoadBalancersCommandOutput,
): readonly LoadBalancer[] {
  return (answer.LoadBalancers ?? []).flatMap((balancer) => shapeLoadBalancer(balancer) ?? []);
}

function isMeant(balancer: LoadBalancer, ref: LoadBalancerRef): boolean {
  return 'arn' in ref ? balancer.arn === ref.arn : balancer.name === ref.name;
}

/**
 * AWS's LoadBalancer, flattened; undefined where it lacks what every balancer has. The other fields
 * may be missing: a Gateway Load Balancer has no DNS name, a Network one no security groups.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancer.html
 */
export function shapeLoadBalancer(from: elb.LoadBalancer): LoadBalancer | undefined {
  const state = shapeState(from.State);
  if (!from.LoadBalancerArn || !from.LoadBalancerName || !state) return undefined;
  const text = (key: TextKey): string => from[key] ?? '';
  return {
    arn: from.LoadBalancerArn,
    name: from.LoadBalancerName,
    state,
    dns: text('DNSName'),
    hostedZoneId: text('CanonicalHostedZoneId'),
    vpcId: text('VpcId'),
    type: text('Type'),
    scheme: text('Scheme'),
    ipAddressType: text('IpAddressType'),
    subnets: readSubnets(from),
    securityGroups: from.SecurityGroups ?? [],
  };
}

function readSubnets({ AvailabilityZones }: elb.LoadBalancer): readonly string[] {
  return (AvailabilityZones ?? []).flatMap(({ SubnetId }) => SubnetId ?? []);
}

function shapeState(from: elb.LoadBalancerState | undefined): LoadBalancerState | undefined {
  if (!from?.Code) return undefined;
  return from.Reason ? { code: from.Code, reason: from.Reason } : { code: from.Code };
}

type TextKey = 'DNSName' | 'CanonicalHostedZoneId' | 'VpcId' | 'Type' | 'Scheme' | 'IpAddressType';
