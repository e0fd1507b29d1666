import type { QuotaCode } from '../../../aws/elbv2/traffic.ts';
import { listNames } from './actions.ts';
import type { DesiredAction, DesiredGraph } from './graph.ts';

/** Describes how much of a full quota the spec takes; undefined: the spec does not decide it. */
export function describeUse(code: QuotaCode, desired: DesiredGraph): string | undefined {
  const count = COUNTS[code];
  return count && `the spec needs ${count(desired)}`;
}

/** By https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const COUNTS: Partial<Readonly<Record<QuotaCode, (desired: DesiredGraph) => number>>> = {
  TooManyActions: (desired) =>
    Math.max(0, ...listActions(desired).map((action) => listNames(action).length)),
  // The default one of a listener does not count.
  TooManyCertificates: ({ listeners }) =>
    sum(listeners.map(({ certificates }) => Math.max(0, certificates.length - 1))),
  TooManyListeners: ({ listeners }) => listeners.length,
  TooManyRules: ({ listeners }) => sum(listeners.map(({ rules }) => rules.length)),
  TooManyTargetGroups: ({ targetGroups }) => targetGroups.length,
  TooManyUniqueTargetGroupsPerLoadBalancer: (desired) =>
    new Set(listActions(desired).flatMap(listNames)).size,
};

function listActions({ listeners }: DesiredGraph): readonly DesiredAction[] {
  return listeners.flatMap(({ action, rules }) => [action, ...rules.map((rule) => rule.action)]);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
