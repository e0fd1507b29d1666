import { vi } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import { loadCluster } from '../../src/kube/client/credentials.ts';
import { KubeClient } from '../../src/kube/client/kube-client.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { transportOptions } from '../fakes/transport-options.ts';

export interface KubeAccess {
  readonly client: KubeClient;
  readonly transport: UndiciTransport;
  readonly metrics: RecordingMetrics;
}

/** The operator's own client over its own transport, with the identity of a kubeconfig. */
export function connect(
  kubeconfig: string,
  options: { readonly deadlineMs?: number } = {},
): KubeAccess {
  const cluster = loadCluster({ kubeconfig }, systemClock);
  const transport = new UndiciTransport(cluster, transportOptions('albridge/test'));
  const metrics = new RecordingMetrics();
  const client = new KubeClient({ transport, clock: systemClock, metrics, ...options });
  return { client, transport, metrics };
}

export const CONFIG_MAP: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
};

const DEFINITION: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
};

const CONDITION = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  required: ['type'],
  properties: { type: { type: 'string' } },
};

/**
 * Every field of spec and status is allowed, but for a `spec.size` over 9 and fields of `status.step` other than these two.
 * Conditions are merged by their type.
 */
const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { size: { type: 'integer', maximum: 9 } },
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: CONDITION,
        },
        step: {
          type: 'object',
          properties: { name: { type: 'string' }, owner: { type: 'string' } },
        },
      },
    },
  },
};

const NAMESPACE: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
};

export function post<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
  object: KubeObject,
): Promise<T> {
  const path = buildResourcePath(kind, { namespace: object.metadata.namespace });
  return client.request<T>({ method: 'POST', path, body: JSON.stringify(object) });
}

export function read<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
  { metadata }: KubeObject,
): Promise<T> {
  return client.request<T>({ method: 'GET', path: buildResourcePath(kind, metadata) });
}

export async function createNamespace(client: KubeClient, name: string): Promise<string> {
  await post(client, NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

/** Without a controller manager a namespace stays in this state for good. */
export async function startDeletingNamespace(client: KubeClient, name: string): Promise<void> {
  await client.request({ method: 'DELETE', path: buildResourcePath(NAMESPACE, { name }) });
}

/** Defines a namespaced kind with a status subresource, and waits until it is served. */
export async function createDefinition(client: KubeClient, defined: ResourceKind): Promise<void> {
  const { group, plural, kind, version: name } = defined;
  const served = { name, served: true, storage: true, subresources: { status: {} } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural },
      scope: 'Namespaced',
      versions: [{ ...served, schema: { openAPIV3Schema: SCHEMA } }],
    },
  };
  await post(client, DEFINITION, definition);
  const list = { method: 'GET', path: buildResourcePath(defined, {}) } as const;
  await vi.waitFor(() => client.request(list), { timeout: 120_000 });
}
