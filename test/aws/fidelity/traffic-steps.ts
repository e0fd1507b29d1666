import * as fc from 'fast-check';
import type { AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { weighed } from './drawing.ts';

/** What concerns listeners, rules and target groups; random-steps.ts has the balancers. */
export type TrafficOperation = Extract<
  AwsOperation,
  | `${'Create' | 'Modify' | 'Delete'}${'TargetGroup' | 'Listener' | 'Rule'}`
  | `${'Register' | 'Deregister'}Targets`
  | 'SetRulePriorities'
  | `Describe${'TargetGroups' | 'Listeners' | 'Rules' | 'TargetHealth' | 'Tags'}`
  | `${'Add' | 'Remove'}Tags`
>;

/** A group of a slot and its weight. */
type Forward = readonly [slot: number, weight: number];

/** One call in words that hold for every backend: resources are slots, which may be empty. */
export interface TrafficStep {
  readonly operation: TrafficOperation;
  /** One of two, which are there from the start. */
  readonly balancer: number;
  /** One of four. */
  readonly group: number;
  /** One of three ports. */
  readonly listener: number;
  /** One of four. */
  readonly rule: number;
  /** None: the answer is 404. */
  readonly forwards: readonly Forward[];
  readonly priority: number;
  readonly path: string;
  /** Of health checks, in seconds. */
  readonly interval: number;
  readonly targets: readonly string[];
  readonly tags: readonly (readonly [string, string])[];
  /** The one thing that is wrong with the call by itself, whatever the account holds. */
  readonly fault: TrafficFault | undefined;
}

/** What AWS refuses in any account, each as it changes a step. */
const FAULTS = {
  priority: { priority: 50_001 },
  weight: { forwards: [[0, 1000]] },
  manyGroups: { forwards: [0, 1, 2, 3, 0, 1].map((slot): Forward => [slot, 1]) },
  interval: { interval: 1000 },
  foreignTarget: { targets: ['8.8.8.8'] },
  reservedTag: { tags: [['aws:team', 'web']] },
} as const satisfies Readonly<Record<string, Partial<TrafficStep>>>;

export type TrafficFault = keyof typeof FAULTS;

/** The operations that have the field which is wrong. */
const CONCERNED: Readonly<Record<TrafficFault, RegExp>> = {
  priority: /^(CreateRule|SetRulePriorities)$/,
  weight: /^(Create|Modify)(Rule|Listener)$/,
  manyGroups: /^(Create|Modify)(Rule|Listener)$/,
  interval: /^(Create|Modify)TargetGroup$/,
  foreignTarget: /^RegisterTargets$/,
  reservedTag: /^(Create.*|AddTags)$/,
};

const SLOTS = 4;
const slot = fc.nat(SLOTS - 1);
const TARGETS = ['10.87.128.11', '10.87.128.12', '10.87.129.13'] as const;

/** Reads and writes of everyday, and now and then what AWS refuses. */
export const trafficSteps: fc.Arbitrary<readonly TrafficStep[]> = fc.array(
  fc
    .record<TrafficStep>({
      operation: weighed<TrafficOperation>(
        [4, 'CreateTargetGroup'],
        [2, 'ModifyTargetGroup'],
        [1, 'DeleteTargetGroup'],
        [3, 'RegisterTargets'],
        [1, 'DeregisterTargets'],
        [4, 'CreateListener'],
        [3, 'ModifyListener'],
        [1, 'DeleteListener'],
        [7, 'CreateRule'],
        [3, 'ModifyRule'],
        [2, 'DeleteRule'],
        [2, 'SetRulePriorities'],
        [1, 'DescribeTargetGroups'],
        [1, 'DescribeListeners'],
        [1, 'DescribeRules'],
        [2, 'DescribeTargetHealth'],
        [2, 'DescribeTags'],
        [3, 'AddTags'],
        [1, 'RemoveTags'],
      ),
      balancer: weighed([9, 0], [1, 1]),
      ...{ group: slot, listener: fc.nat(2), rule: slot },
      forwards: fc.oneof(
        { weight: 5, arbitrary: fc.tuple(fc.tuple(slot, fc.constant(1))) },
        { weight: 3, arbitrary: twoGroups() },
        { weight: 3, arbitrary: fc.constant<readonly Forward[]>([]) },
      ),
      priority: fc.constantFrom(1, 2, 30, 400, 50_000),
      path: fc.constantFrom('/a', '/b/*', '/c?'),
      interval: fc.constantFrom(30, 10),
      targets: fc.uniqueArray(fc.constantFrom(...TARGETS), { minLength: 1 }),
      tags: fc.constantFrom([['team', 'web']] as const, [['a.b/c', '']] as const),
      fault: weighed<TrafficFault | undefined>(
        [40, undefined],
        ...(Object.keys(FAULTS) as TrafficFault[]).map((fault) => [1, fault] as const),
      ),
    })
    .map(withFault),
  { minLength: 8, maxLength: 24, size: 'max' },
);

function withFault(step: TrafficStep): TrafficStep {
  const { fault, operation } = step;
  if (fault === undefined || !CONCERNED[fault].test(operation))
    return { ...step, fault: undefined };
  return { ...step, ...FAULTS[fault] };
}

function twoGroups(): fc.Arbitrary<readonly Forward[]> {
  const slots = fc.uniqueArray(slot, { minLength: 2, maxLength: 2 });
  const weights = fc.constantFrom([1, 1], [0, 999]);
  return fc.tuple(slots, weights).map(([[a = 0, b = 1], [one = 1, other = 1]]) => [
    [a, one],
    [b, other],
  ]);
}

const PLAIN: TrafficStep = {
  operation: 'CreateTargetGroup',
  ...{ balancer: 0, group: 0, listener: 0, rule: 0, priority: 1, path: '/a', interval: 30 },
  ...{ forwards: [], targets: [TARGETS[0]], tags: [['team', 'web']], fault: undefined },
};

/** What every sequence begins with: two groups, and a listener that forwards to one of them. */
export const openingTraffic: readonly TrafficStep[] = [
  PLAIN,
  { ...PLAIN, group: 1 },
  { ...PLAIN, operation: 'CreateListener', forwards: [[0, 1]] },
];

/** What every sequence ends with: all that is there is read. */
export const closingReads: readonly TrafficStep[] = [0, 1].flatMap((balancer) => [
  { ...PLAIN, balancer, operation: 'DescribeTargetGroups' as const },
  { ...PLAIN, balancer, operation: 'DescribeListeners' as const },
  ...[0, 1, 2].map((listener) => {
    return { ...PLAIN, balancer, listener, operation: 'DescribeRules' as const };
  }),
]);
