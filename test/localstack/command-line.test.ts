import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { myIngressReasons } from '../../src/apis/my-ingress-reasons.ts';
import {
  type CommandLineRun,
  type CommandLineUser,
  runAlbridge,
} from '../surroundings/command-line.ts';
import { Endpoints, podAddress } from '../surroundings/endpoints.ts';
import type { MyIngresses } from '../surroundings/my-ingresses.ts';
import { shippedPolicy } from '../surroundings/shipped-policy.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

/** status, why and doctor as a process, for a real API server and the stand-in for AWS. */

const place = sharedPlace();
const { awsEnvironment, controlPlane } = inject('surroundings');
const admin = { kubeconfigPath: controlPlane.kubeconfigPath, awsEnvironment };
const BROKEN = 'InvalidConfigurationRequest';
const PLUGIN = { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };

let objects: MyIngresses;

/** `shop` is served by pods; `broken` has both subnets in one zone, and says so as long as it lives. */
beforeAll(async () => {
  objects = await place.createNamespace('command-line');
  const endpoints = new Endpoints(place.api, objects.namespace);
  await endpoints.create('web', [podAddress(1), podAddress(2)]);
  await endpoints.create('api', [podAddress(3)]);
  await objects.create('broken', { subnets: place.network.sameZoneSubnets });
  await objects.create('shop', {
    subnets: place.network.articleSubnets,
    backends: [
      { name: 'web', service: { name: 'web', port: 80 } },
      { name: 'api', service: { name: 'api', port: 80 } },
    ],
    rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
    defaultAction: { forward: [{ backend: 'web' }] },
  });
  await objects.whenReady('shop');
  await objects.whenReason('broken', BROKEN);
});

function albridge(...args: readonly string[]): Promise<CommandLineRun> {
  return runAlbridge([...args, '-n', objects.namespace], admin);
}

function formatKubeconfig(server: string): string {
  return `apiVersion: v1
kind: Config
current-context: gone
contexts: [{ name: gone, context: { cluster: gone, user: gone } }]
clusters: [{ name: gone, cluster: { server: "${server}" } }]
users: [{ name: gone, user: { token: x } }]
`;
}

/** With a terminal as stdout and stderr, which `script` gives it. */
async function runOnTerminal(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const entry = resolve(import.meta.dirname, '../../src/cli/main.ts');
  const line = [process.execPath, entry, ...args].map((word) => `'${word}'`).join(' ');
  const { PATH = '' } = process.env;
  const env = { PATH, TERM: 'xterm', KUBECONFIG: controlPlane.kubeconfigPath, ...environment };
  const { stdout } = await promisify(execFile)('script', ['-qec', line, '/dev/null'], { env });
  return stdout;
}

describe('albridge status', () => {
  it('lists the objects of a namespace, and of all', async () => {
    const { exitCode, stdout, stderr } = await albridge('status');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [head, broken, shop] = stdout.split('\n');
    expect(head).toMatch(/^KIND +NAME +READY +REASON +AGE +MESSAGE$/);
    expect(broken).toMatch(/^MyIngress +broken +False +InvalidConfigurationRequest +\w+ +\w/);
    // The stand-in knows nothing of the pods: whether it has said so yet is a matter of time.
    expect(shop).toMatch(
      /^MyIngress +shop +(?:True +Available|Unknown +HealthUnknown|False +Targets(?:Initial|Unhealthy)) +\w+ +\w/,
    );
    const everywhere = await runAlbridge(['status', '-A', '-o', 'json'], admin);
    const { namespace } = objects;
    expect(JSON.parse(everywhere.stdout)).toMatchObject({
      objects: expect.arrayContaining([
        expect.objectContaining({ namespace, name: 'broken', reason: BROKEN }),
      ]),
      unavailable: [],
    });
  });

  it('draws one object from its balancer down to its targets', async () => {
    const { exitCode, stdout } = await albridge('status', 'mying/shop');
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/^[│├└─ ]+/, ''));
    expect(lines[0]).toMatch(
      /^MyIngress command-line-\w+\/shop {2}(?:Ready {2}Available|TargetsHealthy \w+ {2}\w+): /,
    );
    const order = [
      /^load balancer shop-alb-\w+ {2}active {2}shop-alb-.*amazonaws\.com$/,
      /^listener 80 HTTP {2}there$/,
      /^rule api: paths \/api\/\* {2}applied$/,
      /^backend api \(Service api:80\) {2}1\/1 targets registered/,
      /^target 10\.87\.128\.3 {2}ready$/,
      /^default action {2}applied$/,
      /^backend web \(Service web:80\) {2}2\/2 targets registered/,
      /^target 10\.87\.128\.1 {2}ready$/,
      /^target 10\.87\.128\.2 {2}ready$/,
      /^security group albridge-/,
    ];
    const found = order.map((pattern) => lines.findIndex((line) => pattern.test(line)));
    expect(found, stdout).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  it('says in one line what the caller may not list, and shows the rest', async () => {
    const { namespace } = objects;
    const inNamespace = (...args: readonly string[]): Promise<string> =>
      place.kubectl(['-n', namespace, 'create', ...args]);
    await inNamespace('serviceaccount', 'reader');
    const resource = '--resource=myingresses.demo.rtfm.co.ua';
    await inNamespace('role', 'reader', '--verb=list', resource);
    const subject = `--serviceaccount=${namespace}:reader`;
    await inNamespace('rolebinding', 'reader', '--role=reader', subject);
    const kubeconfigPath = await place.cluster.serviceAccountKubeconfig(namespace, 'reader');
    const reader = { kubeconfigPath, awsEnvironment };
    const { exitCode, stdout, stderr } = await runAlbridge(['status', '-n', namespace], reader);
    expect(stderr).toBe(
      'not listed: ConfigMonitor, ImmortalContainer, MyApp, WebApp (you may not list them)\n',
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain(BROKEN);
    const elsewhere = await runAlbridge(['status', '-n', 'default'], reader);
    expect(elsewhere.exitCode).toBe(1);
    expect(elsewhere.stderr).toMatch(
      /^albridge: nothing to show: .*ask for the role "view" there \(deploy\/components\/user-roles.*\)\n$/,
    );
  });

  it('ends although a credential plugin hangs, and names it', async () => {
    const kubeconfig = JSON.stringify({
      'current-context': 'a',
      clusters: [{ name: 'a', cluster: { server: place.cluster.url } }],
      users: [{ name: 'a', user: { exec: { ...PLUGIN, command: 'sleep', args: ['300'] } } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    });
    const kubeconfigPath = join(await mkdtemp(join(tmpdir(), 'albridge-plugin-')), 'config');
    await writeFile(kubeconfigPath, kubeconfig);
    const { exitCode, stderr } = await runAlbridge(['status'], { kubeconfigPath, awsEnvironment });
    expect(stderr).toMatch(/^albridge: .* the credential plugin "sleep" has not answered .*\n$/);
    expect(exitCode).toBe(1);
    await rm(dirname(kubeconfigPath), { recursive: true });
  });

  it('has colours on a terminal, none with NO_COLOR, and none in a pipe', async () => {
    const args = ['status', '-n', objects.namespace];
    const red = '\u001b[31mFalse\u001b[0m';
    expect(await runOnTerminal(args)).toContain(red);
    const plain = await runOnTerminal(args, { NO_COLOR: '1' });
    expect(plain).toContain('False');
    expect(plain).not.toContain('\u001b[31m');
    expect((await albridge('status')).stdout).not.toContain('\u001b');
  });
});

describe('a command that waits', () => {
  it('ends with 130 on Ctrl-C, and prints nothing', async () => {
    const held: Socket[] = [];
    const silent = createServer((socket) => void held.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const kubeconfigPath = `${controlPlane.directory}/silent.kubeconfig`;
    await writeFile(kubeconfigPath, formatKubeconfig(`http://127.0.0.1:${port}`));
    const entry = resolve(import.meta.dirname, '../../src/cli/main.ts');
    const child = spawn(process.execPath, [entry, 'status', '--kubeconfig', kubeconfigPath], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const exited = once(child, 'exit');
    await until('the request of the command', async () => held.length > 0);
    child.kill('SIGINT');
    expect(await exited).toEqual([130, null]);
    const [stdout, stderr] = await output;
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^(?:reading the objects of all kinds \.\.\.\n)?$/);
    for (const socket of held) socket.destroy();
    silent.close();
  });
});

describe('albridge why', () => {
  it('gives the conditions, the next action and the events', async () => {
    await objects.event('broken', BROKEN);
    const { exitCode, stdout } = await albridge('why', 'broken');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`MyIngress ${objects.namespace}/broken is not as desired:\n`);
    expect(stdout).toMatch(/^Stalled True, Ready False: InvalidConfigurationRequest$/m);
    expect(stdout).toContain(`  next:  ${myIngressReasons[BROKEN].next}\n`);
    expect(stdout).toMatch(/^\w+ +Warning +InvalidConfigurationRequest +\w/m);
  });

  it('says so where there is no such object', async () => {
    const { namespace } = objects;
    expect(await albridge('why', 'nix')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `albridge: there is no object "nix" of albridge in the namespace ${namespace}: albridge status -A lists all\n`,
    });
    const { exitCode, stderr } = await albridge('why', 'ingress/shop');
    expect(exitCode).toBe(64);
    expect(stderr).toMatch(/^albridge: "ingress" is not a kind of albridge: myingress \(mying\), /);
  });
});

describe('albridge doctor', () => {
  interface Check {
    readonly name: string;
    readonly verdict: string;
    readonly message: string;
    readonly next?: string;
  }

  async function examine(user: CommandLineUser): Promise<ReadonlyMap<string, Check>> {
    const { stdout } = await runAlbridge(['doctor', '-n', objects.namespace, '-o', 'json'], user);
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
    return new Map(checks.map((check) => [check.name, check]));
  }

  it('checks cluster, operator, rights and account', async () => {
    const checks = await examine(admin);
    const verdicts = Object.fromEntries([...checks].map(([name, { verdict }]) => [name, verdict]));
    expect(verdicts).toMatchObject({
      'API server': 'ok',
      'clock and the API server': 'ok',
      'CRD MyIngress': 'ok',
      'CRD WebApp': 'ok',
      'rights of the operator, MyIngress': 'ok',
      'rights of the operator, WebApp': 'ok',
      'your rights': 'ok',
      'AWS credentials': 'ok',
      'clock and AWS': 'ok',
      'AWS reads': 'ok',
      // The stand-in's identity is the root of an account, of which IAM simulates nothing.
      'AWS writes': 'not checked',
      'subnets, internet-facing': 'ok',
    });
    expect(checks.get('AWS reads')?.message).toMatch(/^1\d operations answered/);
    const refused = [...checks.keys()].filter((name) => name.startsWith('AWS read '));
    expect(refused).toEqual([]);
  });

  it('ends with 1 after a failed check, and names the next step', async () => {
    const { exitCode, stdout, stderr } = await albridge('doctor');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    // The operator of these tests is a process outside of the cluster.
    expect(stdout).toMatch(
      /^failed +operator: albridge-system.*\n +next: kubectl -n albridge-system describe/m,
    );
  });

  it('does not take a Deployment with the label and without the rights for an operator', async () => {
    const labels = { app: 'other' };
    const containers = [{ name: 'operator', image: 'albridge:0.0.1' }];
    const body = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { name: 'other', labels: { 'app.kubernetes.io/name': 'albridge' } },
      spec: {
        ...{ replicas: 0, selector: { matchLabels: labels } },
        template: { metadata: { labels }, spec: { serviceAccountName: 'nobody', containers } },
      },
    };
    const path = `/apis/apps/v1/namespaces/${objects.namespace}/deployments`;
    await place.api.ask({ method: 'POST', path, body });
    const { stdout } = await albridge('doctor');
    await place.api.ask({ method: 'DELETE', path: `${path}/other` });
    expect(stdout).toMatch(
      /warning +operator: \S+\/other has the label of the operator and not its rights: system:serviceaccount:\S+:nobody may not/,
    );
    expect(stdout).not.toMatch(/^\S+ +rights of the operator, MyIngress: .*nobody/m);
    expect(stdout).toMatch(/^ok +cluster id: /m);
  });

  it('reports a second Deployment with the rights and the id of the operator', async () => {
    const { namespace } = objects;
    const inNamespace = ['-n', namespace];
    const account = `--serviceaccount=${namespace}:second`;
    await place.kubectl(['create', 'serviceaccount', 'second', ...inNamespace]);
    const rights = ['create', 'rolebinding', 'second', '--clusterrole=albridge-myingress', account];
    await place.kubectl([...rights, ...inNamespace]);
    const labels = { 'app.kubernetes.io/name': 'albridge' };
    const containers = [{ name: 'operator', image: 'albridge:0.1.0' }];
    const deployment = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'second', labels } },
      spec: {
        ...{ replicas: 0, selector: { matchLabels: labels } },
        template: {
          metadata: { labels },
          spec: { serviceAccountName: 'second', containers },
        },
      },
    };
    await place.kubectl(['create', ...inNamespace, '-f', '-'], JSON.stringify(deployment));
    const check = await until('doctor finds the second one', async () => {
      const found = (await examine(admin)).get('cluster id');
      return found?.verdict === 'failed' && found;
    });
    await place.kubectl(['delete', 'deployment,rolebinding', 'second', ...inNamespace]);
    expect(check.message).toMatch(
      /^albridge-system\/albridge and \S+\/second serve the same namespaces and have the same id, [-0-9a-f]{36}$/,
    );
    expect(check).toMatchObject({ next: expect.stringMatching(/^remove one of them/) });
    expect((await examine(admin)).get('cluster id')?.verdict).toBe('ok');
  });

  const roleArn = (name: string): string => `arn:aws:iam::000000000000:role/${name}`;

  /** With a role of this name in the annotation of the operator's ServiceAccount, as for IRSA. */
  async function examineWrites(role: string): Promise<Check | undefined> {
    const annotate = ['annotate', 'serviceaccount', 'albridge', '-n', 'albridge-system'];
    const key = 'eks.amazonaws.com/role-arn';
    await place.kubectl([...annotate, `${key}=${roleArn(role)}`]);
    const checks = await examine(admin);
    await place.kubectl([...annotate, `${key}-`]);
    return checks.get('AWS writes');
  }

  it('asks the simulator of IAM about the role of the operator', async () => {
    const policy = shippedPolicy(await place.clusterId());
    await place.standIn.setPolicy('doctor-shipped', policy);
    expect(await examineWrites('doctor-shipped')).toMatchObject({
      verdict: 'ok',
      message: expect.stringMatching(
        new RegExp(`^\\d\\d operations allowed to ${roleArn('doctor-shipped')}$`),
      ),
    });

    const Action = 'elasticloadbalancing:DeleteLoadBalancer';
    const denial = { Sid: 'Kept', Effect: 'Deny', Action, Resource: '*' } as const;
    const denying = { ...policy, Statement: [...policy.Statement, denial] };
    await place.standIn.setPolicy('doctor-denied', denying);
    expect(await examineWrites('doctor-denied')).toMatchObject({
      verdict: 'failed',
      message: `not allowed to ${roleArn('doctor-denied')}: ${Action}`,
      next: expect.stringContaining('attach deploy/iam/policy.json'),
    });

    // A policy with the id of another cluster.
    await place.standIn.setPolicy('doctor-foreign', shippedPolicy('another'));
    const foreign = await examineWrites('doctor-foreign');
    expect(foreign).toMatchObject({ verdict: 'failed' });
    expect(foreign?.message).toContain('elasticloadbalancing:CreateLoadBalancer');

    expect(await examineWrites('doctor-gone')).toMatchObject({
      verdict: 'not checked',
      message: `IAM does not simulate ${roleArn('doctor-gone')} for you: NoSuchEntity`,
    });
  });

  it('reports an API server that does not answer, in one line, and nothing else', async () => {
    const kubeconfigPath = `${controlPlane.directory}/gone.kubeconfig`;
    await writeFile(kubeconfigPath, formatKubeconfig('http://127.0.0.1:1'));
    const { exitCode, stdout } = await runAlbridge(['doctor'], { ...admin, kubeconfigPath });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^failed +API server: http:\/\/127\.0\.0\.1:1, context gone: .*\n +next: check the context/,
    );
    expect(stdout.split('\n')).toHaveLength(4);
  });

  it('checks no account without credentials', async () => {
    const nothing = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const environment = { ...nothing, AWS_EC2_METADATA_DISABLED: 'true' };
    const checks = await examine({ ...admin, environment });
    expect(checks.get('AWS credentials')).toMatchObject({ verdict: 'not checked' });
    expect(checks.has('AWS reads')).toBe(false);
  });

  it('fails on a setting whose value is wrong, and names no other one', async () => {
    const environment = { AWS_ENDPOINT_URL: 'foo' };
    const checks = await examine({ ...admin, environment });
    expect(checks.get('AWS')).toMatchObject({
      verdict: 'failed',
      message: expect.stringMatching(/^AWS_ENDPOINT_URL="foo": expected an http or https address/),
      next: expect.stringMatching(/^correct this/),
    });
  });
});
