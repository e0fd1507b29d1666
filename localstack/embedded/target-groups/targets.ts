import { limitOf } from '../account-limits.ts';
import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf } from '../input-fields.ts';
import { checkLength, integerBetween } from '../traffic/checked-input.ts';
import { balancerArnOfGroup, groupsBehind } from '../traffic/traffic.ts';
import { targetGroupOf } from '../traffic/traffic-arns.ts';
import { type AskedTarget, checkTargetId, zoneOf } from './target-address.ts';
import { presentTargets, type Target, type TargetGroup, targetKey } from './target-group.ts';

/** Fixed: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const TARGETS_PER_GROUP = 1000;

/**
 * All or nothing; a target that is registered stays as it is, one that drains comes back at once.
 * Whether AWS takes a draining one back, and the good ones of a batch with a bad one: unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RegisterTargets.html
 */
export function registerTargets(world: AwsWorld, input: Input): unknown {
  const group = targetGroupOf(world, input);
  const targets = new Map(presentTargets(group, world.clock.now()));
  for (const asked of readTargets(group, input)) {
    const target = { id: asked.id, port: asked.port, zone: zoneOf(world, group, asked) };
    const known = targets.get(targetKey(target));
    if (known === undefined || known.drainsUntilMs !== undefined) {
      targets.set(targetKey(target), target);
    }
  }
  const changed = { ...group, targets };
  checkTargetCount(world, changed);
  world.traffic.targetGroups.put(changed, world.clock.now());
  return {};
}

/**
 * Targets that are not registered are no error. One of a group in use drains for the delay.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeregisterTargets.html
 */
export function deregisterTargets(world: AwsWorld, input: Input): unknown {
  const group = targetGroupOf(world, input);
  const nowMs = world.clock.now();
  const targets = new Map(presentTargets(group, nowMs));
  const delaySeconds = Number(group.attributes.get('deregistration_delay.timeout_seconds'));
  const isUsed = balancerArnOfGroup(world.traffic, group.arn) !== undefined;
  const drainsUntilMs = nowMs + (isUsed ? delaySeconds * 1000 : 0);
  for (const asked of readTargets(group, input)) {
    const known = targets.get(targetKey(asked));
    if (known !== undefined && known.drainsUntilMs === undefined) {
      targets.set(targetKey(known), { ...known, drainsUntilMs });
    }
  }
  world.traffic.targetGroups.put({ ...group, targets }, nowMs);
  return {};
}

/** `Targets`, at least one; a target without a port has the group's. */
export function readTargets(group: TargetGroup, input: Input): readonly AskedTarget[] {
  const entries = structuresOf(input, 'Targets') ?? [];
  // The words are unverified.
  if (entries.length === 0) throw validationError('At least one target must be specified');
  return entries.map((entry) => readTarget(group, entry));
}

function readTarget(group: TargetGroup, entry: Input): AskedTarget {
  const id = requiredText(entry, 'Id');
  checkLength('targets.id', id, 2048);
  checkTargetId(group, id);
  if (entry['QuicServerId'] !== undefined) {
    throw validationError('A QUIC server ID cannot be specified for this target group');
  }
  const port = integerBetween(entry, 'Port', [1, 65_535]) ?? group.port;
  return { id, port, zone: textOf(entry, 'AvailabilityZone') };
}

function checkTargetCount(world: ReadableWorld, group: TargetGroup): void {
  if (countTargets(group) > TARGETS_PER_GROUP) throw tooMany('target group');
  const balancerArn = balancerArnOfGroup(world.traffic, group.arn);
  if (balancerArn === undefined) return;
  const others = groupsBehind(world.traffic, balancerArn).filter(({ arn }) => arn !== group.arn);
  checkTargetsPerBalancer(world, [...others, group]);
}

/** A target counts once for each of its groups. Throws TooManyTargets. */
export function checkTargetsPerBalancer(
  world: ReadableWorld,
  groups: readonly TargetGroup[],
): void {
  const count = groups.reduce((sum, group) => sum + countTargets(group), 0);
  if (count > limitOf(world, 'targets-per-application-load-balancer')) {
    throw tooMany('load balancer');
  }
}

/** Draining targets do not count: unverified. */
function countTargets({ targets }: TargetGroup): number {
  const isRegistered = ({ drainsUntilMs }: Target): boolean => drainsUntilMs === undefined;
  return [...targets.values()].filter(isRegistered).length;
}

function tooMany(what: string): AwsFault {
  return new AwsFault(
    'TooManyTargets',
    `The maximum number of targets per ${what} has been reached`,
  );
}
