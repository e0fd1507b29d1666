import { describe, expect, it } from 'vitest';
import type { AppliedSettings, MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { describePlan } from '../../../../../src/controllers/my-ingress/graph/planned-step.ts';
import {
  type DesiredLoadBalancer,
  desireLoadBalancer,
} from '../../../../../src/controllers/my-ingress/load-balancer/desired.ts';
import {
  type ObservedLoadBalancer,
  planCreate,
  planLoadBalancer,
} from '../../../../../src/controllers/my-ingress/load-balancer/plan.ts';
import { draftOf } from '../drafts.ts';

const me = { cluster: 'c1', namespace: 'web', name: 'shop', uid: 'u1' };

function desire(spec: Partial<MyIngressSpec>): DesiredLoadBalancer {
  return desireLoadBalancer(draftOf('shop', spec), me);
}

/** The balancer as a spec makes it. */
function observe({ name, scheme, subnets = [], tags, ...desired }: DesiredLoadBalancer) {
  const { securityGroups = [], ipAddressType = 'ipv4', attributes } = desired;
  return {
    loadBalancer: {
      ...{ arn: 'arn:1', name, dns: '', hostedZoneId: '', vpcId: 'vpc', type: 'application' },
      ...{ scheme, ipAddressType, subnets, securityGroups, state: { code: 'active' } },
    },
    tags,
    attributes,
  } satisfies ObservedLoadBalancer;
}

interface Case {
  readonly spec: Partial<MyIngressSpec>;
  /** The balancer is as this spec made it; undefined: there is none. */
  readonly before: Partial<MyIngressSpec> | undefined;
  readonly applied?: AppliedSettings;
  readonly plan: readonly string[];
  readonly why: string;
}

const AB = ['subnet-a', 'subnet-b'];
const AC = ['subnet-a', 'subnet-c'];

const cases: Readonly<Record<string, Case>> = {
  'of a balancer that is absent': {
    spec: { tags: { team: 'web' }, attributes: { 'idle_timeout.timeout_seconds': '120' } },
    before: undefined,
    plan: ['create load-balancer  (not there)'],
    why: 'its attributes are planned on what the create answers',
  },
  'of a balancer that is as desired': { spec: {}, before: {}, plan: [], why: 'nothing is to do' },
  'of tags': {
    spec: { tags: { team: 'web' } },
    before: { tags: { old: '1' } },
    applied: { tags: ['old'] },
    plan: [
      'remove tags from load-balancer  (tag old: removed)',
      'add tags to load-balancer  (tag team: observed none, desired web)',
    ],
    why: 'AWS counts what is there: fifty tags at most at any time',
  },
  'to dualstack': {
    spec: { subnets: AB, ipAddressType: 'dualstack' },
    before: { subnets: AC, ipAddressType: 'ipv4' },
    plan: [
      'set subnets of load-balancer  (subnets: observed [subnet-a, subnet-c], desired [subnet-a, subnet-b])',
      'set address type of load-balancer  (ipAddressType: observed ipv4, desired dualstack)',
    ],
    why: 'dualstack needs subnets with IPv6',
  },
  'back to ipv4': {
    spec: { subnets: AB, ipAddressType: 'ipv4' },
    before: { subnets: AC, ipAddressType: 'dualstack' },
    plan: [
      'set address type of load-balancer  (ipAddressType: observed dualstack, desired ipv4)',
      'set subnets of load-balancer  (subnets: observed [subnet-a, subnet-c], desired [subnet-a, subnet-b])',
    ],
    why: 'subnets without IPv6 are not allowed before',
  },
  'of security groups and attributes': {
    spec: { securityGroups: ['sg-1'], attributes: { 'idle_timeout.timeout_seconds': '120' } },
    before: { securityGroups: ['sg-0'], attributes: { 'idle_timeout.timeout_seconds': '60' } },
    plan: [
      'set security groups of load-balancer  (securityGroups: observed [sg-0], desired [sg-1])',
      'set attributes of load-balancer  (attribute idle_timeout.timeout_seconds: observed 60, desired 120)',
    ],
    why: 'one call each',
  },
};

describe('the plan', () => {
  for (const [name, { spec, before, applied = {}, plan, why }] of Object.entries(cases)) {
    it(`${name}: ${plan.length} steps, because: ${why}`, () => {
      const desired = desire(spec);
      const steps =
        before === undefined
          ? [planCreate(desired)]
          : planLoadBalancer(desired, observe(desire(before)), applied);
      expect(describePlan(steps)).toEqual(plan);
      expect(steps.every(({ id, needs }) => id === 'load-balancer' && needs.length === 0)).toBe(
        true,
      );
    });
  }

  it('is empty where only the state was read', () => {
    const observed = { ...observe(desire({})), tags: {}, isStateOnly: true };
    expect(planLoadBalancer(desire({ subnets: AC }), observed, {})).toEqual([]);
  });

  for (const [count, sizes] of [
    [20, [20]],
    [21, [20, 1]],
    [40, [20, 20]],
  ] as const) {
    it(`of ${count} attributes: ${sizes.join(' and ')} in a call, neighbours together`, () => {
      const names = Array.from({ length: count }, (_, i) => `key.${String(i).padStart(2, '0')}`);
      const attributes = Object.fromEntries(names.toReversed().map((key) => [key, 'x']));
      const observed = { ...observe(desire({})), attributes: {} };
      const keys = planLoadBalancer(desire({ attributes }), observed, {}).map((step) =>
        step.kind === 'repair' && step.drift.field === 'attributes'
          ? Object.keys(step.drift.set)
          : [],
      );
      expect(keys.map(({ length }) => length)).toEqual(sizes);
      expect(keys.flat()).toEqual(names);
    });
  }
});
