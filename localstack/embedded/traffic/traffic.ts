// Lives here: what listeners, rules and target groups share: the records, checks of inputs, ARNs, tags.
// May import it: localstack/embedded.
// Start with: this file; record-store.ts holds the records.

import type { Listener } from '../listeners/listener.ts';
import { forwardedArns, type Rule } from '../rules/rule.ts';
import type { TargetGroup } from '../target-groups/target-group.ts';
import { RecordStore, type RecordView } from './record-store.ts';

/**
 * The traffic of balancers: listeners, their rules (the default one among them), and the
 * target groups that these forward to. A leaf of the model: operations import it, it imports none.
 */
export interface TrafficView {
  /** Keys: the name. */
  readonly targetGroups: RecordView<TargetGroup>;
  /** Keys: the balancer's ARN. */
  readonly listeners: RecordView<Listener>;
  /** Keys: the ARNs of the listener, of its balancer, and of each group that it forwards to. */
  readonly rules: RecordView<Rule>;
}

export interface Traffic extends TrafficView {
  readonly targetGroups: RecordStore<TargetGroup>;
  readonly listeners: RecordStore<Listener>;
  readonly rules: RecordStore<Rule>;
}

export function createTraffic(onChange: () => void): Traffic {
  return {
    targetGroups: new RecordStore((group) => [group.name], onChange),
    listeners: new RecordStore((listener) => [listener.balancerArn], onChange),
    rules: new RecordStore(
      (rule) => [rule.listenerArn, rule.balancerArn, ...forwardedArns(rule.actions)],
      onChange,
    ),
  };
}

export function trafficAsOf(traffic: Traffic, atMs: number): TrafficView {
  return {
    targetGroups: traffic.targetGroups.asOf(atMs),
    listeners: traffic.listeners.asOf(atMs),
    rules: traffic.rules.asOf(atMs),
  };
}

export function clearTraffic(traffic: Traffic): void {
  for (const store of Object.values<Traffic[keyof Traffic]>({ ...traffic })) store.clear();
}

/** The balancer whose rules forward to this group; a group serves one balancer only. */
export function balancerArnOfGroup(traffic: TrafficView, groupArn: string): string | undefined {
  return traffic.rules.byKey(groupArn)[0]?.balancerArn;
}

/** Each group that a rule of this balancer forwards to, in order of creation. */
export function groupsBehind(traffic: TrafficView, balancerArn: string): readonly TargetGroup[] {
  const arns = traffic.rules.byKey(balancerArn).flatMap(({ actions }) => forwardedArns(actions));
  return [...new Set(arns)]
    .flatMap((arn) => traffic.targetGroups.byArn(arn) ?? [])
    .sort((left, right) => left.sequence - right.sequence);
}
