import { beforeAll, inject } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { changeCases, ruleSequences } from '../unit/crds/my-ingress-change-cases.ts';
import { fieldCases } from '../unit/crds/my-ingress-field-cases.ts';
import { subnets } from '../unit/crds/rule-case.ts';
import { createNamespace, installDefinition } from './crd-api.ts';
import { describeRulesOnServer, type FaultTable } from './crd-rules.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readMyIngressDefinition();
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-rules');
});

const faults: FaultTable = {
  'a scheme that AWS does not know': {
    why: 'the API server names the right ones',
    spec: { subnets, scheme: 'public' },
    says: 'supported values: "internet-facing", "internal"',
  },
  'an address type that AWS does not know': {
    why: 'the API server names the right ones',
    spec: { subnets, ipAddressType: 'ipv6' },
    says: 'supported values: "ipv4", "dualstack", "dualstack-without-public-ipv4"',
  },
  'a spec with an empty list of subnets': {
    why: 'left out it would be found by tags; empty it may be a template that went wrong',
    spec: { subnets: [] },
    says: 'an Application Load Balancer needs subnets in at least two Availability Zones',
  },
  'an unknown field': {
    why: 'a typing error must not be dropped silently',
    spec: { subnets, subnet: 'subnet-ghi' },
    says: 'unknown field "spec.subnet"',
  },
  'a number as an attribute': {
    why: 'AWS takes text',
    spec: { subnets, attributes: { 'idle_timeout.timeout_seconds': 120 } },
    says: 'must be of type string',
  },
  '21 subnets': {
    why: 'no region has as many zones',
    spec: { subnets: Array.from({ length: 21 }, (_, index) => `subnet-${index}`) },
    says: 'spec.subnets: Too many: 21: must have at most 20 items',
  },
  '17 security groups': {
    why: 'AWS allows 16 at most',
    spec: { subnets, securityGroups: Array.from({ length: 17 }, (_, index) => `sg-${index}`) },
    says: 'spec.securityGroups: Too many: 17: must have at most 16 items',
  },
  'no security group': {
    why: 'an empty list says nothing; leave the field out',
    spec: { subnets, securityGroups: [] },
    says: 'spec.securityGroups in body should have at least 1 items',
  },
  'a long tag value': {
    why: 'AWS allows 256 characters',
    spec: { subnets, tags: { team: 'x'.repeat(257) } },
    says: 'spec.tags.team: Too long: may not be more than 256 bytes',
  },
  'adopt without an ARN': {
    why: 'nothing to adopt',
    spec: { subnets, adopt: {} },
    says: 'spec.adopt.arn: Required value',
  },
};

describeRulesOnServer({
  definition,
  rules: { ...changeCases, ...fieldCases },
  faults,
  sequences: ruleSequences,
  namespace: () => namespace,
});
