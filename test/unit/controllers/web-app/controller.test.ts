import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../../../../src/controllers/web-app/deployment.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { CoreReason, OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

const LABELS = { app: 'shop', 'app.kubernetes.io/managed-by': 'webapp-operator' };
const forbidden = new OperatorError({
  reason: 'Forbidden',
  message: 'create Deployment web/shop: may not',
  healedBy: 'person',
});

function sentences(): readonly string[] {
  return bench.takeLines().map(({ message, fields }) => {
    if (typeof fields['operation'] === 'string') return `${message} ${fields['operation']}`;
    return typeof fields['message'] === 'string' ? `${message}: ${fields['message']}` : message;
  });
}

/** Applied, and three pods serve. */
async function running(): Promise<void> {
  await bench.run();
  bench.takeWrites();
  bench.takeLines();
  bench.events.recorded.splice(0);
}

describe('a new WebApp', () => {
  it('becomes a Deployment with exactly the fields that are ours', async () => {
    const { metadata } = bench.store({ port: 8080 });
    await bench.start();
    const { deployment } = bench;
    expect(deployment.spec).toEqual({
      replicas: 3,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          automountServiceAccountToken: false,
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'app',
              image: 'nginx:1.25',
              securityContext: { allowPrivilegeEscalation: false },
              ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
              readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 5 },
            },
          ],
        },
      },
    });
    expect(deployment.metadata.labels).toEqual(LABELS);
    expect(deployment.metadata.ownerReferences).toMatchObject([
      { kind: 'WebApp', name: 'shop', uid: metadata.uid, controller: true },
    ]);
    expect(bench.object.metadata).not.toHaveProperty('finalizers');
  });

  it('becomes a Service that selects those pods and no others', async () => {
    bench.store({ port: 8080 });
    await bench.start();
    expect(bench.service).toMatchObject({
      metadata: { labels: LABELS, ownerReferences: [{ kind: 'WebApp', controller: true }] },
      spec: {
        selector: LABELS,
        ports: [{ name: 'http', port: 8080, targetPort: 8080, protocol: 'TCP' }],
      },
    });
  });

  it('is reconciling until its pods serve, then ready', async () => {
    bench.store();
    await bench.start();
    expect(bench.condition('Ready')).toBe('False RollingOut');
    expect(bench.condition('Reconciling')).toBe('True RollingOut');
    expect(bench.object.status).toMatchObject({ availableReplicas: 0, observedGeneration: 1 });
    await bench.serve(2);
    expect(bench.object.status).toMatchObject({ availableReplicas: 2 });
    await bench.serve(3);
    expect(bench.condition('Ready')).toBe('True Available');
    expect(bench.condition('Reconciling')).toBeUndefined();
    expect(bench.object.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      selector: 'app=shop,app.kubernetes.io/managed-by=webapp-operator',
      url: 'http://shop.web.svc:80',
    });
  });

  it("says so in the article's words, and in events", async () => {
    bench.store();
    await bench.start();
    await bench.serve(3);
    expect(sentences()).toEqual([
      'Reconciled Deployment created',
      'Reconciled Service created',
      'Successfully reconciled WebApp',
      'condition changed: the Deployment controller has not observed Deployment shop yet',
      'condition changed: 3 pods are available at http://shop.web.svc:80',
    ]);
    expect(bench.events.recorded.map(({ reason, note }) => `${reason}: ${note}`)).toEqual([
      'DeploymentCreated: Created Deployment shop',
      'ServiceCreated: Created Service shop',
      'RollingOut: the Deployment controller has not observed Deployment shop yet',
      'Available: 3 pods are available at http://shop.web.svc:80',
    ]);
  });
});

describe('a second pass', () => {
  it('writes nothing and logs nothing, whatever woke it', async () => {
    await running();
    await bench.annotate({ 'example.com/note': 'read me' });
    await bench.clock.advance(3600_000);
    expect(bench.takeWrites()).toEqual([]);
    expect(bench.takeLines()).toEqual([]);
    expect(bench.events.recorded).toEqual([]);
  });

  it('leaves alone what the server has filled in and what others have set', async () => {
    await running();
    await bench.editDeployment((live) => ({
      ...live,
      metadata: { ...live.metadata, labels: { ...live.metadata.labels, team: 'web' } },
      spec: {
        ...live.spec,
        revisionHistoryLimit: 10,
        template: {
          metadata: {
            labels: LABELS,
            annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' },
          },
          spec: {
            restartPolicy: 'Always',
            automountServiceAccountToken: false,
            securityContext: { fsGroup: 1000, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              { name: 'proxy', image: 'proxy:1' },
              {
                name: 'app',
                image: 'nginx:1.25',
                resources: { limits: { memory: '1Gi' } },
                securityContext: { allowPrivilegeEscalation: false, runAsUser: 1000 },
                ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
                readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5, timeoutSeconds: 1 },
              },
            ],
          },
        },
      } as NonNullable<Deployment['spec']>,
    }));
    expect(bench.takeWrites().filter((verb) => verb !== 'applyStatus')).toEqual([]);
  });
});

describe('an edit', () => {
  it('of the image is applied, and Ready waits for the new pods', async () => {
    await running();
    await bench.edit({ image: 'nginx:1.27' });
    expect(bench.deployment).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'nginx:1.27' }] } } },
    });
    expect(bench.condition('Ready')).toBe('False RollingOut');
    expect(bench.events.reasons).toEqual(['DeploymentUpdated', 'RollingOut']);
    expect(bench.events.recorded[0]?.note).toBe(
      'Updated Deployment shop: spec.template.spec.containers[app].image',
    );
    expect(sentences()).toContain('Reconciled Deployment updated');
    await bench.serve(3);
    expect(bench.condition('Ready')).toBe('True Available');
  });

  it('of the port changes container and Service together', async () => {
    await running();
    await bench.edit({ port: 8080 });
    expect(bench.events.reasons).toEqual(
      expect.arrayContaining(['DeploymentUpdated', 'ServiceUpdated']),
    );
    expect(bench.service).toMatchObject({ spec: { ports: [{ port: 8080, targetPort: 8080 }] } });
    expect(bench.object.status.url).toBe('http://shop.web.svc:8080');
  });

  it('of the number of pods scales, down to none', async () => {
    await running();
    await bench.edit({ replicas: 0 });
    expect(bench.deployment.spec?.replicas).toBe(0);
    await bench.serve(0);
    expect(bench.condition('Ready')).toBe('True Stopped');
  });

  it('is not Ready while the cache shows the Deployment as it was', async () => {
    await running();
    bench.deployments.hold();
    await bench.edit({ image: 'nginx:1.27' });
    expect(bench.condition('Ready')).toBe('False RollingOut');
    bench.deployments.catchUp();
    await bench.clock.settle();
    expect(bench.condition('Ready')).toBe('False RollingOut');
  });
});

describe('drift', () => {
  it('of a field that is ours is repaired, and the event says which', async () => {
    await running();
    await bench.editDeployment((live) => ({ ...live, spec: { ...live.spec, replicas: 9 } }));
    expect(bench.deployment.spec?.replicas).toBe(3);
    expect(bench.events.recorded.find(({ reason }) => reason === 'DriftRepaired')?.note).toBe(
      'Repaired Deployment shop: spec.replicas',
    );
    expect(sentences()).toContain('Reconciled Deployment updated');
  });

  it('is repaired where a child was deleted', async () => {
    await running();
    bench.kube.delete(bench.service);
    await bench.clock.settle();
    expect(bench.service).toBeDefined();
    expect(bench.events.reasons).toContain('ServiceCreated');
  });
});

describe('a foreign object of the same name', () => {
  const foreign = (kind: string, apiVersion: string): KubeObject =>
    ({
      apiVersion,
      kind,
      metadata: { name: 'shop', namespace: 'web' },
      spec: { theirs: true },
    }) as KubeObject;

  const cases = [
    ['Deployment', 'apps/v1', 'seen'],
    ['Service', 'v1', 'seen'],
    ['Deployment', 'apps/v1', 'hidden'],
    ['Service', 'v1', 'hidden'],
  ] as const;

  // Hidden is the rule: the caches hold only what carries our label.
  it.each(cases)('%s (%s, %s by the cache) is refused and not touched', async (...testCase) => {
    const [kind, apiVersion, how] = testCase;
    if (how === 'hidden') bench.deployments.hold();
    if (how === 'hidden') bench.services.hold();
    const before = bench.kube.create(foreign(kind, apiVersion));
    bench.store();
    await bench.start();
    expect(bench.kube.get(before)).toEqual(before);
    expect(bench.condition('Ready')).toBe('False NameConflict');
    expect(bench.condition('Stalled')).toBe('True NameConflict');
    const event = bench.events.recorded.find(({ reason }) => reason === 'NameConflict');
    expect(event).toMatchObject({ type: 'Warning' });
    expect(event?.note).toBe(
      `Failed to reconcile ${kind}: ${kind} web/shop exists and has no controller; delete or rename it, or rename this object`,
    );
    bench.kube.delete(before);
    await bench.clock.advance(300_000);
    expect(bench.condition('Stalled'), 'retried within five minutes').toBeUndefined();
  });
});

describe('a failure', () => {
  it('names the step, is reported once, and is retried', async () => {
    await running();
    bench.kube.failNext('create', forbidden);
    bench.kube.delete(bench.deployment);
    await bench.clock.settle();
    expect(bench.condition('Stalled')).toBe('True Forbidden');
    const told = bench.takeLines().filter(({ level }) => level === 'error');
    const message = 'Failed to reconcile Deployment: create Deployment web/shop: may not';
    expect(told).toMatchObject([{ message: 'reconcile failed', fields: { err: { message } } }]);
    await bench.clock.advance(300_000);
    expect(bench.deployment).toBeDefined();
  });

  it('of one child does not hold up the other', async () => {
    bench.kube.failNext('create', forbidden);
    bench.store();
    await bench.start();
    expect(bench.service).toBeDefined();
    expect(bench.events.reasons).toContain('Forbidden');
  });

  it('of a write that lost to a newer one is tried again in silence', async () => {
    await running();
    const conflict = { reason: CoreReason.Conflict, message: 'lost', healedBy: 'time' } as const;
    bench.kube.failNext('apply', new OperatorError(conflict));
    await bench.edit({ image: 'nginx:1.27' });
    await bench.clock.advance(1_000);
    expect(bench.deployment).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'nginx:1.27' }] } } },
    });
    expect(bench.takeLines().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('of the rollout is Stalled, and heals when the pods come up', async () => {
    await running();
    const conditions = [
      {
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: 'timed out',
      },
    ] as const;
    await bench.serve(3, { availableReplicas: 1, conditions });
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.condition('Degraded')).toBe('True ProgressDeadlineExceeded');
    expect(bench.object.status).toMatchObject({ availableReplicas: 1 });
    await bench.serve(3, { conditions: [] });
    expect(bench.condition('Stalled')).toBeUndefined();
    expect(bench.condition('Degraded')).toBe('False AsExpected');
    expect(bench.condition('Ready')).toBe('True Available');
  });

  it('of an object without a spec is reported, and holds up no other object', async () => {
    const object = bench.store();
    bench.kube.edit(object, ({ spec: _spec, ...live }) => live as typeof object);
    await bench.start();
    expect(bench.condition('Stalled')).toBe('True SpecMissing');
    expect(bench.deployment).toBeUndefined();
  });
});

describe('the annotations of every kind', () => {
  it('pause: nothing is written until it is taken off', async () => {
    await running();
    await bench.annotate({ 'albridge.io/paused': 'true' });
    expect(bench.condition('Ready')).toBe('Unknown Paused');
    bench.takeWrites();
    await bench.edit({ image: 'nginx:1.27' });
    bench.kube.delete(bench.service);
    await bench.clock.settle();
    expect(bench.takeWrites().filter((verb) => verb !== 'applyStatus')).toEqual([]);
    await bench.annotate({});
    expect(bench.service).toBeDefined();
    expect(bench.deployment).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'nginx:1.27' }] } } },
    });
  });

  it('ask for a pass, which answers in the status', async () => {
    await running();
    await bench.annotate({ 'albridge.io/reconcile-requested-at': 'now-1' });
    expect(bench.object.status.lastHandledReconcileAt).toBe('now-1');
  });
});

describe('a WebApp that is gone', () => {
  it('gets nothing new while it waits for its children', async () => {
    await running();
    bench.kube.editMeta(bench.object, { finalizers: ['foregroundDeletion'] });
    bench.kube.delete(bench.object);
    await bench.clock.settle();
    bench.kube.delete(bench.deployment);
    await bench.clock.settle();
    expect(bench.deployment).toBeUndefined();
    expect(bench.takeWrites()).toEqual([]);
  });
});
