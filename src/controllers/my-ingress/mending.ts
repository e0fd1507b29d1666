import type { AwsOperation } from '../../aws/load-balancers.ts';
import { type Drift, isSameSet, type SeenLoadBalancer, valueOf } from './drift.ts';

/** AWS's bound; https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyLoadBalancerAttributes.html */
const MOST_ATTRIBUTES = 20;

/** The differences, each small enough for one call to AWS, in an order that AWS allows; pure. */
export function stepsOf(drift: readonly Drift[]): readonly Drift[] {
  return drift.flatMap(stepsOfOne);
}

/** The call that carries out a step; pure. */
export function operationOf(step: Drift): AwsOperation {
  switch (step.field) {
    case 'tags':
      return step.remove.length > 0 ? 'RemoveTags' : 'AddTags';
    case 'securityGroups':
      return 'SetSecurityGroups';
    case 'subnets':
      return 'SetSubnets';
    case 'ipAddressType':
      return 'SetIpAddressType';
    case 'attributes':
      return 'ModifyLoadBalancerAttributes';
    default:
      return step satisfies never;
  }
}

/**
 * What a look shows once the step is visible; pure. Only what still reads as it did before the step
 * is taken to be old: any other value is somebody else's later change.
 */
export function mendedBy(seen: SeenLoadBalancer, step: Drift): SeenLoadBalancer {
  const { loadBalancer, tags, attributes } = seen;
  switch (step.field) {
    case 'tags': {
      const keys = [...Object.keys(step.set), ...step.remove];
      const old = keys.filter((key) => valueOf(tags, key) === valueOf(step.found, key));
      return { ...seen, tags: { ...without(tags, old), ...only(step.set, old) } };
    }
    case 'attributes': {
      const shown = attributes ?? step.found;
      const old = Object.keys(step.set).filter(
        (key) => valueOf(shown, key) === valueOf(step.found, key),
      );
      return attributes === undefined
        ? seen
        : { ...seen, attributes: { ...attributes, ...only(step.set, old) } };
    }
    case 'subnets':
    case 'securityGroups': {
      const isOld = isSameSet(loadBalancer[step.field], step.found);
      return isOld
        ? { ...seen, loadBalancer: { ...loadBalancer, [step.field]: step.wanted } }
        : seen;
    }
    case 'ipAddressType': {
      const isOld = loadBalancer.ipAddressType === step.found;
      return isOld
        ? { ...seen, loadBalancer: { ...loadBalancer, ipAddressType: step.wanted } }
        : seen;
    }
    default:
      return step satisfies never;
  }
}

function stepsOfOne(drift: Drift): readonly Drift[] {
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
      return chunksOf(drift.set).map((set) => ({ ...drift, set }));
    default:
      return [drift];
  }
}

/** Sorted, so that keys that AWS judges together, as those of a log, go in one call. */
function chunksOf(
  attributes: Readonly<Record<string, string>>,
): readonly Readonly<Record<string, string>>[] {
  const entries = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const count = Math.ceil(entries.length / MOST_ATTRIBUTES);
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(entries.slice(i * MOST_ATTRIBUTES, (i + 1) * MOST_ATTRIBUTES)),
  );
}

type Strings = Readonly<Record<string, string>>;

function without(record: Strings, keys: readonly string[]): Strings {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

function only(record: Strings, keys: readonly string[]): Strings {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));
}
