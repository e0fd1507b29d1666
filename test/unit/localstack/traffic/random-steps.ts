import fc from 'fast-check';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { createBalancer } from '../seeded-model.ts';
import {
  certificateArn,
  createGroup,
  createListener,
  forwardTo,
  goneArn,
  HTTPS,
  NOT_FOUND,
  onPath,
  POLICY,
  type TrafficUnderTest,
  trafficModel,
} from './traffic-model.ts';

export const LIMITS = {
  'target-groups': 4,
  'listeners-per-application-load-balancer': 2,
  'rules-per-application-load-balancer': 2,
  'target-groups-per-application-load-balancer': 2,
  'targets-per-application-load-balancer': 2,
  'certificates-per-application-load-balancer': 1,
} as const;

/** A call in words: what it is about is chosen from what there is when it is made. */
export interface Step {
  readonly operation: string;
  /** Choose among balancers, groups, listeners and rules, modulo how many there are. */
  readonly picks: readonly number[];
  /** One that is gone instead. */
  readonly isGone: boolean;
  readonly number: number;
  readonly address: string;
  readonly isSecure: boolean;
  readonly weights: readonly number[];
}

const OPERATIONS = [
  ...['CreateTargetGroup', 'CreateTargetGroup', 'DeleteTargetGroup', 'ModifyTargetGroup'],
  ...['ModifyTargetGroupAttributes', 'RegisterTargets', 'RegisterTargets', 'RegisterTargets'],
  ...['DeregisterTargets', 'AddListenerCertificates', 'AddListenerCertificates', 'CreateRule'],
  ...['CreateListener', 'CreateListener', 'ModifyListener', 'DeleteListener'],
  ...['AddListenerCertificates', 'RemoveListenerCertificates'],
  ...['CreateRule', 'CreateRule', 'CreateRule', 'ModifyRule', 'DeleteRule', 'SetRulePriorities'],
  ...['AddTags', 'RemoveTags', 'DescribeTags', 'DescribeTargetHealth', 'DescribeRules'],
  ...['DescribeListeners', 'DescribeTargetGroups', 'DeleteLoadBalancer', 'CreateLoadBalancer'],
  ...['DescribeListenerCertificates', 'DescribeListenerAttributes', 'ModifyListenerAttributes'],
  ...['DescribeTargetGroupAttributes'],
];

export const steps: fc.Arbitrary<Step> = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  picks: fc.array(fc.nat(11), { minLength: 4, maxLength: 4 }),
  isGone: fc.nat(9).map((number) => number === 0),
  number: fc.integer({ min: 0, max: 5 }),
  address: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.1.1', '10.0.2.1', '8.8.8.8', 'x'),
  isSecure: fc.boolean(),
  weights: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
});

type Inputs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a step may be about; ARNs of things that are gone where there is none. */
interface Chosen {
  readonly LoadBalancerArn: string;
  readonly TargetGroupArn: string;
  readonly ListenerArn: string;
  readonly RuleArn: string;
  readonly Actions: readonly object[];
}

/** The input of the step's operation, from what there is. */
export function inputOf(aws: EmbeddedAws, step: Step): Readonly<Record<string, unknown>> {
  const chosen = choose(aws, step);
  const inputs: Inputs = {
    ...balancerInputs(step, chosen),
    ...groupInputs(step, chosen),
    ...listenerInputs(step, chosen),
    ...ruleInputs(step, chosen),
  };
  return inputs[step.operation] ?? {};
}

const PREFIX = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:';
const HASH = '0'.repeat(16);

function choose(aws: EmbeddedAws, step: Step): Chosen {
  const { loadBalancers, targetGroups, listeners } = aws.control.snapshot();
  const pick = (kind: number, from: readonly { readonly arn: string }[], path: string): string => {
    const arn = from[(step.picks[kind] ?? 0) % Math.max(1, from.length)]?.arn ?? PREFIX + path;
    return step.isGone ? goneArn(arn) : arn;
  };
  const groupPath = `targetgroup/x/${HASH}`;
  const TargetGroups = step.weights.map((Weight, index) => ({
    TargetGroupArn: pick(1, [...targetGroups.slice(index), ...targetGroups], groupPath),
    Weight,
  }));
  const rules = listeners.flatMap((listener) => listener.rules);
  return {
    LoadBalancerArn: pick(0, loadBalancers, `loadbalancer/app/x/${HASH}`),
    TargetGroupArn: pick(1, targetGroups, groupPath),
    ListenerArn: pick(2, listeners, `listener/app/x/${HASH}/${HASH}`),
    RuleArn: pick(3, rules, `listener-rule/app/x/${HASH}/${HASH}/${HASH}`),
    Actions: step.number === 0 ? NOT_FOUND : [{ Type: 'forward', ForwardConfig: { TargetGroups } }],
  };
}

function balancerInputs({ number }: Step, chosen: Chosen): Inputs {
  const { LoadBalancerArn, TargetGroupArn, ListenerArn, RuleArn } = chosen;
  return {
    CreateLoadBalancer: { Name: `b${number % 2}`, Subnets: ['subnet-a', 'subnet-b'] },
    DeleteLoadBalancer: { LoadBalancerArn },
    AddTags: { ResourceArns: [RuleArn, TargetGroupArn], Tags: [{ Key: 'a', Value: 'b' }] },
    RemoveTags: { ResourceArns: [ListenerArn, LoadBalancerArn], TagKeys: ['a'] },
    DescribeTags: { ResourceArns: [ListenerArn, RuleArn] },
  };
}

function groupInputs(step: Step, { LoadBalancerArn, TargetGroupArn }: Chosen): Inputs {
  const { number, address, isSecure } = step;
  const Targets = [{ Id: address, Port: 80 + number }];
  const settings = { Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main', TargetType: 'ip' };
  return {
    CreateTargetGroup: {
      ...{ ...settings, Name: `g${number}` },
      ProtocolVersion: number === 5 ? 'GRPC' : 'HTTP1',
      HealthCheckIntervalSeconds: isSecure ? 30 : 10,
    },
    DeleteTargetGroup: { TargetGroupArn },
    ModifyTargetGroup: { TargetGroupArn, HealthyThresholdCount: number },
    ModifyTargetGroupAttributes: {
      TargetGroupArn,
      Attributes: [
        { Key: 'stickiness.enabled', Value: String(isSecure) },
        { Key: 'deregistration_delay.timeout_seconds', Value: String(number) },
      ],
    },
    RegisterTargets: { TargetGroupArn, Targets },
    DeregisterTargets: { TargetGroupArn, Targets },
    DescribeTargetHealth: { TargetGroupArn },
    DescribeTargetGroupAttributes: { TargetGroupArn },
    DescribeTargetGroups: { LoadBalancerArn },
  };
}

function listenerInputs(step: Step, { LoadBalancerArn, ListenerArn, Actions }: Chosen): Inputs {
  const { number, isSecure } = step;
  const Certificates = [{ CertificateArn: certificateArn(number + 1) }];
  const protocol = isSecure
    ? { Protocol: 'HTTPS', SslPolicy: POLICY, Certificates }
    : { Protocol: 'HTTP' };
  const settings = { Port: 80 + number, DefaultActions: Actions, ...protocol };
  const Attributes = [{ Key: 'routing.http.response.server.enabled', Value: String(isSecure) }];
  return {
    CreateListener: { LoadBalancerArn, ...settings },
    ModifyListener: { ListenerArn, ...settings },
    DeleteListener: { ListenerArn },
    DescribeListeners: { LoadBalancerArn },
    AddListenerCertificates: { ListenerArn, Certificates },
    RemoveListenerCertificates: { ListenerArn, Certificates },
    DescribeListenerCertificates: { ListenerArn },
    DescribeListenerAttributes: { ListenerArn },
    ModifyListenerAttributes: { ListenerArn, Attributes },
  };
}

function ruleInputs({ number }: Step, { ListenerArn, RuleArn, Actions }: Chosen): Inputs {
  return {
    CreateRule: { ListenerArn, Priority: number, Conditions: onPath('/'), Actions },
    ModifyRule: { RuleArn, Actions },
    DeleteRule: { RuleArn },
    SetRulePriorities: { RulePriorities: [{ RuleArn, Priority: number }] },
    DescribeRules: { ListenerArn, PageSize: number },
  };
}

/** Two balancers, three groups, one listener, and small quotas. */
export function freshModel(): TrafficUnderTest {
  const model = trafficModel({ limits: LIMITS });
  createBalancer(model.aws, 'b0');
  for (const name of ['g1', 'g2']) createGroup(model.aws, name);
  createListener(model.aws, model.shop, { ...HTTPS, DefaultActions: forwardTo(model.web) });
  return model;
}
