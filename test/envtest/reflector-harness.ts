import { vi } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import { loadCluster } from '../../src/kube/client/credentials.ts';
import { KubeClient } from '../../src/kube/client/kube-client.ts';
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
} from '../../src/kube/client/kube-transport.ts';
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts';
import { IndexedCache } from '../../src/kube/watch/object-cache.ts';
import { Reflector, type ReflectorOptions } from '../../src/kube/watch/reflector.ts';
import { systemClock } from '../../src/system-clock.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { textOf, wordOf } from '../fakes/reflector-bench.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { transportOptions } from '../fakes/transport-options.ts';

const configMaps: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
};

export interface ConnectionOptions {
  /** Of a proxy in front of the API server. */
  readonly port?: number;
  /** Impersonated instead of the administrator. */
  readonly user?: string;
  /** Sees each request before it leaves; may change it. */
  readonly onRequest?: (request: KubeRequest) => KubeRequest | Promise<KubeRequest>;
}

export interface Connection {
  readonly client: KubeClient;
  /** One word per request that left: `watch-list`, `watch@5`, `version`, `list`, `full-list`. */
  readonly asked: readonly string[];
  readonly askedAtMs: readonly number[];
  readonly close: () => Promise<void>;
}

/** The client of the operator over its own transport, and a record of what it asks. */
export function connect(
  coordinates: ControlPlaneCoordinates,
  options: ConnectionOptions = {},
): Connection {
  const { port, user, onRequest = (request: KubeRequest) => request } = options;
  const loaded = loadCluster({ kubeconfig: coordinates.kubeconfigPath }, systemClock);
  const server = port === undefined ? loaded.server : `https://127.0.0.1:${port}`;
  const undici = new UndiciTransport({ ...loaded, server }, transportOptions('albridge-test'));
  const asked: string[] = [];
  const askedAtMs: number[] = [];
  const headers = user === undefined ? {} : { 'impersonate-user': user };
  const transport: KubeTransport = {
    request: async (request): Promise<KubeResponse> => {
      const wanted = await onRequest({ ...request, headers: { ...request.headers, ...headers } });
      asked.push(wordOf(wanted));
      askedAtMs.push(performance.now());
      return await undici.request(wanted);
    },
  };
  const client = new KubeClient({
    transport,
    clock: systemClock,
    metrics: new RecordingMetrics(),
  });
  return { client, asked, askedAtMs, close: () => undici.close() };
}

export interface Following {
  readonly cache: IndexedCache<KubeObject>;
  readonly reflector: Reflector;
  readonly log: SilentLogger;
  readonly metrics: RecordingMetrics;
  /** Changes as `added a@12`. */
  readonly seen: string[];
  /** The same without versions. */
  readonly changes: () => readonly string[];
}

/** A reflector of ConfigMaps, unless told otherwise, with a subscriber that records. */
export function follow(
  client: KubeClient,
  options: Partial<ReflectorOptions<KubeObject>> = {},
): Following {
  const { kind = configMaps } = options;
  const log = new SilentLogger();
  const metrics = new RecordingMetrics();
  const cache = new IndexedCache<KubeObject>({ kind, log, metrics });
  const seen: string[] = [];
  cache.subscribe((change) => seen.push(textOf(change)));
  const clock = systemClock;
  const reflector = new Reflector({ client, kind, cache, clock, log, metrics, ...options });
  const changes = (): readonly string[] => seen.map((text) => text.replace(/@\d+$/, ''));
  return { cache, reflector, log, metrics, seen, changes };
}

/** Waits until `check` throws no more. */
export function eventually(check: () => void | Promise<void>, timeoutMs = 120_000): Promise<void> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 20 });
}

/** ConfigMaps, written past the reflector. */
export interface Editor {
  readonly create: (name: string, data?: Readonly<Record<string, string>>) => Promise<KubeObject>;
  readonly set: (name: string, data: Readonly<Record<string, string>>) => Promise<KubeObject>;
  readonly remove: (name: string) => Promise<void>;
  readonly createMany: (prefix: string, count: number) => Promise<void>;
}

/** Creates `namespace` and edits in it. */
export async function editIn(client: KubeClient, namespace: string): Promise<Editor> {
  const shell = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await client.request({ method: 'POST', path: '/api/v1/namespaces', body: JSON.stringify(shell) });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const create: Editor['create'] = (name, data = {}) => {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { app: 'test' } },
      data,
    });
    return client.request({ method: 'POST', path, body });
  };
  return {
    create,
    set: (name, data) =>
      client.request({
        method: 'PATCH',
        path: `${path}/${name}`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ data }),
      }),
    remove: async (name) => {
      await client.request({ method: 'DELETE', path: `${path}/${name}` });
    },
    createMany: async (prefix, count) => {
      const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      // In parts: the deadline of a call counts from when it begins to wait for a connection.
      while (names.length > 0) await Promise.all(names.splice(0, 100).map((name) => create(name)));
    },
  };
}
