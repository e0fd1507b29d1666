import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';

const place = new SharedPlace();

const example = (name: string): Promise<string> =>
  readFile(resolve(import.meta.dirname, '../../examples', name), 'utf8');

async function running(prefix: string): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  await namespace.apply(await example('webapp-01-article.yaml'));
  await namespace.whenReady('webapp', 'demo-app');
  return namespace;
}

function replicasOf({ spec }: Stored): unknown {
  return spec?.['replicas'];
}

interface Template {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly object[] };
}

function templateOf({ spec }: Stored): Template {
  return spec?.['template'] as Template;
}

const PAUSED = {
  apiVersion: 'apps.example.com/v1',
  kind: 'WebApp',
  metadata: { name: 'demo-app', annotations: { 'albridge.io/paused': 'true' } },
  spec: { image: 'nginx:1.25', replicas: 3, port: 80 },
};

const patchWith = (namespace: Namespace, kind: string, body: object): Promise<string> =>
  namespace.kubectl(['patch', kind, 'demo-app', '--type=merge', '-p', JSON.stringify(body)]);

describe('what others change on a WebApp', { concurrent: true }, () => {
  it('survives: a rollout restart, also through the next edit of the WebApp', async () => {
    const namespace = await running('webapp-restart');
    const before = (await namespace.list('pods')).map(({ metadata }) => metadata.uid);
    await namespace.kubectl(['rollout', 'restart', 'deployment/demo-app']);
    await namespace.kubectl(['rollout', 'status', 'deployment/demo-app', '--timeout=120s']);
    await until('the old pods are gone', async () => {
      const after = await namespace.list('pods');
      return !after.some(({ metadata }) => before.includes(metadata.uid));
    });
    await patchWith(namespace, 'webapp', { spec: { image: 'nginx:1.27' } });
    await namespace.whenReady('webapp', 'demo-app');
    const { metadata, spec } = templateOf(await namespace.get('deployment', 'demo-app'));
    expect(metadata.annotations).toHaveProperty(['kubectl.kubernetes.io/restartedAt']);
    expect(spec.containers).toMatchObject([{ image: 'nginx:1.27' }]);
  });

  it('survives: limits, a sidecar, a probe and a kind of Service that we say nothing about', async () => {
    const namespace = await running('webapp-extras');
    await namespace.kubectl(['set', 'resources', 'deployment/demo-app', '--limits=memory=64Mi']);
    const httpGet = { path: '/healthz', port: 80 };
    const probe = { readinessProbe: { tcpSocket: null, httpGet } };
    const added = [
      { name: 'proxy', image: 'proxy:1' },
      { name: 'app', ...probe },
    ];
    await namespace.kubectl([
      'patch',
      'deployment',
      'demo-app',
      '-p',
      JSON.stringify({ spec: { template: { spec: { containers: added } } } }),
    ]);
    await patchWith(namespace, 'service', { spec: { type: 'NodePort' } });
    await patchWith(namespace, 'webapp', { spec: { image: 'nginx:1.27', port: 8080 } });
    await namespace.whenReady('webapp', 'demo-app');
    const { containers } = templateOf(await namespace.get('deployment', 'demo-app')).spec;
    expect(containers).toHaveLength(2);
    expect(containers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'proxy' }),
        expect.objectContaining({
          image: 'nginx:1.27',
          resources: { limits: { memory: '64Mi' } },
          readinessProbe: expect.not.objectContaining({ tcpSocket: expect.anything() }),
        }),
      ]),
    );
    expect((await namespace.get('service', 'demo-app')).spec).toMatchObject({
      type: 'NodePort',
      ports: [{ port: 8080 }],
    });
  });

  const drifts: Readonly<
    Record<
      string,
      { why: string; kind: string; act: readonly string[]; isRight: (o: Stored) => boolean }
    >
  > = {
    'another number of pods': {
      why: 'the article: whoever edits the Deployment by hand sees it reconciled back',
      kind: 'deployment',
      act: ['scale', 'deployment/demo-app', '--replicas=1'],
      isRight: (deployment) => replicasOf(deployment) === 3,
    },
    'another image': {
      why: 'the image is ours',
      kind: 'deployment',
      act: ['set', 'image', 'deployment/demo-app', 'app=nginx:edited'],
      isRight: (deployment) => JSON.stringify(templateOf(deployment)).includes('nginx:1.25'),
    },
    'another selector of the Service': {
      why: 'traffic would go elsewhere',
      kind: 'service',
      act: [
        'patch',
        'service',
        'demo-app',
        '--type=merge',
        '-p',
        '{"spec":{"selector":{"app":"x"}}}',
      ],
      isRight: (service) => JSON.stringify(service.spec?.['selector']).includes('"demo-app"'),
    },
    'our label taken off': {
      why: 'the watch goes by it: without it the child looks deleted',
      kind: 'deployment',
      act: ['label', 'deployment', 'demo-app', 'app.kubernetes.io/managed-by-'],
      isRight: ({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] !== undefined,
    },
  };

  it.each(Object.entries(drifts))('is repaired: %s', async (_name, { act, kind, isRight }) => {
    const namespace = await running('webapp-drift');
    const before = await namespace.get(kind, 'demo-app');
    await namespace.kubectl(act);
    const repaired = await namespace.when(kind, 'demo-app', (seen) => {
      return seen.metadata.resourceVersion !== before.metadata.resourceVersion && isRight(seen);
    });
    expect(repaired.metadata.uid).toBe(before.metadata.uid);
    const { note } = await namespace.event('demo-app', 'DriftRepaired');
    expect(note).toMatch(new RegExp(`^Repaired ${kind} demo-app: [a-z]`, 'i'));
    await namespace.whenReady('webapp', 'demo-app');
  });

  it.each(['deployment', 'service'])('is repaired: a %s deleted', async (kind) => {
    const namespace = await running('webapp-deletion');
    const before = await namespace.get(kind, 'demo-app');
    await namespace.kubectl(['delete', kind, 'demo-app', '--wait=false']);
    await until(`another ${kind}`, async () => {
      const [again] = await namespace.list(kind);
      return again !== undefined && again.metadata.uid !== before.metadata.uid;
    });
    await namespace.whenReady('webapp', 'demo-app');
  });
});

describe('an autoscaler', { concurrent: true }, () => {
  const autoscaler = (target: object): object => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'demo-app' },
    // No metrics are there: what the controller does without them is to keep to the bounds.
    spec: { scaleTargetRef: target, minReplicas: 5, maxReplicas: 7 },
  });

  it('whose target is the WebApp scales it, and is not reverted', async () => {
    const namespace = await running('webapp-hpa');
    const target = { apiVersion: 'apps.example.com/v1', kind: 'WebApp', name: 'demo-app' };
    await namespace.apply(autoscaler(target));
    await namespace.when('webapp', 'demo-app', (seen) => replicasOf(seen) === 5);
    const object = await namespace.whenReady('webapp', 'demo-app');
    expect(object.status).toMatchObject({ replicas: 5, availableReplicas: 5 });
    await patchWith(namespace, 'webapp', { spec: { image: 'nginx:1.27' } });
    expect((await namespace.whenReady('webapp', 'demo-app')).spec).toMatchObject({ replicas: 5 });
  });

  it('whose target is the Deployment is not reverted either, until it is deleted', async () => {
    const namespace = await running('webapp-hpa-child');
    await namespace.apply(
      autoscaler({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo-app' }),
    );
    await namespace.when('webapp', 'demo-app', ({ status }) => status?.['availableReplicas'] === 5);
    await patchWith(namespace, 'webapp', { spec: { image: 'nginx:1.27' } });
    const object = await namespace.whenReady('webapp', 'demo-app');
    expect(object).toMatchObject({ spec: { replicas: 3 }, status: { availableReplicas: 5 } });
    expect(replicasOf(await namespace.get('deployment', 'demo-app'))).toBe(5);
    await namespace.kubectl(['delete', 'hpa', 'demo-app']);
    await namespace.when('deployment', 'demo-app', (seen) => replicasOf(seen) === 3);
    await namespace.whenReady('webapp', 'demo-app');
  });

  it('of the example finds the pods of its target', async () => {
    const namespace = await running('webapp-hpa-example');
    await namespace.apply(await example('webapp-03-autoscaler.yaml'));
    // Its first look may come before it knows the kind.
    await namespace.when('hpa', 'demo-app', (hpa) => {
      return conditionOf(hpa, 'AbleToScale')?.status === 'True';
    });
    // Without metrics it goes no further; it would say InvalidSelector if it could not find pods.
    await namespace.when('hpa', 'demo-app', (hpa) => {
      return conditionOf(hpa, 'ScalingActive')?.reason === 'FailedGetResourceMetric';
    });
  });
});

describe("a WebApp of the article's operator", { concurrent: true }, () => {
  const labels = { app: 'demo-app', 'app.kubernetes.io/managed-by': 'webapp-operator' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'nginx:1.25', ports: [{ containerPort: 80 }] }] },
  };
  const specs = {
    deployments: { replicas: 3, selector: { matchLabels: labels }, template },
    services: { selector: { app: 'demo-app' }, ports: [{ port: 80, targetPort: 80 }] },
  };

  /** As its `CreateOrUpdate` leaves them: its field manager is the name of its binary. */
  async function takenOver(prefix: string): Promise<Namespace> {
    const namespace = await place.createNamespace(prefix);
    await namespace.apply(PAUSED);
    const { apiVersion, kind, metadata } = await namespace.get('webapp', 'demo-app');
    const { uid } = metadata;
    const owner = { apiVersion, kind, name: 'demo-app', uid, controller: true };
    const ownerReferences = [{ ...owner, blockOwnerDeletion: true }];
    for (const [plural, spec] of Object.entries(specs)) {
      const group = plural === 'services' ? '/api/v1' : '/apis/apps/v1';
      await place.api.ask({
        method: 'POST',
        path: `${group}/namespaces/${namespace.name}/${plural}?fieldManager=manager`,
        body: { metadata: { name: 'demo-app', ownerReferences }, spec },
      });
    }
    return namespace;
  }

  it('moves to another port, and keeps what people have added', async () => {
    const namespace = await takenOver('webapp-article-operator');
    const sidecar = [{ name: 'proxy', image: 'proxy:1' }];
    const patch = JSON.stringify({ spec: { template: { spec: { containers: sidecar } } } });
    await namespace.kubectl(['patch', 'deployment', 'demo-app', '-p', patch]);
    await annotate(namespace, 'albridge.io/paused-');
    await namespace.whenReady('webapp', 'demo-app');
    await patchWith(namespace, 'webapp', { spec: { port: 8080 } });
    await namespace.whenReady('webapp', 'demo-app');
    const { containers } = templateOf(await namespace.get('deployment', 'demo-app')).spec;
    expect(containers).toMatchObject([
      { name: 'proxy' },
      { name: 'app', ports: [{ containerPort: 8080 }] },
    ]);
    const { spec } = await namespace.get('service', 'demo-app');
    expect(spec?.['ports']).toMatchObject([{ port: 8080, targetPort: 8080 }]);
  });

  it('is taken over once, with all fields that this operator had set', async () => {
    const namespace = await takenOver('webapp-article-once');
    await annotate(namespace, 'albridge.io/paused-');
    await namespace.whenReady('webapp', 'demo-app');
    const deployment = await namespace.written('deployment', 'demo-app');
    const service = await namespace.written('service', 'demo-app');
    for (const { metadata } of [deployment, service]) {
      const managers = metadata.managedFields.map(({ manager }) => manager);
      expect(managers).toContain('albridge');
      expect(managers).not.toContain('manager');
    }
    await annotate(namespace, 'albridge.io/reconcile-requested-at=again');
    await namespace.when('webapp', 'demo-app', ({ status }) => {
      return status?.lastHandledReconcileAt === 'again';
    });
    expect(await namespace.written('deployment', 'demo-app')).toEqual(deployment);
    expect(await namespace.written('service', 'demo-app')).toEqual(service);
  });
});

describe('a WebApp that cannot reach its spec', { concurrent: true }, () => {
  it.each([
    ['Deployment', ['create', 'deployment', 'demo-app', '--image=theirs']],
    ['Service', ['create', 'service', 'clusterip', 'demo-app', '--tcp=80:80']],
  ])('leaves a foreign %s of its name alone, and says so', async (kind, create) => {
    const namespace = await place.createNamespace('webapp-foreign');
    await namespace.kubectl(create);
    const specOf = async (): Promise<unknown> => (await namespace.get(kind, 'demo-app')).spec;
    const before = await specOf();
    await namespace.apply(await example('webapp-01-article.yaml'));
    const object = await namespace.when('webapp', 'demo-app', (seen) => {
      return conditionOf(seen, 'Stalled')?.reason === 'NameConflict';
    });
    const says = `Failed to reconcile ${kind}: ${kind} ${namespace.name}/demo-app exists and has no controller; delete or rename it, or rename this object`;
    expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'False', message: says });
    expect(await namespace.event('demo-app', 'NameConflict')).toMatchObject({ type: 'Warning' });
    const left = await namespace.get(kind, 'demo-app');
    expect(left.metadata.ownerReferences).toBeUndefined();
    expect(left.metadata.labels ?? {}).not.toHaveProperty(['app.kubernetes.io/managed-by']);
    expect(await specOf()).toEqual(before);
    await namespace.kubectl(['delete', kind, 'demo-app']);
    await annotate(namespace, 'albridge.io/reconcile-requested-at=now');
    await namespace.whenReady('webapp', 'demo-app');
  });

  it('is Stalled while its new pods do not start, and recovers when they do', async () => {
    const namespace = await running('webapp-stuck');
    const never = { 'test.albridge.io/never-ready': 'true' };
    const template = (annotations: object): object => ({
      spec: { progressDeadlineSeconds: 1, template: { metadata: { annotations } } },
    });
    await patchWith(namespace, 'deployment', template(never));
    const stuck = await namespace.when('webapp', 'demo-app', (seen) => {
      return conditionOf(seen, 'Stalled') !== undefined;
    });
    expect(conditionOf(stuck, 'Stalled')?.reason).toBe('ProgressDeadlineExceeded');
    expect(conditionOf(stuck, 'Degraded')?.status).toBe('True');
    expect(conditionOf(stuck, 'Available')?.status, 'the old pods still serve').toBe('True');
    expect(conditionOf(stuck, 'Progressing')?.reason).toBe('ProgressDeadlineExceeded');
    await patchWith(namespace, 'deployment', template({ 'test.albridge.io/never-ready': 'false' }));
    const healed = await namespace.whenReady('webapp', 'demo-app');
    expect(conditionOf(healed, 'Stalled')).toBeUndefined();
    expect(conditionOf(healed, 'Degraded')?.status).toBe('False');
  });

  it('names the quota that blocks its pods, and continues when it is raised', async () => {
    const namespace = await place.createNamespace('webapp-quota');
    await namespace.createQuota('small', 1);
    await namespace.apply(await example('webapp-01-article.yaml'));
    const refused = await namespace.when('webapp', 'demo-app', (seen) => {
      return conditionOf(seen, 'Reconciling')?.reason === 'ReplicaFailure';
    });
    expect(conditionOf(refused, 'Ready')?.message).toContain('exceeded quota: small');
    await namespace.kubectl(['delete', 'quota', 'small']);
    // The ReplicaSet tries again after a growing delay of its own; a new one starts anew.
    await namespace.kubectl(['rollout', 'restart', 'deployment/demo-app']);
    await namespace.whenReady('webapp', 'demo-app');
  });
});

function annotate(namespace: Namespace, annotation: string): Promise<string> {
  return namespace.kubectl(['annotate', 'webapp', 'demo-app', annotation, '--overwrite']);
}
