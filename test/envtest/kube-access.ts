import type { KubeObject, ResourceKind } from '../../src/core/kube-object.ts';
import { loadCluster } from '../../src/kube/credentials.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/kube-client.ts';
import { resourcePath } from '../../src/kube/resource-path.ts';
import { createUndiciTransport, type UndiciTransport } from '../../src/kube/undici-transport.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';

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
  const transport = createUndiciTransport(cluster, { userAgent: 'albridge/test' });
  const metrics = new RecordingMetrics();
  const client = createKubeClient({ transport, clock: systemClock, metrics, ...options });
  return { client, transport, metrics };
}

export const CONFIG_MAP: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
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
  object: KubeObject & Readonly<Record<string, unknown>>,
): Promise<T> {
  const path = resourcePath(kind, { namespace: object.metadata.namespace });
  return client.request<T>({ method: 'POST', path, body: JSON.stringify(object) });
}

export function read<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
  { metadata }: KubeObject,
): Promise<T> {
  return client.request<T>({ method: 'GET', path: resourcePath(kind, metadata) });
}

export async function createNamespace(client: KubeClient, name: string): Promise<string> {
  await post(client, NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

/** Without a controller manager a namespace stays in this state for good. */
export async function startDeletingNamespace(client: KubeClient, name: string): Promise<void> {
  await client.request({ method: 'DELETE', path: resourcePath(NAMESPACE, { name }) });
}
