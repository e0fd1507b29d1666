import { describeAccountLimits } from './account-limits.ts';
import {
  deleteCertificate,
  describeCertificate,
  importCertificate,
  listCertificates,
} from './acm/certificates.ts';
import type { AwsWorld, ReadableWorld } from './aws-world.ts';
import { createTags, deleteTags } from './ec2/ec2-tags.ts';
import {
  attachInternetGateway,
  createInternetGateway,
  deleteInternetGateway,
  describeInternetGateways,
  detachInternetGateway,
} from './ec2/internet-gateways.ts';
import {
  authorizeSecurityGroupIngress,
  revokeSecurityGroupIngress,
} from './ec2/security-group-ingress.ts';
import {
  createSecurityGroup,
  deleteSecurityGroup,
  describeSecurityGroups,
} from './ec2/security-groups.ts';
import {
  createSubnet,
  deleteSubnet,
  describeAvailabilityZones,
  describeSubnets,
} from './ec2/subnets.ts';
import { createVpc, deleteVpc, describeVpcs } from './ec2/vpcs.ts';
import type { RequestKind } from './faults/token-buckets.ts';
import { getCallerIdentity } from './iam/caller-identity.ts';
import { simulatePrincipalPolicy } from './iam/policy-simulation.ts';
import type { Input } from './input-fields.ts';
import {
  describeListenerAttributes,
  modifyListenerAttributes,
} from './listeners/listener-attributes.ts';
import {
  addListenerCertificates,
  describeListenerCertificates,
  removeListenerCertificates,
} from './listeners/listener-certificates.ts';
import {
  createListener,
  deleteListener,
  describeListeners,
  modifyListener,
} from './listeners/listeners.ts';
import {
  describeLoadBalancerAttributes,
  modifyLoadBalancerAttributes,
} from './load-balancers/load-balancer-attributes.ts';
import {
  setIpAddressType,
  setSecurityGroups,
  setSubnets,
} from './load-balancers/load-balancer-settings.ts';
import { addTags, describeTags, removeTags } from './load-balancers/load-balancer-tags.ts';
import {
  createLoadBalancer,
  deleteLoadBalancer,
  describeLoadBalancers,
} from './load-balancers/load-balancers.ts';
import { setRulePriorities } from './rules/rule-priorities.ts';
import { createRule, deleteRule, describeRules, modifyRule } from './rules/rules.ts';
import {
  describeTargetGroupAttributes,
  modifyTargetGroupAttributes,
} from './target-groups/target-group-attributes.ts';
import {
  createTargetGroup,
  deleteTargetGroup,
  describeTargetGroups,
  modifyTargetGroup,
} from './target-groups/target-groups.ts';
import { describeTargetHealth } from './target-groups/target-health.ts';
import { deregisterTargets, registerTargets } from './target-groups/targets.ts';

export type ServiceName = 'elasticloadbalancing' | 'ec2' | 'sts' | 'iam' | 'acm';

interface OperationFacts {
  readonly service: ServiceName;
  readonly name: string;
  /** The bucket that it pays into. Those of STS, IAM and ACM are not modelled. */
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
  DescribeListenerAttributes: describeListenerAttributes,
  DescribeListenerCertificates: describeListenerCertificates,
  DescribeListeners: describeListeners,
  DescribeLoadBalancerAttributes: describeLoadBalancerAttributes,
  DescribeLoadBalancers: describeLoadBalancers,
  DescribeRules: describeRules,
  DescribeTags: describeTags,
  DescribeTargetGroupAttributes: describeTargetGroupAttributes,
  DescribeTargetGroups: describeTargetGroups,
  DescribeTargetHealth: describeTargetHealth,
};

const LOAD_BALANCING_WRITES: Writes = {
  AddListenerCertificates: addListenerCertificates,
  AddTags: addTags,
  CreateListener: createListener,
  CreateLoadBalancer: createLoadBalancer,
  CreateRule: createRule,
  CreateTargetGroup: createTargetGroup,
  DeleteListener: deleteListener,
  DeleteLoadBalancer: deleteLoadBalancer,
  DeleteRule: deleteRule,
  DeleteTargetGroup: deleteTargetGroup,
  DeregisterTargets: deregisterTargets,
  ModifyListener: modifyListener,
  ModifyListenerAttributes: modifyListenerAttributes,
  ModifyLoadBalancerAttributes: modifyLoadBalancerAttributes,
  ModifyRule: modifyRule,
  ModifyTargetGroup: modifyTargetGroup,
  ModifyTargetGroupAttributes: modifyTargetGroupAttributes,
  RegisterTargets: registerTargets,
  RemoveListenerCertificates: removeListenerCertificates,
  RemoveTags: removeTags,
  SetIpAddressType: setIpAddressType,
  SetRulePriorities: setRulePriorities,
  SetSecurityGroups: setSecurityGroups,
  SetSubnets: setSubnets,
};

/** Writes with a bucket of their own. */
const WRITE_BUCKETS: ReadonlyMap<string, RequestKind> = new Map([
  ['CreateLoadBalancer', 'resourceIntensive'],
  ['SetSubnets', 'resourceIntensive'],
  ['RegisterTargets', 'registration'],
  ['DeregisterTargets', 'registration'],
]);

const EC2_READS: Reads = {
  DescribeAvailabilityZones: describeAvailabilityZones,
  DescribeInternetGateways: describeInternetGateways,
  DescribeSecurityGroups: describeSecurityGroups,
  DescribeSubnets: describeSubnets,
  DescribeVpcs: describeVpcs,
};

const EC2_WRITES: Writes = {
  AttachInternetGateway: attachInternetGateway,
  AuthorizeSecurityGroupIngress: authorizeSecurityGroupIngress,
  CreateInternetGateway: createInternetGateway,
  CreateSecurityGroup: createSecurityGroup,
  CreateSubnet: createSubnet,
  CreateTags: createTags,
  CreateVpc: createVpc,
  DeleteInternetGateway: deleteInternetGateway,
  DeleteSecurityGroup: deleteSecurityGroup,
  DeleteSubnet: deleteSubnet,
  DeleteTags: deleteTags,
  DeleteVpc: deleteVpc,
  DetachInternetGateway: detachInternetGateway,
  RevokeSecurityGroupIngress: revokeSecurityGroupIngress,
};

const STS_READS: Reads = { GetCallerIdentity: getCallerIdentity };

const IAM_READS: Reads = { SimulatePrincipalPolicy: simulatePrincipalPolicy };

const ACM_READS: Reads = {
  DescribeCertificate: describeCertificate,
  ListCertificates: listCertificates,
};

const ACM_WRITES: Writes = {
  DeleteCertificate: deleteCertificate,
  ImportCertificate: importCertificate,
};

/** Every operation of the model. Names are unique across the services. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [
    ...reads('elasticloadbalancing', LOAD_BALANCING_READS, 'read'),
    ...writes(
      'elasticloadbalancing',
      LOAD_BALANCING_WRITES,
      (name) => WRITE_BUCKETS.get(name) ?? 'write',
    ),
    ...reads('ec2', EC2_READS, 'ec2Read'),
    ...writes('ec2', EC2_WRITES, () => 'ec2Write'),
    ...reads('sts', STS_READS, 'unmetered'),
    ...reads('iam', IAM_READS, 'unmetered'),
    ...reads('acm', ACM_READS, 'unmetered'),
    ...writes('acm', ACM_WRITES, () => 'unmetered'),
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
