import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { CreateLoadBalancerCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { myIngressKind } from '../../../../src/apis/my-ingress.ts';
import { formatApiVersion } from '../../../../src/core/objects/kube-object.ts';
import { serveAwsForTests } from '../../localstack/http/served-aws.ts';
import { type Answer, CliPlace } from '../cli-place.ts';
import { runCli } from '../run-cli.ts';

/** Each command against a cluster and an account whose every text can be written by others. */

const CLUSTER_ID = 'u0';
/** In what the stand-in for AWS answers, for the hostile text, which it would refuse in a tag. */
const MARK = 'FORGED';

const place = new CliPlace();
const aws = serveAwsForTests();

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
});
afterEach(() => void vi.unstubAllEnvs());

function listOf(...items: readonly object[]): object {
  return { metadata: { resourceVersion: '1' }, items };
}

interface Named {
  readonly name: string;
  readonly namespace: string;
  /** Of Ready; the hostile text unless it is given. */
  readonly ready?: string;
}

/** Ready, what is not so, and the next step of a reason with a blank for a name. */
function createConditions(ready: string | undefined, text: string): readonly object[] {
  const message = `is ${text} so`;
  if (ready !== undefined) return [{ type: 'Ready', status: ready, reason: 'Planned', message }];
  const step = `have its owner tag it albridge.io/cluster and albridge.io/adopt=${text}/x`;
  return [
    { type: 'Ready', status: text, reason: text, message },
    { type: text, status: text, reason: text, message: `and ${text}` },
    {
      type: 'BackendsResolved',
      status: 'False',
      reason: 'AdoptionRefused',
      message: `no; ${step}`,
    },
  ];
}

function createMyIngress({ name, namespace, ready }: Named, text: string): object {
  const annotations = { 'albridge.io/mode': 'plan' };
  return {
    apiVersion: formatApiVersion(myIngressKind),
    kind: 'MyIngress',
    metadata: { name, namespace, uid: 'u1', generation: 1, annotations },
    spec: {},
    status: {
      observedGeneration: 1,
      conditions: createConditions(ready, text),
      plan: { steps: [text], omitted: 0, generation: 1 },
    },
  };
}

function createOperator(text: string): object {
  const region = { name: 'AWS_REGION', value: `eu${text}west` };
  const containers = [{ image: 'albridge:1', env: [region] }];
  return {
    metadata: { name: text, namespace: text },
    spec: { template: { spec: { containers } } },
  };
}

function createEvent(text: string): object {
  return { metadata: { name: 'e' }, type: text, reason: text, note: text };
}

/** What the API server answers by the end of the path; else an empty list. */
function composeAnswers(text: string): Readonly<Record<string, object>> {
  return {
    '/namespaces/kube-system': { metadata: { name: 'kube-system', uid: CLUSTER_ID } },
    '/subjectaccessreviews': { status: { allowed: true } },
    '/version': { minor: '34', gitVersion: text },
    '/deployments': listOf(createOperator(text)),
    '/events': listOf(createEvent(text)),
    '/myingresses/web': createMyIngress({ name: 'web', namespace: 'default' }, text),
    '/myingresses/fine': createMyIngress(
      { name: 'fine', namespace: 'default', ready: 'True' },
      text,
    ),
    '/myingresses': listOf(createMyIngress({ name: text, namespace: text }, text)),
  };
}

function answer(path: string, text: string): Answer {
  const [plain = ''] = path.split('?');
  const found = Object.entries(composeAnswers(text)).find(([end]) => plain.endsWith(end));
  if (found === undefined && /\/(web|fine|new)$/.test(plain)) {
    const missing = { kind: 'Status', code: 404, reason: 'NotFound', details: { name: 'web' } };
    return { status: 404, body: JSON.stringify(missing) };
  }
  return { status: 200, body: JSON.stringify(found?.[1] ?? listOf()) };
}

interface Account {
  readonly endpoint: string;
  /** Of a load balancer that albridge does not know. */
  readonly foreignArn: string;
}

async function createBalancer(name: string, tags: Readonly<Record<string, string>>) {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const Subnets = [...aws.network.articleSubnets];
  const made = await aws.elb.send(new CreateLoadBalancerCommand({ Name: name, Subnets, Tags }));
  return made.LoadBalancers?.[0]?.LoadBalancerArn ?? '';
}

/** The stand-in, with the hostile text in its answers, an orphan and a foreign load balancer. */
async function serveAccount(text: string): Promise<Account> {
  await createBalancer('orphan', {
    ...{ 'albridge.io/cluster': CLUSTER_ID, 'albridge.io/namespace': 'default' },
    ...{ 'albridge.io/name': MARK, 'albridge.io/uid': 'u1' },
  });
  const foreignArn = await createBalancer('foreign', {
    [`kubernetes.io/cluster/${MARK}`]: 'owned',
    note: MARK,
  });
  const address = await place.listen((request, response) => {
    void forward(request, response, text);
  });
  return { endpoint: `http://${address}`, foreignArn };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): Promise<void> {
  const { method = '', headers, url } = request;
  const { authorization = '', 'content-type': type = '' } = headers;
  const date = String(headers['x-amz-date']);
  const answered = await fetch(`${aws.server.url}${url}`, {
    ...{ method, body: await readText(request) },
    headers: { authorization, 'content-type': type, 'x-amz-date': date },
  });
  response.writeHead(answered.status, { 'content-type': 'text/xml' });
  response.end((await answered.text()).replaceAll(MARK, text));
}

function writeManifest(): string {
  const path = join(place.directory, 'web.json');
  writeFileSync(
    path,
    JSON.stringify({
      ...createMyIngress({ name: 'web', namespace: 'default' }, ''),
      status: undefined,
    }),
  );
  return path;
}

async function run(args: CommandLine['args'], text: string): Promise<string> {
  const { endpoint, foreignArn } = await serveAccount(text);
  const server = await place.answering((path) => answer(path, text));
  const { exitCode, stdout, stderr } = await runCli(args(foreignArn), {
    env: {
      KUBECONFIG: place.writeKubeconfig({ server: `http://${server}` }),
      ...{ AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: endpoint },
    },
  });
  return `${stdout}${stderr}exit code ${exitCode}\n`;
}

interface CommandLine {
  args(foreignArn: string): readonly string[];
  /** How often the text is to be printed at least. */
  readonly times: number;
}

const commands: Readonly<Record<string, CommandLine>> = {
  'the list of status': { args: () => ['status', '-A'], times: 5 },
  'the tree of status': { args: () => ['status', 'web'], times: 3 },
  why: { args: () => ['why', 'web'], times: 6 },
  'why, about an object that is as desired': { args: () => ['why', 'fine'], times: 4 },
  doctor: { args: () => ['doctor'], times: 3 },
  'plan -A, with its failure': { args: () => ['plan', '-A'], times: 3 },
  'plan, with its note': { args: () => ['plan', 'fine'], times: 2 },
  'plan -f, with its warning': { args: () => ['plan', '-f', writeManifest()], times: 1 },
  'orphans, with its warning': { args: () => ['orphans'], times: 2 },
  'adopt, with its warning': { args: (arn) => ['adopt', arn, '--name', 'new'], times: 3 },
};

const texts: Readonly<Record<string, { text: string; shown: string }>> = {
  'a sequence that clears the screen': { text: 'a\u001b[2Jb', shown: 'a\\u001b[2Jb' },
  'a title of the window': { text: 'a\u001b]0;b\u0007c', shown: 'a\\u001b]0;b\\u0007c' },
  'a control character of one byte': { text: 'a\u009b2Jb', shown: 'a\\u009b2Jb' },
  'a line of its own': { text: 'a\nb', shown: 'a\\u000ab' },
  'another direction of text': { text: 'a\u202eb\u2066c', shown: 'a\\u202eb\\u2066c' },
};

describe.each(Object.entries(texts))('%s', (_, { text, shown }) => {
  it.each(Object.entries(commands))('is escaped by %s', async (_name, { args, times }) => {
    const output = await run(args, text);
    expect(output).not.toContain(text);
    expect(output.split(shown).length - 1, output).toBeGreaterThanOrEqual(times);
  });

  it('is escaped by ui', async () => {
    const ending = new AbortController();
    const server = `http://${await place.answering((path) => answer(path, text))}/${text}`;
    const { stderr } = await runCli(['ui'], {
      env: { KUBECONFIG: place.writeKubeconfig({ server }) },
      signal: ending.signal,
      onStderr: () => ending.abort(),
    });
    expect(stderr).toMatch(/^serving all namespaces of /);
    expect(stderr).toContain(shown);
    expect(stderr).not.toContain(text);
  });
});
