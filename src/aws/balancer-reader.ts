import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { OperatorError } from '../core/operator-error.ts';
import type { AwsCall } from './aws-call.ts';
import { unreadable } from './aws-errors.ts';
import { shapeLoadBalancer } from './load-balancer-shape.ts';
import type { LoadBalancer, LoadBalancerRef } from './load-balancers.ts';

/** AWS's bound on ARNs in one DescribeLoadBalancers or DescribeTags. */
export const MOST_ARNS = 20;
/** AWS's bound on a page of DescribeLoadBalancers. */
const LARGEST_PAGE = 400;

export type BalancersByArn = ReadonlyMap<
  string,
  LoadBalancer | undefined | Promise<LoadBalancer | undefined>
>;

/** DescribeLoadBalancers in its three forms. */
export interface BalancerReader {
  /** undefined: AWS answered LoadBalancerNotFound. */
  one(ref: LoadBalancerRef, signal: AbortSignal): Promise<LoadBalancer | undefined>;
  /** Every balancer of the account and region. What it lacks may exist: a listing may be stale. */
  all(signal: AbortSignal): Promise<readonly LoadBalancer[]>;
  /** Each ARN with its balancer, undefined for LoadBalancerNotFound, or AWS's refusal of that ARN. */
  these(arns: readonly string[], signal: AbortSignal): Promise<BalancersByArn>;
}

export function createBalancerReader(call: AwsCall): BalancerReader {
  const reader: BalancerReader = {
    one: (ref, signal) => orAbsent(describeOne(call, ref, signal)),
    all: (signal) => describeAll(call, signal),
    async these(arns, signal) {
      const seen = await seeMost(call, arns, signal);
      return eachAlone(arns, async (arn) => seen.get(arn) ?? (await reader.one({ arn }, signal)));
    },
  };
  return reader;
}

/** undefined for LoadBalancerNotFound, the only answer that means absent. */
export async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** The same, and undefined for a refusal that may come from one ARN of many. */
export async function orUnread<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsence(error) || isOfOneArn(error)) return undefined;
    throw error;
  }
}

/** One after the other, so that an ARN that AWS refuses, a forged one perhaps, fails nobody else. */
export async function eachAlone<T>(
  arns: readonly string[],
  read: (arn: string) => Promise<T>,
): Promise<ReadonlyMap<string, Promise<T>>> {
  const found = new Map<string, Promise<T>>();
  for (const arn of arns) {
    const reading = read(arn);
    found.set(arn, reading);
    await reading.catch((error: unknown) => {
      if (!isOfOneArn(error)) throw error;
    });
  }
  return found;
}

/** AWS calls text that is no ARN of ours a ValidationError, and has a code for each other resource. */
function isOfOneArn(error: unknown): boolean {
  return error instanceof OperatorError && ['ValidationError', 'AwsError'].includes(error.reason);
}

function isAbsence(error: unknown): boolean {
  return error instanceof OperatorError && error.reason === 'LoadBalancerNotFound';
}

/** One ARN that is missing or wrong fails the whole call and AWS does not say which, hence the listing. */
async function seeMost(
  call: AwsCall,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LoadBalancer>> {
  if (arns.length === 1) return new Map();
  const together = arns.length > MOST_ARNS ? undefined : await orUnread(describe());
  return byArn(together ?? (await describeAll(call, signal)));

  async function describe(): Promise<readonly LoadBalancer[]> {
    const input = { LoadBalancerArns: [...arns] };
    const subject = 'several load balancers';
    return shaped(await call('DescribeLoadBalancers', input, { subject, signal }));
  }
}

async function describeOne(
  call: AwsCall,
  ref: LoadBalancerRef,
  signal: AbortSignal,
): Promise<LoadBalancer> {
  const subject = `load balancer ${'arn' in ref ? ref.arn : ref.name}`;
  const input = 'arn' in ref ? { LoadBalancerArns: [ref.arn] } : { Names: [ref.name] };
  const answer = await call('DescribeLoadBalancers', input, { subject, signal });
  const found = shaped(answer).find((balancer) => isMeant(balancer, ref));
  if (found) return found;
  const said = 'the answer lacks the load balancer and does not say that it is not found';
  throw unreadable({ operation: 'DescribeLoadBalancers', subject }, said);
}

async function describeAll(call: AwsCall, signal: AbortSignal): Promise<readonly LoadBalancer[]> {
  const subject = 'all load balancers';
  const listed: LoadBalancer[] = [];
  let marker: string | undefined;
  do {
    const input = { PageSize: LARGEST_PAGE, ...(marker && { Marker: marker }) };
    const page = await call('DescribeLoadBalancers', input, { subject, signal });
    listed.push(...shaped(page));
    marker = page.NextMarker;
  } while (marker);
  return listed;
}

function shaped(answer: elb.DescribeLoadBalancersCommandOutput): readonly LoadBalancer[] {
  return (answer.LoadBalancers ?? []).flatMap((balancer) => shapeLoadBalancer(balancer) ?? []);
}

function isMeant(balancer: LoadBalancer, ref: LoadBalancerRef): boolean {
  return 'arn' in ref ? balancer.arn === ref.arn : balancer.name === ref.name;
}

function byArn(balancers: readonly LoadBalancer[]): ReadonlyMap<string, LoadBalancer> {
  return new Map(balancers.map((balancer) => [balancer.arn, balancer]));
}
