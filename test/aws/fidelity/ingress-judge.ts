import { isDeepStrictEqual } from 'node:util';
import type { DifferenceId } from '../../../localstack/differences.ts';
import type { IngressFault, IngressStep } from './ingress-steps.ts';
import type { Verdict } from './judge.ts';
import type { Outcome } from './side.ts';

/** Fault by fault: where the backend does not do what AWS does. */
const BY_FAULT: Readonly<Partial<Record<IngressFault, DifferenceId>>> = {
  portOrder: 'port-range-order',
  noPorts: 'ports-required',
  protocol: 'protocol-names',
  icmpCode: 'icmp-codes',
  prefixList: 'prefix-list-id',
  description: 'rule-description',
  noSource: 'rule-source',
  sameRuleTwice: 'same-rule-again',
  twoFamilies: 'rules-of-each-family',
};

/** Answers that come from what is there, and not from the call alone: operation, our code, theirs. */
const BY_CODES: Readonly<Record<string, DifferenceId>> = {
  'AuthorizeSecurityGroupIngress InvalidPermission.Duplicate ok': 'same-rule-again',
  'AuthorizeSecurityGroupIngress RulesPerSecurityGroupLimitExceeded ok': 'prefix-list-entries',
  'RevokeSecurityGroupIngress ok InvalidPermission.NotFound': 'revoked-by-values',
  'DeleteSecurityGroup DependencyViolation ok': 'referenced-group',
};

/** As ingress-steps.ts writes them, and as AWS stores them. */
const CANONICAL = [
  ['10.1.2.3/16', '10.1.0.0/16'],
  ['2001:DB8:0::/32', '2001:db8::/32'],
] as const;

/** Judges the answers of one sequence, in order. */
export class IngressJudge {
  #mayHaveHalfACall = false;

  judge(step: IngressStep, ours: Outcome, theirs: Outcome): Verdict {
    const difference = isDeepStrictEqual(ours, theirs) ? undefined : this.#find(step, ours, theirs);
    const isChange = ours.code !== theirs.code && (ours.code === 'ok' || theirs.code === 'ok');
    if (ours.code !== 'ok' && step.operation.endsWith('Ingress')) {
      this.#mayHaveHalfACall ||= step.permissions.flatMap(({ sources }) => sources).length > 1;
    }
    return { difference, isApart: isChange };
  }

  #find(step: IngressStep, ours: Outcome, theirs: Outcome): DifferenceId | undefined {
    const [mine, other] = [ours.code, theirs.code];
    if (mine === 'ok' && other === 'ok') return this.#bothAccept(ours, theirs);
    const byFault = step.fault && BY_FAULT[step.fault];
    if (byFault !== undefined && !/Duplicate|NotFound/.test(other)) return byFault;
    if (mine !== 'ok' && other !== 'ok') return 'which-fault-first';
    if (this.#mayHaveHalfACall && step.operation.endsWith('Ingress')) {
      return 'all-or-nothing-ingress';
    }
    return BY_CODES[`${step.operation} ${mine} ${other}`];
  }

  #bothAccept(ours: Outcome, theirs: Outcome): DifferenceId | undefined {
    if (this.#mayHaveHalfACall) return 'all-or-nothing-ingress';
    const mine = rulesOf(ours);
    const described = withoutDescriptions(mine);
    if (isDeepStrictEqual(described, withoutDescriptions(rulesOf(theirs)))) {
      return 'prefix-list-description';
    }
    const canonical = withoutDescriptions(rulesOf(theirs).map(canonicalize));
    return isDeepStrictEqual(described, canonical) ? 'canonical-blocks' : undefined;
  }
}

function rulesOf({ said }: Outcome): readonly string[] {
  return (said as { readonly rules: readonly string[] }).rules;
}

function canonicalize(rule: string): string {
  return CANONICAL.reduce((text, [written, stored]) => text.replace(written, stored), rule);
}

/** Of prefix lists. */
function withoutDescriptions(rules: readonly string[]): readonly string[] {
  return rules.map((rule) => rule.replace(/( pl-\w+) .*/, '$1 ')).toSorted();
}

/** Every difference that a sequence can show. */
export const judgedIngress: ReadonlySet<DifferenceId> = new Set<DifferenceId>([
  ...Object.values(BY_FAULT),
  ...Object.values(BY_CODES),
  'all-or-nothing-ingress',
  'canonical-blocks',
  'prefix-list-description',
  'which-fault-first',
]);
