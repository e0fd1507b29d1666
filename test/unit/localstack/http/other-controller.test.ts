import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeAvailabilityZonesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DeleteListenerCommand,
  DeleteLoadBalancerCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  DescribeListenerAttributesCommand,
  DescribeListenersCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ModifyLoadBalancerAttributesCommand,
  ModifyRuleCommand,
  RegisterTargetsCommand,
  type Rule,
  SetRulePrioritiesCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveAwsForTests } from './served-aws.ts';

/**
 * The calls of AWS Load Balancer Controller 3.5, in its order and with its SDK settings: the stand-in serves
 * whoever speaks ELBv2, not albridge alone.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/tree/main/pkg/deploy/elbv2
 */
const served = serveAwsForTests();

/** As that controller tags. */
const STACK = { 'elbv2.k8s.aws/cluster': 'demo', 'ingress.k8s.aws/stack': 'web/shop' };
const tagsOf = (resource: string): { readonly Key: string; readonly Value: string }[] =>
  Object.entries({ ...STACK, 'ingress.k8s.aws/resource': resource }).map(([Key, Value]) => ({
    Key,
    Value,
  }));
const byStack = Object.entries(STACK).map(([key, value]) => ({
  Name: `tag:${key}`,
  Values: [value],
}));
const PATHS = ['/a', '/b', '/c'];
/** Where it parks rules that are to go. */
const LOWEST = 50_000;

let elb: ElasticLoadBalancingV2Client;
let ec2: EC2Client;

beforeAll(() => {
  const client = {
    ...{ endpoint: served.server.url, region: 'us-east-1', maxAttempts: 10 },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  elb = new ElasticLoadBalancingV2Client(client);
  ec2 = new EC2Client(client);
});
afterAll(() => {
  elb.destroy();
  ec2.destroy();
});

interface Stack {
  readonly balancer: string;
  readonly group: string;
  readonly listener: string;
  readonly securityGroup: string;
}

/** One HTTP listener, one group of addresses, a security group of its own. */
async function create(): Promise<Stack> {
  await listBalancers();
  const { Subnets = [] } = await ec2.send(
    new DescribeSubnetsCommand({ SubnetIds: served.network.subnets.slice(0, 2) }),
  );
  const [{ VpcId: vpc = '', CidrBlock = '' } = {}] = Subnets;
  await ec2.send(new DescribeAvailabilityZonesCommand({}));
  const securityGroup = await createSecurityGroup(vpc);
  const group = await createGroup(vpc);
  const balancer = await createBalancer(securityGroup);
  const listener = await createListener(balancer);
  for (const [index, path] of PATHS.entries())
    await createRule({ listener, group }, path, index + 1);
  await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn: group }));
  const Targets = [{ Id: CidrBlock.replace(/\d+\/\d+$/, '10'), Port: 8080 }];
  await elb.send(new RegisterTargetsCommand({ TargetGroupArn: group, Targets }));
  return { balancer, group, listener, securityGroup };
}

async function createSecurityGroup(VpcId: string): Promise<string> {
  const Filters = [...byStack, { Name: 'vpc-id', Values: [VpcId] }];
  const found = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  expect(found.SecurityGroups).toEqual([]);
  const { GroupId = '' } = await ec2.send(
    new CreateSecurityGroupCommand({
      ...{
        GroupName: 'k8s-web-shop-0123456789',
        Description: '[k8s] Managed SecurityGroup',
        VpcId,
      },
      TagSpecifications: [
        { ResourceType: 'security-group', Tags: tagsOf('ManagedLBSecurityGroup') },
      ],
    }),
  );
  await ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: [GroupId] }));
  const port = { IpProtocol: 'tcp', FromPort: 80, ToPort: 80 };
  const IpPermissions = [{ ...port, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  return GroupId;
}

async function createGroup(VpcId: string): Promise<string> {
  await elb.send(new DescribeTargetGroupsCommand({}));
  const { TargetGroups = [] } = await elb.send(
    new CreateTargetGroupCommand({
      ...{ Name: 'k8s-web-shop-abcdef0123', VpcId, TargetType: 'ip', IpAddressType: 'ipv4' },
      ...{ Protocol: 'HTTP', ProtocolVersion: 'HTTP1', Port: 80, HealthCheckEnabled: true },
      ...{ HealthCheckPort: 'traffic-port', HealthCheckPath: '/', Matcher: { HttpCode: '200' } },
      ...{ HealthCheckIntervalSeconds: 15, HealthCheckTimeoutSeconds: 5 },
      ...{ HealthyThresholdCount: 2, UnhealthyThresholdCount: 2 },
      Tags: tagsOf('web/shop-svc:80'),
    }),
  );
  const group = TargetGroups[0]?.TargetGroupArn ?? '';
  await elb.send(new DescribeTargetGroupAttributesCommand({ TargetGroupArn: group }));
  return group;
}

async function createBalancer(securityGroup: string): Promise<string> {
  await listBalancers();
  const { LoadBalancers = [] } = await elb.send(
    new CreateLoadBalancerCommand({
      ...{ Name: 'k8s-web-shop-0123456789', Scheme: 'internet-facing', Type: 'application' },
      ...{ IpAddressType: 'ipv4', SecurityGroups: [securityGroup], Tags: tagsOf('LoadBalancer') },
      SubnetMappings: served.network.subnets.slice(0, 2).map((SubnetId) => ({ SubnetId })),
    }),
  );
  const balancer = LoadBalancers[0]?.LoadBalancerArn ?? '';
  await elb.send(new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn: balancer }));
  const Attributes = [{ Key: 'idle_timeout.timeout_seconds', Value: '120' }];
  await elb.send(
    new ModifyLoadBalancerAttributesCommand({ LoadBalancerArn: balancer, Attributes }),
  );
  return balancer;
}

async function createListener(LoadBalancerArn: string): Promise<string> {
  await elb.send(new DescribeListenersCommand({ LoadBalancerArn }));
  const { Listeners = [] } = await elb.send(
    new CreateListenerCommand({
      ...{ LoadBalancerArn, Port: 80, Protocol: 'HTTP', Tags: tagsOf('80') },
      DefaultActions: [
        {
          Type: 'fixed-response',
          FixedResponseConfig: { StatusCode: '404', ContentType: 'text/plain' },
        },
      ],
    }),
  );
  const ListenerArn = Listeners[0]?.ListenerArn ?? '';
  await elb.send(new DescribeListenerAttributesCommand({ ListenerArn }));
  await elb.send(new DescribeRulesCommand({ ListenerArn }));
  return ListenerArn;
}

function forwardTo(TargetGroupArn: string) {
  return [{ Type: 'forward' as const, ForwardConfig: { TargetGroups: [{ TargetGroupArn }] } }];
}

function conditionsOf(path: string) {
  return [{ Field: 'path-pattern', PathPatternConfig: { Values: [path] } }];
}

async function createRule(
  { listener: ListenerArn, group }: Pick<Stack, 'listener' | 'group'>,
  path: string,
  Priority: number,
): Promise<void> {
  await elb.send(
    new CreateRuleCommand({
      ...{ ListenerArn, Priority, Conditions: conditionsOf(path), Actions: forwardTo(group) },
      Tags: tagsOf(`80:${Priority}`),
    }),
  );
}

/** Each page with its tags, 20 a call. */
async function listBalancers(): Promise<readonly string[]> {
  const { LoadBalancers = [] } = await elb.send(new DescribeLoadBalancersCommand({}));
  const arns = LoadBalancers.flatMap(({ LoadBalancerArn }) => LoadBalancerArn ?? []);
  if (arns.length > 0) await elb.send(new DescribeTagsCommand({ ResourceArns: arns }));
  return arns;
}

/** By priority. */
async function listRules(ListenerArn: string): Promise<readonly Rule[]> {
  const { Rules = [] } = await elb.send(new DescribeRulesCommand({ ListenerArn }));
  return Rules.filter(({ IsDefault }) => IsDefault !== true).toSorted(
    (a, b) => Number(a.Priority) - Number(b.Priority),
  );
}

async function listPaths(listener: string): Promise<readonly string[]> {
  const rules = await listRules(listener);
  return rules.flatMap(({ Conditions }) => Conditions?.[0]?.PathPatternConfig?.Values ?? []);
}

/** Doomed rules are parked at the bottom and the others moved, in one call; then the rest is changed. */
async function reorder(stack: Stack): Promise<void> {
  const [a, b, c] = await listRules(stack.listener);
  const place = (rule: Rule | undefined, Priority: number) => {
    return { RuleArn: rule?.RuleArn ?? '', Priority };
  };
  const RulePriorities = [place(c, 1), place(a, 2), place(b, LOWEST)];
  await elb.send(new SetRulePrioritiesCommand({ RulePriorities }));
  const [, second] = await listRules(stack.listener);
  const RuleArn = second?.RuleArn ?? '';
  await elb.send(new ModifyRuleCommand({ RuleArn, Conditions: conditionsOf('/a/*') }));
  await createRule(stack, '/d', 3);
  await elb.send(new DeleteRuleCommand({ RuleArn: b?.RuleArn ?? '' }));
}

/** A pass that finds nothing to do. */
async function readAll({ balancer, group, listener }: Stack): Promise<void> {
  await listBalancers();
  await elb.send(new DescribeTargetGroupsCommand({}));
  await elb.send(new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn: balancer }));
  await elb.send(new DescribeTargetGroupAttributesCommand({ TargetGroupArn: group }));
  await elb.send(new DescribeListenersCommand({ LoadBalancerArn: balancer }));
  await elb.send(new DescribeListenerAttributesCommand({ ListenerArn: listener }));
  await elb.send(new DescribeRulesCommand({ ListenerArn: listener }));
  await elb.send(new DescribeLoadBalancersCommand({ LoadBalancerArns: [balancer] }));
}

async function destroy({ balancer, group, securityGroup }: Stack): Promise<void> {
  await ec2.send(new DescribeSecurityGroupsCommand({ Filters: byStack }));
  await elb.send(new DescribeTargetGroupsCommand({}));
  await elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: balancer }));
  await elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: group }));
  await ec2.send(new DeleteSecurityGroupCommand({ GroupId: securityGroup }));
}

describe("another controller's calls", () => {
  it('create, leave alone, reorder and delete what an Ingress is', async () => {
    const stack = await create();
    expect(await listPaths(stack.listener)).toEqual(PATHS);
    await readAll(stack);
    await reorder(stack);
    expect(await listPaths(stack.listener)).toEqual(['/c', '/a/*', '/d']);
    await destroy(stack);
    expect(await listBalancers()).toEqual([]);
    expect((await elb.send(new DescribeTargetGroupsCommand({}))).TargetGroups).toEqual([]);
    const left = await ec2.send(new DescribeSecurityGroupsCommand({ Filters: byStack }));
    expect(left.SecurityGroups).toEqual([]);
  });

  it('are refused where it waits and tries again: a group in use, a listener that is gone', async () => {
    const stack = await create();
    const TargetGroupArn = stack.group;
    const remove = elb.send(new DeleteTargetGroupCommand({ TargetGroupArn }));
    await expect(remove).rejects.toMatchObject({ name: 'ResourceInUseException' });
    const GroupId = stack.securityGroup;
    const drop = ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
    await expect(drop).rejects.toMatchObject({ name: 'DependencyViolation' });
    await elb.send(new DeleteListenerCommand({ ListenerArn: stack.listener }));
    const add = createRule(stack, '/e', 5);
    await expect(add).rejects.toMatchObject({ name: 'ListenerNotFoundException' });
    await destroy(stack);
  });

  it('come through throttles and lost answers by the SDK alone', async () => {
    const stack = await create();
    const { control } = served.server;
    const refusal = { code: 'Throttling', status: 400, message: 'Rate exceeded' };
    const throttle = { kind: 'error', ...refusal } as const;
    control.addFault({ operation: 'DescribeRules', effect: throttle, times: 2 });
    control.addFault({
      operation: 'SetRulePriorities',
      effect: { kind: 'lostResponse' },
      times: 1,
    });
    await reorder(stack);
    expect(await listPaths(stack.listener)).toEqual(['/c', '/a/*', '/d']);
    await destroy(stack);
  });
});
