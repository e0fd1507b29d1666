import { describeAccountLimits } from './account-limits.ts';
import type { AwsWorld, ReadableWorld } from './aws-world.ts';
import { getCallerIdentity } from './caller-identity.ts';
import { createTags } from './ec2-tags.ts';
import type { Input } from './input-fields.ts';
import {
  attachInternetGateway,
  createInternetGateway,
  deleteInternetGateway,
  describeInternetGateways,
  detachInternetGateway,
} from './internet-gateways.ts';
import {
  describeLoadBalancerAttributes,
  modifyLoadBalancerAttributes,
} from './load-balancer-attributes.ts';
import { setIpAddressType, setSecurityGroups, setSubnets } from './load-balancer-settings.ts';
import { addTags, describeTags, removeTags } from './load-balancer-tags.ts';
import { createLoadBalancer, deleteLoadBalancer, describeLoadBalancers } from './load-balancers.ts';
import {
  createSecurityGroup,
  deleteSecurityGroup,
  describeSecurityGroups,
} from './security-groups.ts';
import {
  createSubnet,
  deleteSubnet,
  describeAvailabilityZones,
  describeSubnets,
} from './subnets.ts';
import type { RequestKind } from './token-buckets.ts';
import { createVpc, deleteVpc, describeVpcs } from './vpcs.ts';

export type ServiceName = 'elasticloadbalancing' | 'ec2' | 'sts';

interface OperationFacts {
  readonly service: ServiceName;
  readonly name: string;
  /** The bucket that it pays into. EC2 and STS have their own, which are not modelled. */
  readonly bucket: RequestKind;
}

interface ReadOperation extends OperationFacts {
  readonly kind: 'read';
  run(world: ReadableWorld, input: Input): unknown;
}

interface WriteOperation extends OperationFacts {
  readonly kind: 'write';
  run(world: AwsWorld, input: Input): unknown;
}

export type Operation = ReadOperation | WriteOperation;

type Reads = Readonly<Record<string, ReadOperation['run']>>;
type Writes = Readonly<Record<string, WriteOperation['run']>>;

const LOAD_BALANCING_READS: Reads = {
  DescribeAccountLimits: describeAccountLimits,
  DescribeLoadBalancerAttributes: describeLoadBalancerAttributes,
  DescribeLoadBalancers: describeLoadBalancers,
  DescribeTags: describeTags,
};

const LOAD_BALANCING_WRITES: Writes = {
  AddTags: addTags,
  CreateLoadBalancer: createLoadBalancer,
  DeleteLoadBalancer: deleteLoadBalancer,
  ModifyLoadBalancerAttributes: modifyLoadBalancerAttributes,
  RemoveTags: removeTags,
  SetIpAddressType: setIpAddressType,
  SetSecurityGroups: setSecurityGroups,
  SetSubnets: setSubnets,
};

const RESOURCE_INTENSIVE: readonly string[] = ['CreateLoadBalancer', 'SetSubnets'];

const EC2_READS: Reads = {
  DescribeAvailabilityZones: describeAvailabilityZones,
  DescribeInternetGateways: describeInternetGateways,
  DescribeSecurityGroups: describeSecurityGroups,
  DescribeSubnets: describeSubnets,
  DescribeVpcs: describeVpcs,
};

const EC2_WRITES: Writes = {
  AttachInternetGateway: attachInternetGateway,
  CreateInternetGateway: createInternetGateway,
  CreateSecurityGroup: createSecurityGroup,
  CreateSubnet: createSubnet,
  CreateTags: createTags,
  CreateVpc: createVpc,
  DeleteInternetGateway: deleteInternetGateway,
  DeleteSecurityGroup: deleteSecurityGroup,
  DeleteSubnet: deleteSubnet,
  DeleteVpc: deleteVpc,
  DetachInternetGateway: detachInternetGateway,
};

const STS_READS: Reads = { GetCallerIdentity: getCallerIdentity };

/** Every operation of the model. Names are unique across the three services. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [
    ...reads('elasticloadbalancing', LOAD_BALANCING_READS, 'read'),
    ...writes('elasticloadbalancing', LOAD_BALANCING_WRITES, (name) =>
      RESOURCE_INTENSIVE.includes(name) ? 'resourceIntensive' : 'write',
    ),
    ...reads('ec2', EC2_READS, 'unmetered'),
    ...writes('ec2', EC2_WRITES, () => 'unmetered'),
    ...reads('sts', STS_READS, 'unmetered'),
  ].map((operation) => [operation.name, operation]),
);

function reads(service: ServiceName, table: Reads, bucket: RequestKind): Operation[] {
  return Object.entries(table).map(([name, run]) => ({
    service,
    name,
    bucket,
    kind: 'read',
    run,
  }));
}

function writes(
  service: ServiceName,
  table: Writes,
  bucketOf: (name: string) => RequestKind,
): Operation[] {
  return Object.entries(table).map(([name, run]) => ({
    service,
    name,
    bucket: bucketOf(name),
    kind: 'write',
    run,
  }));
}
