import { describe, expect, test } from 'vitest';
import { call, outcomeOf } from '../seeded-model.ts';
import {
  createGroup,
  createListener,
  expectRefusal,
  forwardTo,
  goneArn,
  type Refusal,
  trafficModel,
} from '../traffic/traffic-model.ts';

const GOOD = { Name: 'api', Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main', TargetType: 'ip' };

const refusals: Readonly<Record<string, Refusal & { readonly input: object }>> = {
  'a name of 33 characters': {
    input: { Name: 'x'.repeat(33) },
    code: 'ValidationError',
    message: "cannot be longer than '32' characters",
    why: 'the limit is 32',
  },
  'an underscore in a name': {
    input: { Name: 'a_b' },
    code: 'ValidationError',
    why: 'letters, digits and hyphens only',
  },
  'a name that ends in a hyphen': {
    input: { Name: 'a-' },
    code: 'ValidationError',
    message: "cannot begin or end with '-'",
    why: 'no hyphen at an edge',
  },
  'two hyphens in a row': {
    input: { Name: 'a--b' },
    code: 'ValidationError',
    why: 'a pattern that only the answer shows',
  },
  'no name': { input: { Name: undefined }, code: 'ValidationError', why: 'it is required' },
  'no port': { input: { Port: undefined }, code: 'ValidationError', why: 'not a lambda' },
  'port 0': { input: { Port: 0 }, code: 'ValidationError', why: 'ports begin at 1' },
  'port 65536': { input: { Port: 65_536 }, code: 'ValidationError', why: 'and end at 65535' },
  'no protocol': { input: { Protocol: undefined }, code: 'ValidationError', why: 'not a lambda' },
  'an unknown protocol': {
    input: { Protocol: 'HTTP3' },
    code: 'ValidationError',
    message: /Member must satisfy enum value set: \[HTTP, HTTPS, TCP/,
    why: 'an enum of the model',
  },
  'the protocol of network balancers': {
    input: { Protocol: 'TCP' },
    code: 'InvalidConfigurationRequest',
    message: 'not modelled',
    why: 'refused rather than ignored',
  },
  'lambda targets': {
    input: { TargetType: 'lambda' },
    code: 'InvalidConfigurationRequest',
    message: 'not modelled',
    why: 'refused rather than ignored',
  },
  'no VPC': { input: { VpcId: undefined }, code: 'ValidationError', why: 'not a lambda' },
  'an unknown VPC': {
    input: { VpcId: 'vpc-x' },
    code: 'ValidationError',
    message: "The VPC ID 'vpc-x' is not found",
    why: 'the model declares no VpcNotFound',
  },
  'an unknown protocol version': {
    input: { ProtocolVersion: 'HTTP3' },
    code: 'ValidationError',
    why: 'HTTP1, HTTP2 and GRPC',
  },
  'IPv6 for instances': {
    input: { IpAddressType: 'ipv6', TargetType: 'instance' },
    code: 'ValidationError',
    why: 'only addresses have a family here',
  },
  'a target control port': {
    input: { TargetControlPort: 3000 },
    code: 'InvalidConfigurationRequest',
    message: 'not modelled',
    why: 'refused rather than ignored',
  },
  'a health check that is off': {
    input: { HealthCheckEnabled: false },
    code: 'InvalidConfigurationRequest',
    why: 'only lambda groups may',
  },
  'a timeout as long as the interval': {
    input: { HealthCheckIntervalSeconds: 10, HealthCheckTimeoutSeconds: 10 },
    code: 'ValidationError',
    message: "Health check timeout '10' must be smaller than the interval '10'",
    why: 'the next check would begin before this one ends',
  },
  'an interval that the default timeout reaches': {
    input: { HealthCheckIntervalSeconds: 5 },
    code: 'ValidationError',
    message: "Health check timeout '5' must be smaller than the interval '5'",
    why: 'defaults are judged as well',
  },
  'an interval of 4 s': {
    input: { HealthCheckIntervalSeconds: 4 },
    code: 'ValidationError',
    why: '5 to 300',
  },
  'an interval of 301 s': {
    input: { HealthCheckIntervalSeconds: 301 },
    code: 'ValidationError',
    message: 'Member must have value less than or equal to 300',
    why: '5 to 300',
  },
  'a threshold of 1': { input: { HealthyThresholdCount: 1 }, code: 'ValidationError', why: '2-10' },
  'a threshold of 11': {
    input: { UnhealthyThresholdCount: 11 },
    code: 'ValidationError',
    why: '2-10',
  },
  'a path without its slash': {
    input: { HealthCheckPath: 'healthz' },
    code: 'ValidationError',
    why: 'paths begin with one',
  },
  'a path of 1025 characters': {
    input: { HealthCheckPath: `/${'x'.repeat(1024)}` },
    code: 'ValidationError',
    why: 'the limit is 1024',
  },
  'a health check port that is neither': {
    input: { HealthCheckPort: '70000' },
    code: 'ValidationError',
    why: 'a number or traffic-port',
  },
  'the code 500 for healthy': {
    input: { Matcher: { HttpCode: '200,500' } },
    code: 'ValidationError',
    why: 'HTTP codes are 200 to 499',
  },
  'gRPC codes for an HTTP group': {
    input: { Matcher: { GrpcCode: '0' } },
    code: 'ValidationError',
    why: 'the version decides the kind',
  },
  'gRPC code 100': {
    input: { ProtocolVersion: 'GRPC', Matcher: { GrpcCode: '0-100' } },
    code: 'ValidationError',
    why: 'gRPC codes are 0 to 99',
  },
  'a reserved tag': {
    input: { Tags: [{ Key: 'aws:x', Value: 'y' }] },
    code: 'ValidationError',
    why: 'tags are judged as those of a balancer',
  },
  '51 tags': {
    input: { Tags: Array.from({ length: 51 }, (_, index) => ({ Key: `k${index}`, Value: '' })) },
    code: 'TooManyTags',
    why: 'the limit is 50',
  },
};

describe('CreateTargetGroup', () => {
  test('answers what AWS answers, with every default', () => {
    const { aws } = trafficModel();
    const Tags = [{ Key: 'team', Value: 'web' }];
    const answer = call(aws, 'CreateTargetGroup', { ...GOOD, Tags });
    expect(answer['TargetGroups']).toEqual([
      {
        TargetGroupArn: expect.stringMatching(
          /^arn:aws:elasticloadbalancing:us-east-1:000000000000:targetgroup\/api\/[0-9a-f]{16}$/,
        ),
        TargetGroupName: 'api',
        Protocol: 'HTTP',
        Port: 80,
        VpcId: 'vpc-main',
        HealthCheckProtocol: 'HTTP',
        HealthCheckPort: 'traffic-port',
        HealthCheckEnabled: true,
        HealthCheckIntervalSeconds: 30,
        HealthCheckTimeoutSeconds: 5,
        HealthyThresholdCount: 5,
        UnhealthyThresholdCount: 2,
        HealthCheckPath: '/',
        Matcher: { HttpCode: '200' },
        LoadBalancerArns: [],
        TargetType: 'ip',
        ProtocolVersion: 'HTTP1',
        IpAddressType: 'ipv4',
      },
    ]);
    const [{ TargetGroupArn }] = answer['TargetGroups'];
    expect(call(aws, 'DescribeTags', { ResourceArns: [TargetGroupArn] })).toEqual({
      TagDescriptions: [{ ResourceArn: TargetGroupArn, Tags }],
    });
  });

  test('gives a gRPC group the defaults of gRPC, and instances where no type is asked for', () => {
    const { aws } = trafficModel();
    const { TargetType: _, ...untyped } = GOOD;
    const grpc = { ...untyped, ProtocolVersion: 'GRPC' };
    expect(call(aws, 'CreateTargetGroup', grpc)['TargetGroups'][0]).toMatchObject({
      TargetType: 'instance',
      HealthCheckPath: '/AWS.ALB/healthcheck',
      Matcher: { GrpcCode: '12' },
    });
  });

  test('answers the existing group, unchanged, for the same settings and other tags', () => {
    const { aws } = trafficModel();
    const first = call(aws, 'CreateTargetGroup', GOOD);
    const again = { ...GOOD, HealthCheckPath: '/', Tags: [{ Key: 'a', Value: 'b' }] };
    expect(call(aws, 'CreateTargetGroup', again)).toEqual(first);
    const ResourceArns = [first['TargetGroups'][0].TargetGroupArn];
    expect(call(aws, 'DescribeTags', { ResourceArns })['TagDescriptions'][0].Tags).toEqual([]);
  });

  test.each([
    { Port: 81 },
    { HealthCheckPath: '/ready' },
    { VpcId: 'vpc-other' },
    { TargetType: 'instance' },
  ])('refuses the name of a group with other settings: %j', (other) => {
    const { aws } = trafficModel();
    call(aws, 'CreateTargetGroup', GOOD);
    expectRefusal(aws, ['CreateTargetGroup', { ...GOOD, ...other }], {
      code: 'DuplicateTargetGroupName',
      message: "A target group with the same name 'api' exists, but with different settings",
      why: 'a name means one group',
    });
  });

  test.each(Object.entries(refusals))('refuses %s', (_, { input, ...refusal }) => {
    expectRefusal(trafficModel().aws, ['CreateTargetGroup', { ...GOOD, ...input }], refusal);
  });

  test('refuses more groups than the quota', () => {
    const { aws } = trafficModel({ limits: { 'target-groups': 2 } });
    createGroup(aws, 'second');
    expectRefusal(aws, ['CreateTargetGroup', GOOD], {
      code: 'TooManyTargetGroups',
      why: 'two is the quota',
    });
  });
});

describe('DescribeTargetGroups', () => {
  const names = (answer: Record<string, unknown>): string[] =>
    (answer['TargetGroups'] as { TargetGroupName: string }[]).map((one) => one.TargetGroupName);

  test('finds by name, by ARN and by balancer', () => {
    const { aws, shop, web } = trafficModel();
    const api = createGroup(aws, 'api');
    createListener(aws, shop, { DefaultActions: forwardTo(web) });
    expect(names(call(aws, 'DescribeTargetGroups', { Names: ['api', 'web', 'api'] }))).toEqual([
      'api',
      'web',
    ]);
    expect(names(call(aws, 'DescribeTargetGroups', { TargetGroupArns: [api] }))).toEqual(['api']);
    const behind = call(aws, 'DescribeTargetGroups', { LoadBalancerArn: shop });
    expect(behind['TargetGroups']).toMatchObject([
      { TargetGroupName: 'web', LoadBalancerArns: [shop] },
    ]);
    expect(names(call(aws, 'DescribeTargetGroups', {}))).toEqual(['web', 'api']);
  });

  test('gives pages that a creation between them does not disturb', () => {
    const { aws } = trafficModel();
    for (const name of ['b', 'c', 'd']) createGroup(aws, name);
    const first = call(aws, 'DescribeTargetGroups', { PageSize: 2 });
    expect(names(first)).toEqual(['web', 'b']);
    createGroup(aws, 'e');
    const Marker = first['NextMarker'] as string;
    expect(names(call(aws, 'DescribeTargetGroups', { PageSize: 2, Marker }))).toEqual(['c', 'd']);
    expect(outcomeOf(aws, 'DescribeTargetGroups', { PageSize: 401 })).toBe('ValidationError');
  });

  test('fails as a whole where one is missing, and for two ways to select', () => {
    const { aws, shop, web } = trafficModel();
    const cases: readonly (readonly [object, string])[] = [
      [{ Names: ['web', 'nope'] }, 'TargetGroupNotFound'],
      [{ TargetGroupArns: [web, goneArn(web)] }, 'TargetGroupNotFound'],
      [{ TargetGroupArns: ['arn:aws:x'] }, 'ValidationError'],
      [{ TargetGroupArns: [web.replace('us-east-1', 'eu-west-1')] }, 'ValidationError'],
      [{ LoadBalancerArn: goneArn(shop) }, 'LoadBalancerNotFound'],
      [{ Names: ['web'], LoadBalancerArn: shop }, 'ValidationError'],
    ];
    for (const [input, code] of cases) {
      expect(outcomeOf(aws, 'DescribeTargetGroups', input), JSON.stringify(input)).toBe(code);
    }
  });
});

describe('ModifyTargetGroup', () => {
  test('changes what is given of the health check and keeps the rest', () => {
    const { aws, web } = trafficModel();
    const change = { HealthCheckPath: '/ready', Matcher: { HttpCode: '200-299,301' } };
    call(aws, 'ModifyTargetGroup', { TargetGroupArn: web, ...change });
    call(aws, 'ModifyTargetGroup', { TargetGroupArn: web, HealthyThresholdCount: 3 });
    expect(call(aws, 'DescribeTargetGroups', {})['TargetGroups']).toMatchObject([
      { ...change, HealthyThresholdCount: 3, HealthCheckIntervalSeconds: 30 },
    ]);
  });

  test('refuses what a create refuses, and a group that is gone', () => {
    const { aws, web } = trafficModel();
    const input = { TargetGroupArn: web, HealthCheckTimeoutSeconds: 30 };
    expectRefusal(aws, ['ModifyTargetGroup', input], {
      code: 'ValidationError',
      why: 'the interval is 30 by default',
    });
    expectRefusal(aws, ['ModifyTargetGroup', { TargetGroupArn: goneArn(web) }], {
      code: 'TargetGroupNotFound',
      why: 'there is none',
    });
  });
});

describe('DeleteTargetGroup', () => {
  test('is refused while an action names the group, and succeeds again and again after', () => {
    const { aws, shop, web } = trafficModel();
    createListener(aws, shop, { DefaultActions: forwardTo(web) });
    expectRefusal(aws, ['DeleteTargetGroup', { TargetGroupArn: web }], {
      code: 'ResourceInUse',
      message: `Target group '${web}' is currently in use by a listener or a rule`,
      why: 'requests would go nowhere',
    });
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn: shop });
    expect(aws.control.snapshot().targetGroups).toMatchObject([{ name: 'web' }]);
    expect(call(aws, 'DeleteTargetGroup', { TargetGroupArn: web })).toEqual({});
    expect(call(aws, 'DeleteTargetGroup', { TargetGroupArn: web })).toEqual({});
    expect(aws.control.snapshot().targetGroups).toEqual([]);
    expect(outcomeOf(aws, 'DeleteTargetGroup', { TargetGroupArn: 'web' })).toBe('ValidationError');
  });
});
