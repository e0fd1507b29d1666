import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { call } from '../seeded-model.ts';
import {
  createGroup,
  createListener,
  expectRefusal,
  forwardTo,
  goneArn,
  trafficModel,
} from '../traffic/traffic-model.ts';

type Values = Readonly<Record<string, string>>;

function modification(TargetGroupArn: string, values: Values): readonly [string, object] {
  const Attributes = Object.entries(values).map(([Key, Value]) => ({ Key, Value }));
  return ['ModifyTargetGroupAttributes', { TargetGroupArn, Attributes }];
}

function attributesOf(aws: EmbeddedAws, TargetGroupArn: string): Values {
  const { Attributes } = call(aws, 'DescribeTargetGroupAttributes', { TargetGroupArn });
  return Object.fromEntries(
    (Attributes as { Key: string; Value: string }[]).map(({ Key, Value }) => [Key, Value]),
  );
}

const MINIMUM = 'minimum_healthy_targets';
const DELAY = 'deregistration_delay.timeout_seconds';

const values: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [DELAY, ['0', '3600'], ['-1', '3601', 'x', '']],
  ['slow_start.duration_seconds', ['0', '30', '900'], ['29', '901', 'off']],
  ['stickiness.type', ['lb_cookie', 'app_cookie'], ['source_ip']],
  ['stickiness.lb_cookie.duration_seconds', ['1', '604800'], ['0', '604801']],
  ['stickiness.app_cookie.cookie_name', ['SESSION'], []],
  ['load_balancing.algorithm.type', ['least_outstanding_requests'], ['random']],
  ['load_balancing.cross_zone.enabled', ['true', 'false'], ['off']],
  [`target_group_health.dns_failover.${MINIMUM}.count`, ['off', '1000'], ['0', '1001']],
  [`target_group_health.dns_failover.${MINIMUM}.percentage`, ['off', '100'], ['101']],
  [`target_group_health.unhealthy_state_routing.${MINIMUM}.count`, ['1'], ['off', '0']],
  ['stickiness.enabled', ['true', 'false'], ['yes']],
  ['lambda.multi_value_headers.enabled', [], ['true']],
  ['preserve_client_ip.enabled', [], ['true']],
  ['no.such.attribute', [], ['true']],
];

describe('the attributes of a target group', () => {
  test('all have a value from the start', () => {
    const { aws, web } = trafficModel();
    expect(attributesOf(aws, web)).toMatchObject({
      [DELAY]: '300',
      'slow_start.duration_seconds': '0',
      'stickiness.enabled': 'false',
      'load_balancing.cross_zone.enabled': 'use_load_balancer_configuration',
      [`target_group_health.dns_failover.${MINIMUM}.count`]: '1',
    });
  });

  test.each(values)('%s takes %j and not %j', (key, good, bad) => {
    const { aws, web } = trafficModel();
    for (const value of good) {
      call(aws, ...modification(web, { [key]: value }));
      expect(attributesOf(aws, web)[key]).toBe(value);
    }
    for (const value of bad) {
      const why = `${key}=${value}`;
      expectRefusal(aws, modification(web, { [key]: value }), { code: 'ValidationError', why });
    }
  });

  test.each<[string, Values]>([
    [
      'anomaly mitigation without weighted_random',
      { 'load_balancing.algorithm.anomaly_mitigation': 'on' },
    ],
    [
      'slow start with least_outstanding_requests',
      {
        'slow_start.duration_seconds': '30',
        'load_balancing.algorithm.type': 'least_outstanding_requests',
      },
    ],
    ['a reserved cookie name', { 'stickiness.app_cookie.cookie_name': 'AWSALBTG' }],
    ['a cookie without a name', { 'stickiness.enabled': 'true', 'stickiness.type': 'app_cookie' }],
    [
      'stickiness with weighted_random',
      { 'stickiness.enabled': 'true', 'load_balancing.algorithm.type': 'weighted_random' },
    ],
    [
      'stickiness without cross-zone balancing',
      { 'stickiness.enabled': 'true', 'load_balancing.cross_zone.enabled': 'false' },
    ],
    [
      'a DNS threshold below that of routing',
      { [`target_group_health.unhealthy_state_routing.${MINIMUM}.count`]: '2' },
    ],
  ])('cannot be %s', (why, change) => {
    const { aws, web } = trafficModel();
    const code = 'InvalidConfigurationRequest';
    expectRefusal(aws, modification(web, change), { code, why });
  });

  test('change all together or not at all', () => {
    const { aws, web } = trafficModel();
    const change = modification(web, { [DELAY]: '5', nope: 'x' });
    expectRefusal(aws, change, { code: 'ValidationError', why: 'the second is unknown' });
    expectRefusal(aws, modification(web, {}), { code: 'ValidationError', why: 'none is given' });
    const twice = {
      TargetGroupArn: web,
      Attributes: [1, 2].map(() => ({ Key: DELAY, Value: '5' })),
    };
    expectRefusal(aws, ['ModifyTargetGroupAttributes', twice], {
      code: 'ValidationError',
      why: 'a key given twice',
    });
    const gone = modification(goneArn(web), { [DELAY]: '5' });
    expectRefusal(aws, gone, { code: 'TargetGroupNotFound', why: 'there is none' });
  });

  test('switch stickiness on only after the rules that mix the group with others', () => {
    const { aws, shop, web } = trafficModel();
    const api = createGroup(aws, 'api');
    const ListenerArn = createListener(aws, shop, { DefaultActions: forwardTo(web, api) });
    const on = modification(web, { 'stickiness.enabled': 'true' });
    expectRefusal(aws, on, {
      code: 'InvalidConfigurationRequest',
      message: 'This target group appears behind a rule with group stickiness disabled',
      why: 'a client would change the group and lose its target',
    });
    const [action] = forwardTo(web, api) as [{ ForwardConfig: object }];
    const TargetGroupStickinessConfig = { Enabled: true, DurationSeconds: 60 };
    const sticky = {
      ...action,
      ForwardConfig: { ...action.ForwardConfig, TargetGroupStickinessConfig },
    };
    call(aws, 'ModifyListener', { ListenerArn, DefaultActions: [sticky] });
    call(aws, ...on);
    const off = { ListenerArn, DefaultActions: forwardTo(web, api) };
    expectRefusal(aws, ['ModifyListener', off], {
      code: 'InvalidLoadBalancerAction',
      why: 'switching off goes the other way round',
    });
  });

  test('keep cross-zone balancing while a target is of every zone', () => {
    const { aws, web } = trafficModel();
    const target = { Id: '172.16.0.9', AvailabilityZone: 'all' };
    call(aws, 'RegisterTargets', { TargetGroupArn: web, Targets: [target] });
    expectRefusal(aws, modification(web, { 'load_balancing.cross_zone.enabled': 'false' }), {
      code: 'InvalidConfigurationRequest',
      why: 'no zone would be its own',
    });
  });
});
