// Lives here: the balancer itself: desired, observe, plan, execute.
// May import it: src/controllers/my-ingress; src/cli takes desired.ts.
// Start with: this file, then observe.ts and execute.ts, which alone call AWS.

import { type AppliedSettings, ownershipTagKeys } from '../../../apis/my-ingress.ts';
import type {
  AwsOperation,
  LoadBalancer,
  LoadBalancerSettings,
  Tags,
} from '../../../aws/elbv2/load-balancers.ts';
import { cut } from '../../../core/objects/collections.ts';
import { omitKeys } from '../../../core/objects/fields.ts';
import type { Step } from '../graph/planned-step.ts';
import { LOAD_BALANCER_ID } from '../graph/resource-id.ts';
import { type DesiredLoadBalancer, findAttributeDefault, projectAddressing } from './desired.ts';

type Strings = Readonly<Record<string, string>>;

/** AWS's bound; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyLoadBalancerAttributes.html */
const MOST_ATTRIBUTES = 20;

/** One difference between the observed balancer and the desired one, and the write that repairs it. */
export type Drift =
  | {
      readonly field: 'tags';
      readonly set: Tags;
      readonly remove: readonly string[];
      readonly observed: Tags;
    }
  | {
      readonly field: 'securityGroups' | 'subnets';
      readonly desired: readonly string[];
      readonly observed: readonly string[];
    }
  | { readonly field: 'ipAddressType'; readonly desired: string; readonly observed: string }
  | { readonly field: 'attributes'; readonly set: Strings; readonly observed: Strings };

export interface ObservedLoadBalancer {
  readonly loadBalancer: LoadBalancer;
  readonly tags: Tags;
  /** undefined: not read in this pass. */
  readonly attributes?: Strings;
  /** Only the state was read in this pass; the rest is no basis for a write. */
  readonly isStateOnly?: boolean;
}

export interface CreateStep extends Step {
  readonly kind: 'create';
  readonly settings: LoadBalancerSettings;
}

export interface RepairStep extends Step {
  readonly kind: 'repair';
  /** A difference that one call repairs. */
  readonly drift: Drift;
}

/** Plans the writes that make the balancer as desired, in an order that AWS allows; pure. */
export function planLoadBalancer(
  desired: DesiredLoadBalancer,
  observed: ObservedLoadBalancer,
  applied: AppliedSettings,
): readonly RepairStep[] {
  if (observed.isStateOnly) return [];
  return diffLoadBalancer(desired, observed, applied).flatMap(splitIntoCalls).map(planRepair);
}

/** Plans what a create call cannot carry, as far as AWS's defaults are known to differ from it; pure. */
export function planAfterCreate(desired: DesiredLoadBalancer): readonly RepairStep[] {
  const { attributes, scheme, ipAddressType = 'ipv4' } = desired;
  const findDefault = (key: string): string | undefined =>
    findAttributeDefault(key, { scheme, ipAddressType });
  const differing = Object.entries(attributes).filter(([key, value]) => findDefault(key) !== value);
  if (differing.length === 0) return [];
  const observed = differing.flatMap(([key]) => {
    const value = findDefault(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const drift: Drift = {
    field: 'attributes',
    set: Object.fromEntries(differing),
    observed: Object.fromEntries(observed),
  };
  return splitIntoCalls(drift).map(planRepair);
}

/**
 * Plans the create alone: its answer may be a balancer that existed before, so the pass observes it and plans again;
 * pure.
 */
export function planCreate(desired: DesiredLoadBalancer): CreateStep {
  const { name, scheme, subnets = [], securityGroups, ipAddressType = 'ipv4', tags } = desired;
  const groups = securityGroups === undefined ? {} : { securityGroups };
  return {
    ...{ id: LOAD_BALANCER_ID, operation: 'CreateLoadBalancer', why: 'not there', needs: [] },
    kind: 'create',
    settings: { name, scheme, subnets, ipAddressType, tags, ...groups },
  };
}

function planRepair(drift: Drift): RepairStep {
  const [operation, why] = [chooseOperation(drift), describeDrift(drift)];
  return { id: LOAD_BALANCER_ID, operation, why, needs: [], kind: 'repair', drift };
}

function chooseOperation(drift: Drift): AwsOperation {
  switch (drift.field) {
    case 'tags':
      return drift.remove.length > 0 ? 'RemoveTags' : 'AddTags';
    case 'securityGroups':
      return 'SetSecurityGroups';
    case 'subnets':
      return 'SetSubnets';
    case 'ipAddressType':
      return 'SetIpAddressType';
    case 'attributes':
      return 'ModifyLoadBalancerAttributes';
    default:
      return drift satisfies never;
  }
}

function splitIntoCalls(drift: Drift): readonly Drift[] {
  switch (drift.field) {
    case 'tags': {
      // In this order, for AWS counts what is there: fifty tags at most at any time.
      const steps = [
        { ...drift, set: {} },
        { ...drift, remove: [] },
      ];
      return steps.filter(({ set, remove }) => remove.length + Object.keys(set).length > 0);
    }
    case 'attributes':
      return chunkAttributes(drift.set).map((set) => ({ ...drift, set }));
    default:
      return [drift];
  }
}

/** Sorted, so that keys that AWS judges together, as those of a log, are in one call. */
function chunkAttributes(attributes: Strings): readonly Strings[] {
  const entries = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return cut(entries, MOST_ATTRIBUTES).map((some) => Object.fromEntries(some));
}

/** In the order in which the differences are repaired; pure. */
export function diffLoadBalancer(
  desired: DesiredLoadBalancer,
  observed: ObservedLoadBalancer,
  applied: AppliedSettings,
): readonly Drift[] {
  const { loadBalancer } = observed;
  const subnets = diffSet('subnets', desired.subnets, loadBalancer.subnets);
  const ip = diffIpAddressType(desired.ipAddressType, loadBalancer.ipAddressType);
  return [
    ...diffTags(desired.tags, observed.tags, applied.tags ?? []),
    ...diffSet('securityGroups', desired.securityGroups, loadBalancer.securityGroups),
    // Dualstack needs subnets with IPv6, so it is set after the subnets and unset before them.
    ...(desired.ipAddressType === 'ipv4' ? [...ip, ...subnets] : [...subnets, ...ip]),
    ...diffAttributes(desired, observed, Object.keys(applied.attributes ?? {})),
  ];
}

/** Describes a difference for events and logs: `subnets: observed [a, b], desired [a, c]`. */
export function describeDrift(drift: Drift): string {
  switch (drift.field) {
    case 'tags':
      return describeTags(drift.set, drift.remove, drift.observed);
    case 'attributes':
      return describeValues('attribute', drift.set, drift.observed);
    case 'ipAddressType':
      return `ipAddressType: observed ${drift.observed}, desired ${drift.desired}`;
    case 'securityGroups':
    case 'subnets':
      return `${drift.field}: observed [${drift.observed.join(', ')}], desired [${drift.desired.join(', ')}]`;
    default:
      return drift satisfies never;
  }
}

/** A key that left the spec is removed whether it was read or not: the read may be stale. */
function diffTags(desired: Tags, observed: Tags, applied: readonly string[]): readonly Drift[] {
  const set = selectDiffering(acceptOldRecord(desired, observed), observed);
  const remove = applied.filter((key) => !Object.hasOwn(desired, key) && !isOwnershipTag(key));
  if (Object.keys(set).length === 0 && remove.length === 0) return [];
  return [{ field: 'tags', set, remove, observed }];
}

/** Release 0.1 recorded itself as `ManagedBy: albridge`. That counts, so an upgrade writes nothing. */
function acceptOldRecord(desired: Tags, observed: Tags): Tags {
  const { [ownershipTagKeys.managedBy]: record, ...others } = desired;
  const isOld =
    readValue(observed, 'ManagedBy') === record &&
    !Object.hasOwn(observed, ownershipTagKeys.managedBy) &&
    !Object.hasOwn(desired, 'ManagedBy');
  return isOld ? others : desired;
}

/** Ownership tags live by other rules than the user's: they are written with the claim and removed with it. */
export function isOwnershipTag(key: string): boolean {
  return (Object.values(ownershipTagKeys) as readonly string[]).includes(key);
}

function diffSet(
  field: 'securityGroups' | 'subnets',
  desired: readonly string[] | undefined,
  observed: readonly string[],
): readonly Drift[] {
  if (desired === undefined) return [];
  return isSameSet(desired, observed) ? [] : [{ field, desired, observed }];
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id));
}

function diffIpAddressType(desired: string | undefined, observed: string): readonly Drift[] {
  if (desired === undefined || desired === observed) return [];
  return [{ field: 'ipAddressType', desired, observed }];
}

/**
 * A key that left the spec gets AWS's default, whatever the read shows. The value on record is never
 * written: a status can be forged.
 */
function diffAttributes(
  desired: DesiredLoadBalancer,
  { attributes: observed, loadBalancer }: ObservedLoadBalancer,
  applied: readonly string[],
): readonly Drift[] {
  if (observed === undefined) return [];
  const { attributes } = desired;
  const left = applied.flatMap((key) => {
    const value = findAttributeDefault(key, projectAddressing(desired, loadBalancer));
    return Object.hasOwn(attributes, key) || value === undefined ? [] : [[key, value] as const];
  });
  const set = { ...Object.fromEntries(left), ...selectDiffering(attributes, observed) };
  return Object.keys(set).length === 0 ? [] : [{ field: 'attributes', set, observed }];
}

function selectDiffering(desired: Strings, observed: Strings): Strings {
  return Object.fromEntries(
    Object.entries(desired).filter(([key, value]) => readValue(observed, key) !== value),
  );
}

function describeTags(set: Tags, remove: readonly string[], observed: Tags): string {
  const removed = remove.map((key) => `tag ${key}: removed`);
  const changed = Object.keys(set).length === 0 ? [] : [describeValues('tag', set, observed)];
  return [...changed, ...removed].join('; ');
}

function describeValues(what: string, set: Strings, observed: Strings): string {
  return Object.entries(set)
    .map(
      ([key, value]) =>
        `${what} ${key}: observed ${readValue(observed, key) ?? 'none'}, desired ${value}`,
    )
    .join('; ');
}

/** Keys are whatever users write, `constructor` too. */
function readValue(record: Strings, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * The observed balancer once the step is visible in reads; pure. Only what still reads as it did
 * before the step counts as stale: any other value is a later change by others.
 */
export function projectStep(before: ObservedLoadBalancer, step: Drift): ObservedLoadBalancer {
  const { loadBalancer, tags, attributes } = before;
  switch (step.field) {
    case 'tags': {
      const keys = [...Object.keys(step.set), ...step.remove];
      const old = keys.filter((key) => readValue(tags, key) === readValue(step.observed, key));
      return { ...before, tags: { ...omitKeys(tags, old), ...pickKeys(step.set, old) } };
    }
    case 'attributes': {
      if (attributes === undefined) return before;
      const keys = Object.keys(step.set);
      const old = keys.filter(
        (key) => readValue(attributes, key) === readValue(step.observed, key),
      );
      return { ...before, attributes: { ...attributes, ...pickKeys(step.set, old) } };
    }
    case 'subnets':
    case 'securityGroups':
      if (!isSameSet(loadBalancer[step.field], step.observed)) return before;
      return { ...before, loadBalancer: { ...loadBalancer, [step.field]: step.desired } };
    case 'ipAddressType':
      if (loadBalancer.ipAddressType !== step.observed) return before;
      return { ...before, loadBalancer: { ...loadBalancer, ipAddressType: step.desired } };
    default:
      return step satisfies never;
  }
}

function pickKeys(record: Strings, keys: readonly string[]): Strings {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));
}
