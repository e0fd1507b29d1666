import { isDeepStrictEqual } from 'node:util';
import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { validationError } from '../http/aws-fault.ts';
import { type Input, textsOf } from '../input-fields.ts';
import type { LoadBalancer } from '../load-balancers/balancer-store.ts';
import { balancerArnOfGroup } from '../traffic/traffic.ts';
import { targetGroupOf } from '../traffic/traffic-arns.ts';
import {
  presentTargets,
  type Target,
  type TargetGroup,
  type TargetHealth,
  targetKey,
} from './target-group.ts';
import { readTargets } from './targets.ts';

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html#target-health-states */
const HEALTH_REASONS: Readonly<Record<TargetHealth['state'], readonly string[]>> = {
  initial: ['Elb.RegistrationInProgress', 'Elb.InitialHealthChecking'],
  healthy: [],
  unhealthy: [
    'Target.ResponseCodeMismatch',
    'Target.Timeout',
    'Target.FailedHealthChecks',
    'Elb.InternalError',
  ],
  unused: ['Target.NotRegistered', 'Target.NotInUse', 'Target.InvalidState', 'Target.IpUnusable'],
  draining: ['Target.DeregistrationInProgress'],
  unavailable: ['Target.HealthCheckDisabled', 'Elb.InternalError'],
};

/** AWS's descriptions, as https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTargetHealth.html shows some of them. */
const REGISTERING: TargetHealth = {
  state: 'initial',
  reason: 'Elb.RegistrationInProgress',
  description: 'Target registration is in progress',
};
const DRAINING: TargetHealth = {
  state: 'draining',
  reason: 'Target.DeregistrationInProgress',
  description: 'Target deregistration is in progress',
};
const GROUP_NOT_USED: TargetHealth = {
  state: 'unused',
  reason: 'Target.NotInUse',
  description: 'Target group is not configured to receive traffic from the load balancer',
};
const ZONE_NOT_USED: TargetHealth = {
  state: 'unused',
  reason: 'Target.NotInUse',
  description: 'Target is in an Availability Zone that is not enabled for the load balancer',
};
const NOT_REGISTERED: TargetHealth = {
  state: 'unused',
  reason: 'Target.NotRegistered',
  description: 'Target is not registered to the target group',
};
const INSTANCE_DOWN: TargetHealth = {
  state: 'unused',
  reason: 'Target.InvalidState',
  description: 'Target is in the stopped state',
};

const INCLUDABLE: readonly string[] = ['AnomalyDetection', 'All'];

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTargetHealth.html */
export function describeTargetHealth(world: ReadableWorld, input: Input): unknown {
  const group = targetGroupOf(world, input);
  const included = textsOf(input, 'Include') ?? [];
  if (!included.every((one) => INCLUDABLE.includes(one))) {
    throw validationError(`Include must be one of ${INCLUDABLE.join(', ')}`);
  }
  const anomaly = { AnomalyDetection: { Result: 'normal', MitigationInEffect: 'no' } };
  const present = presentTargets(group, world.clock.now());
  const described = (target: Target, health: TargetHealth): unknown => ({
    ...describeTarget(group, target, health),
    ...(included.length > 0 && anomaly),
  });
  if (input['Targets'] === undefined) {
    const all = [...present.values()];
    return {
      TargetHealthDescriptions: all.map((target) =>
        described(target, healthOf(world, group, target)),
      ),
    };
  }
  return {
    TargetHealthDescriptions: readTargets(group, input).map((asked) => {
      const target = present.get(targetKey(asked));
      if (target !== undefined) return described(target, healthOf(world, group, target));
      return described({ ...asked, zone: asked.zone ?? '' }, NOT_REGISTERED);
    }),
  };
}

/** Computes a target's state now; pure but for the clock. */
export function healthOf(world: ReadableWorld, group: TargetGroup, target: Target): TargetHealth {
  if (target.drainsUntilMs !== undefined) return DRAINING;
  const balancerArn = balancerArnOfGroup(world.traffic, group.arn);
  if (balancerArn === undefined) return GROUP_NOT_USED;
  return unusedHealth(world, balancerArn, { group, target }) ?? target.checked ?? REGISTERING;
}

/** The health of a target that this balancer never asks, whatever names its group. */
export function unusedHealth(
  world: ReadableWorld,
  balancerArn: string,
  { group, target }: { readonly group: TargetGroup; readonly target: Target },
): TargetHealth | undefined {
  if (!isInZoneOf(world.balancers.byArn(balancerArn), target)) return ZONE_NOT_USED;
  if (group.targetType === 'instance' && !isRunning(world, target)) return INSTANCE_DOWN;
  return undefined;
}

function isInZoneOf(balancer: LoadBalancer | undefined, { zone }: Target): boolean {
  return zone === 'all' || (balancer?.placements ?? []).some(({ zoneName }) => zoneName === zone);
}

function isRunning({ network }: ReadableWorld, { id }: Target): boolean {
  return network.instances.get(id)?.state === 'running';
}

/** Which targets of a group a health is set for: all, or those that match. */
export interface HealthChange {
  readonly id?: string;
  readonly port?: number;
  readonly health: TargetHealth;
}

/**
 * Overrides the result of health checks from now on. Returns how many targets it was set
 * for. Throws a RangeError for a state that no health check gives, or a foreign reason.
 */
export function setTargetHealth(world: AwsWorld, groupName: string, change: HealthChange): number {
  checkHealth(change.health);
  const [group] = world.traffic.targetGroups.byKey(groupName);
  if (group === undefined) throw new RangeError(`there is no target group named "${groupName}"`);
  const matching = [...presentTargets(group, world.clock.now())].filter(
    ([, { id, port }]) => id === (change.id ?? id) && port === (change.port ?? port),
  );
  const set = matching.map(
    ([key, target]) => [key, { ...target, checked: change.health, isPinned: true }] as const,
  );
  const targets = new Map([...group.targets, ...set]);
  world.traffic.targetGroups.put({ ...group, targets }, world.clock.now());
  return set.length;
}

/** Stores the results of the data plane's health checks; targets that are gone are skipped. */
export function noteTargetHealth(
  world: AwsWorld,
  groupArn: string,
  found: ReadonlyMap<string, TargetHealth>,
): void {
  const group = world.traffic.targetGroups.byArn(groupArn);
  if (group === undefined || balancerArnOfGroup(world.traffic, groupArn) === undefined) return;
  const changed = [...found].flatMap(([key, checked]) => {
    const target = group.targets.get(key);
    const isNews = target?.isPinned !== true && !isDeepStrictEqual(target?.checked, checked);
    return target !== undefined && isNews ? [[key, { ...target, checked }] as const] : [];
  });
  if (changed.length === 0) return;
  const targets = new Map([...group.targets, ...changed]);
  world.traffic.targetGroups.put({ ...group, targets }, world.clock.now());
}

const CHECKED: readonly string[] = ['initial', 'healthy', 'unhealthy', 'unavailable'];

function checkHealth({ state, reason }: TargetHealth): void {
  if (!CHECKED.includes(state)) throw new RangeError(`state must be one of ${CHECKED.join(', ')}`);
  const reasons = HEALTH_REASONS[state];
  if (reason === undefined ? reasons.length === 0 : reasons.includes(reason)) return;
  throw new RangeError(
    `reason must be ${reasons.length === 0 ? 'absent' : `one of ${reasons.join(', ')}`}`,
  );
}

function describeTarget(group: TargetGroup, target: Target, health: TargetHealth): object {
  const { id, port, zone } = target;
  const checkPort = group.healthCheck.port;
  return {
    Target: {
      Id: id,
      Port: port,
      ...(group.targetType === 'ip' && zone !== '' && { AvailabilityZone: zone }),
    },
    HealthCheckPort: checkPort === 'traffic-port' ? String(port) : checkPort,
    TargetHealth: {
      State: health.state,
      ...(health.reason !== undefined && { Reason: health.reason }),
      ...(health.description !== undefined && { Description: health.description }),
    },
  };
}
