import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import {
  type ApiObject,
  callApi,
  createNamespace,
  installDefinition,
  pathOf,
  succeeded,
} from './crd-api.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readMyIngressDefinition();
const sample = {
  apiVersion: 'demo.rtfm.co.ua/v1',
  kind: 'MyIngress',
  metadata: { name: 'shop' },
  spec: { subnets: ['subnet-abc', 'subnet-def'] },
};
const arn =
  'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/shop/50dc6c495c';
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Available',
  message: 'all is well',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  observedGeneration: 1,
};
let namespace = '';
let created: ApiObject | undefined;

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Lines of a table as lists of cells; kubectl puts three spaces or more between columns. */
function cellsOf(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{3,}/));
}

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd');
  const path = pathOf(definition, namespace);
  created = succeeded(await callApi(cluster, { method: 'POST', path, body: sample })).body;
});

describe('the MyIngress CRD in a real API server', () => {
  it('is established and structural', async () => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
    const { body } = await callApi(cluster, { method: 'GET', path });
    const conditions = body.status?.['conditions'] as readonly { type: string; status: string }[];
    expect(conditions.filter(({ status }) => status === 'True').map(({ type }) => type)).toEqual(
      expect.arrayContaining(['NamesAccepted', 'Established']),
    );
    // A schema that is not structural gets NonStructuralSchema=True.
    expect(conditions.map(({ type }) => type)).not.toContain('NonStructuralSchema');
  });

  it('fills in defaults, and shows that it was not reconciled yet', () => {
    expect(created?.status).toEqual({ observedGeneration: -1 });
    expect(created?.spec).toEqual({
      ...sample.spec,
      scheme: 'internet-facing',
      deletionPolicy: 'Delete',
    });
  });

  it('keeps every field of the status that albridge writes', async () => {
    const status = {
      observedGeneration: 1,
      lastHandledReconcileAt: 'x'.repeat(2000),
      alb: {
        arn,
        dns: 'shop.elb',
        name: 'shop',
        state: 'active',
        hostedZoneId: 'Z1',
        vpcId: 'vpc-1',
      },
      subnets: ['subnet-abc', 'subnet-def'],
      listeners: [
        { port: 80, arn },
        {
          port: 443,
          certificates: [{ arn, notAfter: '2026-12-01T00:00:00Z' }],
          message: 'the certificate is not there',
        },
      ],
      backends: [
        {
          name: 'web',
          targetGroupARN: arn,
          desired: 3,
          registered: 3,
          healthy: 2,
          healthAsOf: '2026-01-02T03:04:05Z',
          message: 'one target answers 500',
        },
      ],
      attached: [
        {
          ...{ kind: 'WebApp', namespace: 'team-a', name: 'shop', digest: '0123456789abcdef' },
          ...{ reason: 'HostAndPathTaken', message: 'shop.example.com/* on port 80 is taken' },
        },
      ],
      targets: '3/3',
      applied: { tags: ['team'], attributes: { 'idle_timeout.timeout_seconds': '60' } },
      conditions: [ready],
    };
    const answer = await callApi(cluster, {
      method: 'PATCH',
      path: `${pathOf(definition, namespace, 'shop')}/status?fieldManager=albridge&force=true&fieldValidation=Strict`,
      patch: 'apply',
      body: { ...sample, spec: undefined, status },
    });
    expect({ code: answer.code, message: answer.message }).toEqual({ code: 200, message: '' });
    expect(answer.body.status).toEqual(status);
  });

  it('prints exactly the columns that people need', async () => {
    const table = cellsOf(await kubectl('get', 'myingress', '-n', namespace));
    expect(table[0]).toEqual([
      ...['NAME', 'SCHEME', 'STATE', 'ADDRESS', 'TARGETS', 'READY', 'REASON', 'AGE'],
    ]);
    expect(table[1]?.slice(0, 7)).toEqual([
      'shop',
      'internet-facing',
      'active',
      'shop.elb',
      '3/3',
      'True',
      'Available',
    ]);
  });

  it('adds ARN and message to the wide table', async () => {
    const table = cellsOf(await kubectl('get', 'mying', '-n', namespace, '-o', 'wide'));
    expect(table[0]?.slice(7)).toEqual(['AGE', 'ARN', 'MESSAGE']);
    expect(table[1]?.slice(8)).toEqual([arn, 'all is well']);
  });

  it('is found by its category, by its scheme and by kubectl wait', async () => {
    const name = 'myingress.demo.rtfm.co.ua/shop\n';
    expect(await kubectl('get', 'albridge', '-n', namespace, '-o', 'name')).toBe(name);
    const byScheme = (scheme: string): Promise<string> =>
      kubectl(
        'get',
        'mying',
        '-n',
        namespace,
        '--field-selector',
        `spec.scheme=${scheme}`,
        '-o',
        'name',
      );
    expect(await byScheme('internet-facing')).toBe(name);
    expect(await byScheme('internal')).toBe('');
    await kubectl('wait', '--for=condition=Ready', 'mying/shop', '-n', namespace, '--timeout=120s');
  });

  it('explains its spec like documentation', async () => {
    // The OpenAPI documents that kubectl reads follow the CRD a moment later.
    await expect
      .poll(async () => (await cluster.kubectl(['explain', 'myingress.spec'])).code, {
        timeout: 120_000,
        interval: 200,
      })
      .toBe(0);
    const tree = await kubectl('explain', 'myingress.spec');
    const fields = tree
      .split('\n')
      .filter((line) => /^ *\w+\t</.test(line))
      .map((line) => line.trim());
    expect(fields).toEqual([
      'adopt\t<Object>',
      'allowedNamespaces\t<Object>',
      'attributes\t<map[string]string>',
      'backends\t<[]Object>',
      'defaultAction\t<Object>',
      'deletionPolicy\t<string>',
      'inbound\t<Object>',
      'ipAddressType\t<string>',
      'listeners\t<[]Object>',
      'name\t<string>',
      'rules\t<[]Object>',
      'scheme\t<string>',
      'securityGroups\t<[]string>',
      'subnets\t<[]string>',
      'tags\t<map[string]string>',
      'webACLARN\t<string>',
    ]);
    const subnets = (await kubectl('explain', 'myingress.spec.subnets')).replaceAll(/\s+/g, ' ');
    expect(subnets).toContain('FIELD: subnets <[]string>');
    expect(subnets).toContain('Ids of the subnets of the load balancer: 2 to 20, each once');
    expect(subnets).toContain('https://docs.aws.amazon.com/elasticloadbalancing/');
    expect(await kubectl('explain', 'myingress')).not.toContain('<no description>');
  });
});
