import * as fc from 'fast-check';
import type { AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { applyFault, type FaultOf } from './drawing.ts';

/** Conditions of rules, and attributes of balancers and target groups. */
export type SettingsOperation = Extract<
  AwsOperation,
  | 'CreateListener'
  | 'CreateTargetGroup'
  | `${'Create' | 'Modify'}Rule`
  | 'DescribeRules'
  | `${'Describe' | 'Modify'}${'TargetGroup' | 'LoadBalancer'}Attributes`
>;

/** In AWS's own words, since they hold for every backend. */
export interface Condition {
  readonly Field: string;
  readonly Values?: readonly string[];
  readonly [config: `${string}Config`]: Readonly<Record<string, unknown>>;
}

export interface SettingsStep {
  readonly operation: SettingsOperation;
  readonly conditions: readonly Condition[];
  readonly groupAttribute: readonly [key: string, value: string];
  readonly balancerAttribute: readonly [key: string, value: string];
  /** The one thing that is wrong with the call by itself. */
  readonly fault: SettingsFault | undefined;
}

const path = (...Values: string[]): Condition => {
  return { Field: 'path-pattern', PathPatternConfig: { Values } };
};
const host = (...Values: string[]): Condition => {
  return { Field: 'host-header', HostHeaderConfig: { Values } };
};
const header = (HttpHeaderName: string, ...Values: string[]): Condition => {
  return { Field: 'http-header', HttpHeaderConfig: { HttpHeaderName, Values } };
};
const method = (...Values: string[]): Condition => {
  return { Field: 'http-request-method', HttpRequestMethodConfig: { Values } };
};
const query = (...Values: object[]): Condition => {
  return { Field: 'query-string', QueryStringConfig: { Values } };
};
const source = (...Values: string[]): Condition => {
  return { Field: 'source-ip', SourceIpConfig: { Values } };
};

const RULE = /^(Create|Modify)Rule$/;
const GROUP = /^ModifyTargetGroupAttributes$/;
const BALANCER = /^ModifyLoadBalancerAttributes$/;

/** What AWS refuses in any account, each as it changes a step, and the operations that have the field. */
const FAULTS = {
  wildcards: [RULE, { conditions: [path('/*/*/*/*', '/?/?/?/?')] }],
  manyValues: [
    RULE,
    { conditions: [path('/a', '/b', '/c'), host('a.b.com', 'c.d.com', 'e.f.com')] },
  ],
  twoPaths: [RULE, { conditions: [path('/a'), path('/b')] }],
  twoSources: [RULE, { conditions: [source('10.0.0.0/8'), source('10.1.0.0/16')] }],
  bareHost: [RULE, { conditions: [host('localhost')] }],
  hostDigits: [RULE, { conditions: [host('example.c0m')] }],
  pathLetters: [RULE, { conditions: [path('/a b')] }],
  longPath: [RULE, { conditions: [path(`/${'a'.repeat(128)}`)] }],
  hostAsHeader: [RULE, { conditions: [header('Host', 'a.example.com')] }],
  longHeader: [RULE, { conditions: [header('X'.repeat(41), 'a')] }],
  lowerMethod: [RULE, { conditions: [method('get')] }],
  methodWildcard: [RULE, { conditions: [method('GE*')] }],
  noQueryValue: [RULE, { conditions: [query({ Key: 'a' })] }],
  sourceAddress: [RULE, { conditions: [source('10.0.0.1')] }],
  sourceBroadcast: [RULE, { conditions: [source('255.255.255.255/32')] }],
  shortValues: [RULE, { conditions: [{ Field: 'path-pattern', Values: ['/a', '/b'] }] }],
  noCondition: [/^CreateRule$/, { conditions: [] }],
  otherField: [RULE, { conditions: [{ Field: 'cookie', Values: ['a'] }] }],
  groupName: [GROUP, { groupAttribute: ['no.such.attribute', 'true'] }],
  groupRange: [GROUP, { groupAttribute: ['slow_start.duration_seconds', '5'] }],
  groupChoice: [GROUP, { groupAttribute: ['load_balancing.algorithm.type', 'fastest'] }],
  groupForeign: [GROUP, { groupAttribute: ['lambda.multi_value_headers.enabled', 'true'] }],
  balancerName: [BALANCER, { balancerAttribute: ['no.such.attribute', 'true'] }],
  balancerChoice: [BALANCER, { balancerAttribute: ['routing.http.desync_mitigation_mode', 'off'] }],
  crossZone: [BALANCER, { balancerAttribute: ['load_balancing.cross_zone.enabled', 'false'] }],
  emptyBucket: [BALANCER, { balancerAttribute: ['access_logs.s3.bucket', ''] }],
} as const satisfies Readonly<Record<string, FaultOf<SettingsStep>>>;

export type SettingsFault = keyof typeof FAULTS;

const CONDITIONS: readonly (readonly Condition[])[] = [
  [path('/a')],
  [path('/a', '/a/*')],
  [{ Field: 'path-pattern', Values: ['/short/?'] }],
  [host('shop.example.com', '*.example.org')],
  [{ Field: 'host-header', Values: ['SHORT.example.com'] }],
  [host('a.example.com'), path('/b')],
  [header('X-Version', 'v1', 'v2*'), header('X-Other', '?')],
  [method('GET', 'HEAD')],
  [query({ Key: 'version', Value: 'v1' }, { Value: '*test*' })],
  [source('10.0.0.0/8', '2001:db8::/32')],
];

const GROUP_ATTRIBUTES = [
  ['deregistration_delay.timeout_seconds', '0'],
  ['deregistration_delay.timeout_seconds', '3600'],
  ['load_balancing.algorithm.type', 'least_outstanding_requests'],
  ['load_balancing.algorithm.type', 'round_robin'],
  ['slow_start.duration_seconds', '30'],
  ['load_balancing.cross_zone.enabled', 'false'],
] as const;

const BALANCER_ATTRIBUTES = [
  ['routing.http.desync_mitigation_mode', 'strictest'],
  ['routing.http.xff_header_processing.mode', 'preserve'],
  ['routing.http.preserve_host_header.enabled', 'true'],
  ['idle_timeout.timeout_seconds', '4000'],
  ['waf.fail_open.enabled', 'true'],
] as const;

export const settingsSteps: fc.Arbitrary<readonly SettingsStep[]> = fc.array(
  fc
    .record<SettingsStep>({
      operation: fc.constantFrom<SettingsOperation[]>(
        ...(['CreateRule', 'CreateRule', 'ModifyRule', 'DescribeRules'] as const),
        ...(['ModifyTargetGroupAttributes', 'DescribeTargetGroupAttributes'] as const),
        ...(['ModifyLoadBalancerAttributes', 'DescribeLoadBalancerAttributes'] as const),
      ),
      conditions: fc.constantFrom(...CONDITIONS),
      groupAttribute: fc.constantFrom(...GROUP_ATTRIBUTES),
      balancerAttribute: fc.constantFrom(...BALANCER_ATTRIBUTES),
      fault: fc.option(fc.constantFrom(...(Object.keys(FAULTS) as SettingsFault[])), {
        ...{ nil: undefined, freq: 3 },
      }),
    })
    .map((step) => applyFault(step, FAULTS)),
  { minLength: 6, maxLength: 12, size: 'max' },
);

const PLAIN: SettingsStep = {
  operation: 'CreateListener',
  conditions: [path('/a')],
  groupAttribute: GROUP_ATTRIBUTES[0],
  balancerAttribute: BALANCER_ATTRIBUTES[0],
  fault: undefined,
};

/** What every sequence begins with. */
export const openingSettings: readonly SettingsStep[] = [
  PLAIN,
  { ...PLAIN, operation: 'CreateTargetGroup' },
  { ...PLAIN, operation: 'CreateRule' },
];

/** What every sequence ends with. */
export const closingSettings: readonly SettingsStep[] = [{ ...PLAIN, operation: 'DescribeRules' }];

const CHANGES = [
  ...(['CreateRule', 'ModifyRule'] as const),
  ...(['ModifyTargetGroupAttributes', 'ModifyLoadBalancerAttributes'] as const),
];

/** Each fault once in each operation that can have it, and attributes that exclude each other. */
export const settingsExamples: readonly (readonly SettingsStep[])[] = [
  ...(Object.keys(FAULTS) as SettingsFault[]).flatMap((fault) =>
    CHANGES.filter((operation) => FAULTS[fault][0].test(operation)).map((operation) => [
      applyFault({ ...PLAIN, operation, fault }, FAULTS),
    ]),
  ),
  [GROUP_ATTRIBUTES[2], GROUP_ATTRIBUTES[4]].map((groupAttribute) => {
    return { ...PLAIN, operation: 'ModifyTargetGroupAttributes' as const, groupAttribute };
  }),
];
