import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
  RevokeSecurityGroupIngressCommand,
} from '@aws-sdk/client-ec2';
import {
  type Action,
  AddListenerCertificatesCommand,
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DeregisterTargetsCommand,
  DescribeListenerCertificatesCommand,
  DescribeRulesCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ModifyRuleCommand,
  ModifyTargetGroupAttributesCommand,
  RegisterTargetsCommand,
  type RuleCondition,
  SetRulePrioritiesCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, test } from 'vitest';
import { serveAwsForTests } from '../http/served-aws.ts';
import { certificateArn, POLICY } from './traffic-model.ts';

const served = serveAwsForTests();

async function balancer(name: string): Promise<string> {
  const Subnets = served.network.subnets.slice(0, 2);
  const { LoadBalancers } = await served.elb.send(
    new CreateLoadBalancerCommand({ Name: name, Subnets }),
  );
  return LoadBalancers?.[0]?.LoadBalancerArn ?? '';
}

async function group(Name: string): Promise<string> {
  const settings = { Protocol: 'HTTP', Port: 8080, TargetType: 'ip' } as const;
  const { TargetGroups } = await served.elb.send(
    new CreateTargetGroupCommand({
      ...{ ...settings, Name, VpcId: served.network.vpcId, HealthCheckEnabled: true },
      ...{ HealthCheckIntervalSeconds: 10, Matcher: { HttpCode: '200-299' } },
    }),
  );
  return TargetGroups?.[0]?.TargetGroupArn ?? '';
}

/** Puts something behind the AWS interface, as its other clients would. */
async function control(path: string, body: object): Promise<Response> {
  return fetch(`${served.server.url}/_embedded/${path}`, {
    method: 'PUT',
    body: JSON.stringify(body),
  });
}

const MISSING: Action = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } };

describe('through the SDK', () => {
  test('a balancer is given listeners, rules and targets, and taken down again', async () => {
    const { elb } = served;
    const LoadBalancerArn = await balancer('shop');
    const [web, api] = [await group('web'), await group('api')];
    expect((await control('certificates', { arns: [1, 2].map(certificateArn) })).status).toBe(200);
    const { Listeners } = await elb.send(
      new CreateListenerCommand({
        ...{ LoadBalancerArn, Protocol: 'HTTPS', Port: 443, SslPolicy: POLICY },
        Certificates: [{ CertificateArn: certificateArn(1) }],
        DefaultActions: [MISSING],
      }),
    );
    const ListenerArn = Listeners?.[0]?.ListenerArn ?? '';
    expect(Listeners).toMatchObject([{ Port: 443, SslPolicy: POLICY, DefaultActions: [MISSING] }]);
    const Certificates = [{ CertificateArn: certificateArn(2) }];
    await elb.send(new AddListenerCertificatesCommand({ ListenerArn, Certificates }));
    const listed = await elb.send(new DescribeListenerCertificatesCommand({ ListenerArn }));
    expect(listed.Certificates).toEqual([
      { CertificateArn: certificateArn(1), IsDefault: true },
      { CertificateArn: certificateArn(2), IsDefault: false },
    ]);
    const weighted: Action = {
      Type: 'forward',
      ForwardConfig: {
        TargetGroups: [
          { TargetGroupArn: web, Weight: 90 },
          { TargetGroupArn: api, Weight: 10 },
        ],
        TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: 60 },
      },
    };
    const rule = async (Priority: number, action: Action, ...Conditions: RuleCondition[]) => {
      const created = await elb.send(
        new CreateRuleCommand({ ListenerArn, Priority, Conditions, Actions: [action] }),
      );
      return created.Rules?.[0]?.RuleArn ?? '';
    };
    const values = { Values: ['/a', '/a/*'] };
    const first = await rule(10, weighted, { Field: 'path-pattern', PathPatternConfig: values });
    const second = await rule(
      20,
      { Type: 'redirect', RedirectConfig: { StatusCode: 'HTTP_302', Host: 'b.c', Port: '8443' } },
      { Field: 'host-header', HostHeaderConfig: { Values: ['a.b.com'] } },
      { Field: 'query-string', QueryStringConfig: { Values: [{ Key: 'v', Value: '1 & <2>' }] } },
    );
    await elb.send(
      new SetRulePrioritiesCommand({
        RulePriorities: [
          { RuleArn: first, Priority: 20 },
          { RuleArn: second, Priority: 10 },
        ],
      }),
    );
    await elb.send(
      new ModifyRuleCommand({ RuleArn: second, Conditions: [], ResetTransforms: true }),
    );
    const { Rules } = await elb.send(new DescribeRulesCommand({ ListenerArn }));
    expect(Rules).toMatchObject([
      {
        ...{ RuleArn: second, Priority: '10', IsDefault: false },
        Conditions: [
          { Field: 'host-header', Values: ['a.b.com'] },
          { QueryStringConfig: { Values: [{ Key: 'v', Value: '1 & <2>' }] } },
        ],
        Actions: [{ RedirectConfig: { Protocol: '#{protocol}', Host: 'b.c', Port: '8443' } }],
      },
      { ...{ RuleArn: first, Priority: '20' }, Actions: [weighted] },
      { Priority: 'default', IsDefault: true, Actions: [MISSING] },
    ]);
    const registration = { TargetGroupArn: web, Targets: [{ Id: '10.200.0.10', Port: 9090 }] };
    const outside = {
      ...registration,
      Targets: [{ ...registration.Targets[0], AvailabilityZone: 'all', Id: '192.168.7.7' }],
    };
    await elb.send(new RegisterTargetsCommand(outside));
    const path = 'target-groups/web/health';
    expect(await (await control(path, { state: 'healthy' })).json()).toEqual({ targets: 1 });
    const health = await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn: web }));
    expect(health.TargetHealthDescriptions).toEqual([
      {
        Target: { Id: '192.168.7.7', Port: 9090, AvailabilityZone: 'all' },
        HealthCheckPort: '9090',
        TargetHealth: { State: 'healthy' },
      },
    ]);
    await elb.send(new DeregisterTargetsCommand(outside));
    const Attributes = [{ Key: 'deregistration_delay.timeout_seconds', Value: '5' }];
    await elb.send(new ModifyTargetGroupAttributesCommand({ TargetGroupArn: api, Attributes }));
    const groups = await elb.send(new DescribeTargetGroupsCommand({ LoadBalancerArn }));
    expect(groups.TargetGroups).toMatchObject([
      {
        TargetGroupName: 'web',
        HealthCheckIntervalSeconds: 10,
        LoadBalancerArns: [LoadBalancerArn],
      },
      { TargetGroupName: 'api' },
    ]);
    await expect(
      elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: web })),
    ).rejects.toMatchObject({ name: 'ResourceInUseException' });
    await elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn }));
    for (const TargetGroupArn of [web, api]) {
      await elb.send(new DeleteTargetGroupCommand({ TargetGroupArn }));
    }
    expect((await elb.send(new DescribeTargetGroupsCommand({}))).TargetGroups).toEqual([]);
  });

  test('a refusal has the name and the words of AWS', async () => {
    const LoadBalancerArn = await balancer('shop');
    const command = new CreateListenerCommand({
      ...{ LoadBalancerArn, Protocol: 'HTTP', Port: 80, SslPolicy: POLICY },
      DefaultActions: [MISSING],
    });
    await expect(served.elb.send(command)).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'An SSL policy cannot be specifed for HTTP listeners',
      $metadata: { httpStatusCode: 400 },
    });
  });

  test('a security group gets and loses its rules', async () => {
    const { ec2, network } = served;
    const { GroupId } = await ec2.send(
      new CreateSecurityGroupCommand({
        ...{ VpcId: network.vpcId, GroupName: 'shop', Description: 'of shop' },
        TagSpecifications: [
          { ResourceType: 'security-group', Tags: [{ Key: 'team', Value: 'web' }] },
        ],
      }),
    );
    const IpPermissions = [
      {
        ...{ IpProtocol: 'tcp', FromPort: 80, ToPort: 443 },
        IpRanges: [{ CidrIp: '10.1.2.3/8', Description: 'inside' }],
        Ipv6Ranges: [{ CidrIpv6: '2001:db8::1/32' }],
        UserIdGroupPairs: [{ GroupId }],
      },
    ];
    const added = await ec2.send(
      new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }),
    );
    expect(added.SecurityGroupRules).toHaveLength(3);
    const Filters = [{ Name: 'tag:team', Values: ['web'] }];
    const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
    expect(SecurityGroups).toMatchObject([
      {
        ...{ GroupId, GroupName: 'shop', Description: 'of shop' },
        Tags: [{ Key: 'team', Value: 'web' }],
        IpPermissions: [
          {
            ...{ IpProtocol: 'tcp', FromPort: 80, ToPort: 443 },
            IpRanges: [{ CidrIp: '10.0.0.0/8', Description: 'inside' }],
            Ipv6Ranges: [{ CidrIpv6: '2001:db8::/32' }],
            UserIdGroupPairs: [{ GroupId }],
          },
        ],
      },
    ]);
    const revoked = await ec2.send(
      new RevokeSecurityGroupIngressCommand({ GroupId, IpPermissions }),
    );
    expect(revoked.RevokedSecurityGroupRules).toMatchObject([
      { CidrIpv4: '10.0.0.0/8', Description: 'inside' },
      { CidrIpv6: '2001:db8::/32' },
      { ReferencedGroupId: GroupId },
    ]);
    await ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
  });
});

describe('the control interface', () => {
  test.each([
    ['target-groups/web/health', { state: 'draining' }, 400],
    ['target-groups/nope/health', { state: 'healthy' }, 400],
    ['target-groups/web/health', { state: 'healthy', port: '80' }, 400],
    ['target-groups/web/nope', { state: 'healthy' }, 404],
    ['certificates', { arns: 'x' }, 400],
    ['instances/i-1', { subnetId: 'subnet-x' }, 400],
    ['instances/i-1', { subnetId: 'subnet-x', state: 'gone' }, 400],
  ])('answers PUT %s %j with %i', async (path, body, status) => {
    await group('web');
    expect((await control(path, body)).status).toBe(status);
  });

  test('adds an instance that can be a target, and a limit that holds', async () => {
    const [subnetId] = served.network.subnets;
    expect((await control('instances/i-00000000000000001', { subnetId })).status).toBe(200);
    const state = (await (await fetch(`${served.server.url}/_embedded/state`)).json()) as object;
    expect(state).toMatchObject({ targetGroups: [], listeners: [] });
    const limits = { 'target-groups': 0 };
    served.server.control.changeSettings({ limits });
    await expect(group('web')).rejects.toMatchObject({ name: 'TooManyTargetGroupsException' });
    served.server.control.changeSettings({ limits: {} });
    expect(() => served.server.control.changeSettings({ limits: { nope: 1 } as never })).toThrow(
      'unknown limit "nope"',
    );
  });
});
