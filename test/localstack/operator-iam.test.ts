import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  listOf,
  type Policy,
  type Statement,
} from '../../localstack/embedded/iam/policy-evaluation.ts';
import type { MyIngressSpec } from '../../src/apis/my-ingress.ts';
import { type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import { OPERATOR_KEY, shippedPolicy } from '../surroundings/shipped-policy.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { askForALook, nameFor } from './setup-faults.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let shipped: Policy;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  shipped = shippedPolicy(await place.clusterId());
  await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
  objects = await place.createNamespace('iam');
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

/** Also after a failure: the next case begins with all rights. */
afterEach(() => place.standIn.setPolicy(OPERATOR_KEY, shipped));

type Narrow = (statement: Statement) => Statement | undefined;

function without(action: string): Narrow {
  return (statement) => ({
    ...statement,
    Action: listOf(statement.Action).filter((one) => one !== action),
  });
}

function withoutStatement(sid: string): Narrow {
  return (statement) => (statement.Sid === sid ? undefined : statement);
}

function forAnotherCluster(sid: string): Narrow {
  return (statement) =>
    statement.Sid === sid ? { ...statement, Condition: ANOTHER_CLUSTER } : statement;
}

const ANOTHER_CLUSTER = { StringEquals: { 'aws:RequestTag/albridge.io/cluster': 'another' } };

interface Case {
  readonly why: string;
  readonly narrow: Narrow;
  /** What the object has beside its subnets. */
  readonly spec?: Partial<MyIngressSpec>;
  /** What a user does to an object that stands; without it the object is created. */
  readonly act?: (name: string) => Promise<unknown>;
  /** What AWS denies then. */
  readonly action: string;
}

const edit =
  (change: Partial<MyIngressSpec>): NonNullable<Case['act']> =>
  (name) =>
    objects.edit(name, change);

const cases: Readonly<Record<string, Case>> = {
  'create a balancer of which ELB may not ask EC2': {
    why: 'the policy once lacked this, and could create nothing in a real account',
    narrow: without('ec2:DescribeAccountAttributes'),
    action: 'ec2:DescribeAccountAttributes',
  },
  "create a balancer with another cluster's policy": {
    why: 'the id in the policy is not the one that the operator works with',
    narrow: forAnotherCluster('CreateWithOurTag'),
    action: 'elasticloadbalancing:CreateLoadBalancer',
  },
  'create a balancer with tags': {
    why: 'AWS authorises the tags of a create call on their own',
    narrow: withoutStatement('TagInTheCreateCall'),
    action: 'elasticloadbalancing:AddTags',
  },
  'create the first balancer of an account': {
    why: 'ELB makes its service-linked role on behalf of the caller',
    narrow: withoutStatement('FirstBalancerOfTheAccount'),
    action: 'iam:CreateServiceLinkedRole',
  },
  'create a managed security group': {
    why: 'the policy of a version without traffic lacks it',
    narrow: without('ec2:CreateSecurityGroup'),
    spec: { listeners: [{ port: 80, protocol: 'HTTP' }] },
    action: 'ec2:CreateSecurityGroup',
  },
  'create a listener': {
    why: 'the policy of a version without traffic lacks it',
    narrow: withoutStatement('CreateOnOurs'),
    spec: { listeners: [{ port: 80, protocol: 'HTTP' }] },
    action: 'elasticloadbalancing:CreateListener',
  },
  'edit tags': {
    why: 'the statement for the create call does not cover a balancer that stands',
    narrow: withoutStatement('TagOurs'),
    act: edit({ tags: { team: 'web' } }),
    action: 'elasticloadbalancing:AddTags',
  },
  'edit the address type': {
    why: 'ELB asks EC2 about the subnets',
    narrow: without('ec2:DescribeSubnets'),
    act: edit({ ipAddressType: 'dualstack' }),
    action: 'ec2:DescribeSubnets',
  },
  'delete a balancer': {
    why: 'one action of a list is enough to leave a balancer behind',
    narrow: without('elasticloadbalancing:DeleteLoadBalancer'),
    act: (name) => objects.startDeleting(name),
    action: 'elasticloadbalancing:DeleteLoadBalancer',
  },
};

describe('a policy that is too narrow to', () => {
  it.each(Object.entries(cases))(
    '%s shows on the object',
    async (what, { narrow, spec, act, action }) => {
      const name = nameFor(what);
      const create = (): Promise<unknown> =>
        objects.create(name, { subnets: place.network.subnets.slice(0, 2), ...spec });
      if (act !== undefined) {
        await create();
        await objects.whenReady(name);
      }
      const Statement = shipped.Statement.flatMap((statement) => narrow(statement) ?? []);
      await place.standIn.setPolicy(OPERATOR_KEY, { Statement });
      await (act ?? create)(name);
      const denied = await objects.whenReason(name, 'AccessDenied');
      expect(readyOf(denied)?.message).toContain(`is not authorized to perform: ${action} `);
      expect(readyOf(denied)?.message).toContain(`allow ${action} in the IAM policy`);

      await place.standIn.setPolicy(OPERATOR_KEY, shipped);
      await askForALook(objects, name);
      if (action.endsWith('DeleteLoadBalancer')) await objects.isGone(name);
      else await objects.whenReady(name);
    },
  );
});
