import { describe, expect, it } from 'vitest';
import {
  type Drift,
  type ObservedLoadBalancer,
  projectStep,
} from '../../../../../src/controllers/my-ingress/load-balancer/plan.ts';

const before: ObservedLoadBalancer = {
  loadBalancer: {
    arn: 'arn:1',
    name: 'shop',
    dns: '',
    hostedZoneId: '',
    vpcId: '',
    type: 'application',
    scheme: 'internal',
    ipAddressType: 'ipv4',
    subnets: ['subnet-a', 'subnet-b'],
    securityGroups: ['sg-1'],
    state: { code: 'active' },
  },
  tags: { a: '0' },
  attributes: { x: '0' },
};

const steps: Readonly<Record<string, { step: Drift; other: Partial<ObservedLoadBalancer> }>> = {
  'a tag': {
    step: { field: 'tags', set: { a: '1' }, remove: [], observed: { a: '0' } },
    other: { tags: { a: '7' } },
  },
  'a tag that comes': {
    step: { field: 'tags', set: { b: '1' }, remove: [], observed: { a: '0' } },
    other: { tags: { a: '0', b: '7' } },
  },
  'a tag that goes': {
    step: { field: 'tags', set: {}, remove: ['a'], observed: { a: '0' } },
    other: { tags: { a: '7' } },
  },
  'an attribute': {
    step: { field: 'attributes', set: { x: '1' }, observed: { x: '0' } },
    other: { attributes: { x: '7' } },
  },
  subnets: {
    step: {
      field: 'subnets',
      desired: ['subnet-c', 'subnet-d'],
      observed: ['subnet-b', 'subnet-a'],
    },
    other: { loadBalancer: { ...before.loadBalancer, subnets: ['subnet-a', 'subnet-x'] } },
  },
  'security groups': {
    step: { field: 'securityGroups', desired: ['sg-2'], observed: ['sg-1'] },
    other: { loadBalancer: { ...before.loadBalancer, securityGroups: ['sg-x'] } },
  },
  'the address type': {
    step: { field: 'ipAddressType', desired: 'dualstack', observed: 'ipv4' },
    other: {
      loadBalancer: { ...before.loadBalancer, ipAddressType: 'dualstack-without-public-ipv4' },
    },
  },
};

describe('a read that does not show our change yet', () => {
  for (const [name, { step, other }] of Object.entries(steps)) {
    it(`to ${name} is read as if it did, a second time too`, () => {
      const shown = projectStep(before, step);
      expect(shown).not.toEqual(before);
      expect(projectStep(shown, step)).toEqual(shown);
    });

    it(`to ${name} is distinguished from one that shows a later change by others`, () => {
      expect(projectStep({ ...before, ...other }, step)).toEqual({ ...before, ...other });
    });
  }

  it('to attributes changes nothing where they were not read', () => {
    const { loadBalancer, tags } = before;
    const step: Drift = { field: 'attributes', set: { x: '1' }, observed: { x: '0' } };
    expect(projectStep({ loadBalancer, tags }, step)).toEqual({ loadBalancer, tags });
  });
});
