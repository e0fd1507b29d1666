import { describe, expect, it } from 'vitest';
import type { Drift, SeenLoadBalancer } from '../../../../src/controllers/my-ingress/drift.ts';
import { mendedBy, stepsOf } from '../../../../src/controllers/my-ingress/mending.ts';

function attributes(count: number): Readonly<Record<string, string>> {
  const names = Array.from({ length: count }, (_, i) => `key.${String(i).padStart(2, '0')}`);
  return Object.fromEntries(names.toReversed().map((name) => [name, 'x']));
}

const cases: Readonly<
  Record<string, { drift: readonly Drift[]; gives: readonly Partial<Drift>[]; why: string }>
> = {
  nothing: { drift: [], gives: [], why: 'there is nothing to do' },
  'tags that come and go': {
    drift: [{ field: 'tags', set: { a: '1' }, remove: ['b'], found: {} }],
    gives: [
      { field: 'tags', set: {}, remove: ['b'] },
      { field: 'tags', set: { a: '1' }, remove: [] },
    ],
    why: 'AWS counts what is there, so room is made first',
  },
  'tags that come': {
    drift: [{ field: 'tags', set: { a: '1' }, remove: [], found: {} }],
    gives: [{ field: 'tags', set: { a: '1' } }],
    why: 'one call is enough',
  },
  subnets: {
    drift: [{ field: 'subnets', wanted: ['subnet-a'], found: [] }],
    gives: [{ field: 'subnets', wanted: ['subnet-a'] }],
    why: 'one call replaces them',
  },
};

const seen: SeenLoadBalancer = {
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

const steps: Readonly<Record<string, { step: Drift; other: Partial<SeenLoadBalancer> }>> = {
  'a tag': {
    step: { field: 'tags', set: { a: '1' }, remove: [], found: { a: '0' } },
    other: { tags: { a: '7' } },
  },
  'a tag that comes': {
    step: { field: 'tags', set: { b: '1' }, remove: [], found: { a: '0' } },
    other: { tags: { a: '0', b: '7' } },
  },
  'a tag that goes': {
    step: { field: 'tags', set: {}, remove: ['a'], found: { a: '0' } },
    other: { tags: { a: '7' } },
  },
  'an attribute': {
    step: { field: 'attributes', set: { x: '1' }, found: { x: '0' } },
    other: { attributes: { x: '7' } },
  },
  subnets: {
    step: { field: 'subnets', wanted: ['subnet-c', 'subnet-d'], found: ['subnet-b', 'subnet-a'] },
    other: { loadBalancer: { ...seen.loadBalancer, subnets: ['subnet-a', 'subnet-x'] } },
  },
  'security groups': {
    step: { field: 'securityGroups', wanted: ['sg-2'], found: ['sg-1'] },
    other: { loadBalancer: { ...seen.loadBalancer, securityGroups: ['sg-x'] } },
  },
  'the address type': {
    step: { field: 'ipAddressType', wanted: 'dualstack', found: 'ipv4' },
    other: {
      loadBalancer: { ...seen.loadBalancer, ipAddressType: 'dualstack-without-public-ipv4' },
    },
  },
};

describe('a look that does not show our change yet', () => {
  for (const [name, { step, other }] of Object.entries(steps)) {
    it(`to ${name} is read as if it did, a second time too`, () => {
      const shown = mendedBy(seen, step);
      expect(shown).not.toEqual(seen);
      expect(mendedBy(shown, step)).toEqual(shown);
    });

    it(`to ${name} is told from one that shows somebody else's later change`, () => {
      expect(mendedBy({ ...seen, ...other }, step)).toEqual({ ...seen, ...other });
    });
  }

  it('to attributes says nothing where they were not looked at', () => {
    const { loadBalancer, tags } = seen;
    const step: Drift = { field: 'attributes', set: { x: '1' }, found: { x: '0' } };
    expect(mendedBy({ loadBalancer, tags }, step)).toEqual({ loadBalancer, tags });
  });
});

describe('the steps that mend', () => {
  for (const [name, { drift, gives, why }] of Object.entries(cases)) {
    it(`${name}: ${gives.length}, because: ${why}`, () => {
      expect(stepsOf(drift)).toHaveLength(gives.length);
      expect(stepsOf(drift)).toMatchObject(gives);
    });
  }

  for (const [count, sizes] of [
    [20, [20]],
    [21, [20, 1]],
    [40, [20, 20]],
  ] as const) {
    it(`${count} attributes: ${sizes.join(' and ')} in a call, neighbours together`, () => {
      const steps = stepsOf([{ field: 'attributes', set: attributes(count), found: {} }]);
      const keys = steps.map((step) => (step.field === 'attributes' ? Object.keys(step.set) : []));
      expect(keys.map(({ length }) => length)).toEqual(sizes);
      expect(keys.flat()).toEqual(Object.keys(attributes(count)).toReversed());
    });
  }
});
