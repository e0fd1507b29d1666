import { Agent } from 'undici';

/**
 * The floor of createLatency, as a process: the least that anything can do which watches objects,
 * guards them by a finalizer and then calls AWS. No cache, no queue, no reads, no status, no SDK.
 */

interface FloorOptions {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly namespace: string;
  readonly aws: string;
  readonly region: string;
  readonly subnets: readonly string[];
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
  const patched = await agent.request({
    origin: options.server,
    path: `${path}/${name}`,
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers: [FINALIZER] } }),
  });
  const guarded = await patched.body.json();
  // A refused write costs less than a stored one: it would be no floor.
  if (patched.statusCode !== 200) throw new Error(JSON.stringify(guarded));
  const created = await agent.request({
    origin: options.aws,
    path: '/',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `AWS4-HMAC-SHA256 Credential=0/20260101/${options.region}/elasticloadbalancing/aws4_request, SignedHeaders=host, Signature=0`,
      'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    },
    body: createOf(metadata),
  });
  const answer = await created.body.text();
  if (created.statusCode !== 200) throw new Error(answer);
}

/** What the operator says in this call. */
function createOf({ name, uid }: Metadata): string {
  const { namespace, subnets } = options;
  const tags = {
    'albridge.io/cluster': 'bench',
    'albridge.io/namespace': namespace,
    'albridge.io/name': name,
    'albridge.io/uid': uid,
    'albridge.io/managed-by': 'albridge',
  };
  const fields = {
    Action: 'CreateLoadBalancer',
    Version: '2015-12-01',
    Name: name,
    Type: 'application',
    Scheme: 'internet-facing',
    IpAddressType: 'ipv4',
    ...numbered('Subnets.member', subnets),
    ...numbered('Tags.member', Object.keys(tags), '.Key'),
    ...numbered('Tags.member', Object.values(tags), '.Value'),
  };
  return new URLSearchParams(fields).toString();
}

/** Lists of the query protocol are counted from 1. */
function numbered(
  head: string,
  values: readonly string[],
  tail = '',
): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map((value, index) => [`${head}.${index + 1}${tail}`, value]));
}
