import { request } from 'node:https';
import { vi } from 'vitest';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import type { CustomResourceDefinition } from '../unit/crds/custom-resource-definition.ts';

/** An answer of the API server; `message` is that of a Status, '' otherwise. */
export interface ApiAnswer {
  readonly code: number;
  readonly body: ApiObject;
  readonly message: string;
}

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

type PatchKind = 'json' | 'merge' | 'apply';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly patch?: PatchKind;
  /** Another user than the administrator, who impersonates it. */
  readonly as?: string;
}

const patchTypes: Readonly<Record<PatchKind, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** One request, of the administrator unless `as` names another user. */
export function callApi(cluster: ClusterAccess, call: ApiRequest): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(call.path, cluster.url),
      {
        method: call.method,
        ca: cluster.caPem,
        headers: {
          authorization: `Bearer ${cluster.adminToken}`,
          accept: 'application/json',
          // https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
          ...(call.as !== undefined && { 'impersonate-user': call.as }),
          'content-type': call.patch === undefined ? 'application/json' : patchTypes[call.patch],
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve(answerOf(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
        });
      },
    );
    sent.on('error', reject);
    sent.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  });
}

/** A group that is not served yet is answered with text, `404 page not found`. */
function answerOf(code: number, text: string): ApiAnswer {
  if (!text.startsWith('{')) return { code, body: {} as ApiObject, message: text };
  const body = JSON.parse(text) as ApiObject;
  return { code, body, message: 'message' in body ? String(body.message) : '' };
}

/** The answer, if the API server has done what was asked; throws otherwise. For preparations. */
export function succeeded(answer: ApiAnswer): ApiAnswer {
  if (answer.code >= 300) throw new Error(`the API server said ${answer.code}: ${answer.message}`);
  return answer;
}

/** Applies a CRD and waits until the API server serves it. */
export async function installDefinition(
  cluster: ClusterAccess,
  definition: CustomResourceDefinition,
): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const applied = await callApi(cluster, {
    method: 'PATCH',
    path: `${definitions}/${definition.metadata.name}?fieldManager=test&force=true`,
    patch: 'apply',
    body: definition,
  });
  succeeded(applied);
  const { group, names, versions } = definition.spec;
  await whenServed(cluster, { group, version: versions[0].name, plural: names.plural });
}

/** Waits until the API server serves a kind, and kubectl can find it. */
export async function whenServed(
  cluster: ClusterAccess,
  kind: { readonly group: string; readonly version: string; readonly plural: string },
): Promise<void> {
  const path = `/apis/${kind.group}/${kind.version}`;
  await vi.waitUntil(async () => {
    const served = await callApi(cluster, { method: 'GET', path: `${path}/${kind.plural}` });
    // kubectl finds by this list what a name or a category means; it follows a moment later.
    const { body } = await callApi(cluster, { method: 'GET', path });
    const { resources = [] } = body as {
      readonly resources?: readonly { readonly name: string }[];
    };
    return served.code === 200 && resources.some(({ name }) => name === kind.plural);
  }, 120_000);
}

/**
 * The same kind in another group, for a file that replaces the CRD while others use the real one. Only
 * the plural stays: kubectl in those files must not take it for theirs.
 */
export function movedTo(
  group: string,
  definition: CustomResourceDefinition,
): CustomResourceDefinition {
  const { singular } = definition.spec.names;
  const others = { singular: `stored${singular}`, shortNames: [], categories: [] };
  const names = { ...definition.spec.names, ...others };
  return {
    ...definition,
    metadata: { name: `${names.plural}.${group}` },
    spec: { ...definition.spec, group, names },
  };
}

/** Creates a namespace of this test file's own and returns its name. */
export async function createNamespace(cluster: ClusterAccess, prefix: string): Promise<string> {
  const created = await callApi(cluster, {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { generateName: `${prefix}-` } },
  });
  return succeeded(created).body.metadata.name;
}

/** Where the objects of a kind live; with `name`, one object. */
export function pathOf(
  definition: CustomResourceDefinition,
  namespace: string,
  name?: string,
): string {
  const { group, names, versions } = definition.spec;
  const objects = `/apis/${group}/${versions[0].name}/namespaces/${namespace}/${names.plural}`;
  return name === undefined ? objects : `${objects}/${name}`;
}
