import { isDeepStrictEqual } from 'node:util';
import type { DifferenceId } from '../../../localstack/differences.ts';
import { areAttributesAlike, type Verdict } from './judge.ts';
import type { Condition, SettingsFault, SettingsStep } from './settings-steps.ts';
import type { Outcome } from './side.ts';

/** Fault by fault: what the backend accepts although AWS refuses it. */
const ACCEPTED: Readonly<Partial<Record<SettingsFault, DifferenceId>>> = {
  wildcards: 'condition-wildcards',
  manyValues: 'condition-values',
  twoPaths: 'conditions-of-one-kind',
  twoSources: 'conditions-of-one-kind',
  bareHost: 'host-values',
  hostDigits: 'host-values',
  pathLetters: 'path-values',
  hostAsHeader: 'host-as-header',
  methodWildcard: 'method-values',
  sourceAddress: 'source-blocks',
  sourceBroadcast: 'source-blocks',
  noCondition: 'condition-required',
  groupName: 'group-attribute-values',
  groupRange: 'group-attribute-values',
  groupChoice: 'group-attribute-values',
  groupForeign: 'group-attribute-values',
  balancerChoice: 'attribute-values',
  crossZone: 'attribute-values',
  emptyBucket: 'empty-log-bucket',
};

/** Operation, our code, theirs. */
const BY_CODES: Readonly<Record<string, DifferenceId>> = {
  'ModifyTargetGroupAttributes ok ValidationError': 'longest-deregistration-delay',
  'ModifyTargetGroupAttributes InvalidConfigurationRequest ok': 'group-attributes-together',
  'ModifyLoadBalancerAttributes ValidationError InvalidConfigurationRequest':
    'unknown-attribute-code',
};

/** Pure. */
export function judgeSettings(step: SettingsStep, ours: Outcome, theirs: Outcome): Verdict {
  if (isDeepStrictEqual(ours, theirs)) return { difference: undefined, isApart: false };
  const [mine, other] = [ours.code, theirs.code];
  if (mine === 'ok' && other === 'ok') {
    const difference = differenceIn(step, ours.said as Said, theirs.said as Said);
    return { difference, isApart: false };
  }
  const accepted = other === 'ok' ? step.fault && ACCEPTED[step.fault] : undefined;
  return {
    difference: accepted ?? BY_CODES[`${step.operation} ${mine} ${other}`],
    isApart: mine === 'ok' || other === 'ok',
  };
}

interface Said {
  readonly rules?: readonly { readonly conditions: readonly Condition[] }[];
  readonly attributes?: readonly string[];
}

function differenceIn({ operation }: SettingsStep, mine: Said, their: Said) {
  if (mine.attributes === undefined) {
    const isOnlyThat = isDeepStrictEqual(withoutForms(mine), withoutForms(their));
    return isOnlyThat ? 'condition-forms' : undefined;
  }
  // One of theirs is that of another kind of balancer, and one that of balancers.
  const isGroup = operation.includes('TargetGroup');
  const foreign = isGroup ? 'waf.fail_open.enabled' : 'load_balancing.cross_zone.enabled';
  if (!areAttributesAlike(mine.attributes, their.attributes, foreign)) return undefined;
  return isGroup ? 'group-attribute-defaults' : 'attribute-defaults';
}

/** With each condition in one form. */
function withoutForms({ rules = [] }: Said): unknown {
  return rules.map(({ conditions, ...rule }) => ({
    ...rule,
    conditions: conditions.map(({ Field, Values, ...configs }) => {
      const [config = { Values }] = Object.values(configs);
      return { Field, config };
    }),
  }));
}

/** Every difference that a sequence can show. */
export const judgedSettings: ReadonlySet<DifferenceId> = new Set<DifferenceId>([
  ...Object.values(ACCEPTED),
  ...Object.values(BY_CODES),
  'attribute-defaults',
  'condition-forms',
  'group-attribute-defaults',
]);
