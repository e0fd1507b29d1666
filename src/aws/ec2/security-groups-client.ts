import { hasReason } from '../../core/reconcile/operator-error.ts';
import type { AwsCall } from '../client/aws-call.ts';
import { allowAbsence, expectPart } from '../client/aws-errors.ts';
import type { AwsReason } from '../client/aws-reasons.ts';
import { readPages } from '../client/pages.ts';
import { shapePairs, toPairs } from '../elbv2/tags.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import type { Ec2Messages, Ec2SecurityGroup } from './operations.ts';
import { shapePermissions, toPermissions } from './permissions.ts';
import type {
  Permission,
  SecurityGroupFilter,
  SecurityGroupSettings,
  SecurityGroups,
  TaggedSecurityGroup,
} from './security-groups.ts';

/**
 * SecurityGroups over EC2; the creation of each is entered in the ledger. `vpcs`: by subnet, shared by all payers; a
 * subnet never changes its VPC.
 */
export function createSecurityGroups(
  call: AwsCall,
  vpcs: Map<string, string>,
  ledger: WriteLedger,
): SecurityGroups {
  const change =
    (operation: IngressOperation, isSo: AwsReason): SecurityGroups['allow'] =>
    (id, permissions) => {
      const send: Change['send'] = (some) =>
        call(operation, { GroupId: id, IpPermissions: toPermissions(some) }, refer(id));
      return changeEach(permissions, { send, isSo, reasonsBySource: chooseReasons(ledger, id) });
    };
  return {
    find: (filter, signal) => findGroups(call, filter, signal),
    create: (settings) => create(call, ledger, settings),
    allow: change('AuthorizeSecurityGroupIngress', 'DuplicatePermission'),
    revoke: change('RevokeSecurityGroupIngress', 'PermissionNotFound'),
    async addTags(id, tags) {
      if (Object.keys(tags).length === 0) return;
      await call('CreateTags', { Resources: [id], Tags: toPairs(tags) }, refer(id));
    },
    async removeTags(id, tags) {
      if (Object.keys(tags).length === 0) return;
      await call('DeleteTags', { Resources: [id], Tags: toPairs(tags) }, refer(id));
    },
    async delete(id) {
      await allowAbsence(
        'DeleteSecurityGroup',
        call('DeleteSecurityGroup', { GroupId: id }, refer(id)),
      );
    },
    findVpc: (subnets, signal) => readVpc(call, { subnets, vpcs }, signal),
  };
}

async function readVpc(
  call: AwsCall,
  { subnets, vpcs }: { readonly subnets: readonly string[]; readonly vpcs: Map<string, string> },
  signal: AbortSignal,
): Promise<string | undefined> {
  const unknown = subnets.filter((subnet) => !vpcs.has(subnet));
  const [first = ''] = subnets;
  if (unknown.length === 0) return vpcs.get(first);
  const subject = unknown.length === 1 ? `subnet ${unknown[0]}` : `${unknown.length} subnets`;
  const reading = call('DescribeSubnets', { SubnetIds: unknown }, { subject, signal });
  const answer = await allowAbsence('DescribeSubnets', reading);
  for (const { SubnetId, VpcId } of answer?.Subnets ?? []) {
    if (SubnetId && VpcId) vpcs.set(SubnetId, VpcId);
  }
  return vpcs.get(first);
}

/**
 * EC2 takes 1,000, which the SDK parses as one block of some 80 ms of CPU; 200 take 20.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSecurityGroups.html
 */
const PAGE_SIZE = 200;

type OneFilter =
  | Exclude<SecurityGroupFilter, { readonly referringTo: string }>
  | { readonly inboundFrom: string }
  | { readonly outboundTo: string };

/** A group has to match all filters of one call, so each is asked alone. */
function splitFilter(filter: SecurityGroupFilter): readonly OneFilter[] {
  if (!('referringTo' in filter)) return [filter];
  return [{ inboundFrom: filter.referringTo }, { outboundTo: filter.referringTo }];
}

async function findGroups(
  call: AwsCall,
  filter: SecurityGroupFilter,
  signal: AbortSignal,
): Promise<readonly TaggedSecurityGroup[]> {
  const reads = splitFilter(filter).map((one) => {
    return allowAbsence('DescribeSecurityGroups', describeGroups(call, one, signal));
  });
  const found = (await Promise.all(reads)).flatMap((list) => list ?? []);
  return [...new Map(found.map((one) => [one.securityGroup.id, one])).values()];
}

function describeGroups(
  call: AwsCall,
  filter: OneFilter,
  signal: AbortSignal,
): Promise<readonly TaggedSecurityGroup[]> {
  const subject = 'ids' in filter ? refer(filter.ids.join(', ')).subject : 'security groups';
  return readPages(async (NextToken) => {
    const input = 'ids' in filter ? { GroupIds: filter.ids } : toFilters(filter, NextToken);
    const answer = await call('DescribeSecurityGroups', input, { subject, signal });
    const items = (answer.SecurityGroups ?? []).flatMap((group) => shapeGroup(group) ?? []);
    return { items, next: answer.NextToken };
  });
}

type ListingFilter = Exclude<OneFilter, { readonly ids: unknown }>;

/** EC2 takes either ids or a page size. */
function toFilters(
  filter: ListingFilter,
  NextToken: string | undefined,
): Ec2Messages['DescribeSecurityGroups'][0] {
  const Filters = listFilters(filter).map(([Name, value]) => ({ Name, Values: [value] }));
  return { Filters, MaxResults: PAGE_SIZE, ...(NextToken && { NextToken }) };
}

/** Names: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSecurityGroups.html */
function listFilters(filter: ListingFilter): readonly (readonly [name: string, value: string])[] {
  if ('inboundFrom' in filter) return [['ip-permission.group-id', filter.inboundFrom]];
  if ('outboundTo' in filter) return [['egress.ip-permission.group-id', filter.outboundTo]];
  if ('tags' in filter) {
    return Object.entries(filter.tags).map(([key, value]) => [`tag:${key}`, value]);
  }
  const { vpcId, name } = filter;
  return [
    ['vpc-id', vpcId],
    ['group-name', name],
  ];
}

async function create(
  call: AwsCall,
  ledger: WriteLedger,
  { name, description, vpcId, tags }: SecurityGroupSettings,
): Promise<string> {
  const input = {
    GroupName: name,
    Description: description,
    VpcId: vpcId,
    TagSpecifications: [{ ResourceType: 'security-group', Tags: toPairs(tags) }],
  } as const;
  const step = { operation: 'CreateSecurityGroup', ...refer(name) } as const;
  const { GroupId } = await call(step.operation, input, refer(name));
  const id = expectPart(GroupId, step, 'id');
  ledger.touch(id);
  return id;
}

type IngressOperation = 'AuthorizeSecurityGroupIngress' | 'RevokeSecurityGroupIngress';

interface Change {
  readonly send: (some: readonly Permission[]) => Promise<unknown>;
  /** One of them is as it should be already. */
  readonly isSo: AwsReason;
  readonly reasonsBySource: ReasonsBySource;
}

/** The reason of the refusal of a source, by its kind. */
type ReasonsBySource = ReadonlyMap<Permission['source']['kind'], AwsReason>;

const REASONS: ReasonsBySource = new Map([
  ['security-group', 'InvalidSecurityGroup'],
  ['prefix-list', 'InvalidPrefixList'],
]);

const REASONS_OF_NEW_GROUP: ReasonsBySource = new Map([['prefix-list', 'InvalidPrefixList']]);

/**
 * AWS may not know a new group everywhere yet. It refuses the group by the code for a source, whatever the source.
 * https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
 */
function chooseReasons(ledger: WriteLedger, id: string): ReasonsBySource {
  return ledger.isSettled(id) ? REASONS : REASONS_OF_NEW_GROUP;
}

/** EC2 refuses them all for one of them, so halves are tried. */
async function changeEach(permissions: readonly Permission[], change: Change): Promise<void> {
  if (permissions.length === 0) return;
  try {
    await change.send(permissions);
  } catch (error) {
    const isAsIs = hasReason(error, change.isSo);
    if (isAsIs && permissions.length === 1) return;
    const isOfOne = isAsIs || isAboutOne(error, permissions, change);
    if (permissions.length === 1 || !isOfOne) throw error;
    await changeHalves(permissions, change);
  }
}

/** One that is refused keeps no other from being tried, unless there is no room for another. */
async function changeHalves(permissions: readonly Permission[], change: Change): Promise<void> {
  const middle = Math.ceil(permissions.length / 2);
  const refusals: unknown[] = [];
  for (const half of [permissions.slice(0, middle), permissions.slice(middle)]) {
    try {
      await changeEach(half, change);
    } catch (error) {
      if (!hasReason(error, ...change.reasonsBySource.values())) throw error;
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw refusals[0];
}

/** A refusal that the others may not share. */
function isAboutOne(
  error: unknown,
  permissions: readonly Permission[],
  { reasonsBySource }: Change,
): boolean {
  const reasons = permissions.flatMap(({ source: { kind } }) => reasonsBySource.get(kind) ?? []);
  return hasReason(error, 'QuotaExceeded', ...reasons);
}

function shapeGroup(from: Ec2SecurityGroup): TaggedSecurityGroup | undefined {
  const { GroupId: id, GroupName: name, VpcId: vpcId, IpPermissions = [], Tags = [] } = from;
  if (!id || !name || !vpcId) return undefined;
  const securityGroup = { id, name, vpcId, ingress: shapePermissions(IpPermissions) };
  return { securityGroup, tags: shapePairs(Tags) };
}

function refer(nameOrId: string): { readonly subject: string } {
  return { subject: `security group ${nameOrId}` };
}
