import type { CreateLoadBalancerCommandInput } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Budget } from '../budget/budget.ts';
import { type AwsCall, callFor, type Payer } from '../client/aws-call.ts';
import { ifPresent, unreadable } from '../client/aws-errors.ts';
import type { Batch } from '../inventory/batch.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import { describeOne, shapeLoadBalancer } from './load-balancer-reader.ts';
import type { LoadBalancer, LoadBalancerSettings, LoadBalancers, Tags } from './load-balancers.ts';
import { createResourceTags, shapePairs, toPairs } from './tags.ts';

export interface LoadBalancersParts {
  readonly call: AwsCall;
  readonly budget: Budget;
  readonly tags: Batch<Tags | undefined>;
  readonly ledger: WriteLedger;
  readonly payer?: Payer;
}

/** LoadBalancers over AWS; every write is entered in the ledger that the inventory goes by. */
export function createLoadBalancers(parts: LoadBalancersParts): LoadBalancers {
  const { budget, ledger, payer = {} } = parts;
  const call = callFor(payer, parts.call);
  const tags = createResourceTags(call, parts.tags, { ledger, payer });
  return {
    paidBy: (other) => createLoadBalancers({ ...parts, payer: { ...payer, ...other } }),
    reserve: (operations, requester, signal) => budget.reserve(operations, requester, signal),
    find: (ref, signal) => ifPresent('DescribeLoadBalancers', describeOne(call, ref, signal)),
    tagsOf: (arn, signal) => tags.read(arn, signal),
    attributesOf: (arn, signal) =>
      ifPresent('DescribeLoadBalancerAttributes', describeAttributes(call, arn, signal)),
    create: (settings) => ledger.during(settings.name, () => create(call, ledger, settings)),
    ...modifications(call, ledger),
    addTags: (arn, added) => tags.add(arn, added),
    removeTags: (arn, keys) => tags.remove(arn, keys),
    async delete(arn) {
      const input = { LoadBalancerArn: arn };
      await ledger.during(arn, () =>
        ifPresent('DeleteLoadBalancer', call('DeleteLoadBalancer', input, of(arn))),
      );
    },
  };
}

type Modifications = Pick<
  LoadBalancers,
  'setSubnets' | 'setSecurityGroups' | 'setIpAddressType' | 'setAttributes'
>;

function modifications(call: AwsCall, ledger: WriteLedger): Modifications {
  return {
    async setSubnets(arn, subnets) {
      const input = { LoadBalancerArn: arn, Subnets: [...subnets] };
      await ledger.during(arn, () => call('SetSubnets', input, of(arn)));
    },
    async setSecurityGroups(arn, securityGroups) {
      const input = { LoadBalancerArn: arn, SecurityGroups: [...securityGroups] };
      await ledger.during(arn, () => call('SetSecurityGroups', input, of(arn)));
    },
    async setIpAddressType(arn, ipAddressType) {
      // The SDK's type is a closed list; what AWS has added since is for AWS to judge.
      const input = { LoadBalancerArn: arn, IpAddressType: ipAddressType as 'ipv4' };
      await ledger.during(arn, () => call('SetIpAddressType', input, of(arn)));
    },
    async setAttributes(arn, attributes) {
      if (Object.keys(attributes).length === 0) return;
      const input = { LoadBalancerArn: arn, Attributes: toPairs(attributes) };
      await ledger.during(arn, () => call('ModifyLoadBalancerAttributes', input, of(arn)));
    },
  };
}

async function create(
  call: AwsCall,
  ledger: WriteLedger,
  settings: LoadBalancerSettings,
): Promise<LoadBalancer> {
  const { name, securityGroups, tags } = settings;
  const input: CreateLoadBalancerCommandInput = {
    Name: name,
    Type: 'application',
    Scheme: settings.scheme as 'internal',
    Subnets: [...settings.subnets],
    IpAddressType: settings.ipAddressType as 'ipv4',
    ...(securityGroups && { SecurityGroups: [...securityGroups] }),
    Tags: toPairs(tags),
  };
  const answer = await call('CreateLoadBalancer', input, of(name));
  const [first] = answer.LoadBalancers ?? [];
  const created = first && shapeLoadBalancer(first);
  if (!created) {
    const step = { operation: 'CreateLoadBalancer', subject: of(name).subject } as const;
    throw unreadable(step, 'the answer lacks the load balancer');
  }
  // The inventory is also asked by ARN, which is known only now.
  ledger.touch(created.arn);
  return created;
}

async function describeAttributes(
  call: AwsCall,
  arn: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const input = { LoadBalancerArn: arn };
  const answer = await call('DescribeLoadBalancerAttributes', input, { ...of(arn), signal });
  // Every balancer has attributes; taking an empty answer for the truth would lose the values that
  // are to be put back one day.
  if (answer.Attributes?.length) return shapePairs(answer.Attributes);
  const step = { operation: 'DescribeLoadBalancerAttributes', ...of(arn) } as const;
  throw unreadable(step, 'the answer lacks the attributes');
}

function of(nameOrArn: string): { readonly subject: string } {
  return { subject: `load balancer ${nameOrArn}` };
}
