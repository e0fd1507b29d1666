// Lives here: target groups and targets: their operations, attributes and health.
// May import it: localstack/embedded.
// Start with: this file, then targets.ts and target-health.ts.

import { isDeepStrictEqual } from 'node:util';
import { limitOf } from '../account-limits.ts';
import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, textsOf } from '../input-fields.ts';
import { balancerOf } from '../load-balancers/balancer-arns.ts';
import { checkedTags } from '../load-balancers/load-balancer-tags.ts';
import { pageOf } from '../paging.ts';
import { balancerArnOfGroup, groupsBehind } from '../traffic/traffic.ts';
import {
  checkTargetGroupArn,
  targetGroupArn,
  targetGroupOf,
  targetGroupWithArn,
} from '../traffic/traffic-arns.ts';
import { describeHealthCheck, readHealthCheck } from './health-check.ts';
import type { TargetGroup, TargetGroupSettings } from './target-group.ts';
import { defaultGroupAttributes } from './target-group-attribute-rules.ts';
import { readSettings } from './target-group-settings.ts';

/**
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
 *
 * Idempotent as CreateLoadBalancer is: tags are no setting, and the existing group stays as it is.
 */
export function createTargetGroup(world: AwsWorld, input: Input): unknown {
  const settings = readSettings(world, input);
  const tags = checkedTags(input);
  const { targetGroups } = world.traffic;
  const [existing] = targetGroups.byKey(settings.name);
  if (existing !== undefined) return answer(world, sameOrRefuse(existing, settings));
  if (targetGroups.all().length >= limitOf(world, 'target-groups')) {
    throw new AwsFault(
      'TooManyTargetGroups',
      'The maximum number of target groups has been reached',
    );
  }
  const group: TargetGroup = {
    ...settings,
    sequence: targetGroups.nextSequence(),
    arn: targetGroupArn(world, settings.name, world.ids.hex(16)),
    attributes: defaultGroupAttributes(),
    targets: new Map(),
    tags,
  };
  targetGroups.put(group, world.clock.now());
  return answer(world, group);
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTargetGroups.html */
export function describeTargetGroups(world: ReadableWorld, input: Input): unknown {
  const arns = textsOf(input, 'TargetGroupArns') ?? [];
  const names = textsOf(input, 'Names') ?? [];
  const isOfBalancer = input['LoadBalancerArn'] !== undefined;
  if ([arns.length > 0, names.length > 0, isOfBalancer].filter(Boolean).length > 1) {
    throw validationError(
      'Target group names, target group ARNs, and a load balancer ARN cannot be specified at the same time',
    );
  }
  if (arns.length > 0) return answer(world, ...findByArns(world, arns));
  if (names.length > 0) return answer(world, ...findByNames(world, names));
  const groups = isOfBalancer
    ? groupsBehind(world.traffic, balancerOf(world, input).arn)
    : world.traffic.targetGroups.all();
  const page = pageOf(input, groups, (group) => group.sequence);
  return { ...answer(world, ...page.items), NextMarker: page.nextMarker };
}

/** Health checks only. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyTargetGroup.html */
export function modifyTargetGroup(world: AwsWorld, input: Input): unknown {
  const group = targetGroupOf(world, input);
  const changed = { ...group, healthCheck: readHealthCheck(input, group) };
  world.traffic.targetGroups.put(changed, world.clock.now());
  return answer(world, changed);
}

/** A group that is gone is no error. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteTargetGroup.html */
export function deleteTargetGroup(world: AwsWorld, input: Input): unknown {
  const arn = requiredText(input, 'TargetGroupArn');
  checkTargetGroupArn(world, arn);
  if (world.traffic.rules.byKey(arn).length > 0) {
    // https://github.com/Reckon-Limited/containerless/issues/1
    throw new AwsFault(
      'ResourceInUse',
      `Target group '${arn}' is currently in use by a listener or a rule`,
    );
  }
  if (world.traffic.targetGroups.byArn(arn) !== undefined) {
    world.traffic.targetGroups.remove(arn, world.clock.now());
  }
  return {};
}

function sameOrRefuse(existing: TargetGroup, wanted: TargetGroupSettings): TargetGroup {
  const { sequence: _s, arn: _a, attributes: _b, targets: _t, tags: _g, ...settings } = existing;
  if (isDeepStrictEqual(settings, wanted)) return existing;
  throw new AwsFault(
    'DuplicateTargetGroupName',
    `A target group with the same name '${wanted.name}' exists, but with different settings`,
  );
}

function findByArns(world: ReadableWorld, arns: readonly string[]): TargetGroup[] {
  return [...new Set(arns)].map((arn) => targetGroupWithArn(world, arn));
}

/** One missing name fails the whole call. */
function findByNames(world: ReadableWorld, names: readonly string[]): TargetGroup[] {
  return [...new Set(names)].map((name) => {
    const [group] = world.traffic.targetGroups.byKey(name);
    if (group !== undefined) return group;
    throw new AwsFault('TargetGroupNotFound', 'One or more target groups not found');
  });
}

function answer(world: ReadableWorld, ...groups: TargetGroup[]): { TargetGroups: unknown[] } {
  return { TargetGroups: groups.map((group) => describeGroup(world, group)) };
}

function describeGroup(world: ReadableWorld, group: TargetGroup): unknown {
  const balancerArn = balancerArnOfGroup(world.traffic, group.arn);
  return {
    TargetGroupArn: group.arn,
    TargetGroupName: group.name,
    Protocol: group.protocol,
    Port: group.port,
    VpcId: group.vpcId,
    ...describeHealthCheck(group.healthCheck, group),
    LoadBalancerArns: balancerArn === undefined ? [] : [balancerArn],
    TargetType: group.targetType,
    ProtocolVersion: group.protocolVersion,
    IpAddressType: group.ipAddressType,
  };
}
