import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { readDefinition } from '../unit/crds/custom-resource-definition.ts';
import { myAppCases, myAppFaults } from '../unit/crds/my-app-cases.ts';
import { callApi, createNamespace, installDefinition, pathOf, succeeded } from './crd-api.ts';
import { describeRulesOnServer } from './crd-rules.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readDefinition('myapps.demo.rtfm.co.ua');
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-my-app');
});

describeRulesOnServer({
  definition,
  rules: myAppCases,
  faults: myAppFaults,
  namespace: () => namespace,
});

describe('the MyApp CRD in a real API server', () => {
  async function create(name: string, spec: object): Promise<void> {
    const { group, names } = definition.spec;
    const body = { apiVersion: `${group}/v1`, kind: names.kind, metadata: { name }, spec };
    const path = pathOf(definition, namespace);
    succeeded(await callApi(cluster, { method: 'POST', path, body }));
  }

  it('is listed as in the article', async () => {
    const { stdout } = await cluster.kubectl(['api-resources', '--api-group=demo.rtfm.co.ua']);
    const lines = stdout.split('\n').map((line) => line.trim().split(/ +/));
    expect(lines).toContainEqual(['myapps', 'ma', 'demo.rtfm.co.ua/v1', 'true', 'MyApp']);
  });

  it('has one pod by default, and shows that it was not reconciled yet', async () => {
    await create('defaults', { image: 'nginx' });
    const path = pathOf(definition, namespace, 'defaults');
    const { body } = await callApi(cluster, { method: 'GET', path });
    expect(body.spec).toEqual({ image: 'nginx', replicas: 1 });
    expect(body.status).toEqual({ observedGeneration: -1 });
  });

  it('keeps every field of the status that albridge writes', async () => {
    await create('status', { image: 'nginx', command: [], args: ['a'] });
    const status = {
      observedGeneration: 1,
      lastHandledReconcileAt: 'x',
      podName: 'status-pod',
      podUID: 'f5a3c1d0-0000-4000-8000-000000000000',
      phase: 'Running',
      replicas: 3,
      updatedReplicas: 2,
      readyReplicas: 1,
      selector: 'app=status,app.kubernetes.io/managed-by=albridge',
      conditions: ['Ready', 'Stalled', 'PodReady'].map((type) => ({
        type,
        status: 'False',
        reason: 'NameConflict',
        message: 'somebody else has it',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        observedGeneration: 1,
      })),
    };
    const path = `${pathOf(definition, namespace, 'status')}/status`;
    const request = { method: 'PATCH', path, patch: 'merge', body: { status } } as const;
    expect(succeeded(await callApi(cluster, request)).body.status).toEqual(status);
  });

  it('scales by kubectl', async () => {
    await create('scaled', { image: 'nginx' });
    const args = ['-n', namespace, 'scale', 'myapp/scaled', '--replicas=4'];
    expect((await cluster.kubectl(args)).stderr).toBe('');
    const path = pathOf(definition, namespace, 'scaled');
    expect((await callApi(cluster, { method: 'GET', path })).body.spec).toMatchObject({
      replicas: 4,
    });
  });

  it('explains its spec like documentation', async () => {
    await expect
      .poll(async () => (await cluster.kubectl(['explain', 'myapp.spec'])).code, {
        timeout: 120_000,
        interval: 200,
      })
      .toBe(0);
    const { stdout } = await cluster.kubectl(['explain', 'myapp', '--recursive']);
    expect(stdout).toContain('banner\t<string>');
    expect(stdout).not.toContain('<no description>');
  });
});
