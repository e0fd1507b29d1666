import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import {
  type CustomResourceDefinition,
  readDefinition,
} from '../unit/crds/custom-resource-definition.ts';
import {
  callApi,
  createNamespace,
  installDefinition,
  movedTo,
  pathOf,
  succeeded,
} from './crd-api.ts';

// A group of this file's own: the CRD is replaced here, and other files use the real one meanwhile.
const group = 'stored-apps.example.com';
const cluster = accessCluster(inject('controlPlane'));
const strict = movedTo(group, readDefinition('webapps.apps.example.com'));
let namespace = '';

/** Objects that the article's CRD let in: it required neither a spec nor a name for a Service. */
const stored: Readonly<Record<string, { readonly why: string; readonly spec?: object }>> = {
  'no-spec': { why: 'spec was optional' },
  'shop.example.com': { why: 'names were not looked at', spec: { image: 'nginx' } },
  blank: { why: 'the image was any text', spec: { image: 'nginx ' } },
};

function withoutRules(definition: CustomResourceDefinition): CustomResourceDefinition {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const [version] = definition.spec.versions;
  const loose = { ...version, schema: { openAPIV3Schema } };
  return { ...definition, spec: { ...definition.spec, versions: [loose] } };
}

function manifest(name: string, fields: object): object {
  return { apiVersion: `${group}/v1`, kind: 'WebApp', metadata: { name }, ...fields };
}

function specOf({ spec }: { readonly spec?: object }): object {
  return spec === undefined ? {} : { spec };
}

beforeAll(async () => {
  await installDefinition(cluster, withoutRules(strict));
  namespace = await createNamespace(cluster, 'crd-web-app-stored');
  for (const [name, object] of Object.entries(stored)) {
    const path = pathOf(strict, namespace);
    const body = manifest(name, specOf(object));
    succeeded(await callApi(cluster, { method: 'POST', path, body }));
  }
  await installDefinition(cluster, strict);
  const probe = { method: 'POST', body: manifest('probe', {}) } as const;
  const path = `${pathOf(strict, namespace)}?dryRun=All`;
  // A replaced CRD takes effect a moment later.
  await vi.waitUntil(
    async () => (await callApi(cluster, { ...probe, path })).code === 422,
    120_000,
  );
});

describe('a WebApp that was stored before the rules existed', () => {
  it.each(Object.entries(stored))('%s would be refused now', async (name, object) => {
    const path = `${pathOf(strict, namespace)}?dryRun=All`;
    const body = manifest(
      name === 'shop.example.com' ? 'other.example.com' : 'new',
      specOf(object),
    );
    expect((await callApi(cluster, { method: 'POST', path, body })).code).toBe(422);
  });

  it.each(Object.keys(stored))('%s takes status writes, again and again', async (name) => {
    const path = `${pathOf(strict, namespace, name)}/status?fieldManager=albridge&force=true`;
    for (const observedGeneration of [1, 2]) {
      const body = manifest(name, { status: { observedGeneration, availableReplicas: 0 } });
      const { code, message } = await callApi(cluster, {
        method: 'PATCH',
        path,
        patch: 'apply',
        body,
      });
      expect({ code, message }).toEqual({ code: 200, message: '' });
    }
  });

  it.each(Object.keys(stored))('%s takes annotations, and is deleted', async (name) => {
    const path = pathOf(strict, namespace, name);
    const body = { metadata: { annotations: { 'albridge.io/paused': 'true' } } };
    const { code, message } = await callApi(cluster, {
      method: 'PATCH',
      path,
      patch: 'merge',
      body,
    });
    expect({ code, message }).toEqual({ code: 200, message: '' });
    expect((await callApi(cluster, { method: 'DELETE', path })).code).toBe(200);
  });
});
