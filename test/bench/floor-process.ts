import { Agent } from 'undici';

/**
 * The floor of createLatency and trafficLatency, as a process: the least that anything can do which
 * watches objects, guards them by a finalizer and then calls AWS; with traffic, creates a security group first. No
 * cache, no queue, no reads, no SDK.
 */

interface FloorOptions {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly namespace: string;
  readonly aws: string;
  readonly region: string;
  readonly subnets: readonly string[];
  /** Of the security group that an object with traffic gets; left out: without traffic. */
  readonly vpcId?: string;
}

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Seen {
  readonly type: string;
  readonly object: { readonly metadata: Metadata };
}

/** The operator's own: the admission policy refuses every other from its ServiceAccount. */
const FINALIZER = 'albridge.io/load-balancer';
const options = JSON.parse(process.env['FLOOR'] ?? '{}') as FloorOptions;
/** HTTP/1.1, one kept-alive connection to each server. */
const agent = new Agent({
  connect: { ca: options.caPem },
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
});
const authorization = `Bearer ${options.token}`;
const path = `/apis/demo.rtfm.co.ua/v1/namespaces/${options.namespace}/myingresses`;

const watch = await agent.request({
  origin: options.server,
  path: `${path}?watch=true`,
  method: 'GET',
  headers: { authorization },
});
process.stdout.write(`${JSON.stringify({ level: 'info', msg: 'working' })}\n`);

let rest = '';
watch.body.setEncoding('utf8');
for await (const chunk of watch.body) {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const { type, object } = JSON.parse(line) as Seen;
    if (type === 'ADDED') await guardAndCreate(object.metadata);
  }
}

async function guardAndCreate(metadata: Metadata): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  await patch(name, { metadata: { uid, resourceVersion, finalizers: [FINALIZER] } });
  const { vpcId } = options;
  const group = vpcId === undefined ? [] : [await createGroup(metadata, vpcId)];
  await callAws('elasticloadbalancing', createOf(metadata, group));
}

async function createGroup(metadata: Metadata, vpcId: string): Promise<string> {
  const { name } = metadata;
  const groupName = `albridge-${options.namespace}-${name}-00000000`;
  const tags = describeTags(metadata);
  const head = 'TagSpecification.1';
  const answer = await callAws('ec2', {
    Action: 'CreateSecurityGroup',
    Version: '2016-11-15',
    GroupName: groupName,
    GroupDescription: `load balancer of MyIngress ${options.namespace}/${name}`,
    VpcId: vpcId,
    [`${head}.ResourceType`]: 'security-group',
    ...numbered(`${head}.Tag`, Object.keys(tags), '.Key'),
    ...numbered(`${head}.Tag`, Object.values(tags), '.Value'),
  });
  const id = /<groupId>(.+?)</.exec(answer)?.[1];
  if (id === undefined) throw new Error(answer);
  return id;
}

/** A refused write costs less than a stored one: it would be no floor. */
async function patch(name: string, body: object): Promise<void> {
  const patched = await agent.request({
    origin: options.server,
    path: `${path}/${name}`,
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
  const answer = await patched.body.json();
  if (patched.statusCode !== 200) throw new Error(JSON.stringify(answer));
}

async function callAws(service: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const called = await agent.request({
    origin: options.aws,
    path: '/',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `AWS4-HMAC-SHA256 Credential=0/20260101/${options.region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
      'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    },
    body: new URLSearchParams(fields).toString(),
  });
  const answer = await called.body.text();
  if (called.statusCode !== 200) throw new Error(answer);
  return answer;
}

/** What the operator says in this call. */
function createOf(metadata: Metadata, groups: readonly string[]): Readonly<Record<string, string>> {
  const tags = describeTags(metadata);
  return {
    Action: 'CreateLoadBalancer',
    Version: '2015-12-01',
    Name: metadata.name,
    Type: 'application',
    Scheme: 'internet-facing',
    IpAddressType: 'ipv4',
    ...numbered('Subnets.member', options.subnets),
    ...numbered('SecurityGroups.member', groups),
    ...numbered('Tags.member', Object.keys(tags), '.Key'),
    ...numbered('Tags.member', Object.values(tags), '.Value'),
  };
}

function describeTags({ name, uid }: Metadata): Readonly<Record<string, string>> {
  return {
    'albridge.io/cluster': 'bench',
    'albridge.io/namespace': options.namespace,
    'albridge.io/name': name,
    'albridge.io/uid': uid,
    'albridge.io/managed-by': 'albridge',
  };
}

/** Lists of the query protocol are counted from 1. */
function numbered(
  head: string,
  values: readonly string[],
  tail = '',
): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, index) => [`${head}.${index + 1}${tail}`, value]));
}
