import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '../surroundings/operator-process.ts';
import { until } from '../surroundings/until.ts';
import {
  conditionOf,
  type Namespace,
  SharedPlace,
  type Stored,
  tellsOfPause,
  type Written,
} from './place.ts';

const place = new SharedPlace();

const LABELS = { app: 'demo-app', 'app.kubernetes.io/managed-by': 'webapp-operator' };

const example = (name: string): Promise<string> =>
  readFile(resolve(import.meta.dirname, '../../examples', name), 'utf8');

/** The article's manifest, in a namespace of its own, up and running. */
async function running(prefix: string): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  await namespace.apply(await example('webapp-01-article.yaml'));
  await namespace.whenReady('webapp', 'demo-app');
  return namespace;
}

describe("the article's WebApp", { concurrent: true }, () => {
  it('becomes three pods behind a Service, as the article shows', async () => {
    const namespace = await place.createNamespace('webapp-article');
    const applied = await namespace.apply(await example('webapp-01-article.yaml'));
    expect(applied).toBe('webapp.apps.example.com/demo-app created\n');
    await namespace.kubectl(['wait', 'webapp/demo-app', '--for=condition=Ready', '--timeout=120s']);

    const url = `http://demo-app.${namespace.name}.svc:80`;
    for (const name of ['webapps', 'webapp', 'wa', 'webapps.apps.example.com']) {
      expect(await namespace.table(name)).toEqual([
        ['NAME', 'IMAGE', 'REPLICAS', 'AVAILABLE', 'READY', 'URL', 'AGE'],
        ['demo-app', 'nginx:1.25', '3', '3', 'True', url, expect.stringMatching(/^\d+s$/)],
      ]);
    }
    const [, deployment] = await namespace.table('deployments');
    expect(deployment?.slice(0, 4)).toEqual(['demo-app', '3/3', '3', '3']);
    const [, service] = await namespace.table('services');
    expect(service?.[0]).toBe('demo-app');
    expect(service?.[4]).toBe('80/TCP');
    const pods = await namespace.list('pods');
    expect(pods).toHaveLength(3);
    expect(pods.map(({ metadata }) => metadata.labels)).toMatchObject([LABELS, LABELS, LABELS]);
  });

  it('shows port, address, reason and message in the wide table and in `kubectl get albridge`', async () => {
    const namespace = await running('webapp-wide');
    const [head, row] = await namespace.table('webapp', '-o', 'wide');
    expect(head?.slice(5)).toEqual(['URL', 'AGE', 'PORT', 'UPDATED', 'REASON', 'MESSAGE']);
    const url = `http://demo-app.${namespace.name}.svc:80`;
    expect(row?.[5]).toBe(url);
    expect(row?.slice(7)).toEqual(['80', '3', 'Available', `3 pods are available at ${url}`]);
    expect(await namespace.kubectl(['get', 'albridge'])).toContain('demo-app');
  });

  it('reports each step once, in events and in the log', async () => {
    const namespace = await running('webapp-story');
    await namespace.pause('webapp', 'demo-app');
    const story = ['Available', 'DeploymentCreated', 'Paused', 'RollingOut', 'ServiceCreated'];
    expect(await namespace.whenTold('demo-app', story)).toEqual(story);
    const lines = await namespace.whenLogged('demo-app', tellsOfPause);
    const said = lines.map(({ msg, operation }) => `${msg} ${(operation as string) ?? ''}`.trim());
    expect(said.slice(0, 2).toSorted()).toEqual([
      'Reconciled Deployment created',
      'Reconciled Service created',
    ]);
    expect(said[2]).toBe('Successfully reconciled WebApp');
    expect(lines.every((line) => line['reconcileID'] !== undefined)).toBe(true);
  });

  it('owns both children, which are deleted with it, and has no finalizer', async () => {
    const namespace = await running('webapp-deleted');
    const { metadata } = await namespace.get('webapp', 'demo-app');
    expect(metadata.finalizers).toBeUndefined();
    for (const kind of ['deployment', 'service']) {
      const child = await namespace.get(kind, 'demo-app');
      expect(child.metadata.ownerReferences).toMatchObject([
        { kind: 'WebApp', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
      ]);
    }
    await namespace.kubectl(['delete', 'webapp', 'demo-app', '--timeout=120s']);
    await until('no child is left', async () => {
      const left = await namespace.kubectl(['get', 'deploy,rs,pods,service', '-o', 'name']);
      return left === '';
    });
  });

  it('is applied with its defaults by the second example', async () => {
    const namespace = await place.createNamespace('webapp-small');
    await namespace.apply(await example('webapp-02-defaults.yaml'));
    const object = await namespace.whenReady('webapp', 'small');
    expect(object.spec).toEqual({ image: 'nginx:1.25', replicas: 1, port: 80 });
    expect(object.status).toMatchObject({ availableReplicas: 1 });
  });
});

describe('a change of a WebApp', { concurrent: true }, () => {
  it('rolls the pods over to another image', async () => {
    const namespace = await running('webapp-image');
    const before = (await namespace.list('pods')).map(({ metadata }) => metadata.uid);
    await namespace.kubectl(['patch', 'webapp', 'demo-app', '--type=merge', '-p', IMAGE]);
    await namespace.whenReady('webapp', 'demo-app');
    const serving = (await namespace.list('pods')).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    expect(serving.map(({ metadata }) => before.includes(metadata.uid))).toEqual([
      false,
      false,
      false,
    ]);
    expect((await namespace.event('demo-app', 'DeploymentUpdated')).note).toBe(
      'Updated Deployment demo-app: spec.template.spec.containers[app].image',
    );
  });

  it('moves container and Service to another port, and keeps the address of the Service', async () => {
    const namespace = await running('webapp-port');
    const before = await namespace.get('service', 'demo-app');
    const port = '{"spec":{"port":8080}}';
    await namespace.kubectl(['patch', 'webapp', 'demo-app', '--type=merge', '-p', port]);
    await namespace.when('service', 'demo-app', (seen) => portsOf(seen).includes(8080));
    const after = await namespace.get('service', 'demo-app');
    expect(portsOf(after)).toEqual([8080]);
    expect(after.spec?.['clusterIP']).toBe(before.spec?.['clusterIP']);
    await namespace.whenReady('webapp', 'demo-app');
    expect(containerOf(await namespace.get('deployment', 'demo-app'))).toMatchObject({
      ports: [{ containerPort: 8080 }],
    });
  });

  it('scales with `kubectl scale`, to none and back', async () => {
    const namespace = await running('webapp-scale');
    const scaled = await namespace.kubectl(['scale', 'webapp/demo-app', '--replicas=5']);
    expect(scaled).toBe('webapp.apps.example.com/demo-app scaled\n');
    expect((await namespace.whenReady('webapp', 'demo-app')).status).toMatchObject({
      replicas: 5,
      availableReplicas: 5,
    });
    await namespace.kubectl(['scale', 'webapp/demo-app', '--replicas=0']);
    const stopped = await namespace.whenReady('webapp', 'demo-app');
    expect(stopped.status).toMatchObject({ replicas: 0, availableReplicas: 0 });
    expect(conditionOf(stopped, 'Ready')).toMatchObject({ reason: 'Stopped' });
    const [, row] = await namespace.table('webapp');
    expect(row?.slice(2, 5), 'a zero is printed, not a blank').toEqual(['0', '0', 'True']);
    await namespace.kubectl(['scale', 'webapp/demo-app', '--replicas=2']);
    await namespace.whenReady('webapp', 'demo-app');
  });

  it('writes nothing where a pass finds all as it should be', async () => {
    const namespace = await running('webapp-idle');
    const children = async (): Promise<readonly Written[]> => [
      await namespace.written('deployment', 'demo-app'),
      await namespace.written('service', 'demo-app'),
    ];
    const before = await children();
    const isLast = ({ reason }: LogLine): boolean => reason === 'Available';
    const lines = (await namespace.whenLogged('demo-app', isLast)).length;
    for (const token of ['first', 'second']) {
      await annotate(namespace, `albridge.io/reconcile-requested-at=${token}`);
      await namespace.when('webapp', 'demo-app', (seen) => {
        return seen.status?.lastHandledReconcileAt === token;
      });
    }
    expect(await children()).toEqual(before);
    await namespace.pause('webapp', 'demo-app');
    expect(await namespace.whenLogged('demo-app', tellsOfPause)).toHaveLength(lines + 1);
  });

  it('waits while the object is paused, and says so', async () => {
    const namespace = await running('webapp-paused');
    await annotate(namespace, 'albridge.io/paused=true');
    const paused = await namespace.when('webapp', 'demo-app', (seen) => {
      return conditionOf(seen, 'Ready')?.reason === 'Paused';
    });
    expect(conditionOf(paused, 'Ready')?.status).toBe('Unknown');
    await namespace.kubectl(['delete', 'service', 'demo-app']);
    await namespace.kubectl(['scale', 'webapp/demo-app', '--replicas=1']);
    await namespace.when('webapp', 'demo-app', ({ metadata, status }) => {
      return status?.observedGeneration === metadata.generation;
    });
    expect(await namespace.exists('service', 'demo-app')).toBe(false);
    expect((await namespace.get('deployment', 'demo-app')).spec?.['replicas']).toBe(3);
    await annotate(namespace, 'albridge.io/paused-');
    await until('the service is back', () => namespace.exists('service', 'demo-app'));
    expect((await namespace.whenReady('webapp', 'demo-app')).status).toMatchObject({ replicas: 1 });
  });
});

const IMAGE = '{"spec":{"image":"nginx:1.27"}}';

function annotate(namespace: Namespace, annotation: string): Promise<string> {
  return namespace.kubectl(['annotate', 'webapp', 'demo-app', annotation, '--overwrite']);
}

interface PodSpec {
  readonly containers: readonly { readonly name: string }[];
}

function portsOf(service: Stored): readonly number[] {
  const { ports = [] } = service.spec as { readonly ports?: readonly { readonly port: number }[] };
  return ports.map(({ port }) => port);
}

function containerOf(deployment: Stored): object | undefined {
  const { template } = deployment.spec as { readonly template: { readonly spec: PodSpec } };
  return template.spec.containers.find(({ name }) => name === 'app');
}
