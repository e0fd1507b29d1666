import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import {
  type CustomResourceDefinition,
  readMyIngressDefinition,
} from '../unit/crds/custom-resource-definition.ts';
import {
  type ApiAnswer,
  callApi,
  createNamespace,
  installDefinition,
  movedTo,
  pathOf,
  succeeded,
} from './crd-api.ts';

// A group of this file's own: the CRD is replaced here, and other files use the real one meanwhile.
const group = 'stored.example.com';
const finalizer = 'albridge.io/load-balancer';
const subnets = ['subnet-abc', 'subnet-def'];
const arn =
  'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/shop/50dc6c495c';

const cluster = accessCluster(inject('controlPlane'));
const strict = movedTo(group, readMyIngressDefinition());
const loose: CustomResourceDefinition = {
  ...strict,
  spec: {
    ...strict.spec,
    versions: [
      {
        ...strict.spec.versions[0],
        selectableFields: [],
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
let namespace = '';

/** Objects that a CRD without our schema has let in. */
const stored: Readonly<Record<string, { why: string; spec?: object; status?: object }>> = {
  'no-spec': { why: 'nothing was required' },
  'one-subnet': { why: 'the article checks only for none', spec: { subnets: ['subnet-abc'] } },
  'repeated-subnets': {
    why: 'the list was no set',
    spec: { subnets: ['subnet-abc', 'subnet-abc'] },
  },
  'bad-subnet': { why: 'ids had no form', spec: { subnets: ['subnet-abc', '10.0.0.0/24'] } },
  'many-subnets': {
    why: 'lists had no bound',
    spec: { subnets: Array.from({ length: 30 }, (_, index) => `subnet-${index}`) },
  },
  'bad-scheme': { why: 'the scheme was any text', spec: { subnets, scheme: 'public' } },
  'bad-name': {
    why: 'the name was any text',
    spec: { subnets, name: `internal-${'_'.repeat(300)}-` },
  },
  'bad-groups': { why: 'groups were any text', spec: { subnets, securityGroups: [] } },
  'bad-type': { why: 'attributes were anything', spec: { subnets, attributes: { a: 1 } } },
  'bad-tags': {
    why: 'tags had no bounds',
    spec: {
      subnets,
      tags: {
        ManagedBy: 'kopf',
        'aws:a': 'aws:b',
        ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`#${index}`, '!'])),
      },
    },
  },
  'reserved-tags': {
    why: 'only aws: and albridge.io/ were reserved, and in small letters',
    spec: { subnets, tags: { 'Albridge.io/cluster': 'c', 'elbv2.k8s.aws/cluster': 'prod' } },
  },
  'bad-adopt': { why: 'the ARN was any text', spec: { subnets, name: 'a', adopt: { arn: 'b' } } },
  'unknown-fields': {
    why: 'unknown fields were kept',
    spec: { subnets, vpc: 'vpc-1' },
  },
  'bad-traffic': {
    why: 'fields of today were unknown, and kept',
    spec: {
      subnets,
      backends: [{ name: 'web' }, { name: 'api', targetType: 'lambda' }],
      listeners: [{ port: 80 }],
      rules: [
        { paths: ['a b'] },
        { name: 'a', forward: [{ weight: 1 }], authenticate: { oidc: {} } },
      ],
      defaultAction: { forward: [{ weight: 1 }] },
      webACLARN: 'a',
    },
  },
  'article-status': {
    why: "the article's operator wrote these two",
    spec: { subnets, scheme: 'internet-facing' },
    status: { alb: { arn, dns: 'shop.elb' }, create_ingress: { 'alb-arn': arn } },
  },
};

function manifest(name: string, fields: object): object {
  return { apiVersion: `${group}/v1`, kind: 'MyIngress', metadata: { name }, ...fields };
}

/** Waits until the rules answer: a replaced CRD takes effect a moment later. */
async function untilRefused(fields: object): Promise<void> {
  const path = `${pathOf(strict, namespace)}?dryRun=All`;
  const body = manifest('probe', fields);
  await vi.waitUntil(
    async () => (await callApi(cluster, { method: 'POST', path, body })).code === 422,
    120_000,
  );
}

function statusOf(reason: string): object {
  const condition = {
    type: 'Ready',
    status: 'False',
    reason,
    message: 'the spec cannot be carried out',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    observedGeneration: 1,
  };
  return { observedGeneration: 1, conditions: [condition] };
}

function writeStatus(name: string, patch: 'apply' | 'merge', status: object): Promise<ApiAnswer> {
  const owner = patch === 'apply' ? '?fieldManager=albridge&force=true' : '';
  const path = `${pathOf(strict, namespace, name)}/status${owner}`;
  return callApi(cluster, { method: 'PATCH', path, patch, body: manifest(name, { status }) });
}

beforeAll(async () => {
  await installDefinition(cluster, loose);
  namespace = await createNamespace(cluster, 'crd-stored');
  for (const [name, { spec, status }] of Object.entries(stored)) {
    const path = pathOf(strict, namespace);
    const metadata = { name, finalizers: ['example.com/other'] };
    const body = { ...manifest(name, spec === undefined ? {} : { spec }), metadata };
    succeeded(await callApi(cluster, { method: 'POST', path, body }));
    if (status === undefined) continue;
    const patched = await callApi(cluster, {
      method: 'PATCH',
      path: `${path}/${name}/status`,
      patch: 'merge',
      body: { status },
    });
    succeeded(patched);
  }
  await installDefinition(cluster, strict);
  await untilRefused({ spec: { subnets: ['subnet-abc'] } });
});

describe('an object that was stored before the rules existed', () => {
  it.each(Object.entries(stored))('%s would be refused or changed now', async (name, { spec }) => {
    if (name === 'article-status') return;
    const path = `${pathOf(strict, namespace)}?dryRun=All&fieldValidation=Strict`;
    const body = manifest('new', spec === undefined ? {} : { spec });
    const { code } = await callApi(cluster, { method: 'POST', path, body });
    expect(code).toBeGreaterThanOrEqual(400);
  });

  const typed = Object.keys(stored).filter((name) => name !== 'bad-type');

  it.each(typed)('%s takes status writes', async (name) => {
    for (const reason of ['SpecInvalid', 'StillInvalid']) {
      const status = statusOf(reason);
      const answer = await writeStatus(name, 'apply', status);
      expect({ code: answer.code, message: answer.message }).toEqual({ code: 200, message: '' });
      expect(answer.body.status).toMatchObject(status);
    }
  });

  // A limit of Kubernetes, not of the rules: server-side apply reads the stored object by the new
  // types. Deletion still works, as the next test shows.
  it('with a value of another type takes a status by merge, but not by apply', async () => {
    const applied = await writeStatus('bad-type', 'apply', statusOf('SpecInvalid'));
    expect(applied.code).toBe(500);
    expect(applied.message).toContain('.spec.attributes.a: expected string');
    const merged = await writeStatus('bad-type', 'merge', statusOf('SpecInvalid'));
    expect({ code: merged.code, message: merged.message }).toEqual({ code: 200, message: '' });
  });

  const repairs: Readonly<Record<string, { why: string; spec: object }>> = {
    'no-spec': { why: 'it gets its first spec', spec: { subnets } },
    'one-subnet': { why: 'a second subnet is added', spec: { subnets } },
    'repeated-subnets': { why: 'the repeated one is replaced', spec: { subnets } },
    'reserved-tags': { why: 'another field is edited', spec: { ipAddressType: 'ipv4' } },
    'bad-traffic': {
      why: 'what is refused today is taken out',
      spec: {
        backends: null,
        listeners: null,
        rules: null,
        defaultAction: null,
        webACLARN: null,
      },
    },
  };

  it.each(Object.entries(repairs))('%s can be repaired by an edit', async (name, { spec }) => {
    const path = `${pathOf(strict, namespace, name)}?dryRun=All`;
    const edited = await callApi(cluster, {
      method: 'PATCH',
      path,
      patch: 'merge',
      body: { spec },
    });
    expect({ code: edited.code, message: edited.message }).toEqual({ code: 200, message: '' });
  });

  it.each(Object.keys(stored))('%s takes a finalizer, which can be removed', async (name) => {
    const path = pathOf(strict, namespace, name);
    const patch = (operations: readonly object[]) =>
      callApi(cluster, { method: 'PATCH', path, patch: 'json', body: operations });
    const added = await patch([{ op: 'add', path: '/metadata/finalizers/-', value: finalizer }]);
    expect({ code: added.code, message: added.message }).toEqual({ code: 200, message: '' });
    expect((await callApi(cluster, { method: 'DELETE', path })).code).toBe(200);
    const removed = await patch([{ op: 'remove', path: '/metadata/finalizers/1' }]);
    expect({ code: removed.code, message: removed.message }).toEqual({ code: 200, message: '' });
    const freed = await patch([{ op: 'remove', path: '/metadata/finalizers' }]);
    expect({ code: freed.code, message: freed.message }).toEqual({ code: 200, message: '' });
    expect((await callApi(cluster, { method: 'GET', path })).code).toBe(404);
  });
});
