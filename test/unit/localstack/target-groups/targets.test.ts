import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
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

/** State and reason by `id:port`. */
function healthOf(aws: EmbeddedAws, TargetGroupArn: string, Targets?: object[]): object {
  const { TargetHealthDescriptions } = call(aws, 'DescribeTargetHealth', {
    ...{ TargetGroupArn, Targets },
  });
  type Described = {
    Target: { Id: string; Port: number };
    TargetHealth: { State: string; Reason?: string };
  };
  return Object.fromEntries(
    (TargetHealthDescriptions as Described[]).map(({ Target, TargetHealth }) => [
      `${Target.Id}:${Target.Port}`,
      [TargetHealth.State, TargetHealth.Reason].filter(Boolean).join(' '),
    ]),
  );
}

const REGISTERING = 'initial Elb.RegistrationInProgress';
const NOT_IN_USE = 'unused Target.NotInUse';
const DRAINING = 'draining Target.DeregistrationInProgress';

function used() {
  const model = trafficModel();
  createListener(model.aws, model.shop, { DefaultActions: forwardTo(model.web) });
  const send = (operation: string, ...Targets: readonly object[]): object =>
    call(model.aws, operation, { TargetGroupArn: model.web, Targets });
  return { ...model, send, health: () => healthOf(model.aws, model.web) };
}

const refusals: Readonly<Record<string, Refusal & { readonly target: object }>> = {
  'what is no address': {
    target: { Id: 'i-00000000000000000' },
    code: 'ValidationError',
    why: 'the group takes addresses',
  },
  'an address of the other family': {
    target: { Id: 'fd00::1' },
    code: 'ValidationError',
    why: 'the group is ipv4',
  },
  'a public address': { target: { Id: '8.8.8.8' }, code: 'InvalidTarget', why: 'not routable' },
  'a loopback address': { target: { Id: '127.0.0.1' }, code: 'InvalidTarget', why: 'not private' },
  'an address outside the VPC without a zone': {
    target: { Id: '172.16.0.1' },
    code: 'ValidationError',
    message:
      "The Availability Zone is required for IP address '172.16.0.1' because it is not in the VPC",
    why: 'AWS cannot know it',
  },
  "an address of the VPC's block that no subnet holds": {
    target: { Id: '10.0.200.1' },
    code: 'ValidationError',
    message: 'because it is not in the VPC',
    why: 'subnets count, not the block',
  },
  'a single zone for an address outside the VPC': {
    target: { Id: '172.16.0.1', AvailabilityZone: 'us-east-1a' },
    code: 'ValidationError',
    message: "must be 'all' for Application Load Balancer target groups, when not within the VPC",
    why: 'cross-zone balancing is on',
  },
  'every zone for an address in the VPC': {
    target: { Id: '10.0.0.10', AvailabilityZone: 'all' },
    code: 'ValidationError',
    message: "cannot have its Availability Zone overridden to 'all' from 'us-east-1a'",
    why: 'its subnet has one',
  },
  'port 0': { target: { Id: '10.0.0.10', Port: 0 }, code: 'ValidationError', why: '1 to 65535' },
  'a QUIC server id': {
    target: { Id: '10.0.0.10', QuicServerId: '0x00' },
    code: 'ValidationError',
    why: 'of network balancers',
  },
};

describe('RegisterTargets', () => {
  test('takes an address with several ports, the group port where none is given', () => {
    const { send, health } = used();
    send('RegisterTargets', { Id: '10.0.0.10' }, { Id: '10.0.0.10', Port: 9090 });
    expect(health()).toEqual({ '10.0.0.10:8080': REGISTERING, '10.0.0.10:9090': REGISTERING });
  });

  test('leaves a target that is registered as it is', () => {
    const { aws, send, health } = used();
    send('RegisterTargets', { Id: '10.0.0.10' });
    aws.control.setTargetHealth('web', { health: { state: 'healthy' } });
    send('RegisterTargets', { Id: '10.0.0.10', Port: 8080 });
    expect(health()).toEqual({ '10.0.0.10:8080': 'healthy' });
  });

  test('takes private addresses outside the VPC for all zones', () => {
    const { send, health } = used();
    const outside = ['10.200.0.1', '172.31.0.1', '192.168.1.1', '100.64.0.1'];
    send('RegisterTargets', ...outside.map((Id) => ({ Id, AvailabilityZone: 'all' })));
    expect(Object.values(health())).toEqual(outside.map(() => REGISTERING));
  });

  test.each(Object.entries(refusals))('refuses %s, and the good ones of the batch', (_, row) => {
    const { target, ...refusal } = row;
    const { aws, web } = used();
    const Targets = [{ Id: '10.0.0.11' }, target];
    expectRefusal(aws, ['RegisterTargets', { TargetGroupArn: web, Targets }], refusal);
  });

  test('refuses an empty list and a group that is gone', () => {
    const { aws, web } = used();
    expect(outcomeOf(aws, 'RegisterTargets', { TargetGroupArn: web, Targets: [] })).toBe(
      'ValidationError',
    );
    const gone = { TargetGroupArn: goneArn(web), Targets: [{ Id: '10.0.0.1' }] };
    expect(outcomeOf(aws, 'RegisterTargets', gone)).toBe('TargetGroupNotFound');
  });

  test('refuses the 1001st target of a group, and of a balancer over all its groups', () => {
    const { aws, shop, web, send } = used();
    const addresses = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({ Id: '10.0.0.10', Port: index + 1 }));
    send('RegisterTargets', ...addresses(600));
    const api = createGroup(aws, 'api');
    createListener(aws, shop, { Port: 81, DefaultActions: forwardTo(api) });
    const toApi = (count: number): string =>
      outcomeOf(aws, 'RegisterTargets', { TargetGroupArn: api, Targets: addresses(count) });
    expect([toApi(401), toApi(400), toApi(401)]).toEqual([
      'TooManyTargets',
      'ok',
      'TooManyTargets',
    ]);
    const lone = createGroup(aws, 'lone');
    const toLone = (count: number): string =>
      outcomeOf(aws, 'RegisterTargets', { TargetGroupArn: lone, Targets: addresses(count) });
    expect([toLone(1000), toLone(1001)]).toEqual(['ok', 'TooManyTargets']);
    const input = { LoadBalancerArn: shop, Protocol: 'HTTP', Port: 82 };
    expect(outcomeOf(aws, 'CreateListener', { ...input, DefaultActions: forwardTo(lone) })).toBe(
      'TooManyTargets',
    );
    expect(web).not.toBe(lone);
  });

  test('takes running instances of the VPC, and no others', () => {
    const { aws } = trafficModel();
    const group = createGroup(aws, 'nodes', { TargetType: 'instance' });
    const id = (digit: string): string => `i-${digit.repeat(17)}`;
    aws.control.putInstance({ id: id('a'), subnetId: 'subnet-a', state: 'running' });
    aws.control.putInstance({ id: id('b'), subnetId: 'subnet-a', state: 'stopped' });
    aws.control.putInstance({ id: id('c'), subnetId: 'subnet-oa', state: 'running' });
    const outcome = (target: object): string =>
      outcomeOf(aws, 'RegisterTargets', { TargetGroupArn: group, Targets: [target] });
    expect(outcome({ Id: id('a'), Port: 30_080 })).toBe('ok');
    expect(outcome({ Id: id('a'), AvailabilityZone: 'all' })).toBe('ValidationError');
    for (const other of ['b', 'c', 'd']) expect(outcome({ Id: id(other) })).toBe('InvalidTarget');
    expect(outcome({ Id: '10.0.0.1' })).toBe('ValidationError');
    expect(() =>
      aws.control.putInstance({ id: id('e'), subnetId: 'subnet-x', state: 'running' }),
    ).toThrow(RangeError);
  });

  test('takes IPv6 addresses of the VPC for a group of that family', () => {
    const { aws } = trafficModel();
    const { Subnets } = call(aws, 'DescribeSubnets', { SubnetIds: ['subnet-a'] });
    const cidr = Subnets[0].Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock as string;
    const group = createGroup(aws, 'six', { IpAddressType: 'ipv6' });
    const outcome = (Id: string): string =>
      outcomeOf(aws, 'RegisterTargets', { TargetGroupArn: group, Targets: [{ Id }] });
    expect(outcome(cidr.replace('/64', '5'))).toBe('ok');
    expect(outcome('2001:db8::1')).toBe('InvalidTarget');
    expect(outcome('10.0.0.1')).toBe('ValidationError');
  });
});

describe('DeregisterTargets', () => {
  test('lets a target drain for the delay of that moment, then forgets it', () => {
    const { aws, clock, web, send, health } = used();
    send('RegisterTargets', { Id: '10.0.0.10' }, { Id: '10.0.0.11' });
    send('DeregisterTargets', { Id: '10.0.0.10' });
    const Attributes = [{ Key: 'deregistration_delay.timeout_seconds', Value: '0' }];
    call(aws, 'ModifyTargetGroupAttributes', { TargetGroupArn: web, Attributes });
    clock.advance(299_999);
    expect(health()).toMatchObject({ '10.0.0.10:8080': DRAINING, '10.0.0.11:8080': REGISTERING });
    clock.advance(1);
    expect(health()).toEqual({ '10.0.0.11:8080': REGISTERING });
    send('DeregisterTargets', { Id: '10.0.0.11' });
    expect(health()).toEqual({});
  });

  test('does not begin the delay anew for a target that drains', () => {
    const { clock, send, health } = used();
    send('RegisterTargets', { Id: '10.0.0.10' });
    send('DeregisterTargets', { Id: '10.0.0.10' });
    clock.advance(200_000);
    send('DeregisterTargets', { Id: '10.0.0.10' });
    clock.advance(100_000);
    expect(health()).toEqual({});
  });

  test('needs the port that the registration had', () => {
    const { send, health } = used();
    send('RegisterTargets', { Id: '10.0.0.10', Port: 9090 });
    send('DeregisterTargets', { Id: '10.0.0.10' });
    expect(health()).toEqual({ '10.0.0.10:9090': REGISTERING });
  });

  test('succeeds for what is not registered', () => {
    const { send, health } = used();
    expect(send('DeregisterTargets', { Id: '10.0.0.99' })).toEqual({});
    expect(health()).toEqual({});
  });

  test('is taken back by a registration, which begins anew', () => {
    const { aws, send, health } = used();
    send('RegisterTargets', { Id: '10.0.0.10' });
    aws.control.setTargetHealth('web', { health: { state: 'healthy' } });
    send('DeregisterTargets', { Id: '10.0.0.10' });
    send('RegisterTargets', { Id: '10.0.0.10' });
    expect(health()).toEqual({ '10.0.0.10:8080': REGISTERING });
  });

  test('drains nothing in a group that no balancer uses', () => {
    const { aws, web } = trafficModel();
    const input = { TargetGroupArn: web, Targets: [{ Id: '10.0.0.10' }] };
    call(aws, 'RegisterTargets', input);
    call(aws, 'DeregisterTargets', input);
    expect(healthOf(aws, web)).toEqual({});
  });

  test('refuses a malformed target and a group that is gone', () => {
    const { aws, web } = used();
    const input = (TargetGroupArn: string, Id: string): object => ({
      ...{ TargetGroupArn, Targets: [{ Id }] },
    });
    expect(outcomeOf(aws, 'DeregisterTargets', input(web, 'x'))).toBe('ValidationError');
    expect(outcomeOf(aws, 'DeregisterTargets', input(goneArn(web), '10.0.0.1'))).toBe(
      'TargetGroupNotFound',
    );
  });
});

describe('DescribeTargetHealth', () => {
  test('says what AWS says of a target, port and zone included', () => {
    const { aws, web, send } = used();
    send('RegisterTargets', { Id: '10.0.1.10', Port: 9090 });
    const health = {
      state: 'unhealthy',
      reason: 'Target.Timeout',
      description: 'timed out',
    } as const;
    expect(aws.control.setTargetHealth('web', { port: 9090, health })).toBe(1);
    expect(call(aws, 'DescribeTargetHealth', { TargetGroupArn: web, Include: ['All'] })).toEqual({
      TargetHealthDescriptions: [
        {
          Target: { Id: '10.0.1.10', Port: 9090, AvailabilityZone: 'us-east-1b' },
          HealthCheckPort: '9090',
          TargetHealth: {
            State: 'unhealthy',
            Reason: 'Target.Timeout',
            Description: 'timed out',
          },
          AnomalyDetection: { Result: 'normal', MitigationInEffect: 'no' },
        },
      ],
    });
  });

  test('names targets that are asked for and not registered', () => {
    const { aws, web, send } = used();
    send('RegisterTargets', { Id: '10.0.0.10' });
    const asked = [{ Id: '10.0.0.10' }, { Id: '10.0.0.10', Port: 1 }];
    expect(healthOf(aws, web, asked)).toEqual({
      '10.0.0.10:8080': REGISTERING,
      '10.0.0.10:1': 'unused Target.NotRegistered',
    });
  });

  test('is unused where no rule names the group or the zone has no subnet', () => {
    const { aws, shop, web } = trafficModel();
    const Targets = [{ Id: '10.0.0.10' }, { Id: '10.0.2.10' }];
    call(aws, 'RegisterTargets', { TargetGroupArn: web, Targets });
    expect(Object.values(healthOf(aws, web))).toEqual([NOT_IN_USE, NOT_IN_USE]);
    createListener(aws, shop, { DefaultActions: forwardTo(web) });
    expect(healthOf(aws, web)).toEqual({
      '10.0.0.10:8080': REGISTERING,
      '10.0.2.10:8080': NOT_IN_USE,
    });
    const Subnets = ['subnet-a', 'subnet-b', 'subnet-c'];
    call(aws, 'SetSubnets', { LoadBalancerArn: shop, Subnets });
    expect(Object.values(healthOf(aws, web))).toEqual([REGISTERING, REGISTERING]);
  });

  test('begins anew when a group comes back into use', () => {
    const { aws, shop, web } = trafficModel();
    call(aws, 'RegisterTargets', { TargetGroupArn: web, Targets: [{ Id: '10.0.0.10' }] });
    const ListenerArn = createListener(aws, shop, { DefaultActions: forwardTo(web) });
    aws.control.setTargetHealth('web', { health: { state: 'healthy' } });
    expect(Object.values(healthOf(aws, web))).toEqual(['healthy']);
    call(aws, 'DeleteListener', { ListenerArn });
    expect(Object.values(healthOf(aws, web))).toEqual([NOT_IN_USE]);
    createListener(aws, shop, { DefaultActions: forwardTo(web) });
    expect(Object.values(healthOf(aws, web))).toEqual([REGISTERING]);
  });

  test('sees an instance that stops', () => {
    const { aws, shop } = trafficModel();
    const group = createGroup(aws, 'nodes', { TargetType: 'instance' });
    const id = `i-${'a'.repeat(17)}`;
    aws.control.putInstance({ id, subnetId: 'subnet-a', state: 'running' });
    call(aws, 'RegisterTargets', { TargetGroupArn: group, Targets: [{ Id: id }] });
    createListener(aws, shop, { DefaultActions: forwardTo(group) });
    aws.control.putInstance({ id, subnetId: 'subnet-a', state: 'stopped' });
    expect(Object.values(healthOf(aws, group))).toEqual(['unused Target.InvalidState']);
  });

  test('answers from the past where reads are stale', () => {
    const { aws, clock, send, health } = used();
    clock.advance(60_000);
    send('RegisterTargets', { Id: '10.0.0.10' });
    clock.advance(1000);
    const effect = { kind: 'staleReads', ageMs: 2000 } as const;
    aws.control.addFault({ operation: 'DescribeTargetHealth', effect });
    expect(health()).toEqual({});
    expect(health()).not.toEqual({});
  });

  test.each([
    { state: 'draining', reason: 'Target.DeregistrationInProgress' },
    { state: 'healthy', reason: 'Target.Timeout' },
    { state: 'unhealthy' },
    { state: 'unhealthy', reason: 'Elb.InitialHealthChecking' },
  ])('cannot be set to what no health check gives: %j', (health) => {
    const { aws } = used();
    const set = (): number => aws.control.setTargetHealth('web', { health } as never);
    expect(set).toThrow(RangeError);
    expect(() => aws.control.setTargetHealth('x', { health: { state: 'healthy' } })).toThrow('"x"');
  });
});
