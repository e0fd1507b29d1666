import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import { routingRule } from '../../../localstack/embedded/data-plane/routing-rules.ts';
import { decide } from '../../../src/routing/decide.ts';
import { describeProbe, listProbes } from './probes.ts';

/** A target group that requests are sent to. */
export interface ReachedGroup {
  readonly balancerArn: string;
  /** One of them, as text. */
  readonly request: string;
}

/** By ARN: every group to which the rules of AWS send one of the probes. */
export function findReachedGroups({ traffic }: AwsWorld): ReadonlyMap<string, ReachedGroup> {
  const reached = new Map<string, ReachedGroup>();
  for (const { arn, port, balancerArn } of traffic.listeners.all()) {
    const rules = traffic.rules.byKey(arn).map(routingRule);
    for (const probe of rules.length === 0 ? [] : listProbes([port])) {
      const groups = listReceivers(decide(rules, probe).rule).filter((one) => !reached.has(one));
      for (const group of groups)
        reached.set(group, { balancerArn, request: describeProbe(probe) });
    }
  }
  return reached;
}

/** ARNs of the groups that a rule gives a share, also where others before it leave it no request. */
export function findNamedGroups({ traffic }: AwsWorld): ReadonlySet<string> {
  const rules = traffic.listeners.all().flatMap(({ arn }) => traffic.rules.byKey(arn));
  return new Set(rules.flatMap((rule) => listReceivers(routingRule(rule))));
}

/** ARNs of the groups that get a share of the requests. */
function listReceivers({
  action,
}: Pick<ReturnType<typeof routingRule>, 'action'>): readonly string[] {
  if (action.type !== 'forward') return [];
  return action.targetGroups.filter(({ weight }) => weight > 0).map(({ arn }) => arn);
}
