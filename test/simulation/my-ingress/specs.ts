import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import type { Balancer } from './account.ts';

/** Zones and IPv6 blocks of the subnets that every world has; the rest of a spec is judged by them. */
const ZONES: Readonly<Record<string, string>> = {
  'subnet-a': 'a',
  'subnet-b': 'b',
  'subnet-c': 'c',
  'subnet-d': 'b',
};
const WITH_IPV6 = new Set(['subnet-a', 'subnet-b']);
/** By the tags that the world's network has, where a spec names none. */
const DISCOVERED: readonly string[] = ['subnet-a', 'subnet-b'];
/** Those that the world's people know: neither a managed one nor the default one of a VPC. */
export const GROUPS: ReadonlySet<string> = new Set(['sg-web', 'sg-admin']);

/** True where AWS carries this spec out, and albridge asks it to; the scenarios use no other values than are known here. */
export function isAcceptable(spec: MyIngressSpec): boolean {
  return areAcceptable(spec.subnets ?? DISCOVERED, spec);
}

function areAcceptable(subnets: readonly string[], spec: MyIngressSpec): boolean {
  const zones = new Set(subnets.map((subnet) => ZONES[subnet]));
  const areSubnetsFine = !zones.has(undefined) && zones.size === subnets.length;
  const areGroupsFine = (spec.securityGroups ?? []).every((group) => GROUPS.has(group));
  const isIpFine =
    spec.ipAddressType !== 'dualstack' || subnets.every((subnet) => WITH_IPV6.has(subnet));
  const areAttributesFine = spec.attributes?.['idle_timeout.timeout_seconds'] !== '0';
  const isNameFine = !mayBeDefault(spec.name ?? '');
  return areSubnetsFine && areGroupsFine && isIpFine && areAttributesFine && isNameFine;
}

/** True for a name that may be the default one of some object. */
export function mayBeDefault(name: string): boolean {
  return /-alb-[0-9a-f]{8}$/.test(name);
}

/** Every way in which a balancer is not what a spec says; state and ownership aside. */
export function differences(
  spec: MyIngressSpec,
  balancer: Balancer,
  ignoredAttributes: ReadonlySet<string>,
): readonly string[] {
  const { subnets, securityGroups, scheme, tags = {}, attributes = {} } = spec;
  const ip = spec.ipAddressType ?? (spec.adopt === undefined ? 'ipv4' : balancer.ipAddressType);
  return [
    ...unless(
      subnets === undefined || isSameSet(subnets, balancer.subnets),
      `subnets ${balancer.subnets.join()}`,
    ),
    ...unless(
      securityGroups === undefined || isSameSet(securityGroups, balancer.securityGroups),
      `securityGroups ${balancer.securityGroups.join()}`,
    ),
    ...unless(scheme === balancer.scheme, `scheme ${balancer.scheme}`),
    ...unless(ip === balancer.ipAddressType, `ipAddressType ${balancer.ipAddressType}`),
    ...differing('tag', tags, balancer.tags),
    ...differing('attribute', attributes, balancer.attributes).filter(
      (text) => !ignoredAttributes.has(text.split(' ')[1] ?? ''),
    ),
  ];
}

function differing(
  what: string,
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(wanted)
    .filter(([key, value]) => found[key] !== value)
    .map(([key]) => `${what} ${key} ${found[key] ?? '(none)'}`);
}

export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

function unless(isFine: boolean, sentence: string): readonly string[] {
  return isFine ? [] : [sentence];
}
