import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';

const place = new SharedPlace();

interface Container {
  readonly name: string;
  readonly env?: readonly object[];
  readonly resources?: object;
}

interface Template {
  readonly metadata: { readonly labels: object };
  readonly spec: { readonly containers: readonly Container[] };
}

function templateOf(deployment: Stored): Template {
  return (deployment.spec as unknown as { readonly template: Template }).template;
}

const TEMPLATE = {
  spec: {
    containers: [
      {
        name: 'app',
        env: [{ name: 'MODE', value: 'fast' }],
        resources: { requests: { cpu: 0.5, memory: '1024Mi' } },
        tty: false,
      },
      { name: 'proxy', image: 'envoy:1' },
    ],
  },
};

function webApp(podTemplate: object, image = 'nginx:1.25'): object {
  return {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name: 'shop' } },
    spec: { image, podTemplate },
  };
}

function apply(namespace: Namespace, podTemplate: object, image?: string): Promise<string> {
  return namespace.apply(webApp(podTemplate, image));
}

/** The API server takes any template there, some moments after the label is set. */
async function open(prefix: string): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  const label = 'albridge.io/pod-template=full';
  await place.cluster.kubectl(['label', 'namespace', namespace.name, label]);
  const input = JSON.stringify(webApp({ spec: { containers: [{ name: 'app', tty: true }] } }));
  const args = ['-n', namespace.name, 'create', '--dry-run=server', '-f', '-'];
  await until('the label', async () => (await place.cluster.kubectl(args, { input })).code === 0);
  return namespace;
}

async function running(prefix: string, podTemplate: object): Promise<Namespace> {
  const namespace = await open(prefix);
  await apply(namespace, podTemplate);
  await namespace.whenReady('webapp', 'shop');
  return namespace;
}

describe('a WebApp with a pod template', { concurrent: true }, () => {
  it('runs its container with the fields of the template, and a sidecar next to it', async () => {
    const namespace = await running('template-fields', TEMPLATE);
    const [pod] = await namespace.list('pods');
    expect(pod?.spec?.['containers']).toMatchObject([
      {
        name: 'app',
        image: 'nginx:1.25',
        env: [{ name: 'MODE', value: 'fast' }],
        resources: { requests: { cpu: '500m', memory: '1Gi' } },
      },
      { name: 'proxy', securityContext: { allowPrivilegeEscalation: false } },
    ]);
  });

  it('is not written again where a pass finds all as it should be', async () => {
    const namespace = await running('template-idle', TEMPLATE);
    const before = await namespace.get('deployment', 'shop');
    const token = 'albridge.io/reconcile-requested-at=again';
    await namespace.kubectl(['annotate', 'webapp', 'shop', token]);
    await namespace.when('webapp', 'shop', ({ status }) => {
      return status?.lastHandledReconcileAt === 'again';
    });
    await namespace.pause('webapp', 'shop');
    const told = await namespace.whenTold('shop', ['Paused']);
    expect(told).not.toContain('DriftRepaired');
    expect(told).not.toContain('DeploymentUpdated');
    const lines = await namespace.whenLogged('shop', ({ reason }) => reason === 'Paused');
    expect(lines.filter(({ msg }) => msg === 'Reconciled Deployment')).toHaveLength(1);
    const after = await namespace.get('deployment', 'shop');
    expect(after.metadata.generation).toBe(before.metadata.generation);
  });

  it('gets a variable back that someone else changed', async () => {
    const namespace = await running('template-drift', TEMPLATE);
    await namespace.kubectl(['set', 'env', 'deployment/shop', '-c', 'app', 'MODE=slow']);
    const { note } = await namespace.event('shop', 'DriftRepaired');
    expect(note).toContain('spec.template.spec.containers[app].env[MODE].value');
    const { spec } = templateOf(await namespace.get('deployment', 'shop'));
    expect(spec.containers[0]?.env).toEqual([{ name: 'MODE', value: 'fast' }]);
  });

  it('loses what leaves the template, and keeps what others set', async () => {
    const namespace = await running('template-less', TEMPLATE);
    await namespace.kubectl(['set', 'env', 'deployment/shop', '-c', 'app', 'OTHERS=stay']);
    await apply(namespace, { spec: { containers: [{ name: 'app' }] } });
    const isDone = (deployment: Stored): boolean =>
      templateOf(deployment).spec.containers.length === 1;
    const deployment = await namespace.when('deployment', 'shop', isDone);
    const [container] = templateOf(deployment).spec.containers;
    expect(container?.env).toEqual([{ name: 'OTHERS', value: 'stay' }]);
    expect(container?.resources).toEqual({});
  });

  it.each([
    [
      'a field that Kubernetes does not know',
      { noSuchField: 1 },
      'noSuchField: field not declared',
    ],
    ['a value of another type', { env: 'MODE=fast' }, 'env: expected list'],
    ['a volume that is not there', { volumeMounts: [{ name: 'a', mountPath: '/a' }] }, 'Not found'],
    [
      'a quantity that is none',
      { resources: { limits: { cpu: 'much' } } },
      'quantities must match',
    ],
  ])('names %s, and stays as it was', async (_name, wrong, says) => {
    const namespace = await running('template-wrong', TEMPLATE);
    const before = await namespace.get('deployment', 'shop');
    const containers = [{ name: 'app', ...wrong }];
    await apply(namespace, { spec: { containers } }, 'nginx:1.27');
    const stalled = await namespace.when('webapp', 'shop', (seen) => {
      return conditionOf(seen, 'Stalled')?.status === 'True';
    });
    const condition = conditionOf(stalled, 'Stalled');
    expect(condition?.reason).toBe('Invalid');
    expect(condition?.message).toContain(says);
    expect(condition?.message).toContain('Failed to reconcile Deployment: apply Deployment');
    expect(condition?.message).toMatch(/; correct the named field$/);
    expect((await namespace.get('deployment', 'shop')).spec).toEqual(before.spec);
    await apply(namespace, TEMPLATE);
    await namespace.whenReady('webapp', 'shop');
  });

  it('says of a new WebApp too which field Kubernetes does not know', async () => {
    const namespace = await open('template-new');
    await apply(namespace, { spec: { containers: [{ name: 'app', noSuchField: 1 }] } });
    const stalled = await namespace.when('webapp', 'shop', (seen) => {
      return conditionOf(seen, 'Stalled')?.status === 'True';
    });
    const says = 'unknown field "spec.template.spec.containers[0].noSuchField"';
    expect(conditionOf(stalled, 'Stalled')?.message).toContain(says);
  });

  it('is refused in one sentence where the template is too long', async () => {
    const namespace = await place.createNamespace('template-long');
    const env = [{ name: 'A', value: 'x'.repeat(20_000) }];
    await apply(namespace, { spec: { containers: [{ name: 'app', env }] } });
    const stalled = await namespace.when('webapp', 'shop', (seen) => {
      return conditionOf(seen, 'Stalled')?.reason === 'PodTemplateTooLong';
    });
    expect(conditionOf(stalled, 'Stalled')?.message).toContain('more than 16384 characters');
    expect(await namespace.exists('deployment', 'shop')).toBe(false);
  });

  it('runs under Pod Security restricted once it does not run as root, as in the example', async () => {
    const namespace = await place.createNamespace('template-restricted');
    const level = 'pod-security.kubernetes.io/enforce=restricted';
    await place.cluster.kubectl(['label', 'namespace', namespace.name, level]);
    const example = resolve(import.meta.dirname, '../../examples/webapp-05-pod-template.yaml');
    await namespace.apply(await readFile(example, 'utf8'));
    await namespace.whenReady('webapp', 'careful');
  });
});
