import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type CommandLineRun,
  runAlbridge,
  runAlbridgeOnTerminal,
} from '../surroundings/command-line.ts';
import { Endpoints, podAddress } from '../surroundings/endpoints.ts';
import type { MyIngresses } from '../surroundings/my-ingresses.ts';
import { whenServiceAccount } from '../surroundings/service-account.ts';
import { sharedPlace } from './setup-place.ts';

/** The command line as a process, for a real API server and the stand-in for AWS. */

const place = sharedPlace();
afterAll(() => place.close());
const { awsEnvironment, controlPlane } = inject('surroundings');
const environment = { ...awsEnvironment, KUBECONFIG: controlPlane.kubeconfigPath };

let objects: MyIngresses;

/** `shop` is served by two pods but for one backend, whose Service does not exist. */
beforeAll(async () => {
  objects = await place.createNamespace('command-line');
  const endpoints = new Endpoints(place.api, objects.namespace);
  await endpoints.create('web', [podAddress(1), podAddress(2)]);
  await objects.create('shop', {
    subnets: place.network.articleSubnets,
    backends: [
      { name: 'web', service: { name: 'web', port: 80 } },
      { name: 'api', service: { name: 'nothing', port: 80 } },
    ],
    rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
    defaultAction: { forward: [{ backend: 'web' }] },
  });
  const isRegistered = (object: Awaited<ReturnType<MyIngresses['get']>>): boolean =>
    object.status.backends?.find(({ name }) => name === 'web')?.registered === 2;
  await objects.when('shop', isRegistered);
  await objects.whenReason('shop', 'ServiceNotFound');
});

function albridge(...args: readonly string[]): Promise<CommandLineRun> {
  return runAlbridge([...args, '-n', objects.namespace], environment);
}

describe('albridge status', () => {
  it('lists the objects of a namespace, and of all', async () => {
    const { exitCode, stdout, stderr } = await albridge('status');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [head, row] = stdout.split('\n');
    expect(head).toMatch(/^KIND +NAME +READY +REASON +AGE +MESSAGE$/);
    expect(row).toMatch(/^MyIngress +shop +False +ServiceNotFound +\w+ +backend api: Service noth/);
    const everywhere = await runAlbridge(['status', '-A', '-o', 'json'], environment);
    const { namespace } = objects;
    expect(JSON.parse(everywhere.stdout)).toMatchObject({
      objects: expect.arrayContaining([
        expect.objectContaining({ namespace, name: 'shop', reason: 'ServiceNotFound' }),
      ]),
      unavailable: [],
    });
  });

  it('draws one object from its balancer down to its targets', async () => {
    const { exitCode, stdout } = await albridge('status', 'mying/shop');
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n').map((line) => line.replace(/^[│├└─ ]+/, ''));
    expect(lines[0]).toMatch(
      /^MyIngress command-line-\w+\/shop {2}Ready False {2}ServiceNotFound: /,
    );
    const order = [
      /^load balancer shop-alb-\w+ {2}active {2}shop-alb-.*amazonaws\.com$/,
      /^listener 80 HTTP {2}there$/,
      /^rule api: paths \/api\/\*/,
      /^backend api \(Service nothing:80\) {2}0\/0 targets registered.* Service nothing does not/,
      /^default action/,
      /^backend web \(Service web:80\) {2}2\/2 targets registered/,
      /^target 10\.87\.128\.1 {2}ready$/,
      /^target 10\.87\.128\.2 {2}ready$/,
      /^security group albridge-/,
    ];
    const found = order.map((pattern) => lines.findIndex((line) => pattern.test(line)));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  it('says in one line what the caller may not list, and shows the rest', async () => {
    await whenServiceAccount(place.api, objects.namespace);
    const binding = ['--clusterrole=half', `--serviceaccount=${objects.namespace}:default`];
    const rule = ['--verb=list', '--resource=myingresses.demo.rtfm.co.ua'];
    await place.kubectl(['create', 'clusterrole', 'half', ...rule]);
    await place.kubectl(['-n', objects.namespace, 'create', 'rolebinding', 'half', ...binding]);
    const KUBECONFIG = await place.cluster.serviceAccountKubeconfig(objects.namespace, 'default');
    const args = ['status', '-n', objects.namespace];
    const { exitCode, stdout, stderr } = await runAlbridge(args, { KUBECONFIG });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('ServiceNotFound');
    expect(stderr).toBe(
      'not listed: ConfigMonitor, ImmortalContainer, MyApp, WebApp (you may not list it)\n',
    );
    const elsewhere = await runAlbridge(['status', '-n', 'default'], { KUBECONFIG });
    expect(elsewhere.exitCode).toBe(1);
    expect(elsewhere.stderr).toMatch(/^albridge: nothing to show: .*ask for the role "view"\n$/);
  });

  it('has colours on a terminal, none with NO_COLOR, and none in a pipe', async () => {
    const args = ['status', '-n', objects.namespace];
    const red = '\u001b[31mFalse\u001b[0m';
    expect((await runAlbridgeOnTerminal(args, environment)).stdout).toContain(red);
    const plain = await runAlbridgeOnTerminal(args, { ...environment, NO_COLOR: '1' });
    expect(plain.stdout).toContain('False');
    expect(plain.stdout).not.toContain('\u001b[31m');
    expect((await runAlbridge(args, environment)).stdout).not.toContain('\u001b');
  });
});

describe('albridge why', () => {
  it('gives the conditions, the next action and the events', async () => {
    await objects.event('shop', 'CreatedALB');
    const { exitCode, stdout } = await albridge('why', 'shop');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`MyIngress ${objects.namespace}/shop is not as desired:\n`);
    expect(stdout).toMatch(/^Ready False.*: ServiceNotFound$/m);
    expect(stdout).toContain('  next:  create the Service, or correct its name in spec.backends\n');
    expect(stdout).toMatch(/Normal +CreatedALB +Created ALB: /);
  });

  it('says so where there is no such object', async () => {
    expect(await albridge('why', 'nix')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `albridge: there is no object "nix" of albridge in the namespace ${objects.namespace}: albridge status -A lists all\n`,
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
  }

  async function examine(
    env: Readonly<Record<string, string>>,
  ): Promise<ReadonlyMap<string, Check>> {
    const { stdout } = await runAlbridge(['doctor', '-n', objects.namespace, '-o', 'json'], env);
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
    return new Map(checks.map((check) => [check.name, check]));
  }

  it('checks cluster, operator, rights and account', async () => {
    const checks = await examine(environment);
    const verdicts = Object.fromEntries([...checks].map(([name, { verdict }]) => [name, verdict]));
    expect(verdicts).toMatchObject({
      'API server': 'ok',
      'clock and the API server': 'ok',
      'CRD MyIngress': 'ok',
      'CRD WebApp': 'ok',
      // The operator of these tests is a process outside of the cluster.
      operator: 'failed',
      'cluster id': 'ok',
      'rights of the operator, MyIngress': 'ok',
      'rights of the operator, WebApp': 'ok',
      'your rights': 'ok',
      'AWS credentials': 'ok',
      'clock and AWS': 'ok',
      'AWS reads': 'ok',
      'AWS writes': 'not checked',
      'subnets, internet-facing': 'ok',
    });
    expect(checks.get('AWS reads')?.message).toMatch(/^1\d operations answered/);
    const names = [...checks.keys()];
    expect(names.filter((name) => name.startsWith('AWS read '))).toEqual([]);
  });

  it('ends with 1 after a failed check, and names the next step', async () => {
    const { exitCode, stdout, stderr } = await albridge('doctor');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(/^failed +operator: .*\n +next: kubectl -n albridge-system describe/m);
  });

  it('names a right that the operator lacks', async () => {
    const body = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { name: 'other', labels: { 'app.kubernetes.io/name': 'albridge' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'other' } },
        template: {
          metadata: { labels: { app: 'other' } },
          spec: {
            serviceAccountName: 'nobody',
            containers: [{ name: 'operator', image: 'albridge:0.0.1' }],
          },
        },
      },
    };
    const path = `/apis/apps/v1/namespaces/${objects.namespace}/deployments`;
    await place.api.ask({ method: 'POST', path, body });
    const { stdout } = await albridge('doctor');
    expect(stdout).toMatch(
      /failed +rights of the operator, MyIngress: it may not: get myingresses/,
    );
    expect(stdout).toMatch(
      /failed +cluster id: .*albridge-system\/albridge.* have the same id, the UID of kube-system/,
    );
    await place.api.ask({ method: 'DELETE', path: `${path}/other` });
  });

  it('reports an API server that does not answer, in one line, and nothing else', async () => {
    const text = `apiVersion: v1
kind: Config
current-context: gone
contexts: [{ name: gone, context: { cluster: gone, user: gone } }]
clusters: [{ name: gone, cluster: { server: "http://127.0.0.1:1" } }]
users: [{ name: gone, user: { token: x } }]
`;
    const KUBECONFIG = `${controlPlane.directory}/gone.kubeconfig`;
    await writeFile(KUBECONFIG, text);
    const { exitCode, stdout } = await runAlbridge(['doctor'], { KUBECONFIG });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^failed +API server: http:\/\/127\.0\.0\.1:1, context gone: .*\n +next: check the context/,
    );
    expect(stdout.split('\n')).toHaveLength(4);
  });

  it('checks no account without credentials', async () => {
    const {
      AWS_ACCESS_KEY_ID: _id,
      AWS_SECRET_ACCESS_KEY: _secret,
      ...none
    } = environment as Record<string, string>;
    const checks = await examine({
      ...none,
      HOME: controlPlane.directory,
      AWS_EC2_METADATA_DISABLED: 'true',
    });
    expect(checks.get('AWS credentials')).toMatchObject({ verdict: 'not checked' });
    expect(checks.has('AWS reads')).toBe(false);
  });
});
