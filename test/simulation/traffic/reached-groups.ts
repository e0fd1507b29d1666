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
  for (const { arn: listenerArn, port, balancerArn } of traffic.listeners.all()) {
    const rules = traffic.rules.byKey(listenerArn).map(routingRule);
    for (const probe of rules.length === 0 ? [] : listProbes([port])) {
      const { action } = decide(rules, probe).rule;
      for (const { arn, weight } of action.type === 'forward' ? action.targetGroups : []) {
        if (weight === 0 || reached.has(arn)) continue;
        reached.set(arn, { balancerArn, request: describeProbe(probe) });
      }
    }
  }
  return reached;
}
