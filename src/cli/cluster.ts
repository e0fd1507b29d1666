import { existsSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { abridge } from '../core/objects/abridge.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Metrics } from '../core/ports/metrics.ts';
import {
  type ClusterSettings,
  type ClusterSource,
  findClusterSource,
} from '../kube/client/cluster-source.ts';
import { type Cluster, loadCluster } from '../kube/client/credentials.ts';
import { KubeClient } from '../kube/client/kube-client.ts';
import type { KubeRequest, KubeTransport } from '../kube/client/kube-transport.ts';
import { UndiciTransport } from '../kube/client/undici-transport.ts';
import { CommandError, UsageError } from './errors.ts';
import { isNamespaceName } from './objects/names.ts';
import type { Flags, Surroundings } from './surroundings.ts';

/** The cluster as the caller may read it. */
export interface ClusterAccess {
  readonly cluster: Cluster;
  /** Reads, dry runs and access reviews; anything else is refused here. */
  readonly client: KubeClient;
  /** Status, headers and text as they come, for what JSON does not have. */
  readonly transport: KubeTransport;
  /** Of --namespace, else of the context, else `default`; undefined with --all-namespaces. */
  readonly namespace: string | undefined;
  close(): Promise<void>;
}

export const USER_AGENT = `albridge-cli/${manifest.version}`;
/** Requests at once. */
const CONNECTIONS = 16;
/** Of one request, in milliseconds. */
const DEADLINE_MS = 15_000;

/** Reads the kubeconfig. Throws OperatorError ClusterNotConfigured, and UsageError for an unknown context. */
export function openCluster(flags: Flags, surroundings: Surroundings): ClusterAccess {
  const { clock } = surroundings;
  const cluster = load(chooseClusterSettings(flags, surroundings), clock, flags.text('context'));
  const options = { userAgent: USER_AGENT, clock, log: silentLog, connections: CONNECTIONS };
  const pools = new UndiciTransport(cluster, options);
  const transport = restrictToReads(pools);
  return {
    cluster,
    transport,
    client: new KubeClient({ transport, clock, metrics: noMetrics, deadlineMs: DEADLINE_MS }),
    namespace: flags.isOn('all-namespaces') ? undefined : chooseNamespace(flags, cluster),
    close: () => pools.close(),
  };
}

function chooseNamespace(flags: Flags, { context, namespace }: Cluster): string {
  const given = flags.text('namespace');
  if (given !== undefined) return given;
  if (namespace === undefined) return 'default';
  if (typeof namespace === 'string' && isNamespaceName(namespace)) return namespace;
  throw new CommandError(
    `the namespace ${JSON.stringify(namespace)} of context "${context}" cannot be one: correct it, or give -n`,
  );
}

/**
 * Like kubectl: a kubeconfig comes first, and a pod's service account where there is none. The operator has it the other
 * way round. https://github.com/kubernetes/client-go/blob/v0.34.0/tools/clientcmd/merged_client_builder.go
 */
export function chooseClusterSettings(
  flags: Flags,
  { env, homeDirectory }: Pick<Surroundings, 'env' | 'homeDirectory'>,
): ClusterSettings {
  const kubeconfig = flags.text('kubeconfig') ?? env['KUBECONFIG'];
  if (kubeconfig) return { kubeconfig };
  const defaultKubeconfig = homeDirectory && join(homeDirectory, '.kube', 'config');
  if (defaultKubeconfig && existsSync(defaultKubeconfig)) return { defaultKubeconfig };
  const serviceHost = env['KUBERNETES_SERVICE_HOST'];
  const servicePort = env['KUBERNETES_SERVICE_PORT'];
  return {
    ...(defaultKubeconfig && { defaultKubeconfig }),
    ...(serviceHost && { serviceHost }),
    ...(servicePort && { servicePort }),
  };
}

/** As `loadCluster`, with a sentence for an unknown `--context`. */
function load(settings: ClusterSettings, clock: Clock, context: string | undefined): Cluster {
  if (context === undefined) return loadCluster(settings, clock);
  const source = findClusterSource(settings);
  if (source.kind === 'in-cluster')
    throw new UsageError(
      '--context chooses from a kubeconfig, and there is none: add --kubeconfig',
    );
  const names = listContexts(source);
  if (names === undefined || names.includes(context)) return loadCluster(settings, clock, context);
  throw new UsageError(
    `there is no context "${context}" in the ${source.description}: give --context one of ${abridge(names, 10).join(', ')} (kubectl config get-contexts)`,
  );
}

/** Undefined where the kubeconfig cannot be read as it is. */
function listContexts(source: ClusterSource): readonly string[] | undefined {
  try {
    return source.load().contexts.map(({ name }) => name);
  } catch {
    return undefined;
  }
}

/** POST to these creates nothing: https://kubernetes.io/docs/reference/access-authn-authz/authorization/ */
const REVIEWS = /^\/apis\/authorization\.k8s\.io\/v1\/(self)?subjectaccessreviews$/;

/** No command writes to the cluster: whatever a command is made to do, nothing else is sent. */
export function restrictToReads(transport: KubeTransport): KubeTransport {
  return {
    request: async (request) => {
      if (!isRead(request))
        throw new CommandError(
          `a defect of this command, please report it: ${request.method} ${request.path} was not sent`,
        );
      return transport.request(request);
    },
  };
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run */
function isRead({ method, path, query }: KubeRequest): boolean {
  return method === 'GET' || query?.['dryRun'] === 'All' || REVIEWS.test(path);
}

export const silentLog: Logger = {
  debug: () => {},
  info: () => {},
  error: () => {},
  child: () => silentLog,
};

export const noMetrics: Metrics = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
  remove: () => {},
};
