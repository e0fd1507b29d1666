import { CreateVpcCommand } from '@aws-sdk/client-ec2';
import {
  CreateLoadBalancerCommand,
  DeleteLoadBalancerCommand,
  DescribeLoadBalancersCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import {
  compilePolicy,
  type Permission,
  type Policy,
  type Statement,
} from '../../../../localstack/embedded/iam/policy-evaluation.ts';
import { serveAwsForTests } from '../http/served-aws.ts';
import { seededModel } from '../seeded-model.ts';

const CALLER = { accessKeyId: 'test' };

function allow(change: Partial<Statement> = {}): Policy {
  const all = { Sid: 'all', Effect: 'Allow', Action: '*', Resource: '*' } as const;
  return { Statement: [{ ...all, ...change }] };
}

interface Case {
  readonly why: string;
  readonly statement: Partial<Statement>;
  readonly permission?: Partial<Permission>;
  readonly isAllowed: boolean;
}

const two = { 'elb:Subnet': ['a', 'b'] };

const cases: Readonly<Record<string, Case>> = {
  'an action in another case': {
    why: 'IAM ignores it',
    statement: { Action: 'ELB:create*' },
    isAllowed: true,
  },
  'an action that is only the beginning of one': {
    why: 'a pattern covers the whole name',
    statement: { Action: 'elb:Create' },
    isAllowed: false,
  },
  'one of several actions and resources': {
    why: 'each list is an or',
    statement: { Action: ['ec2:*', 'elb:*'], Resource: ['arn:x', 'arn:?:app/*'] },
    isAllowed: true,
  },
  'a resource in another case': {
    why: 'names of resources have a case',
    statement: { Resource: 'arn:a:APP/*' },
    isAllowed: false,
  },
  'a dot in a pattern': {
    why: 'it is no wildcard',
    statement: { Resource: 'arn.a:app/web' },
    isAllowed: false,
  },
  'a key in another case': {
    why: 'IAM ignores the case of keys, tags included',
    statement: { Condition: { StringEquals: { 'aws:requesttag/Team': 'web' } } },
    permission: { context: { 'aws:RequestTag/team': 'web' } },
    isAllowed: true,
  },
  'a key that the request lacks': {
    why: 'nothing is equal to it',
    statement: { Condition: { StringEquals: { 'aws:RequestTag/team': 'web' } } },
    isAllowed: false,
  },
  'a key that the request may lack': {
    why: 'IfExists says so',
    statement: { Condition: { StringEqualsIfExists: { 'aws:RequestTag/team': 'web' } } },
    isAllowed: true,
  },
  'a key that must not have a value, and is not there': {
    why: 'a negated operator holds then',
    statement: { Condition: { StringNotEquals: { 'aws:RequestTag/team': 'web' } } },
    isAllowed: true,
  },
  'a pattern for StringEquals': {
    why: 'only StringLike knows wildcards',
    statement: { Condition: { StringEquals: { k: 'w*' } } },
    permission: { context: { k: 'web' } },
    isAllowed: false,
  },
  'one of several patterns for StringLike': {
    why: 'values are an or',
    statement: { Condition: { StringLike: { k: ['x', 'w?b'] } } },
    permission: { context: { k: 'web' } },
    isAllowed: true,
  },
  'two conditions of which one fails': {
    why: 'operators and keys are an and',
    statement: { Condition: { StringEquals: { k: 'web' }, Null: { j: 'false' } } },
    permission: { context: { k: 'web' } },
    isAllowed: false,
  },
  'a key that must be absent': {
    why: 'Null asks for that',
    statement: { Condition: { Null: { k: 'true' } } },
    isAllowed: true,
  },
  'several values of which one is not listed': {
    why: 'ForAllValues wants all of them',
    statement: { Condition: { 'ForAllValues:StringEquals': { 'elb:Subnet': 'a' } } },
    permission: { context: two },
    isAllowed: false,
  },
  'no values where all must be listed': {
    why: 'ForAllValues holds for none',
    statement: { Condition: { 'ForAllValues:StringEquals': { 'elb:Subnet': 'a' } } },
    isAllowed: true,
  },
  'several values of which one is listed': {
    why: 'ForAnyValue is content with it',
    statement: { Condition: { 'ForAnyValue:StringEquals': { 'elb:Subnet': 'a' } } },
    permission: { context: two },
    isAllowed: true,
  },
  'no values where one must not be listed': {
    why: 'ForAnyValue holds for no value at all',
    statement: { Condition: { 'ForAnyValue:StringNotEquals': { 'elb:Subnet': 'a' } } },
    isAllowed: false,
  },
};

describe('a policy', () => {
  test.each(Object.entries(cases))('judges %s', (_, { statement, permission, isAllowed }) => {
    const decision = compilePolicy(allow(statement))({
      ...{ action: 'elb:CreateLoadBalancer', resource: 'arn:a:app/web', context: {} },
      ...permission,
    });
    expect(decision.kind).toBe(isAllowed ? 'allowed' : 'implicitDeny');
  });

  test.each([
    ['no statements', {}],
    ['an effect in small letters', allow({ Effect: 'deny' as 'Deny' })],
    ['no action', { Statement: [{ Effect: 'Allow', Resource: '*' }] }],
    ['an element that is not modelled', allow({ NotAction: 'x' } as object)],
    ['an operator that is not modelled', allow({ Condition: { DateLessThan: { k: 'x' } } })],
  ])('is refused with %s', (_, policy) => {
    expect(() => compilePolicy(policy as Policy)).toThrow(RangeError);
  });
});

function denial(aws: EmbeddedAws, operation: string, input: object): unknown {
  try {
    aws.handle(operation, input as Record<string, unknown>, CALLER);
    return undefined;
  } catch (error) {
    const { code, status, message } = error as Record<string, unknown>;
    return { code, status, message };
  }
}

describe('the account', () => {
  test('denies what a statement denies, though another allows it', () => {
    const { aws } = seededModel();
    const [all] = allow().Statement as [Statement];
    const condition = {
      'ForAnyValue:StringNotEquals': { 'elasticloadbalancing:Subnet': 'subnet-a' },
    };
    const deny = { ...all, Sid: 'only', Effect: 'Deny', Condition: condition } as const;
    aws.control.setPolicy('test', { Statement: [all, deny] });
    const input = { Name: 'shop', Subnets: ['subnet-a', 'subnet-b'] };
    expect(denial(aws, 'CreateLoadBalancer', input)).toMatchObject({
      message: expect.stringMatching(/shop\/\* with an explicit deny in an identity-based policy$/),
    });
    expect(aws.control.snapshot().loadBalancers).toEqual([]);
  });

  test('has no tags to go by for a balancer that is gone', () => {
    const { aws } = seededModel();
    const ours = { StringEquals: { 'aws:ResourceTag/team': 'web' } };
    aws.control.setPolicy('test', allow({ Condition: ours }));
    const input = {
      Name: 'shop',
      Subnets: ['subnet-a', 'subnet-b'],
      Tags: [{ Key: 'team', Value: 'web' }],
    };
    const made = aws.handle('CreateLoadBalancer', input) as {
      LoadBalancers: [{ LoadBalancerArn: string }];
    };
    const { LoadBalancerArn } = made.LoadBalancers[0];
    expect(denial(aws, 'DeleteLoadBalancer', { LoadBalancerArn })).toBeUndefined();
    expect(denial(aws, 'DeleteLoadBalancer', { LoadBalancerArn })).toMatchObject({
      code: 'AccessDenied',
    });
  });

  test('keeps its policies over a reset', () => {
    const { aws } = seededModel();
    aws.control.setPolicy('test', { Statement: [] });
    aws.control.reset();
    expect(denial(aws, 'DescribeLoadBalancers', {})).toMatchObject({ code: 'AccessDenied' });
    aws.control.setPolicy('test', undefined);
    expect(denial(aws, 'DescribeLoadBalancers', {})).toBeUndefined();
  });
});

describe('over HTTP', () => {
  const served = serveAwsForTests();
  const policy = (method: string, body?: Policy): Promise<Response> =>
    fetch(`${served.server.url}/_embedded/policies/test`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  test('limits the key that signs, in the words of AWS', async () => {
    const user =
      'User: arn:aws:sts::000000000000:assumed-role/albridge/test is not authorized to perform:';
    const why = (action: string): string =>
      `because no identity-based policy allows the ${action} action`;
    expect((await policy('PUT', allow({ Action: 'ec2:Describe*' }))).status).toBe(200);
    const LoadBalancerArn = `arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/x/${'0'.repeat(16)}`;
    const denied = (name: string, message: string): unknown =>
      expect.objectContaining({
        name,
        message,
        $metadata: expect.objectContaining({ httpStatusCode: 403 }),
      });

    await expect(served.elb.send(new DescribeLoadBalancersCommand({}))).rejects.toEqual(
      denied(
        'AccessDenied',
        `${user} elasticloadbalancing:DescribeLoadBalancers ${why('elasticloadbalancing:DescribeLoadBalancers')}`,
      ),
    );
    await expect(
      served.elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn })),
    ).rejects.toEqual(
      denied(
        'AccessDenied',
        `${user} elasticloadbalancing:DeleteLoadBalancer on resource: ${LoadBalancerArn} ${why('elasticloadbalancing:DeleteLoadBalancer')}`,
      ),
    );
    await expect(
      served.ec2.send(new CreateVpcCommand({ CidrBlock: '10.9.0.0/16' })),
    ).rejects.toEqual(
      denied(
        'UnauthorizedOperation',
        `You are not authorized to perform this operation. ${user} ec2:CreateVpc ${why('ec2:CreateVpc')}`,
      ),
    );
    expect((await policy('DELETE')).status).toBe(200);
    const Subnets = served.network.subnets.slice(0, 2);
    await served.elb.send(new CreateLoadBalancerCommand({ Name: 'shop', Subnets }));
  });

  test('refuses what it cannot evaluate', async () => {
    const answer = await policy('PUT', allow({ Condition: { DateLessThan: { k: 'x' } } }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('DateLessThan') });
  });
});
