import { isDeepStrictEqual } from 'node:util';
import type { Difference } from '../../../localstack/difference.ts';
import { type DifferenceId, differences } from '../../../localstack/differences.ts';
import { backendUnderTest } from '../under-test.ts';
import { type Fault, faultsOf } from './faults.ts';
import type { Step } from './random-steps.ts';
import type { Outcome } from './side.ts';

/** What a pair of answers shows. */
export interface Verdict {
  /** Undefined: the answers are equal, or differ in a way that the table does not know. */
  readonly difference: DifferenceId | undefined;
  /** The two accounts are no longer alike. */
  readonly isApart: boolean;
}

/** Fault by fault: what the backend accepts although AWS refuses it. */
const ACCEPTED: Readonly<Partial<Record<Fault, DifferenceId>>> = {
  name: 'name-rules',
  fewSubnets: 'two-subnets',
  sameZone: 'one-subnet-per-zone',
  unknownGroup: 'security-group-exists',
  noGroup: 'no-security-group-left',
  scheme: 'scheme-values',
  reservedTag: 'tag-prefix-reserved',
  sameTagTwice: 'tag-keys-unique',
  manyTags: 'tag-count',
  attributeRange: 'attribute-values',
  pageSize: 'page-size',
};

/** Fault by fault: what the backend refuses with another code than AWS. */
const OTHER_CODE: Readonly<Partial<Record<Fault, DifferenceId>>> = {
  fewSubnets: 'two-subnets',
  sameZone: 'one-subnet-per-zone',
  unknownSubnet: 'subnet-code',
  unknownAttribute: 'unknown-attribute-code',
  pageSize: 'page-size',
};

/** Refusals that come from what is there, and not from the call alone. */
const ACCEPTED_BY_CODE: Readonly<Record<string, DifferenceId>> = {
  'CreateLoadBalancer DuplicateLoadBalancerName': 'duplicate-name',
  'DescribeLoadBalancers LoadBalancerNotFound': 'all-or-nothing-describe',
  'DescribeTags LoadBalancerNotFound': 'tags-of-missing',
};

/** Judges the answers of one sequence, in order. */
export class Judge {
  #mayHaveHalfATag = false;

  judge(step: Step, ours: Outcome, theirs: Outcome): Verdict {
    if (step.slots.length > 1 && /^(Add|Remove)Tags$/.test(step.operation) && ours.code !== 'ok') {
      this.#mayHaveHalfATag = true;
    }
    if (isDeepStrictEqual(ours, theirs)) return { difference: undefined, isApart: false };
    return {
      difference: this.#difference(step, ours, theirs),
      isApart: isApart(step, ours, theirs),
    };
  }

  #difference(step: Step, ours: Outcome, theirs: Outcome): DifferenceId | undefined {
    const faults = faultsOf(step);
    if (ours.code === 'ok' && theirs.code === 'ok') return this.#bothAccept(step, ours, theirs);
    if (ours.code === 'ok') {
      return faults.includes('newAddressType') ? 'address-type-without-public-ipv4' : undefined;
    }
    if (theirs.code === 'ok') {
      const byFault = faults.map((fault) => ACCEPTED[fault]).find((id) => id !== undefined);
      return byFault ?? ACCEPTED_BY_CODE[`${step.operation} ${ours.code}`];
    }
    return bothRefuse(faults, ours);
  }

  #bothAccept(step: Step, ours: Outcome, theirs: Outcome): DifferenceId | undefined {
    if (step.operation === 'DescribeTags') {
      return this.#mayHaveHalfATag ? 'all-or-nothing-tags' : undefined;
    }
    if (step.operation.endsWith('Attributes')) return attributeDifference(ours, theirs);
    if (step.operation === 'SetSubnets') return subnetsDifference(ours, theirs);
    return descriptionDifference(ours, theirs);
  }
}

function bothRefuse(faults: readonly Fault[], ours: Outcome): DifferenceId | undefined {
  const fromWhatIsThere =
    /NotFound$|^Duplicate/.test(ours.code) && !faults.includes('unknownSubnet');
  if (faults.length + (fromWhatIsThere ? 1 : 0) > 1) return 'which-fault-first';
  return faults.map((fault) => OTHER_CODE[fault]).find((id) => id !== undefined);
}

function isApart({ operation }: Step, ours: Outcome, theirs: Outcome): boolean {
  if (operation.startsWith('Describe')) return false;
  if (ours.code === 'ok' && theirs.code === 'ok') {
    return (ours.said as Said).isNew !== (theirs.said as Said).isNew;
  }
  return ours.code === 'ok' || theirs.code === 'ok';
}

interface Said {
  readonly isNew?: boolean;
  readonly ipAddressType?: string;
  readonly balancers?: readonly Readonly<Record<string, unknown>>[];
}

/** The values that both give must be equal; one default of theirs is that of another balancer type. */
function attributeDifference(ours: Outcome, theirs: Outcome): DifferenceId | undefined {
  const mine = ours.said as Readonly<Record<string, string>>;
  const common = Object.entries(theirs.said as Readonly<Record<string, string>>).filter(
    ([key]) => key !== 'load_balancing.cross_zone.enabled',
  );
  return common.every(([key, value]) => mine[key] === value) ? 'attribute-defaults' : undefined;
}

/** Of `key=value`: those that both give are equal, but for one of theirs, which another type of balancer has. */
export function areAttributesAlike(
  mine: readonly string[] | undefined,
  theirs: readonly string[] | undefined,
  foreign: string,
): boolean {
  const common = (theirs ?? []).filter((one) => !one.startsWith(foreign));
  return common.every((one) => mine?.includes(one));
}

function subnetsDifference(ours: Outcome, theirs: Outcome): DifferenceId | undefined {
  const { ipAddressType: _, ...mine } = ours.said as Said;
  const { ipAddressType, ...their } = theirs.said as Said;
  const isOnlyThat = ipAddressType === undefined && isDeepStrictEqual(mine, their);
  return isOnlyThat ? 'set-subnets-answer' : undefined;
}

function descriptionDifference(ours: Outcome, theirs: Outcome): DifferenceId | undefined {
  const [mine, their] = [ours.said as Said, theirs.said as Said];
  if (mine.isNew !== their.isNew) return 'same-create-again';
  const ids = (mine.balancers ?? []).flatMap((one, index) => {
    const other = their.balancers?.[index] ?? {};
    return Object.keys(one)
      .filter((field) => !isDeepStrictEqual(one[field], other[field]))
      .map((field) => fieldDifference(field, one[field], other[field]));
  });
  // One that nobody knows outweighs all that are known.
  return ids.includes(undefined) ? undefined : ids[0];
}

function fieldDifference(field: string, mine: unknown, their: unknown): DifferenceId | undefined {
  if (field === 'scheme' && their === undefined) return 'default-scheme';
  const isDefault = isDeepStrictEqual(mine, ['elsewhere']) && isDeepStrictEqual(their, []);
  return field === 'groups' && isDefault ? 'default-security-group' : undefined;
}

/** Every difference that a sequence can show. */
export const judged: ReadonlySet<DifferenceId> = new Set<DifferenceId>([
  ...Object.values(ACCEPTED),
  ...Object.values(OTHER_CODE),
  ...Object.values(ACCEPTED_BY_CODE),
  'address-type-without-public-ipv4',
  'all-or-nothing-tags',
  'attribute-defaults',
  'default-scheme',
  'default-security-group',
  'same-create-again',
  'set-subnets-answer',
  'which-fault-first',
]);

/** Judged to be a difference that the table has for this backend. */
export function isKnownDifference(id: DifferenceId | undefined): id is DifferenceId {
  const { likes } = backendUnderTest();
  if (id === undefined || likes === undefined) return false;
  const { instead }: Difference = differences[id];
  return instead[likes] !== undefined;
}
