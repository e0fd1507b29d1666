import type { ReadableWorld } from '../aws-world.ts';
import type { MutualAuthentication } from '../listeners/listener.ts';
import { describeAction } from '../rules/actions.ts';
import { positionOf, type Rule } from '../rules/rule.ts';
import { presentTargets, type TargetGroup } from '../target-groups/target-group.ts';
import { healthOf } from '../target-groups/target-health.ts';
import { balancerArnOfGroup } from './traffic.ts';

/** Listeners, rules and target groups of balancers, as plain data. */
export interface TrafficSnapshot {
  readonly targetGroups: readonly TargetGroupSnapshot[];
  readonly listeners: readonly ListenerSnapshot[];
}

interface TargetGroupSnapshot {
  readonly name: string;
  readonly arn: string;
  /** The one that it serves, if any. */
  readonly loadBalancerArn: string | undefined;
  readonly targets: readonly {
    readonly id: string;
    readonly port: number;
    readonly state: string;
    readonly reason: string | undefined;
  }[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

interface ListenerSnapshot {
  readonly arn: string;
  readonly loadBalancerArn: string;
  readonly port: number;
  readonly protocol: string;
  /** The default one first, then in order of creation. */
  readonly certificates: readonly string[];
  /** Of HTTPS alone. */
  readonly mutualAuthentication: MutualAuthentication | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  /** In order of priority, the default one last. */
  readonly rules: readonly RuleSnapshot[];
  readonly tags: Readonly<Record<string, string>>;
}

interface RuleSnapshot {
  readonly arn: string;
  readonly priority: number | 'default';
  readonly conditions: readonly unknown[];
  readonly actions: readonly unknown[];
  readonly tags: Readonly<Record<string, string>>;
}

export function snapshotTraffic(world: ReadableWorld): TrafficSnapshot {
  const { targetGroups, listeners, rules } = world.traffic;
  return {
    targetGroups: targetGroups.all().map((group) => snapshotGroup(world, group)),
    listeners: listeners.all().map((listener) => ({
      arn: listener.arn,
      loadBalancerArn: listener.balancerArn,
      port: listener.port,
      protocol: listener.protocol,
      certificates: [listener.tls?.certificateArn ?? [], listener.extraCertificateArns].flat(),
      mutualAuthentication: listener.tls?.mutualAuthentication,
      attributes: Object.fromEntries(listener.attributes),
      rules: rules
        .byKey(listener.arn)
        .toSorted((left, right) => positionOf(left) - positionOf(right))
        .map(snapshotRule),
      tags: Object.fromEntries(listener.tags),
    })),
  };
}

function snapshotGroup(world: ReadableWorld, group: TargetGroup): TargetGroupSnapshot {
  const targets = [...presentTargets(group, world.clock.now()).values()];
  return {
    name: group.name,
    arn: group.arn,
    loadBalancerArn: balancerArnOfGroup(world.traffic, group.arn),
    targets: targets.map((target) => {
      const { state, reason } = healthOf(world, group, target);
      return { id: target.id, port: target.port, state, reason };
    }),
    attributes: Object.fromEntries(group.attributes),
    tags: Object.fromEntries(group.tags),
  };
}

function snapshotRule(rule: Rule): RuleSnapshot {
  return {
    arn: rule.arn,
    priority: rule.priority,
    conditions: [...rule.conditions],
    actions: rule.actions.map(describeAction),
    tags: Object.fromEntries(rule.tags),
  };
}
