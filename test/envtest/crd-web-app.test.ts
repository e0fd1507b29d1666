import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { readDefinition } from '../unit/crds/custom-resource-definition.ts';
import { webAppCases, webAppFaults } from '../unit/crds/web-app-cases.ts';
import { callApi, createNamespace, installDefinition, pathOf, succeeded } from './crd-api.ts';
import { describeRulesOnServer } from './crd-rules.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readDefinition('webapps.apps.example.com');
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-web-app');
});

describeRulesOnServer({
  definition,
  rules: webAppCases,
  faults: webAppFaults,
  namespace: () => namespace,
});

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(['-n', namespace, ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function create(name: string, spec: object): Promise<void> {
  const { apiVersion, kind } = { apiVersion: 'apps.example.com/v1', kind: 'WebApp' };
  const body = { apiVersion, kind, metadata: { name }, spec };
  succeeded(await callApi(cluster, { method: 'POST', path: pathOf(definition, namespace), body }));
}

describe('the WebApp CRD in a real API server', () => {
  it('is established and structural', async () => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
    const { body } = await callApi(cluster, { method: 'GET', path });
    const conditions = body.status?.['conditions'] as readonly { type: string; status: string }[];
    const holding = conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
    expect(holding).toEqual(expect.arrayContaining(['NamesAccepted', 'Established']));
    expect(holding).not.toContain('NonStructuralSchema');
  });

  it('fills in defaults, and shows that it was not reconciled yet', async () => {
    await create('defaults', { image: 'nginx' });
    const path = pathOf(definition, namespace, 'defaults');
    const { body } = await callApi(cluster, { method: 'GET', path });
    expect(body.spec).toEqual({ image: 'nginx', replicas: 1, port: 80 });
    expect(body.status).toEqual({ observedGeneration: -1 });
  });

  it('refuses a name in upper case by itself', async () => {
    const input = JSON.stringify({
      apiVersion: 'apps.example.com/v1',
      kind: 'WebApp',
      metadata: { name: 'Demo' },
      spec: { image: 'nginx' },
    });
    const { stderr } = await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], { input });
    expect(stderr).toContain('a lowercase RFC 1123 subdomain');
  });

  it('scales by kubectl, and names its pods to an autoscaler', async () => {
    await create('scaled', { image: 'nginx' });
    const path = `${pathOf(definition, namespace, 'scaled')}/status`;
    const body = { status: { replicas: 1, selector: 'app=scaled' } };
    succeeded(await callApi(cluster, { method: 'PATCH', path, patch: 'merge', body }));
    await kubectl('scale', 'webapp/scaled', '--replicas=4');
    const scale = JSON.parse(
      await kubectl('get', 'webapp', 'scaled', '--subresource=scale', '-o', 'json'),
    );
    expect(scale).toMatchObject({
      spec: { replicas: 4 },
      status: { replicas: 1, selector: 'app=scaled' },
    });
  });

  it('keeps every field of a pod template', async () => {
    const podTemplate = {
      metadata: { labels: { tier: 'web' }, annotations: { a: 'b' } },
      spec: {
        hostAliases: [{ ip: '192.0.2.1' }],
        containers: [{ name: 'app', resources: { limits: { cpu: 1 } }, noField: [{ a: null }] }],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    };
    await create('template', { image: 'nginx', podTemplate });
    const path = pathOf(definition, namespace, 'template');
    const { body } = await callApi(cluster, { method: 'GET', path });
    expect(body.spec?.['podTemplate']).toEqual(podTemplate);
  });

  it('explains its spec like documentation', async () => {
    await expect
      .poll(async () => (await cluster.kubectl(['explain', 'webapp.spec'])).code, {
        timeout: 120_000,
        interval: 200,
      })
      .toBe(0);
    const tree = await kubectl('explain', 'webapp.spec');
    const fields = [...tree.matchAll(/^ {2}(\w.*)$/gm)].map(([, field]) => field);
    expect(fields).toEqual([
      'expose\t<Object>',
      'image\t<string> -required-',
      'podTemplate\t<Object>',
      'port\t<integer>',
      'replicas\t<integer>',
      'service\t<Object>',
    ]);
    expect(await kubectl('explain', 'webapp')).not.toContain('<no description>');
  });
});
