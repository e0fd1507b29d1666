import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Grant, type ServiceName, services } from '../src/aws/client/operation-traits.ts';
import {
  type AwsOperation,
  getIamAction,
  getTraits,
  operations,
} from '../src/aws/client/operations.ts';

/**
 * `npm run gen`: deploy/iam/policy.json, all that the operator's role may do, from the table of
 * operations, which has no other than those that it calls. docs/iam.md explains the statements; tests hold them to AWS's own pages.
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

const ALL = Object.keys(operations) as readonly AwsOperation[];

/** Text of the file. */
export function renderPolicy(): string {
  const policy = { Version: '2012-10-17', Statement: listStatements() };
  return `${JSON.stringify(policy, undefined, 2)}\n`;
}

type Kind = readonly [service: ServiceName, onlyIf: Grant['onlyIf']];

function listStatements(): readonly Statement[] {
  return [
    allow('Look', listActions('elbv2', 'nothing'), '*'),
    allow(
      'ElbAsksEc2',
      [...new Set([...listFurtherActions('ec2:'), ...listActions('ec2', 'nothing')])],
      '*',
    ),
    allow('FindCertificates', listActions('acm', 'nothing'), '*'),
    allowOurs('CreateWithOurTag', ['elbv2', 'taggedRequest'], { StringEquals: REQUEST_TAG }),
    allowOurs('CreateOnOurs', ['elbv2', 'taggedRequestOnOurs'], {
      StringEquals: { ...REQUEST_TAG, ...RESOURCE_TAG },
    }),
    allowTagsInCreateCall('TagInTheCreateCall', 'elbv2'),
    allowOurs('ChangeAndDeleteOurs', ['elbv2', 'taggedResource'], {
      StringEquals: RESOURCE_TAG,
    }),
    allowOurs('OrderRules', ['elbv2', 'resource']),
    allowTagging('TagOurs', 'elbv2'),
    allowOurs('CreateGroupWithOurTag', ['ec2', 'taggedRequest'], { StringEquals: REQUEST_TAG }),
    allow('CreateGroupInAnyVpc', listActions('ec2', 'taggedRequest'), listPlaces('ec2')),
    allowTagsInCreateCall('TagGroupInTheCreateCall', 'ec2'),
    allowOurs('ChangeAndDeleteOurGroups', ['ec2', 'taggedResource'], {
      StringEquals: RESOURCE_TAG,
    }),
    allowTagging('TagOurGroups', 'ec2'),
    {
      ...allow(
        'FirstBalancerOfTheAccount',
        listFurtherActions('iam:'),
        `arn:aws:iam::ACCOUNT_ID:role/aws-service-role/${ELB}/AWSServiceRoleForElasticLoadBalancing`,
      ),
      Condition: { StringEquals: { 'iam:AWSServiceName': ELB } },
    },
  ];
}

/** AWS authorises the tags of a create call on their own. */
function allowTagsInCreateCall(Sid: string, service: ServiceName): Statement {
  const createAction = `${services[service].iamPrefix}:CreateAction`;
  return allowOurs(Sid, [service, 'tagging'], {
    StringEquals: { [createAction]: oneOrMore(listCreations(service)), ...REQUEST_TAG },
  });
}

/** Ours stay ours: a call may not change the cluster tag. */
function allowTagging(Sid: string, service: ServiceName): Statement {
  return allowOurs(Sid, [service, 'tagging'], {
    StringEquals: RESOURCE_TAG,
    StringEqualsIfExists: REQUEST_TAG,
  });
}

function allowOurs(Sid: string, kind: Kind, Condition?: Statement['Condition']): Statement {
  const resources = listOperations(...kind)
    .flatMap(listResources)
    .map((end) => arnOf(kind[0], end));
  const statement = allow(Sid, listActions(...kind), oneOrMore([...new Set(resources)]));
  return { ...statement, ...(Condition && { Condition }) };
}

function listActions(...kind: Kind): readonly string[] {
  return listOperations(...kind).map(getIamAction);
}

function listOperations(...[service, onlyIf]: Kind): readonly AwsOperation[] {
  return ALL.filter((operation) => {
    const traits = getTraits(operation);
    return traits.service === service && traits.grant.onlyIf === onlyIf;
  });
}

/** The operations whose calls carry the tags of what they create. */
function listCreations(service: ServiceName): readonly AwsOperation[] {
  return [
    ...listOperations(service, 'taggedRequest'),
    ...listOperations(service, 'taggedRequestOnOurs'),
  ];
}

/** Where the service creates: asked for as a permission of its own, with tags that are not ours. */
function listPlaces(service: ServiceName): Statement['Resource'] {
  const ends = listOperations(service, 'taggedRequest').flatMap((operation) => {
    const { grant } = getTraits(operation);
    return grant.onlyIf === 'taggedRequest' ? (grant.in ?? []) : [];
  });
  return oneOrMore(ends.map((end) => arnOf(service, end)));
}

function listFurtherActions(prefix: string): readonly string[] {
  const actions = ALL.flatMap((operation) => getTraits(operation).alsoNeeds ?? []);
  return [...new Set(actions.filter((action) => action.startsWith(prefix)))];
}

function allow(
  Sid: string,
  actions: readonly string[],
  Resource: Statement['Resource'],
): Statement {
  return { Sid, Effect: 'Allow', Action: oneOrMore(actions), Resource };
}

function listResources(operation: AwsOperation): readonly string[] {
  const { grant } = getTraits(operation);
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
