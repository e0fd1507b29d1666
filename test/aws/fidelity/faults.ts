import type { Step } from './random-steps.ts';

/** What is wrong with a call by itself, whatever the account holds. */
export type Fault =
  | 'name'
  | 'fewSubnets'
  | 'sameZone'
  | 'unknownSubnet'
  | 'unknownGroup'
  | 'noGroup'
  | 'scheme'
  | 'addressType'
  | 'newAddressType'
  | 'reservedTag'
  | 'sameTagTwice'
  | 'manyTags'
  | 'unknownAttribute'
  | 'attributeRange'
  | 'pageSize';

type Check = readonly [Fault, (step: Step) => boolean];

const subnetChecks: readonly Check[] = [
  ['fewSubnets', ({ subnets }) => subnets.length < 2],
  ['sameZone', ({ subnets }) => subnets.includes('twin')],
  ['unknownSubnet', ({ subnets }) => subnets.includes('unknown')],
];
const addressChecks: readonly Check[] = [
  ['addressType', ({ ipAddressType }) => ipAddressType === 'ipv6'],
  ['newAddressType', ({ ipAddressType }) => ipAddressType === 'dualstack-without-public-ipv4'],
];
const tagChecks: readonly Check[] = [
  ['reservedTag', ({ tags }) => tags.some(([key]) => key.startsWith('aws:'))],
  ['sameTagTwice', ({ tags }) => new Set(tags.map(([key]) => key)).size < tags.length],
  ['manyTags', ({ tags }) => tags.length > 50],
];
const unknownGroup: Check = ['unknownGroup', ({ groups }) => groups.includes('unknown')];

const checks: Readonly<Partial<Record<Step['operation'], readonly Check[]>>> = {
  CreateLoadBalancer: [
    ...subnetChecks,
    ...addressChecks,
    ...tagChecks,
    unknownGroup,
    ['name', ({ name }) => name !== 'own'],
    ['scheme', ({ scheme }) => scheme === 'public'],
  ],
  SetSubnets: subnetChecks,
  SetIpAddressType: addressChecks,
  SetSecurityGroups: [unknownGroup, ['noGroup', ({ groups }) => groups.length === 0]],
  AddTags: tagChecks,
  ModifyLoadBalancerAttributes: [
    ['unknownAttribute', ({ attributes }) => attributes[0]?.[0] === 'no.such.attribute'],
    ['attributeRange', ({ attributes }) => attributes.some(([, value]) => value === '99999')],
  ],
  DescribeLoadBalancers: [['pageSize', ({ pageSize }) => pageSize === 0 || pageSize === 401]],
};

export function faultsOf(step: Step): readonly Fault[] {
  const found = (checks[step.operation] ?? []).filter(([, isWrong]) => isWrong(step));
  return found.map(([fault]) => fault);
}
