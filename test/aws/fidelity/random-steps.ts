import * as fc from 'fast-check';
import type { AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { weighed } from './drawing.ts';

/** What concerns a load balancer alone; test/unit/localstack/traffic has the others. */
export type BalancerOperation = Extract<
  AwsOperation,
  | `${string}LoadBalancer${string}`
  | `Set${'Subnets' | 'SecurityGroups' | 'IpAddressType'}`
  | `${'Add' | 'Remove' | 'Describe'}Tags`
>;

/**
 * One call in words that hold for every backend: balancers are slots, subnets and security groups
 * are places in the seeded network. A side translates it into its own names and ids.
 */
export interface Step {
  readonly operation: BalancerOperation;
  /** Which balancers it is about, 0 to 3; a slot may be empty. */
  readonly slots: readonly number[];
  readonly by: 'name' | 'arn';
  readonly name: NameKind;
  /** `one` to `three`: zones; `twin` shares the zone of `one`. */
  readonly subnets: readonly SubnetPlace[];
  readonly groups: readonly GroupPlace[];
  readonly scheme: string | undefined;
  readonly ipAddressType: string | undefined;
  readonly tags: readonly (readonly [string, string])[];
  readonly attributes: readonly (readonly [string, string])[];
  readonly pageSize: number | undefined;
}

type NameKind = 'own' | 'tooLong' | 'underscore' | 'edgeHyphen' | 'reserved';
export type SubnetPlace = 'one' | 'two' | 'three' | 'twin' | 'unknown';
export type GroupPlace = 'web' | 'internal' | 'unknown';

const SLOTS = 4;

/** Reads and writes of everyday, and now and then what AWS refuses. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record<Step>({
    operation: weighed(
      [6, 'CreateLoadBalancer'],
      [4, 'DescribeLoadBalancers'],
      [2, 'DeleteLoadBalancer'],
      [2, 'DescribeLoadBalancerAttributes'],
      [3, 'ModifyLoadBalancerAttributes'],
      [3, 'SetSubnets'],
      [3, 'SetSecurityGroups'],
      [2, 'SetIpAddressType'],
      [3, 'AddTags'],
      [2, 'RemoveTags'],
      [3, 'DescribeTags'],
    ),
    slots: fc.oneof(
      { weight: 8, arbitrary: fc.tuple(fc.nat(SLOTS - 1)) },
      { weight: 2, arbitrary: fc.uniqueArray(fc.nat(SLOTS - 1), { minLength: 2, maxLength: 3 }) },
    ),
    by: weighed([1, 'name'], [1, 'arn']),
    name: weighed(
      [40, 'own'],
      [1, 'tooLong'],
      [1, 'underscore'],
      [1, 'edgeHyphen'],
      [1, 'reserved'],
    ),
    subnets: weighed<readonly SubnetPlace[]>(
      [10, ['one', 'two']],
      [6, ['two', 'three']],
      [4, ['three', 'one', 'two']],
      [1, ['one']],
      [1, ['one', 'twin']],
      [1, ['one', 'unknown']],
    ),
    groups: weighed<readonly GroupPlace[]>(
      [10, ['web']],
      [5, ['web', 'internal']],
      [5, ['internal']],
      [1, []],
      [1, ['unknown']],
    ),
    scheme: weighed<string | undefined>(
      [8, 'internal'],
      [6, 'internet-facing'],
      [1, undefined],
      [1, 'public'],
    ),
    ipAddressType: weighed<string | undefined>(
      [8, 'ipv4'],
      [5, 'dualstack'],
      [3, undefined],
      [1, 'dualstack-without-public-ipv4'],
      [1, 'ipv6'],
    ),
    tags: fc.oneof(
      { weight: 12, arbitrary: tagLists({ maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constant([['aws:team', 'web'] as const]) },
      { weight: 1, arbitrary: fc.constant([['a', '1'] as const, ['a', '2'] as const]) },
      { weight: 1, arbitrary: fc.constant(manyTags(51)) },
    ),
    attributes: fc.oneof(
      { weight: 12, arbitrary: attributeLists() },
      { weight: 1, arbitrary: fc.constant([['no.such.attribute', 'true'] as const]) },
      { weight: 1, arbitrary: fc.constant([['idle_timeout.timeout_seconds', '99999'] as const]) },
    ),
    pageSize: weighed<number | undefined>([6, undefined], [3, 2], [2, 400], [1, 0], [1, 401]),
  }),
  { minLength: 4, maxLength: 14 },
);

/** What every sequence begins with: two balancers to work on. */
export const openingSteps: readonly Step[] = [0, 1].map((slot) => ({
  operation: 'CreateLoadBalancer',
  slots: [slot],
  by: 'name',
  name: 'own',
  subnets: ['one', 'two'],
  groups: ['web'],
  scheme: slot === 0 ? 'internal' : 'internet-facing',
  ipAddressType: 'ipv4',
  tags: [['team', 'web']],
  attributes: [],
  pageSize: undefined,
}));

function tagLists(size: { readonly maxLength: number }) {
  const tag = fc.tuple(fc.constantFrom('team', 'Team', 'a.b/c', 'größe'), tagValues());
  return fc.uniqueArray(tag, { selector: ([key]) => key, minLength: 1, ...size });
}

function tagValues(): fc.Arbitrary<string> {
  return fc.constantFrom('', 'web', 'a b', '1/2 = @+x', 'größer', '-');
}

function manyTags(count: number): readonly (readonly [string, string])[] {
  return Array.from({ length: count }, (_, index) => [`k${index}`, 'v'] as const);
}

function attributeLists() {
  const values: Readonly<Record<string, readonly string[]>> = {
    'idle_timeout.timeout_seconds': ['1', '60', '4000'],
    'routing.http2.enabled': ['true', 'false'],
    'routing.http.drop_invalid_header_fields.enabled': ['true', 'false'],
    'client_keep_alive.seconds': ['60', '3600'],
  };
  const attribute = fc
    .constantFrom(...Object.keys(values))
    .chain((key) => fc.tuple(fc.constant(key), fc.constantFrom(...(values[key] ?? []))));
  return fc.uniqueArray(attribute, { selector: ([key]) => key, minLength: 1, maxLength: 3 });
}
