import type { CreateLoadBalancerCommandInput } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Budget } from '../budget/budget.ts';
import { type AwsCall, chargeTo, type Payer } from '../client/aws-call.ts';
import { allowAbsence, expectPart } from '../client/aws-errors.ts';
import type { Batch } from '../inventory/batch.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import { readAttributes } from './attributes.ts';
import { describeOne, shapeLoadBalancer } from './load-balancer-reader.ts';
import type { LoadBalancer, LoadBalancerSettings, LoadBalancers, Tags } from './load-balancers.ts';
import { createResourceTags, toPairs } from './tags.ts';

export interface LoadBalancersParts {
  readonly call: AwsCall;
  readonly budget: Pick<Budget, 'reserve'>;
  readonly tags: Batch<Tags | undefined>;
  readonly ledger: WriteLedger;
  readonly payer?: Payer;
}

/** LoadBalancers over AWS; every write is entered in the ledger that the inventory goes by. */
export function createLoadBalancers(parts: LoadBalancersParts): LoadBalancers {
  const { budget, ledger, payer = {} } = parts;
  const call = chargeTo(payer, parts.call);
  const tags = createResourceTags(call, parts.tags, { ledger, payer });
  return {
    chargeTo: (other) => createLoadBalancers({ ...parts, payer: { ...payer, ...other } }),
    reserve: (operations, requester, signal) => budget.reserve(operations, requester, signal),
    find: (ref, signal) => allowAbsence('DescribeLoadBalancers', describeOne(call, ref, signal)),
    readTags: (arn, signal) => tags.read(arn, signal),
    readAttributes(arn, signal) {
      const step = { operation: 'DescribeLoadBalancerAttributes', ...refer(arn) } as const;
      const input = { LoadBalancerArn: arn };
      return readAttributes(step, call(step.operation, input, { ...refer(arn), signal }));
    },
    create: (settings) => ledger.during(settings.name, () => create(call, ledger, settings)),
    ...createModifications(call, ledger),
    addTags: (arn, added) => tags.add([arn], added),
    removeTags: (arn, keys) => tags.remove([arn], keys),
    async delete(arn) {
      const input = { LoadBalancerArn: arn };
      await ledger.during(arn, () =>
        allowAbsence('DeleteLoadBalancer', call('DeleteLoadBalancer', input, refer(arn))),
      );
    },
  };
}

type Modifications = Pick<
  LoadBalancers,
  'setSubnets' | 'setSecurityGroups' | 'setIpAddressType' | 'setAttributes'
>;

function createModifications(call: AwsCall, ledger: WriteLedger): Modifications {
  return {
    async setSubnets(arn, subnets) {
      const input = { LoadBalancerArn: arn, Subnets: [...subnets] };
      await ledger.during(arn, () => call('SetSubnets', input, refer(arn)));
    },
    async setSecurityGroups(arn, securityGroups) {
      const input = { LoadBalancerArn: arn, SecurityGroups: [...securityGroups] };
      await ledger.during(arn, () => call('SetSecurityGroups', input, refer(arn)));
    },
    async setIpAddressType(arn, ipAddressType) {
      // The SDK's type is a closed list; what AWS has added since is for AWS to judge.
      const input = { LoadBalancerArn: arn, IpAddressType: ipAddressType as 'ipv4' };
      await ledger.during(arn, () => call('SetIpAddressType', input, refer(arn)));
    },
    async setAttributes(arn, attributes) {
      if (Object.keys(attributes).length === 0) return;
      const input = { LoadBalancerArn: arn, Attributes: toPairs(attributes) };
      await ledger.during(arn, () => call('ModifyLoadBalancerAttributes', input, refer(arn)));
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
  const answer = await call('CreateLoadBalancer', input, refer(name));
  const [first] = answer.LoadBalancers ?? [];
  const step = { operation: 'CreateLoadBalancer', ...refer(name) } as const;
  const created = expectPart(first && shapeLoadBalancer(first), step, 'load balancer');
  // The inventory is also asked by ARN, which is known only now.
  ledger.touch(created.arn);
  return created;
}

function refer(nameOrArn: string): { readonly subject: string } {
  return { subject: `load balancer ${nameOrArn}` };
}
