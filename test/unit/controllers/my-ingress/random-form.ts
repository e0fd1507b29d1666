import fc from 'fast-check';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import { spec as traffic } from './graph/random-traffic.ts';

type Strings = Readonly<Record<string, string>>;

/** Of the world's network; IPv6 is in the subnets a and b alone. */
const SUBNETS = [
  ['subnet-a', 'subnet-b'],
  ['subnet-b', 'subnet-c'],
  ['subnet-a', 'subnet-b', 'subnet-c'],
];

/** Given groups replace the managed one. */
const securityGroups: fc.Arbitrary<Pick<MyIngressSpec, 'securityGroups'>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(['sg-web'], ['sg-web', 'sg-admin'])
      .map((groups) => ({ securityGroups: groups })),
  },
);

const balancer: fc.Arbitrary<Partial<MyIngressSpec>> = fc
  .tuple(
    fc.record(
      {
        ipAddressType: fc.constantFrom('ipv4' as const, 'dualstack' as const),
        subnets: fc.constantFrom(...SUBNETS),
        attributes: fc.constantFrom<Strings>(
          { 'idle_timeout.timeout_seconds': '120' },
          { 'routing.http2.enabled': 'false', 'idle_timeout.timeout_seconds': '30' },
        ),
        tags: fc.constantFrom<Strings>({ team: 'web' }, { team: 'ops', cost: '1' }),
      },
      { requiredKeys: ['ipAddressType', 'subnets'] },
    ),
    securityGroups,
  )
  .map(([own, groups]) => ({ ...own, ...groups }));

/** Every form of the API that AWS takes: of the balancer and of its traffic. */
export const form: fc.Arbitrary<Partial<MyIngressSpec>> = fc
  .tuple(balancer, traffic)
  .map(([own, served]) => {
    const whole = { ...own, ...served } as Partial<MyIngressSpec>;
    const isIpv6 = (whole.backends ?? []).some(({ ipAddressType }) => ipAddressType === 'ipv6');
    const withFamily: Partial<MyIngressSpec> = isIpv6
      ? { ...whole, ipAddressType: 'dualstack' }
      : whole;
    return withFamily.ipAddressType === 'dualstack'
      ? { ...withFamily, subnets: ['subnet-a', 'subnet-b'] }
      : withFamily;
  })
  .map(dropInbound);

/** As admission has it after `before`: given security groups stay given. */
export function admitAfter(
  before: Partial<MyIngressSpec>,
  after: Partial<MyIngressSpec>,
): Partial<MyIngressSpec> {
  const { securityGroups } = before;
  if (securityGroups === undefined) return after;
  return dropInbound({ securityGroups, ...after });
}

/** It describes the managed group, which given ones replace. */
function dropInbound(whole: Partial<MyIngressSpec>): Partial<MyIngressSpec> {
  if (whole.securityGroups === undefined) return whole;
  const { inbound: _managed, ...rest } = whole;
  return rest;
}
