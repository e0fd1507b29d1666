import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limitOperator } from '../surroundings/limited-operator.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { Program } from '../surroundings/program.ts';
import { until } from '../surroundings/until.ts';
import { inNamespace, ownKinds, selfSufficientExamples } from './own-kinds.ts';
import { DeployPlace } from './place.ts';
import type { Pod } from './pod-environment.ts';

let place: DeployPlace;
let objects: MyIngresses;
let namespaces = 0;

beforeAll(async () => {
  place = await DeployPlace.start();
});

afterAll(() => place?.stop());

/** Each test leaves an empty cluster and an empty account, which is what most of them are about. */
afterEach(() => place.stopPods());

interface Ended {
  readonly code: number | string;
  readonly output: string;
}

/** `npm run undeploy -- <args>`, as the cluster's administrator. */
async function undeploy(...args: readonly string[]): Promise<Ended> {
  const program = await Program.start('deploy/undeploy.ts', args, {
    KUBECONFIG: place.cluster.kubeconfigPath,
    KUBECTL: place.cluster.kubectlPath,
  });
  const code = await program.exited;
  await program.discard();
  return { code, output: program.output };
}

/** Fails with the words of a run that did not finish. */
async function undeployed(...args: readonly string[]): Promise<string> {
  const { code, output } = await undeploy(...args);
  expect(code, output).toBe(0);
  return output;
}

async function begin(): Promise<void> {
  await place.install();
  namespaces += 1;
  objects = await place.createNamespace(`shop-${namespaces}`);
}

async function isServed(): Promise<boolean> {
  const group = ['api-resources', '--api-group=demo.rtfm.co.ua', '-o', 'name'];
  return (await place.kubectl(group)).includes('myingresses');
}

/** Discovery follows a CRD that is gone by way of several queues of the API server. */
async function servedNoMore(): Promise<void> {
  await until('the kind is served no more', async () => !(await isServed()));
}

async function hasOperator(): Promise<boolean> {
  const get = ['get', 'namespace', 'albridge-system', '--ignore-not-found'];
  return (await place.kubectl(get)) !== '';
}

const subnets = (): readonly string[] => place.aws.network.articleSubnets;

describe('npm run undeploy', () => {
  it('lists what remains and removes nothing else, then finishes when it can', async () => {
    await begin();
    const attributes = { 'deletion_protection.enabled': 'true' };
    await objects.create('guarded', { subnets: subnets(), attributes });
    await objects.create('plain', { subnets: subnets() });
    const arn = arnOf(await objects.whenReady('guarded'));
    await objects.whenReady('plain');

    // It has the Deployment and the namespace, and rights on none of the kinds.
    const without = await undeploy('--kustomization', 'deploy/base');
    expect(without).toMatchObject({ code: 1 });
    expect(without.output).toMatch(
      /^undeploy: deploy\/base does not have albridge's Deployment and its rights, so nothing was deleted; /,
    );
    expect(await hasOperator()).toBe(true);

    // Long enough for the other one to go.
    const refused = await undeploy('--timeout', '45');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain(
      '1 custom resources remain, so the operator and the CRDs stay',
    );
    expect(refused.output).toMatch(
      /MyIngress shop-\d+\/guarded: DeletionBlocked: .*deletion_protection/,
    );
    expect(await isServed()).toBe(true);
    expect(await hasOperator()).toBe(true);
    expect((await place.standIn.balancers()).map((balancer) => balancer.arn)).toEqual([arn]);

    await objects.edit('guarded', { attributes: { 'deletion_protection.enabled': 'false' } });
    expect(await undeployed()).toContain('nothing of albridge is left in the cluster');
    expect(await place.standIn.balancers()).toEqual([]);
    expect(await hasOperator()).toBe(false);
    await servedNoMore();
    const left = ['get', 'clusterroles,clusterrolebindings,crds', '-o', 'name'];
    expect(await place.kubectl(left)).not.toMatch(/albridge|rtfm/);
  });

  it('does nothing where nothing is', async () => {
    await undeployed();
  });

  it('removes the ConfigMonitor of an annotated ConfigMap, which the operator creates again', async () => {
    await begin();
    const inShop = (...args: readonly string[]): Promise<string> =>
      place.kubectl(['-n', objects.namespace, ...args]);
    await inShop('apply', '-f', 'examples/configmonitor-03-annotation.yaml');
    await inShop('wait', '--for=create', 'configmonitor/frontend-config-annotated');
    expect(await undeployed()).toContain('nothing of albridge is left in the cluster');
    await servedNoMore();
    await inShop('delete', 'configmap', 'frontend-config');
  });

  it('leaves balancers behind with --retain, and says which', async () => {
    await begin();
    await objects.create('web', { subnets: subnets() });
    const arn = arnOf(await objects.whenReady('web'));
    const said = await undeployed('--retain');
    expect(said).toContain(`${objects.namespace}/web leaves behind ${arn}`);
    const tags = await place.outsider.tags(arn);
    expect(Object.keys(tags).filter((key) => key.startsWith('albridge.io/'))).toEqual([]);
    await servedNoMore();
    await place.outsider.deleteBalancer(arn);
  });

  it('says which tool is missing, and knows its flags', async () => {
    const program = await Program.start('deploy/undeploy.ts', [], { KUBECTL: '/nowhere/kubectl' });
    expect(await program.exited).toBe(1);
    expect(program.output).toMatch(/^undeploy: kubectl .*\/nowhere\/kubectl.*install kubectl/m);
    await program.discard();
    expect(await undeploy('--fast')).toMatchObject({ code: 2 });
    expect((await undeploy('--help')).output).toContain('Usage: npm run undeploy');
  });
});

interface WrongOrder {
  readonly why: string;
  readonly isOperatorFirst: boolean;
}

const wrongOrders: Readonly<Record<string, WrongOrder>> = {
  'whose operator ends at once': {
    why: 'the pods go with their namespace, before they have seen a deletion',
    isOperatorFirst: true,
  },
  'whose operator works until its rights are gone': {
    why: 'it may delete the balancer, and then not take its finalizer off',
    isOperatorFirst: false,
  },
};

describe('kubectl delete -k deploy with objects present', () => {
  it.each(Object.entries(wrongOrders))(
    '%s strands nothing silently, and is got out of by installing again',
    async (_, { isOperatorFirst }) => {
      await begin();
      await objects.create('web', { subnets: subnets() });
      const arn = arnOf(await objects.whenReady('web'));

      if (isOperatorFirst) await place.stopPods();
      await place.kubectl(['delete', '-k', 'deploy', '--wait=false']);
      await until('the operator is gone', async () => !(await hasOperator()), 120_000);
      await place.stopPods();
      if (isOperatorFirst) {
        // The CRD waits for its objects, and they for their finalizers.
        const held = await objects.when(
          'web',
          ({ metadata }) => metadata.deletionTimestamp !== undefined,
        );
        expect(held.metadata.finalizers).toEqual(['albridge.io/load-balancer']);
        expect((await place.standIn.balancer(arn))?.arn).toBe(arn);
      }

      await place.kubectl(['apply', '--server-side', '-k', 'deploy']);
      const list = ['get', 'albridge', '--all-namespaces'];
      if (isOperatorFirst) {
        await until('the object is listed', async () =>
          (await place.cluster.kubectl(list)).stdout.includes(`${objects.namespace} `),
        );
      }
      const [pod] = await place.pods();
      await place.play(pod as Pod, { injected: place.aws.environment });
      await until('the object is gone', () => isGone('web'), 120_000);
      expect(await place.standIn.balancers()).toEqual([]);
      await undeployed();
      expect(await hasOperator()).toBe(false);
      await servedNoMore();
    },
  );
});

/** Or its kind is: the CRD goes with the last of its objects. */
async function isGone(name: string): Promise<boolean> {
  return !(await isServed()) || !(await objects.exists(name));
}

describe('a namespace that holds every kind', () => {
  it('is deleted with everything that it created in AWS', async () => {
    const { operator, probe } = await place.install();
    await place.createNamespace('all');
    const manifests = await selfSufficientExamples();
    const kinds = await ownKinds();
    for (const { kind } of kinds) expect(manifests.map((one) => one.kind)).toContain(kind);
    await place.kubectl(['apply', '-f', '-'], inNamespace(manifests, 'all'));
    const plurals = kinds.map(({ plural, group }) => `${plural}.${group}`).join(',');
    const ready = ['-n', 'all', 'wait', '--for=condition=Ready', plurals, '--all'];
    await place.kubectl([...ready, '--timeout=120s']);

    const before = operator.log.length;
    await place.kubectl(['delete', 'namespace', 'all', '--timeout=150s']);
    expect(await place.standIn.balancersOf('all')).toEqual([]);
    // Events are refused in a namespace that goes: that is nobody's fault, and nothing to tell.
    expect(operator.log.slice(before).filter(({ level }) => level === 'error')).toEqual([]);
    expect(await probe('/readyz')).toEqual({ status: 200, body: 'ok' });
    for (const { tags, arn } of await place.standIn.balancers()) {
      expect(Object.keys(tags).filter((key) => key.startsWith('albridge.io/'))).toEqual([]);
      await place.outsider.deleteBalancer(arn);
    }
    await undeployed();
  });
});

describe('an installation for one namespace', () => {
  const OVERLAY = 'deploy/overlays/namespaced';

  /** Installs the operator into `web`, where it then has an object that is ready. */
  async function serve(): Promise<void> {
    await place.apply(OVERLAY);
    await limitOperator(place.aws.environment, 'my-cluster');
    const [pod] = await place.pods('web');
    await place.work(pod as Pod);
    await objects.create('web', { subnets: subnets() });
    await objects.whenReady('web');
  }

  it('is removed with its own objects, and leaves CRDs and the objects of others alone', async () => {
    objects = await place.createNamespace('web');
    const others = await place.createNamespace('others');
    await place.apply('crds');
    await serve();
    await others.create('web', { subnets: subnets() });

    const said = await undeployed('--kustomization', OVERLAY);
    expect(said).toContain('deleting 1 custom resources:\n  MyIngress web/web');
    expect(await place.standIn.balancers()).toEqual([]);
    expect(await objects.list()).toEqual([]);
    const left = [
      '-n',
      'web',
      'get',
      'deployments,leases,roles,rolebindings,serviceaccounts',
      '-o',
      'name',
    ];
    expect((await place.kubectl(left)).trim()).toBe('serviceaccount/default');
    expect(await others.exists('web')).toBe(true);
    expect(await isServed()).toBe(true);

    await others.startDeleting('web');
    await place.kubectl(['delete', '-k', 'crds', '--timeout=60s']);
  });

  it('that is deleted with its namespace is finished by an operator elsewhere', async () => {
    await place.kubectl(['delete', 'namespace', 'web', '--ignore-not-found']);
    objects = await place.createNamespace('web');
    await place.apply('deploy/cluster');
    await serve();
    await place.stopPods();
    await place.kubectl(['delete', 'namespace', 'web', '--wait=false']);
    const rights = ['-n', 'web', 'get', 'rolebindings', '-o', 'name'];
    await until('its rights are gone', async () => (await place.kubectl(rights)) === '', 60_000);
    expect((await objects.get('web')).metadata.finalizers).toEqual(['albridge.io/load-balancer']);

    await place.install({ ALBRIDGE_NAMESPACES: 'web', ALBRIDGE_CLUSTER_ID: 'my-cluster' });
    await place.kubectl(['wait', '--for=delete', 'namespace/web', '--timeout=120s']);
    expect(await place.standIn.balancers()).toEqual([]);
    await undeployed();
  });
});

describe('an installation of MyIngress alone', () => {
  const OVERLAY = 'deploy/overlays/myingress-only';

  it('is removed with its own kind, and leaves the objects of other kinds alone', async () => {
    await place.apply('crds');
    await place.apply(OVERLAY);
    await place.kubectl(['create', 'namespace', 'other-kinds']);
    const examples = (await selfSufficientExamples()).filter(({ kind }) => kind === 'WebApp');
    await place.kubectl(['apply', '-f', '-'], inNamespace(examples, 'other-kinds'));
    await undeployed('--kustomization', OVERLAY);
    await servedNoMore();
    const left = ['-n', 'other-kinds', 'get', 'webapps', '-o', 'name'];
    expect(await place.kubectl(left)).toContain('webapp.apps.example.com/');
    await place.kubectl(['delete', 'namespace', 'other-kinds', '--timeout=60s']);
    await place.kubectl(['delete', '-k', 'crds', '--ignore-not-found', '--timeout=60s']);
  });
});
