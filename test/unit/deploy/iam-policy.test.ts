import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Access, actionsOf, allowedBy, type Policy } from '../../deploy/iam-policy.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const ARN =
  'arn:aws:elasticloadbalancing:eu-central-1:111122223333:loadbalancer/app/web/50dc6c495c0c9188';
const OURS = { 'albridge.io/cluster': 'CLUSTER_ID', team: 'web' };
const ANOTHERS = { 'albridge.io/cluster': 'another', team: 'web' };
const SERVICE_LINKED_ROLE = 'iam:CreateServiceLinkedRole';

let policy: Policy;

beforeAll(async () => {
  policy = await json('deploy/iam/policy.json');
});

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(resolve(ROOT, path), 'utf8')) as T;
}

function onBalancer(action: string, access: Omit<Access, 'action' | 'resource'> = {}): Access {
  return { action: `elasticloadbalancing:${action}`, resource: ARN, ...access };
}

/** Names of the commands of the SDK that the operator's sources import. */
async function commandsInUse(): Promise<ReadonlySet<string>> {
  const commands = new Set<string>();
  for (const name of await readdir(resolve(ROOT, 'src'), { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const text = await readFile(resolve(ROOT, 'src', name), 'utf8');
    for (const [, command = ''] of text.matchAll(/\bnew (\w+)Command\(/g)) commands.add(command);
  }
  return commands;
}

describe('deploy/iam/policy.json', () => {
  it('has the action of each SDK command in the sources, and none extra', async () => {
    const commands = [...(await commandsInUse())].map((name) => `elasticloadbalancing:${name}`);
    const granted = new Set(policy.Statement.flatMap(({ Action }) => actionsOf(Action)));
    expect(commands.length).toBeGreaterThan(8);
    expect([...granted].sort()).toEqual([...commands, SERVICE_LINKED_ROLE].sort());
  });

  it('grants no write without the value of the cluster tag', () => {
    const writes = policy.Statement.filter(
      ({ Action }) => !actionsOf(Action).every((action) => /:Describe|^iam:/.test(action)),
    );
    expect(writes.length).toBeGreaterThan(3);
    for (const { Sid, Condition } of writes) {
      const values = Object.entries(Condition?.['StringEquals'] ?? {});
      const isOurs = ([key, value]: readonly [string, string]): boolean =>
        key.endsWith('Tag/albridge.io/cluster') && value === 'CLUSTER_ID';
      expect(values.some(isOurs), Sid).toBe(true);
    }
  });
});

interface Case {
  readonly why: string;
  readonly access: Access;
  readonly by: string | undefined;
}

const createAction = { 'elasticloadbalancing:CreateAction': 'CreateLoadBalancer' };

const cases: Readonly<Record<string, Case>> = {
  'look at everything': {
    why: 'describe calls know no conditions, and foreign balancers must be seen to be left alone',
    access: { action: 'elasticloadbalancing:DescribeTags', resource: '*' },
    by: 'Look',
  },
  'create with our tag': {
    why: 'name and tags travel in the create call',
    access: onBalancer('CreateLoadBalancer', { requestTags: OURS }),
    by: 'CreateWithOurTag',
  },
  'create without tags': {
    why: 'nobody could tell whose it is',
    access: onBalancer('CreateLoadBalancer'),
    by: undefined,
  },
  'create in the name of another cluster': {
    why: "the value counts, not only the key's presence",
    access: onBalancer('CreateLoadBalancer', { requestTags: ANOTHERS }),
    by: undefined,
  },
  'create a network load balancer': {
    why: 'albridge makes application load balancers alone',
    access: {
      ...onBalancer('CreateLoadBalancer', { requestTags: OURS }),
      resource: ARN.replace('/app/', '/net/'),
    },
    by: undefined,
  },
  'tag in the create call': {
    why: 'AWS asks for AddTags too when a create carries tags',
    access: onBalancer('AddTags', { requestTags: OURS, context: createAction }),
    by: 'TagInTheCreateCall',
  },
  'take a balancer by tagging it': {
    why: 'who could add our tag could then delete it',
    access: onBalancer('AddTags', { requestTags: OURS, resourceTags: { team: 'web' } }),
    by: undefined,
  },
  'repair tags of ours': {
    why: 'drift of tags is mended',
    access: onBalancer('AddTags', { requestTags: { team: 'web' }, resourceTags: OURS }),
    by: 'TagOurs',
  },
  'adopt by consent': {
    why: 'the consent is our cluster tag, put there by the owner',
    access: onBalancer('AddTags', {
      requestTags: OURS,
      resourceTags: { 'albridge.io/cluster': 'CLUSTER_ID', 'albridge.io/adopt': 'web/shop' },
    }),
    by: 'TagOurs',
  },
  'give ours to another cluster': {
    why: 'ownership is given up by removing the tag, never by handing it over',
    access: onBalancer('AddTags', { requestTags: ANOTHERS, resourceTags: OURS }),
    by: undefined,
  },
  'release ours': {
    why: 'deletionPolicy Retain takes our tags off',
    access: onBalancer('RemoveTags', { resourceTags: OURS }),
    by: 'ChangeAndDeleteOurs',
  },
  "remove another's tags": {
    why: 'what is not ours is not touched',
    access: onBalancer('RemoveTags', { resourceTags: ANOTHERS }),
    by: undefined,
  },
  'delete ours': {
    why: 'the end of an object',
    access: onBalancer('DeleteLoadBalancer', { resourceTags: OURS }),
    by: 'ChangeAndDeleteOurs',
  },
  'delete one of another cluster': {
    why: 'two clusters share an account',
    access: onBalancer('DeleteLoadBalancer', { resourceTags: ANOTHERS }),
    by: undefined,
  },
  'delete one without tags': {
    why: "somebody's balancer",
    access: onBalancer('DeleteLoadBalancer'),
    by: undefined,
  },
  'set the subnets of one of another cluster': {
    why: 'a change is a write too',
    access: onBalancer('SetSubnets', { resourceTags: ANOTHERS }),
    by: undefined,
  },
  'create the service-linked role': {
    why: 'the first balancer of an account needs it',
    access: {
      action: SERVICE_LINKED_ROLE,
      resource:
        'arn:aws:iam::111122223333:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing',
      context: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' },
    },
    by: 'FirstBalancerOfTheAccount',
  },
  'create another service-linked role': {
    why: 'only the one of Elastic Load Balancing',
    access: {
      action: SERVICE_LINKED_ROLE,
      resource: 'arn:aws:iam::111122223333:role/aws-service-role/spot.amazonaws.com/x',
      context: { 'iam:AWSServiceName': 'spot.amazonaws.com' },
    },
    by: undefined,
  },
};

describe('the policy lets the operator', () => {
  it.each(Object.entries(cases))('%s, or not', (_, { access, by }) => {
    expect(allowedBy(policy, access)).toBe(by);
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
