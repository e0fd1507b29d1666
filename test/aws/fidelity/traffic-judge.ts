import { isDeepStrictEqual } from 'node:util';
import type { DifferenceId } from '../../../localstack/differences.ts';
import type { Verdict } from './judge.ts';
import type { Outcome } from './side.ts';
import type { TrafficFault, TrafficStep } from './traffic-steps.ts';

/** Fault by fault: what the backend accepts although AWS refuses it. */
const ACCEPTED: Readonly<Record<TrafficFault, DifferenceId>> = {
  priority: 'priority-values',
  weight: 'weight-values',
  manyGroups: 'groups-of-one-action',
  interval: 'health-check-values',
  foreignTarget: 'target-in-vpc',
  reservedTag: 'tag-prefix-reserved',
};

/** Answers that come from what is there, and not from the call alone: operation, our code, theirs. */
const BY_CODES: Readonly<Record<string, DifferenceId>> = {
  'CreateTargetGroup ok DuplicateTargetGroupName': 'same-target-group-again',
  'CreateListener DuplicateListener ok': 'one-listener-per-port',
  'CreateListener TargetGroupAssociationLimit ok': 'group-of-one-balancer',
  'ModifyListener TargetGroupAssociationLimit ok': 'group-of-one-balancer',
  'CreateRule TargetGroupAssociationLimit ok': 'group-of-one-balancer',
  'ModifyRule TargetGroupAssociationLimit ok': 'group-of-one-balancer',
  'DescribeTargetGroups ok TargetGroupNotFound': 'groups-of-balancer-without',
  'DeleteTargetGroup ok TargetGroupNotFound': 'missing-target-group-deleted',
  'DeleteRule RuleNotFound ok': 'missing-rule-deleted',
  'DeregisterTargets ok InvalidTarget': 'unregistered-target',
  'ModifyListener TargetGroupNotFound ok': 'listener-actions-checked',
  'SetRulePriorities ok PriorityInUse': 'own-priority-again',
  'DescribeTags TargetGroupNotFound ok': 'tags-of-missing-traffic',
  'DescribeTags ListenerNotFound ok': 'tags-of-missing-traffic',
  'DescribeTags RuleNotFound ok': 'tags-of-missing-traffic',
  'AddTags ListenerNotFound LoadBalancerNotFound': 'tag-missing-traffic-code',
  'AddTags RuleNotFound LoadBalancerNotFound': 'tag-missing-traffic-code',
  'RemoveTags ListenerNotFound LoadBalancerNotFound': 'tag-missing-traffic-code',
  'RemoveTags RuleNotFound LoadBalancerNotFound': 'tag-missing-traffic-code',
};

/** Of those, they leave the two accounts alike. */
const ALIKE = /^Describe|^Delete|^Deregister|^Set|^CreateTargetGroup ok/;

/** Pure. */
export function judgeTraffic(step: TrafficStep, ours: Outcome, theirs: Outcome): Verdict {
  if (isDeepStrictEqual(ours, theirs)) return { difference: undefined, isApart: false };
  const [mine, other] = [ours.code, theirs.code];
  if (mine === 'ok' && other === 'ok') return judgeAccepted(ours, theirs);
  const codes = `${step.operation} ${mine} ${other}`;
  const isApart = (mine === 'ok' || other === 'ok') && !ALIKE.test(codes);
  return { difference: findDifference(step, codes, [mine, other]), isApart };
}

function findDifference(
  { fault, operation }: TrafficStep,
  codes: string,
  [mine, other]: readonly [string, string],
): DifferenceId | undefined {
  if (fault !== undefined && other === 'ok') return ACCEPTED[fault];
  if (BY_CODES[codes] !== undefined) return BY_CODES[codes];
  // A call with its fault may name what is missing as well, or be a second create.
  const isCreate = operation.startsWith('Create');
  const isDouble = fault !== undefined || (isCreate && other === 'PriorityInUse');
  return isDouble && mine !== 'ok' && other !== 'ok' ? 'which-fault-first' : undefined;
}

interface Said {
  readonly isNew?: boolean;
  readonly groups?: readonly { readonly group: string; readonly balancers: unknown }[];
}

function judgeAccepted(ours: Outcome, theirs: Outcome): Verdict {
  const [mine, their] = [ours.said as Said, theirs.said as Said];
  if (mine.isNew !== their.isNew) return { difference: 'one-listener-per-port', isApart: true };
  const isOnlyThat = isDeepStrictEqual(takeCommon(mine, their), takeCommon(their, mine));
  return { difference: isOnlyThat ? 'balancers-of-group' : undefined, isApart: false };
}

/** The groups that both give, without their balancers. */
function takeCommon({ groups = [], ...rest }: Said, other: Said): unknown {
  const known = new Set(other.groups?.map(({ group }) => group));
  const common = groups.filter(({ group }) => known.has(group));
  return { ...rest, groups: common.map((group) => ({ ...group, balancers: undefined })) };
}

/** Every difference that a sequence can show. */
export const judgedTraffic: ReadonlySet<DifferenceId> = new Set<DifferenceId>([
  ...Object.values(ACCEPTED),
  ...Object.values(BY_CODES),
  'balancers-of-group',
  'which-fault-first',
]);
