import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppliedSettings, MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import type { LoadBalancer } from '../../../../../src/aws/elbv2/load-balancers.ts';
import { desireLoadBalancer } from '../../../../../src/controllers/my-ingress/load-balancer/desired.ts';
import {
  type Drift,
  describeDrift,
  diffLoadBalancer,
  type ObservedLoadBalancer,
  projectStep,
} from '../../../../../src/controllers/my-ingress/load-balancer/plan.ts';
import {
  omitEmpty,
  planWriteAhead,
  projectApplied,
} from '../../../../../src/controllers/my-ingress/status.ts';
import { draftBalancer, draftOf } from '../drafts.ts';

const me = { cluster: 'c1', namespace: 'web', name: 'shop', uid: 'u1' };

function desired(spec: Partial<MyIngressSpec> = {}): ReturnType<typeof desireLoadBalancer> {
  return desireLoadBalancer(draftOf('shop', spec), me);
}

function seen(
  changes: Partial<LoadBalancer> = {},
  more: Partial<ObservedLoadBalancer> = {},
): ObservedLoadBalancer {
  const shop = { arn: 'arn:shop', name: 'shop', dns: 'shop.elb', securityGroups: ['sg-default'] };
  const loadBalancer = draftBalancer({ ...shop, ...changes });
  return { loadBalancer, tags: desired().tags, ...more };
}

interface Case {
  readonly spec?: Partial<MyIngressSpec>;
  readonly seen?: ObservedLoadBalancer;
  readonly applied?: AppliedSettings;
  readonly gives: readonly Partial<Drift>[];
  readonly why: string;
}

const tagged = (tags: Readonly<Record<string, string>>): ObservedLoadBalancer =>
  seen({}, { tags: { ...desired().tags, ...tags } });
const attributed = (attributes: Readonly<Record<string, string>>): ObservedLoadBalancer =>
  seen({}, { attributes });

const IDLE = 'idle_timeout.timeout_seconds';
const IPV6 = 'ipv6.deny_all_igw_traffic';

const cases: Readonly<Record<string, Case>> = {
  nothing: { gives: [], why: 'the balancer matches the spec' },
  'subnets in another order': {
    seen: seen({ subnets: ['subnet-b', 'subnet-a'] }),
    gives: [],
    why: 'a list of subnets is a set',
  },
  'another subnet': {
    seen: seen({ subnets: ['subnet-a', 'subnet-c'] }),
    gives: [
      { field: 'subnets', desired: ['subnet-a', 'subnet-b'], observed: ['subnet-a', 'subnet-c'] },
    ],
    why: 'SetSubnets replaces the set',
  },
  'one subnet more': {
    seen: seen({ subnets: ['subnet-a', 'subnet-b', 'subnet-c'] }),
    gives: [{ field: 'subnets' }],
    why: 'a superset is another set',
  },
  'a security group that the spec leaves open': {
    seen: seen({ securityGroups: ['sg-other'] }),
    gives: [],
    why: 'what is undefined is left as AWS has it',
  },
  'another security group': {
    spec: { securityGroups: ['sg-1', 'sg-2'] },
    seen: seen({ securityGroups: ['sg-2'] }),
    gives: [{ field: 'securityGroups', desired: ['sg-1', 'sg-2'], observed: ['sg-2'] }],
    why: 'the spec says so',
  },
  'security groups in another order': {
    spec: { securityGroups: ['sg-1', 'sg-2'] },
    seen: seen({ securityGroups: ['sg-2', 'sg-1'] }),
    gives: [],
    why: 'a list of groups is a set',
  },
  'the address type of a balancer of our making': {
    seen: seen({ ipAddressType: 'dualstack' }),
    gives: [{ field: 'ipAddressType', desired: 'ipv4', observed: 'dualstack' }],
    why: 'left out it means ipv4',
  },
  'the address type of an adopted balancer': {
    spec: { adopt: { arn: 'arn:aws:elasticloadbalancing:r:1:loadbalancer/app/shop/1' } },
    seen: seen({ ipAddressType: 'dualstack' }),
    gives: [],
    why: 'left out it means whatever is there',
  },
  'a tag of the user': {
    spec: { tags: { team: 'web' } },
    gives: [{ field: 'tags', set: { team: 'web' }, remove: [] }],
    why: 'it is missing',
  },
  'a tag of another owner': { seen: tagged({ cost: '1' }), gives: [], why: 'it was never applied' },
  'a tag that left the spec': {
    seen: tagged({ team: 'web', cost: '1' }),
    applied: { tags: ['team'] },
    gives: [{ field: 'tags', set: {}, remove: ['team'] }],
    why: 'only keys that were applied are taken off',
  },
  'a tag that left the spec and the balancer': {
    applied: { tags: ['team'] },
    gives: [{ field: 'tags', set: {}, remove: ['team'] }],
    why: 'the look may be older than our own write',
  },
  'an ownership tag among the applied': {
    seen: tagged({ 'albridge.io/adopt': 'web/shop' }),
    applied: { tags: ['albridge.io/name', 'albridge.io/adopt', 'albridge.io/managed-by'] },
    gives: [],
    why: 'they come with the claim and go with it, whatever a record says',
  },
  'a record that is missing': {
    seen: seen({}, { tags: { ...desired().tags, 'albridge.io/managed-by': 'me' } }),
    gives: [{ field: 'tags', set: { 'albridge.io/managed-by': 'albridge' }, remove: [] }],
    why: 'records are repaired',
  },
  'attributes that were not read': {
    spec: { attributes: { a: '1' } },
    applied: { attributes: { b: '0' } },
    gives: [],
    why: 'what was not seen does not differ',
  },
  'an attribute': {
    spec: { attributes: { a: '1', b: '2' } },
    seen: attributed({ a: '1', b: '0', c: '9' }),
    gives: [{ field: 'attributes', set: { b: '2' } }],
    why: 'only what differs is written',
  },
  'an attribute that left the spec': {
    seen: attributed({ [IDLE]: '120', b: '2' }),
    applied: { attributes: { [IDLE]: '77' } },
    gives: [{ field: 'attributes', set: { [IDLE]: '60' } }],
    why: "it gets AWS's default: a status can be forged",
  },
  'an attribute that is back already': {
    seen: attributed({ [IDLE]: '60' }),
    applied: { attributes: { [IDLE]: '77' } },
    gives: [{ field: 'attributes', set: { [IDLE]: '60' } }],
    why: 'the look may be older than our own write',
  },
  'attributes without a default that left the spec': {
    seen: attributed({ a: '1', constructor: '1', 'access_logs.s3.bucket': 'ours' }),
    applied: { attributes: { a: '0', constructor: '0', 'access_logs.s3.bucket': 'theirs' } },
    gives: [],
    why: 'they stay as they are',
  },
  'an attribute that the address type of the spec does not take': {
    seen: seen({ scheme: 'internal' }, { attributes: { [IPV6]: 'false' } }),
    applied: { attributes: { [IPV6]: 'false' } },
    gives: [],
    why: 'AWS refuses it',
  },
  'an attribute whose default depends on the scheme': {
    spec: { ipAddressType: 'dualstack' },
    seen: seen(
      { scheme: 'internal', ipAddressType: 'dualstack' },
      { attributes: { [IPV6]: 'false' } },
    ),
    applied: { attributes: { [IPV6]: 'false' } },
    gives: [{ field: 'attributes', set: { [IPV6]: 'true' } }],
    why: 'internal balancers block internet gateways',
  },
  'an attribute that is in the spec and was applied': {
    spec: { attributes: { a: '2' } },
    seen: attributed({ a: '1' }),
    applied: { attributes: { a: '0' } },
    gives: [{ field: 'attributes', set: { a: '2' } }],
    why: 'the spec goes before what was there',
  },
  'subnets and address type, to IPv6': {
    spec: { ipAddressType: 'dualstack' },
    seen: seen({ subnets: ['subnet-x', 'subnet-y'] }),
    gives: [{ field: 'subnets' }, { field: 'ipAddressType' }],
    why: 'dualstack needs subnets with IPv6 first',
  },
  'subnets and address type, from IPv6': {
    spec: { ipAddressType: 'ipv4' },
    seen: seen({ subnets: ['subnet-x', 'subnet-y'], ipAddressType: 'dualstack' }),
    gives: [{ field: 'ipAddressType' }, { field: 'subnets' }],
    why: 'a dualstack balancer cannot move to subnets without IPv6',
  },
};

describe('drift', () => {
  for (const [name, { spec, seen: found = seen(), applied = {}, gives, why }] of Object.entries(
    cases,
  )) {
    it(`of ${name}: ${gives.length === 0 ? 'none' : gives.map(({ field }) => field).join(', ')}, because: ${why}`, () => {
      expect(diffLoadBalancer(desired(spec), found, applied)).toMatchObject(gives);
      expect(diffLoadBalancer(desired(spec), found, applied)).toHaveLength(gives.length);
    });
  }

  it('is reported field by field', () => {
    const spec = { tags: { team: 'web' }, attributes: { a: '1' }, securityGroups: ['sg-1'] };
    const found = seen(
      { ipAddressType: 'dualstack', subnets: ['subnet-a', 'subnet-c'] },
      { tags: { ...desired().tags, old: 'x' }, attributes: { a: '0' } },
    );
    const drift = diffLoadBalancer(desired(spec), found, { tags: ['old'] });
    expect(drift.map(describeDrift)).toEqual([
      'tag team: observed none, desired web; tag old: removed',
      'securityGroups: observed [sg-default], desired [sg-1]',
      'ipAddressType: observed dualstack, desired ipv4',
      'subnets: observed [subnet-a, subnet-c], desired [subnet-a, subnet-b]',
      'attribute a: observed 0, desired 1',
    ]);
  });
});

const KEYS = [
  'a',
  'b',
  'c',
  'constructor',
  'toString',
  '__proto__',
  'albridge.io/managed-by',
  IDLE,
] as const;
const key: fc.Arbitrary<string> = fc.constantFrom(...KEYS);
const value = fc.constantFrom('0', '1', '2');
const strings = fc
  .array(fc.tuple(key, value))
  .map((pairs) => Object.fromEntries(pairs) as Record<string, string>);
const ofUser = strings.map((tags) =>
  Object.fromEntries(Object.entries(tags).filter(([k]) => k !== 'albridge.io/managed-by')),
);
/** AWS lists every attribute of a balancer, always. */
const everyAttribute = fc
  .array(value, { minLength: KEYS.length, maxLength: KEYS.length })
  .map((values) => Object.fromEntries(KEYS.map((name, i) => [name, values[i] ?? '0'])));
const subnets = fc.uniqueArray(fc.constantFrom('subnet-a', 'subnet-b', 'subnet-c'), {
  minLength: 2,
});

const situation = fc.record({
  spec: fc.record(
    {
      subnets,
      tags: ofUser,
      attributes: strings,
      securityGroups: fc.uniqueArray(fc.constantFrom('sg-1', 'sg-2'), { minLength: 1 }),
      ipAddressType: fc.constantFrom('ipv4' as const, 'dualstack' as const),
    },
    { requiredKeys: ['subnets'] },
  ),
  found: fc.record({
    subnets,
    tags: strings,
    attributes: fc.option(everyAttribute, { nil: undefined }),
    ipAddressType: fc.constantFrom('ipv4', 'dualstack'),
  }),
  applied: fc.record({ tags: fc.uniqueArray(key), attributes: strings }, { requiredKeys: [] }),
});

/** What AWS holds after the drift was repaired. */
function repaired(observed: ObservedLoadBalancer, drift: readonly Drift[]): ObservedLoadBalancer {
  return drift.reduce(projectStep, observed);
}

function foundAs({
  tags,
  attributes,
  ...changes
}: {
  tags: Record<string, string>;
  attributes: Record<string, string> | undefined;
} & Partial<LoadBalancer>): ObservedLoadBalancer {
  return seen(changes, { tags, ...(attributes === undefined ? {} : { attributes }) });
}

function undone(name: string, { attributes }: ObservedLoadBalancer): string | undefined {
  return name === IDLE ? '60' : attributes?.[name];
}

describe('mending', () => {
  it('leaves no drift once the record is brought up to date', () => {
    fc.assert(
      fc.property(situation, ({ spec, found, applied }) => {
        const wanted = desired(spec);
        const before = foundAs(found);
        const after = repaired(before, diffLoadBalancer(wanted, before, applied));
        const record = projectApplied(wanted, applied, before.attributes);
        expect(diffLoadBalancer(wanted, after, record)).toEqual([]);
        expect(projectApplied(wanted, record, after.attributes)).toEqual(record);
      }),
    );
  });

  it('never touches an ownership tag but to set it, nor what was not applied', () => {
    fc.assert(
      fc.property(situation, ({ spec, found, applied }) => {
        for (const drift of diffLoadBalancer(desired(spec), foundAs(found), applied)) {
          if (drift.field !== 'tags') continue;
          expect(drift.remove.filter((name) => !applied.tags?.includes(name))).toEqual([]);
          expect(drift.remove).not.toContain('albridge.io/managed-by');
        }
      }),
    );
  });

  it('writes ahead whatever it adds, and keeps the first value found', () => {
    const all = fc.record({ tags: fc.uniqueArray(key), attributes: strings });
    fc.assert(
      fc.property(all, all, everyAttribute, (applied, spec, found) => {
        const { attributes } = spec;
        const tags = Object.fromEntries(spec.tags.map((tag) => [tag, '1']));
        const after = projectApplied(desired({ tags, attributes }), applied, found);
        const ahead = { tags: [], attributes: {}, ...planWriteAhead(after, applied) };
        expect(new Set(ahead.tags)).toEqual(new Set([...applied.tags, ...Object.keys(tags)]));
        const names = [...Object.keys(applied.attributes), ...Object.keys(attributes)];
        const firstFound = names.map((name) => [name, { ...found, ...applied.attributes }[name]]);
        expect(ahead.attributes).toEqual(Object.fromEntries(firstFound));
      }),
    );
  });

  it('undoes everything once the spec is empty', () => {
    fc.assert(
      fc.property(situation, ({ spec, found }) => {
        const start = foundAs({ ...found, attributes: found.attributes ?? {} });
        const wanted = desired(spec);
        const tags = Object.keys(spec.tags ?? {});
        const attributes = Object.keys(spec.attributes ?? {});
        const record = projectApplied(wanted, {}, start.attributes);
        const set = repaired(start, diffLoadBalancer(wanted, start, {}));
        const end = repaired(
          set,
          diffLoadBalancer(desired({ subnets: spec.subnets }), set, record),
        );
        for (const tag of tags) expect(Object.keys(end.tags)).not.toContain(tag);
        for (const name of attributes) {
          if (!Object.hasOwn(start.attributes ?? {}, name)) continue;
          expect(end.attributes?.[name]).toBe(undone(name, set));
        }
      }),
    );
  });
});

describe('the record of what was applied', () => {
  it('is absent where nothing has to be undone', () => {
    expect(omitEmpty(projectApplied(desired(), {}, {}))).toBeUndefined();
    expect(omitEmpty(projectApplied(desired({ tags: { a: '1' } }), {}, undefined))).toEqual({
      tags: ['a'],
    });
  });

  it('keeps the attributes that it knows while they are not read', () => {
    const applied = { attributes: { a: '0' } };
    expect(projectApplied(desired({ attributes: { a: '1' } }), applied, undefined)).toEqual(
      applied,
    );
  });
});
