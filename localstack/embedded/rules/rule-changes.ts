import type { AwsWorld } from '../aws-world.ts';
import type { Target, TargetGroup } from '../target-groups/target-group.ts';
import { balancerArnOfGroup } from '../traffic/traffic.ts';
import { forwardedArns, type Rule } from './rule.ts';

/** Adds or replaces a rule. */
export function putRule(world: AwsWorld, rule: Rule): void {
  const before = world.traffic.rules.byArn(rule.arn);
  const arns = forwardedArns([...(before?.actions ?? []), ...rule.actions]);
  changing(world, arns, () => world.traffic.rules.put(rule, world.clock.now()));
}

export function removeRule(world: AwsWorld, rule: Rule): void {
  changing(world, forwardedArns(rule.actions), () =>
    world.traffic.rules.remove(rule.arn, world.clock.now()),
  );
}

/** With its rules, the default one among them. */
export function removeListener(world: AwsWorld, arn: string): void {
  for (const rule of world.traffic.rules.byKey(arn)) removeRule(world, rule);
  world.traffic.listeners.remove(arn, world.clock.now());
}

/** A balancer that goes takes its listeners with it; target groups stay. */
export function removeListenersOf(world: AwsWorld, balancerArn: string): void {
  for (const { arn } of world.traffic.listeners.byKey(balancerArn)) removeListener(world, arn);
}

/** A group that comes into use, or goes out of it, is checked from the beginning. */
function changing(world: AwsWorld, groupArns: readonly string[], change: () => void): void {
  const usedBy = (): readonly (string | undefined)[] =>
    groupArns.map((arn) => balancerArnOfGroup(world.traffic, arn));
  const before = usedBy();
  change();
  usedBy().forEach((balancerArn, index) => {
    const group = world.traffic.targetGroups.byArn(groupArns[index] ?? '');
    if (group !== undefined && balancerArn !== before[index]) forgetChecks(world, group);
  });
}

function forgetChecks(world: AwsWorld, group: TargetGroup): void {
  if (![...group.targets.values()].some(({ checked }) => checked !== undefined)) return;
  const targets = new Map([...group.targets].map(([key, target]) => [key, unchecked(target)]));
  const changed = { ...group, targets };
  world.traffic.targetGroups.put(changed, world.clock.now());
}

function unchecked(target: Target): Target {
  const { checked: _c, isPinned: _p, ...rest } = target;
  return rest;
}
