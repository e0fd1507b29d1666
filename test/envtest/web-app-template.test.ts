import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { WebApp } from '../../src/apis/web-app.ts';
import type { Deployment } from '../../src/controllers/web-app/deployment.ts';
import { desireDeployment } from '../../src/controllers/web-app/desired.ts';
import { ensureOwned } from '../../src/core/children/owned-objects.ts';
import { deploymentKind } from '../../src/kube/client/built-in-kinds.ts';
import { createChildWriter } from '../../src/kube/write/child-writer.ts';
import { trimDeployment } from '../../src/setup/web-app.ts';
import { connect, createNamespace, type KubeAccess, read } from './kube-access.ts';

const NAMESPACE = 'web-app-template';
const httpGet = { path: '/healthz', port: 8080 };
const lifecycle = { preStop: { sleep: { seconds: 45 } } };
const gates = [{ conditionType: 'example.com/warm' }];

let kube: KubeAccess;

beforeAll(async () => {
  kube = connect(inject('controlPlane').kubeconfigPath);
  await createNamespace(kube.client, NAMESPACE);
});
afterAll(() => kube.transport.close());

/** As a pass over a WebApp of this name and `podTemplate` leaves it. */
async function reconcile(name: string, podTemplate: object): Promise<Deployment> {
  const owner = {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp' },
    metadata: { name, namespace: NAMESPACE, uid: '3e5d4f0a-0000-4000-8000-000000000002' },
    spec: { image: 'nginx:1.25', replicas: 1, port: 8080, podTemplate },
  } as unknown as WebApp;
  const writer = createChildWriter(kube.client, [deploymentKind], trimDeployment);
  const observed: Deployment | undefined = await writer.get(desireDeployment(owner));
  await ensureOwned(owner, {
    desired: [desireDeployment(owner, { observed, isBalanced: true })],
    observed: { get: () => observed, listOwned: () => [] },
    writer,
    signal: new AbortController().signal,
  });
  return read<Deployment>(kube.client, deploymentKind, desireDeployment(owner));
}

interface Edit {
  readonly before: object;
  readonly after: object;
}

function withApp(container: object, pod: object = {}): object {
  return { spec: { ...pod, containers: [{ name: 'app', ...container }] } };
}

const edits: Readonly<Record<string, Edit>> = {
  'the-request-of-a-probe': {
    before: withApp({ readinessProbe: { httpGet, periodSeconds: 10 } }),
    after: withApp({ readinessProbe: { periodSeconds: 10 } }),
  },
  'a-probe': { before: withApp({ readinessProbe: { httpGet } }), after: {} },
  'a-grace-period': {
    before: withApp({ lifecycle }, { terminationGracePeriodSeconds: 120 }),
    after: withApp({ lifecycle }),
  },
  'a-hook': { before: withApp({ lifecycle }), after: {} },
  'a-gate': { before: withApp({}, { readinessGates: gates }), after: {} },
};

describe('a pod template on a real API server', () => {
  it.each(Object.entries(edits))(
    'leaves by one write the pods of a new WebApp, without %s',
    async (name, { before, after }) => {
      const first = await reconcile(name, before);
      const edited = await reconcile(name, after);
      const fresh = await reconcile(`${name}-new`, after);
      expect(edited.spec?.template?.spec).toEqual(fresh.spec?.template?.spec);
      expect(edited.metadata.generation).toBe((first.metadata.generation ?? 0) + 1);
      const again = await reconcile(name, after);
      expect(again.metadata.resourceVersion).toBe(edited.metadata.resourceVersion);
    },
  );

  it('keeps a hook that others have set next to one of its own', async () => {
    const { metadata } = await reconcile('hooked', {});
    const preStop = { exec: { command: ['drain'] }, sleep: null };
    await kube.client.request({
      method: 'PATCH',
      path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${metadata.name}`,
      query: { fieldManager: 'kubectl-patch' },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: JSON.stringify({
        spec: { template: withApp({ lifecycle: { preStop } }) },
      }),
    });
    const postStart = { exec: { command: ['warm'] } };
    const { spec } = await reconcile('hooked', withApp({ lifecycle: { postStart } }));
    expect(spec?.template?.spec?.containers).toMatchObject([
      { lifecycle: { postStart, preStop: { exec: { command: ['drain'] } } } },
    ]);
  });
});
