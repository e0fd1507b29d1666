import type { AppliedSettings } from '../../apis/my-ingress.ts';
import { ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { LoadBalancer, Tags } from '../../aws/load-balancers.ts';
import { attributeDefault } from './attribute-defaults.ts';
import { type DesiredLoadBalancer, settledAs } from './desired.ts';

type Strings = Readonly<Record<string, string>>;

/** One difference between the balancer wanted and the balancer seen, and what mends it. */
export type Drift =
  | {
      readonly field: 'tags';
      readonly set: Tags;
      readonly remove: readonly string[];
      readonly found: Tags;
    }
  | {
      readonly field: 'securityGroups' | 'subnets';
      readonly wanted: readonly string[];
      readonly found: readonly string[];
    }
  | { readonly field: 'ipAddressType'; readonly wanted: string; readonly found: string }
  | { readonly field: 'attributes'; readonly set: Strings; readonly found: Strings };

export interface SeenLoadBalancer {
  readonly loadBalancer: LoadBalancer;
  readonly tags: Tags;
  /** undefined: not looked at in this pass. */
  readonly attributes?: Strings;
}

/** In the order in which the differences are mended; pure. */
export function driftOf(
  desired: DesiredLoadBalancer,
  seen: SeenLoadBalancer,
  applied: AppliedSettings,
): readonly Drift[] {
  const { loadBalancer } = seen;
  const subnets = setDrift('subnets', desired.subnets, loadBalancer.subnets);
  const ip = ipDrift(desired.ipAddressType, loadBalancer.ipAddressType);
  return [
    ...tagDrift(desired.tags, seen.tags, applied.tags ?? []),
    ...setDrift('securityGroups', desired.securityGroups, loadBalancer.securityGroups),
    // Dualstack needs subnets with IPv6, so it comes after the subnets and goes before them.
    ...(desired.ipAddressType === 'ipv4' ? [...ip, ...subnets] : [...subnets, ...ip]),
    ...attributeDrift(desired, seen, Object.keys(applied.attributes ?? {})),
  ];
}

/** What differed, for events and logs: `subnets: found [a, b], wanted [a, c]`. */
export function describeDrift(drift: Drift): string {
  switch (drift.field) {
    case 'tags':
      return describeTags(drift.set, drift.remove, drift.found);
    case 'attributes':
      return describeValues('attribute', drift.set, drift.found);
    case 'ipAddressType':
      return `ipAddressType: found ${drift.found}, wanted ${drift.wanted}`;
    case 'securityGroups':
    case 'subnets':
      return `${drift.field}: found [${drift.found.join(', ')}], wanted [${drift.wanted.join(', ')}]`;
    default:
      return drift satisfies never;
  }
}

/** A key that left the spec is taken off whether it was seen or not: the look may be old. */
function tagDrift(wanted: Tags, found: Tags, applied: readonly string[]): readonly Drift[] {
  const set = differing(withoutOldRecord(wanted, found), found);
  const remove = applied.filter((key) => !Object.hasOwn(wanted, key) && !isOwnershipTag(key));
  if (Object.keys(set).length === 0 && remove.length === 0) return [];
  return [{ field: 'tags', set, remove, found }];
}

/** Release 0.1 recorded itself as `ManagedBy: albridge`. That counts, so an upgrade writes nothing. */
function withoutOldRecord(wanted: Tags, found: Tags): Tags {
  const { [ownershipTagKeys.managedBy]: record, ...others } = wanted;
  const isOld =
    valueOf(found, 'ManagedBy') === record &&
    !Object.hasOwn(found, ownershipTagKeys.managedBy) &&
    !Object.hasOwn(wanted, 'ManagedBy');
  return isOld ? others : wanted;
}

/** Ownership tags live by other rules than the user's: they come with the claim and go with it. */
export function isOwnershipTag(key: string): boolean {
  return (Object.values(ownershipTagKeys) as readonly string[]).includes(key);
}

function setDrift(
  field: 'securityGroups' | 'subnets',
  wanted: readonly string[] | undefined,
  found: readonly string[],
): readonly Drift[] {
  if (wanted === undefined) return [];
  return isSameSet(wanted, found) ? [] : [{ field, wanted, found }];
}

export function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id));
}

function ipDrift(wanted: string | undefined, found: string): readonly Drift[] {
  if (wanted === undefined || wanted === found) return [];
  return [{ field: 'ipAddressType', wanted, found }];
}

/**
 * A key that left the spec gets AWS's default, whatever the look shows. The value on record is never
 * written: a status can be forged.
 */
function attributeDrift(
  desired: DesiredLoadBalancer,
  { attributes: found, loadBalancer }: SeenLoadBalancer,
  applied: readonly string[],
): readonly Drift[] {
  if (found === undefined) return [];
  const wanted = desired.attributes;
  const left = applied.flatMap((key) => {
    const value = attributeDefault(key, settledAs(desired, loadBalancer));
    return Object.hasOwn(wanted, key) || value === undefined ? [] : [[key, value] as const];
  });
  const set = { ...Object.fromEntries(left), ...differing(wanted, found) };
  return Object.keys(set).length === 0 ? [] : [{ field: 'attributes', set, found }];
}

function differing(wanted: Strings, found: Strings): Strings {
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => valueOf(found, key) !== value),
  );
}

function describeTags(set: Tags, remove: readonly string[], found: Tags): string {
  const removed = remove.map((key) => `tag ${key}: removed`);
  const changed = Object.keys(set).length === 0 ? [] : [describeValues('tag', set, found)];
  return [...changed, ...removed].join('; ');
}

function describeValues(what: string, set: Strings, found: Strings): string {
  return Object.entries(set)
    .map(
      ([key, value]) => `${what} ${key}: found ${valueOf(found, key) ?? 'none'}, wanted ${value}`,
    )
    .join('; ');
}

/** Keys are whatever users write, `constructor` too. */
export function valueOf(record: Strings, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
