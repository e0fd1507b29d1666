import { expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, SCAN_MS, World } from '../../world.ts';
import { api, web } from '../specs.ts';

const SECOND_MS = 1_000;
/** From the list of a scan to the end of the pass that it asks for. */
const SOON_MS = 10 * SECOND_MS;
const NAMES = ['one', 'two', 'three'];

/** No action names `spare`, and one rule alone `api`. */
const SHOP: Partial<MyIngressSpec> = {
  backends: [web, api, { ...api, name: 'spare' }],
  rules: [{ name: 'api', paths: ['/api'], forward: [{ backend: 'api' }] }],
  defaultAction: { forward: [{ backend: 'web' }] },
};

/** Objects whose next turns in the lanes are as late as they may be. */
async function settle(): Promise<World> {
  const world = new World();
  Object.assign(world.clock, { random: () => 0.99 });
  world.start();
  await world.clock.settle();
  for (const name of NAMES) world.apply(name, SHOP);
  await world.clock.advance(MINUTE_MS);
  for (const name of NAMES) expect(world.condition(name)).toBe('True Available');
  return world;
}

/** What somebody does to the object `two`. */
interface Meddling {
  readonly operation: string;
  readonly input: (two: Two) => Readonly<Record<string, unknown>>;
}

interface Two {
  readonly balancer: string;
  /** ARN of a resource of it. */
  readonly arnOf: (id: string) => string;
}

function meddle(world: World, { operation, input }: Meddling): void {
  const balancer = world.object('two').status.alb?.arn ?? '';
  const arnOf = (id: string): string => {
    const found = world.beside.find(({ tags }) => {
      return tags['albridge.io/name'] === 'two' && tags['albridge.io/resource'] === id;
    });
    expect(found, id).toBeDefined();
    return found?.id ?? '';
  };
  world.outOfBand(operation, input({ balancer, arnOf }));
}

/** Advances to the lists of the next scan, and a little further. */
async function scanOnce(world: World): Promise<void> {
  const count = (): number => world.aws.control.calls('DescribeLoadBalancers').length;
  const before = count();
  for (let i = 0; i < 2 * (SCAN_MS / SECOND_MS) && count() === before; i++) {
    await world.clock.advance(SECOND_MS);
  }
  expect(count()).toBeGreaterThan(before);
  await world.clock.advance(SOON_MS);
}

/** The objects whose listeners were read by `act`: a pass over a settled object is one. */
async function listPasses(world: World, act: () => Promise<void>): Promise<readonly string[]> {
  const before = world.aws.control.calls('DescribeListeners').length;
  await act();
  const calls = world.aws.control.calls('DescribeListeners').slice(before);
  const arns = new Set(calls.map(({ input }) => input['LoadBalancerArn']));
  return NAMES.filter((name) => arns.has(world.object(name).status.alb?.arn));
}

it.each<[string, string, Meddling]>([
  [
    'a target group that is missing',
    'CreateTargetGroup',
    {
      operation: 'DeleteTargetGroup',
      input: ({ arnOf }) => ({ TargetGroupArn: arnOf('target-group/spec/spare') }),
    },
  ],
  [
    'a group that no balancer uses any more',
    'CreateRule',
    {
      operation: 'DeleteRule',
      input: ({ arnOf }) => ({ RuleArn: arnOf('rule/80/spec/api/0') }),
    },
  ],
  [
    'health settings',
    'ModifyTargetGroup',
    {
      operation: 'ModifyTargetGroup',
      input: ({ arnOf }) => ({
        TargetGroupArn: arnOf('target-group/spec/web'),
        HealthCheckPath: '/other',
      }),
    },
  ],
  [
    'security groups',
    'SetSecurityGroups',
    {
      operation: 'SetSecurityGroups',
      input: ({ balancer }) => ({ LoadBalancerArn: balancer, SecurityGroups: ['sg-admin'] }),
    },
  ],
  [
    'subnets',
    'SetSubnets',
    {
      operation: 'SetSubnets',
      input: ({ balancer }) => ({
        LoadBalancerArn: balancer,
        Subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
      }),
    },
  ],
  [
    'a source of the managed group',
    'AuthorizeSecurityGroupIngress',
    {
      operation: 'RevokeSecurityGroupIngress',
      input: ({ arnOf }) => ({
        GroupId: arnOf('security-group/frontend'),
        IpPermissions: [
          { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
        ],
      }),
    },
  ],
  [
    'a source of others in it',
    'RevokeSecurityGroupIngress',
    {
      operation: 'AuthorizeSecurityGroupIngress',
      input: ({ arnOf }) => ({
        GroupId: arnOf('security-group/frontend'),
        IpPermissions: [
          { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '192.0.2.0/24' }] },
        ],
      }),
    },
  ],
  [
    'a tag of it',
    'CreateTags',
    {
      operation: 'DeleteTags',
      input: ({ arnOf }) => ({
        Resources: [arnOf('security-group/frontend')],
        Tags: [{ Key: 'albridge.io/managed-by' }],
      }),
    },
  ],
])('%s in the lists of a scan: that balancer is first, and %s', async (_, repair, meddling) => {
  const world = await settle();
  meddle(world, meddling);
  const written = world.writesToAws.length;
  expect(await listPasses(world, () => scanOnce(world))).toEqual(['two']);
  expect(world.writesToAws.slice(written)).toEqual([repair]);
  // What was repaired is no alarm any more.
  expect(await listPasses(world, () => scanOnce(world))).toEqual([]);
});

it.each<[string, Meddling | undefined]>([
  ['nothing', undefined],
  [
    'the conditions of a rule',
    {
      operation: 'ModifyRule',
      input: ({ arnOf }) => ({
        RuleArn: arnOf('rule/80/spec/api/0'),
        Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/other'] } }],
      }),
    },
  ],
  [
    'an attribute of a target group',
    {
      operation: 'ModifyTargetGroupAttributes',
      input: ({ arnOf }) => ({
        TargetGroupArn: arnOf('target-group/spec/web'),
        Attributes: [{ Key: 'slow_start.duration_seconds', Value: '60' }],
      }),
    },
  ],
  [
    'a target',
    {
      operation: 'RegisterTargets',
      input: ({ arnOf }) => ({
        TargetGroupArn: arnOf('target-group/spec/web'),
        Targets: [{ Id: '10.0.0.99' }],
      }),
    },
  ],
])('%s changed where no list shows it: no balancer is first', async (_, meddling) => {
  const world = await settle();
  if (meddling !== undefined) meddle(world, meddling);
  expect(await listPasses(world, () => scanOnce(world))).toEqual([]);
});
