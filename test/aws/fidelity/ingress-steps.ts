import * as fc from 'fast-check';
import type { AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { weighed } from './drawing.ts';

export type IngressOperation = Extract<
  AwsOperation,
  | `${'Create' | 'Delete'}SecurityGroup`
  | `${'Authorize' | 'Revoke'}SecurityGroupIngress`
  | 'DescribeSecurityGroups'
>;

/** One source of a permission; a group is a slot, and 2 is one that has never been. */
export type Source =
  | { readonly kind: 'ipv4' | 'ipv6' | 'prefixList'; readonly value: string }
  | { readonly kind: 'group'; readonly slot: number };

export interface Permission {
  readonly protocol: string;
  /** None: the call names no ports. */
  readonly ports: readonly [from: number, to: number] | undefined;
  readonly sources: readonly Source[];
  readonly description: string | undefined;
}

/** One call in words that hold for every backend. */
export interface IngressStep {
  readonly operation: IngressOperation;
  /** One of two; 2 has never been. */
  readonly group: number;
  readonly permissions: readonly Permission[];
  /** The one thing that is wrong with the call by itself. */
  readonly fault: IngressFault | undefined;
}

const ANY: Source = { kind: 'ipv4', value: '0.0.0.0/0' };
const WEB: Permission = {
  ...{ protocol: 'tcp', ports: [80, 80], sources: [ANY], description: undefined },
};

/** Blocks of one size, each of them once. */
function blocks(kind: 'ipv4' | 'ipv6', count: number): readonly Source[] {
  return Array.from({ length: count }, (_, nth) => ({
    kind,
    value: kind === 'ipv4' ? `172.16.${nth}.0/24` : `2001:db8:${nth + 1}::/48`,
  }));
}

/** What AWS refuses in any account, and a pair of families whose rules it counts apart. */
const FAULTS = {
  prefixLength: [{ ...WEB, sources: [{ kind: 'ipv4', value: '10.0.0.0/33' }] }],
  portOrder: [{ ...WEB, ports: [443, 80] }],
  noPorts: [{ ...WEB, ports: undefined }],
  protocol: [{ ...WEB, protocol: 'http' }],
  icmpCode: [{ ...WEB, protocol: 'icmp', ports: [-1, 0] }],
  prefixList: [{ ...WEB, sources: [{ kind: 'prefixList', value: 'pl-xyz' }] }],
  unknownGroup: [{ ...WEB, sources: [{ kind: 'group', slot: 2 }] }],
  description: [{ ...WEB, ports: [8081, 8081], description: "it's" }],
  noSource: [{ ...WEB, sources: [] }],
  sameRuleTwice: ['one', 'other'].map((description): Permission => {
    return { ...WEB, ports: [8082, 8082], sources: [{ kind: 'group', slot: 0 }], description };
  }),
  manyRules: [{ ...WEB, ports: [8443, 8443], sources: blocks('ipv4', 61) }],
  twoFamilies: [
    { ...WEB, ports: [8443, 8443], sources: [...blocks('ipv4', 40), ...blocks('ipv6', 40)] },
  ],
  secondWrong: [
    { ...WEB, ports: [9000, 9000] },
    { ...WEB, sources: [{ kind: 'ipv4', value: '10.0.0.0/33' }] },
  ],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

export type IngressFault = keyof typeof FAULTS;

const source = weighed<Source>(
  [3, ANY],
  [3, { kind: 'ipv4', value: '10.1.0.0/16' }],
  [1, { kind: 'ipv4', value: '10.1.2.3/16' }],
  [2, { kind: 'ipv6', value: '::/0' }],
  [1, { kind: 'ipv6', value: '2001:DB8:0::/32' }],
  [4, { kind: 'group', slot: 0 }],
  [5, { kind: 'group', slot: 1 }],
  [3, { kind: 'prefixList', value: 'pl-0123456789abcdef0' }],
);

const permission = fc.record<Permission>({
  protocol: weighed([12, 'tcp'], [2, '6'], [2, 'udp'], [1, '-1']),
  ports: weighed<Permission['ports']>([8, [80, 80]], [2, [443, 443]], [1, [8000, 9000]]),
  sources: fc.uniqueArray(source, {
    selector: (one) => JSON.stringify(one),
    ...{ minLength: 1, maxLength: 2 },
  }),
  description: weighed<string | undefined>([3, undefined], [2, 'from the office'], [1, 'all']),
});

/** Rules of everyday, and now and then what AWS refuses. */
export const ingressSteps: fc.Arbitrary<readonly IngressStep[]> = fc.array(
  fc
    .record<IngressStep>({
      operation: weighed<IngressOperation>(
        [8, 'AuthorizeSecurityGroupIngress'],
        [5, 'RevokeSecurityGroupIngress'],
        [2, 'DescribeSecurityGroups'],
        [1, 'CreateSecurityGroup'],
        [2, 'DeleteSecurityGroup'],
      ),
      group: weighed([12, 0], [5, 1], [2, 2]),
      permissions: fc.oneof(
        { weight: 3, arbitrary: fc.tuple(permission) },
        { weight: 1, arbitrary: fc.tuple(permission, permission) },
      ),
      fault: weighed<IngressFault | undefined>(
        [30, undefined],
        ...(Object.keys(FAULTS) as IngressFault[]).map((fault) => [1, fault] as const),
      ),
    })
    .map(withFault),
  { minLength: 4, maxLength: 12, size: 'max' },
);

function withFault(step: IngressStep): IngressStep {
  const { fault, operation } = step;
  if (fault === undefined || operation !== 'AuthorizeSecurityGroupIngress')
    return { ...step, fault: undefined };
  return { ...step, permissions: FAULTS[fault] };
}

function plain(operation: IngressOperation, group: number): IngressStep {
  return { operation, group, permissions: [WEB], fault: undefined };
}

/** What every sequence begins with: two groups, one of them open. */
export const openingIngress: readonly IngressStep[] = [
  plain('CreateSecurityGroup', 0),
  plain('CreateSecurityGroup', 1),
  plain('AuthorizeSecurityGroupIngress', 0),
];

/** What every sequence ends with: all that is there is read. */
export const closingIngress: readonly IngressStep[] = [0, 1].map((group) =>
  plain('DescribeSecurityGroups', group),
);

function nameFirst(operation: IngressOperation, description?: string): IngressStep {
  const source = { kind: 'group', slot: 0 } as const;
  return { ...plain(operation, 1), permissions: [{ ...WEB, sources: [source], description }] };
}

/** Each fault once, a rule of a group that is revoked without its description, and the deletion of a group that a rule names. */
export const ingressExamples: readonly (readonly IngressStep[])[] = [
  ...(Object.keys(FAULTS) as IngressFault[]).map((fault) => [
    withFault({ ...plain('AuthorizeSecurityGroupIngress', 1), fault }),
  ]),
  [nameFirst('AuthorizeSecurityGroupIngress', 'ours'), nameFirst('RevokeSecurityGroupIngress')],
  [nameFirst('AuthorizeSecurityGroupIngress'), plain('DeleteSecurityGroup', 0)],
];
