import { limitOf } from '../account-limits.ts';
import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault, invalidConfiguration, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf } from '../input-fields.ts';
import type { TargetGroup } from '../target-groups/target-group.ts';
import { checkTargetsPerBalancer } from '../target-groups/targets.ts';
import { booleanOf, integerBetween, structureOf } from '../traffic/checked-input.ts';
import { targetGroupWithArn } from '../traffic/traffic-arns.ts';
import { type Action, type ActionPlace, type ForwardAction, forwardedArns } from './rule.ts';

const MAX_WEIGHT = 999;
const A_WEEK_SECONDS = 604_800;

/**
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ForwardActionConfig.html
 * Where no source stands beside a refusal, its code and words are unverified.
 */
export function readForward(world: ReadableWorld, input: Input): ForwardAction {
  const short = textOf(input, 'TargetGroupArn');
  const config = structureOf(input, 'ForwardConfig');
  const groups = readGroups(short, config);
  const limit = limitOf(world, 'target-groups-per-action-on-application-load-balancer');
  if (groups.length > limit) {
    throw invalidAction(`A forward action can have at most '${limit}' target groups`);
  }
  if (new Set(groups.map(({ arn }) => arn)).size < groups.length) {
    throw invalidAction('A forward action cannot name a target group twice');
  }
  return { kind: 'forward', groups, stickiness: readStickiness(config ?? {}) };
}

/** A single group is echoed in the short form too, and with a weight. */
export function describeForward({ groups, stickiness }: ForwardAction): Record<string, unknown> {
  const [only] = groups;
  return {
    ...(groups.length === 1 && { TargetGroupArn: only?.arn }),
    ForwardConfig: {
      TargetGroups: groups.map(({ arn, weight }) => ({ TargetGroupArn: arn, Weight: weight })),
      TargetGroupStickinessConfig: {
        Enabled: stickiness.enabled,
        ...(stickiness.durationSeconds !== undefined && {
          DurationSeconds: stickiness.durationSeconds,
        }),
      },
    },
  };
}

/** Checks what depends on the groups, their balancer and its other actions. */
export function checkForwards(
  world: ReadableWorld,
  actions: readonly Action[],
  place: ActionPlace,
): void {
  const groups = forwardedArns(actions).map((arn) => targetGroupWithArn(world, arn));
  for (const group of groups) checkGroup(group, place);
  checkAssociation(world, groups, place);
  const isSticky = groups.some(({ attributes }) => attributes.get('stickiness.enabled') === 'true');
  if (isSticky && actions.some(forwardsAmongOthers)) {
    // The code as https://github.com/argoproj/argo-rollouts/pull/1577 meets it.
    throw invalidAction(
      'You must enable group stickiness on a rule if you enabled target stickiness on one of its target groups',
    );
  }
  checkCounts(world, groups, place);
}

/** Spreads requests over several groups without keeping a client at one. */
export function forwardsAmongOthers(action: Action): boolean {
  return action.kind === 'forward' && action.groups.length > 1 && !action.stickiness.enabled;
}

function readGroups(short: string | undefined, config: Input | undefined): ForwardAction['groups'] {
  const entries = structuresOf(config ?? {}, 'TargetGroups') ?? [];
  const groups = entries.map((entry) => readGroup(entry, entries.length > 1));
  if (short === undefined) {
    if (groups.length > 0) return groups;
    throw invalidAction(
      "For actions of type 'forward', you must specify the following fields: 'TargetGroupArn' or 'ForwardConfig'",
    );
  }
  if (groups.length === 0) return [{ arn: short, weight: 1 }];
  if (groups.length === 1 && groups[0]?.arn === short) return groups;
  throw invalidAction('TargetGroupArn and ForwardConfig must name the same single target group');
}

function readGroup(entry: Input, isWeightRequired: boolean): ForwardAction['groups'][number] {
  const arn = requiredText(entry, 'TargetGroupArn');
  const weight = integerBetween(entry, 'Weight', [0, MAX_WEIGHT]);
  if (weight === undefined && isWeightRequired) {
    throw validationError('A weight must be specified for each of several target groups');
  }
  return { arn, weight: weight ?? 1 };
}

function readStickiness(config: Input): ForwardAction['stickiness'] {
  const stickiness = structureOf(config, 'TargetGroupStickinessConfig') ?? {};
  const enabled = booleanOf(stickiness, 'Enabled') ?? false;
  const durationSeconds = stickiness['DurationSeconds'];
  const isInRange =
    Number.isInteger(durationSeconds) &&
    Number(durationSeconds) >= 1 &&
    Number(durationSeconds) <= A_WEEK_SECONDS;
  if (isInRange) return { enabled, durationSeconds: Number(durationSeconds) };
  if (!enabled && durationSeconds === undefined) return { enabled };
  // https://github.com/app-sre/qontract-reconcile/pull/2089
  throw validationError(
    `Target group stickiness duration must be between 1 and ${A_WEEK_SECONDS} seconds`,
  );
}

function checkGroup(group: TargetGroup, { balancer, protocol }: ActionPlace): void {
  const { arn, vpcId, protocolVersion, ipAddressType } = group;
  if (vpcId !== balancer.vpcId) {
    throw invalidConfiguration(
      `The following target groups are not in the VPC of load balancer '${balancer.arn}': ${arn}`,
    );
  }
  if (protocolVersion !== 'HTTP1' && protocol === 'HTTP') {
    throw new AwsFault(
      'IncompatibleProtocols',
      `Listener protocol '${protocol}' is not supported with a target group with the protocol-version '${protocolVersion}'`,
    );
  }
  if (ipAddressType === 'ipv6' && balancer.ipAddressType === 'ipv4') {
    throw invalidConfiguration(`The load balancer has no IPv6 addresses for target group '${arn}'`);
  }
}

/** https://github.com/hashicorp/terraform-provider-aws/issues/22005 */
function checkAssociation(
  world: ReadableWorld,
  groups: readonly TargetGroup[],
  { balancer }: ActionPlace,
): void {
  const foreign = groups.filter(({ arn }) =>
    world.traffic.rules.byKey(arn).some(({ balancerArn }) => balancerArn !== balancer.arn),
  );
  if (foreign.length === 0) return;
  throw new AwsFault(
    'TargetGroupAssociationLimit',
    `The following target groups cannot be associated with more than one load balancer: ${foreign.map(({ arn }) => arn).join(', ')}`,
  );
}

/** How many groups and targets the balancer would have. */
function checkCounts(
  world: ReadableWorld,
  groups: readonly TargetGroup[],
  { balancer, replaced }: ActionPlace,
): void {
  const others = world.traffic.rules
    .byKey(balancer.arn)
    .filter(({ arn }) => arn !== replaced?.arn)
    .flatMap(({ actions }) => forwardedArns(actions));
  const arns = new Set([...others, ...groups.map(({ arn }) => arn)]);
  const limit = limitOf(world, 'target-groups-per-application-load-balancer');
  if (groups.length > 0 && arns.size > limit) {
    throw new AwsFault(
      'TooManyUniqueTargetGroupsPerLoadBalancer',
      `The maximum number of target groups per load balancer is '${limit}'`,
    );
  }
  if (groups.length === 0) return;
  const all = [...arns].flatMap((arn) => world.traffic.targetGroups.byArn(arn) ?? []);
  checkTargetsPerBalancer(world, all);
}

function invalidAction(message: string): AwsFault {
  return new AwsFault('InvalidLoadBalancerAction', message);
}
