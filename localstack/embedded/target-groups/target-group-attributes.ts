import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { type AwsFault, invalidConfiguration, validationError } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';
import { forwardsAmongOthers } from '../rules/forward-action.ts';
import { attributesAnswer, readAttributes } from '../traffic/attribute-input.ts';
import { targetGroupOf } from '../traffic/traffic-arns.ts';
import { presentTargets, type TargetGroup } from './target-group.ts';
import {
  conflictAmong,
  FOREIGN_GROUP_ATTRIBUTES,
  GROUP_ATTRIBUTES,
  groupMisfit,
} from './target-group-attribute-rules.ts';

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTargetGroupAttributes.html */
export function describeTargetGroupAttributes(world: ReadableWorld, input: Input): unknown {
  return attributesAnswer(targetGroupOf(world, input).attributes);
}

/**
 * All or nothing; attributes not named keep their values.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyTargetGroupAttributes.html
 */
export function modifyTargetGroupAttributes(world: AwsWorld, input: Input): unknown {
  const group = targetGroupOf(world, input);
  const changes = readAttributes(input, 'Target group', checkAttribute);
  const attributes = new Map([...group.attributes, ...changes]);
  const conflict = conflictAmong(attributes);
  if (conflict !== undefined) throw invalidConfiguration(conflict);
  checkStickiness(world, group, attributes);
  checkCrossZone(world, group, attributes);
  world.traffic.targetGroups.put({ ...group, attributes }, world.clock.now());
  return attributesAnswer(attributes);
}

function checkAttribute(key: string, value: string): void {
  const attribute = Object.hasOwn(GROUP_ATTRIBUTES, key) ? GROUP_ATTRIBUTES[key] : undefined;
  if (attribute === undefined) throw unknownKey(key);
  const problem = groupMisfit(attribute.rule, value);
  if (problem !== undefined) {
    throw validationError(`Target group attribute '${key}' with value '${value}' ${problem}`);
  }
}

function unknownKey(key: string): AwsFault {
  return validationError(
    FOREIGN_GROUP_ATTRIBUTES.has(key)
      ? `Target group attribute key '${key}' is not supported on target groups of application load balancers with targets of type instance or ip`
      : `Target group attribute key '${key}' is not recognized`,
  );
}

/** https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/2734 */
function checkStickiness(
  world: ReadableWorld,
  { arn }: TargetGroup,
  attributes: ReadonlyMap<string, string>,
): void {
  if (attributes.get('stickiness.enabled') !== 'true') return;
  const rule = world.traffic.rules
    .byKey(arn)
    .find(({ actions }) => actions.some(forwardsAmongOthers));
  if (rule === undefined) return;
  throw invalidConfiguration(
    `This target group appears behind a rule with group stickiness disabled (${rule.arn}). You must enable group stickiness before enabling target stickiness`,
  );
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/disable-cross-zone.html */
function checkCrossZone(
  world: ReadableWorld,
  group: TargetGroup,
  attributes: ReadonlyMap<string, string>,
): void {
  if (attributes.get('load_balancing.cross_zone.enabled') !== 'false') return;
  const targets = [...presentTargets(group, world.clock.now()).values()];
  if (targets.every(({ zone }) => zone !== 'all')) return;
  throw invalidConfiguration(
    "Cross-zone load balancing cannot be turned off while a target's Availability Zone is 'all'",
  );
}
