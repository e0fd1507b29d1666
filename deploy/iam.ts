import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Grant, type ServiceName, services } from '../src/aws/client/operation-traits.ts';
import {
  type AwsOperation,
  iamActionOf,
  operations,
  traitsOf,
} from '../src/aws/client/operations.ts';

/**
 * `npm run gen`: deploy/iam/policy.json, all that the operator's role may do, from the table of the
 * operations that it uses. docs/iam.md explains the statements; tests hold them to AWS's own pages.
 */

interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const PATH = resolve(import.meta.dirname, 'iam/policy.json');
const REQUEST_TAG = { 'aws:RequestTag/albridge.io/cluster': 'CLUSTER_ID' };
const RESOURCE_TAG = { 'aws:ResourceTag/albridge.io/cluster': 'CLUSTER_ID' };
const ELB = 'elasticloadbalancing.amazonaws.com';

/** Those of traffic wait for the operator to call them: a role may do no more than is used. */
export const CALLED: readonly AwsOperation[] = [
  ...(['DescribeLoadBalancers', 'DescribeLoadBalancerAttributes', 'DescribeTags'] as const),
  ...(['CreateLoadBalancer', 'DeleteLoadBalancer', 'ModifyLoadBalancerAttributes'] as const),
  ...(['SetSubnets', 'SetSecurityGroups', 'SetIpAddressType', 'AddTags', 'RemoveTags'] as const),
];

/** Text of the file, for these operations. */
export function renderPolicy(called = CALLED): string {
  const policy = { Version: '2012-10-17', Statement: new Policy(called).listStatements() };
  return `${JSON.stringify(policy, undefined, 2)}\n`;
}

/** For every operation of the table, traffic's included. */
export function renderFullPolicy(): string {
  return renderPolicy(Object.keys(operations) as AwsOperation[]);
}

type Kind = readonly [service: ServiceName, onlyIf: Grant['onlyIf']];

/** The policy for some operations; a statement without one is left out. */
class Policy {
  readonly #called: readonly AwsOperation[];

  constructor(called: readonly AwsOperation[]) {
    this.#called = called;
  }

  listStatements(): readonly Statement[] {
    const statements: readonly Statement[] = [
      allow('Look', this.#actionsFor('elbv2', 'nothing'), '*'),
      allow(
        'ElbAsksEc2',
        [...new Set([...this.#furtherActions('ec2:'), ...this.#actionsFor('ec2', 'nothing')])],
        '*',
      ),
      this.#ours('CreateWithOurTag', ['elbv2', 'taggedRequest'], { StringEquals: REQUEST_TAG }),
      this.#ours('CreateOnOurs', ['elbv2', 'taggedRequestOnOurs'], {
        StringEquals: { ...REQUEST_TAG, ...RESOURCE_TAG },
      }),
      this.#tagInTheCreateCall('TagInTheCreateCall', 'elbv2'),
      this.#ours('ChangeAndDeleteOurs', ['elbv2', 'taggedResource'], {
        StringEquals: RESOURCE_TAG,
      }),
      this.#ours('OrderRules', ['elbv2', 'resource']),
      this.#tagOurs('TagOurs', 'elbv2'),
      this.#ours('CreateGroupWithOurTag', ['ec2', 'taggedRequest'], { StringEquals: REQUEST_TAG }),
      allow('CreateGroupInAnyVpc', this.#actionsFor('ec2', 'taggedRequest'), this.#places('ec2')),
      this.#tagInTheCreateCall('TagGroupInTheCreateCall', 'ec2'),
      this.#ours('ChangeAndDeleteOurGroups', ['ec2', 'taggedResource'], {
        StringEquals: RESOURCE_TAG,
      }),
      this.#tagOurs('TagOurGroups', 'ec2'),
      {
        ...allow(
          'FirstBalancerOfTheAccount',
          this.#furtherActions('iam:'),
          `arn:aws:iam::ACCOUNT_ID:role/aws-service-role/${ELB}/AWSServiceRoleForElasticLoadBalancing`,
        ),
        Condition: { StringEquals: { 'iam:AWSServiceName': ELB } },
      },
    ];
    return statements.filter(({ Action, Resource }) => Action.length > 0 && Resource.length > 0);
  }

  /** AWS authorises the tags of a create call on their own. */
  #tagInTheCreateCall(Sid: string, service: ServiceName): Statement {
    const createAction = `${services[service].iamPrefix}:CreateAction`;
    return this.#ours(Sid, [service, 'tagging'], {
      StringEquals: { [createAction]: oneOrMore(this.#creations(service)), ...REQUEST_TAG },
    });
  }

  /** Ours stay ours: a call may not change the cluster tag. */
  #tagOurs(Sid: string, service: ServiceName): Statement {
    return this.#ours(Sid, [service, 'tagging'], {
      StringEquals: RESOURCE_TAG,
      StringEqualsIfExists: REQUEST_TAG,
    });
  }

  #ours(Sid: string, kind: Kind, Condition?: Statement['Condition']): Statement {
    // Tags go on any kind of resource: which kinds there are, the other operations say.
    const others = this.#called.filter((operation) => !operation.endsWith('Tags'));
    const managed = new Set(others.flatMap(listResources));
    const resources = this.#operationsFor(...kind)
      .flatMap(listResources)
      .filter((end) => managed.has(end))
      .map((end) => arnOf(kind[0], end));
    const statement = allow(Sid, this.#actionsFor(...kind), oneOrMore([...new Set(resources)]));
    return { ...statement, ...(Condition && { Condition }) };
  }

  #actionsFor(...kind: Kind): readonly string[] {
    return this.#operationsFor(...kind).map(iamActionOf);
  }

  #operationsFor(...[service, onlyIf]: Kind): readonly AwsOperation[] {
    return this.#called.filter((operation) => {
      const traits = traitsOf(operation);
      return traits.service === service && traits.grant.onlyIf === onlyIf;
    });
  }

  /** The operations whose calls carry the tags of what they create. */
  #creations(service: ServiceName): readonly AwsOperation[] {
    return [
      ...this.#operationsFor(service, 'taggedRequest'),
      ...this.#operationsFor(service, 'taggedRequestOnOurs'),
    ];
  }

  /** Where the service creates: asked for as a permission of its own, with tags that are not ours. */
  #places(service: ServiceName): Statement['Resource'] {
    const ends = this.#operationsFor(service, 'taggedRequest').flatMap((operation) => {
      const { grant } = traitsOf(operation);
      return grant.onlyIf === 'taggedRequest' ? (grant.in ?? []) : [];
    });
    return oneOrMore(ends.map((end) => arnOf(service, end)));
  }

  #furtherActions(prefix: string): readonly string[] {
    const actions = this.#called.flatMap((operation) => traitsOf(operation).alsoNeeds ?? []);
    return [...new Set(actions.filter((action) => action.startsWith(prefix)))];
  }
}

function allow(
  Sid: string,
  actions: readonly string[],
  Resource: Statement['Resource'],
): Statement {
  return { Sid, Effect: 'Allow', Action: oneOrMore(actions), Resource };
}

function listResources(operation: AwsOperation): readonly string[] {
  const { grant } = traitsOf(operation);
  return 'on' in grant ? grant.on : [];
}

function arnOf(service: ServiceName, end: string): string {
  return `arn:aws:${services[service].iamPrefix}:REGION:ACCOUNT_ID:${end}`;
}

function oneOrMore(values: readonly string[]): string | readonly string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : [...values].sort();
}

if (import.meta.main) {
  const text = renderPolicy();
  if (text !== (await readFile(PATH, 'utf8'))) await writeFile(PATH, text);
}
