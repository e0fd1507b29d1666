import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { OperatorError } from '../core/operator-error.ts';
import type { KubeReason } from './kube-reasons.ts';

/** The settings that lead to the cluster; config.ts takes them from the environment. */
export interface ClusterSettings {
  /** KUBERNETES_SERVICE_HOST and _PORT, which every pod has. */
  readonly serviceHost?: string;
  readonly servicePort?: string;
  /** Where `token`, `ca.crt` and `namespace` lie; DEFAULT_SERVICE_ACCOUNT_DIR in a pod. */
  readonly serviceAccountDir?: string;
  /** KUBECONFIG: one path, or several joined by the platform's path delimiter. */
  readonly kubeconfig?: string;
  /** Read when KUBECONFIG is not set: `.kube/config` in the home directory. */
  readonly defaultKubeconfig?: string;
}

/** https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api */
const DEFAULT_SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Where cluster and credentials come from. */
export interface ClusterSource {
  readonly kind: 'in-cluster' | 'kubeconfig';
  /** For the first log line: "service account in DIR" or "kubeconfig PATH". */
  readonly description: string;
  /** Reads them now. `context`: this one instead of the current-context, which people switch. */
  load(context?: string): KubeConfig;
}

/**
 * In a pod its service account, else KUBECONFIG, else the default kubeconfig. Throws OperatorError
 * ClusterNotConfigured, which says what to set.
 */
export function findClusterSource(settings: ClusterSettings): ClusterSource {
  const { serviceHost, serviceAccountDir = DEFAULT_SERVICE_ACCOUNT_DIR } = settings;
  if (serviceHost && existsSync(join(serviceAccountDir, 'token'))) {
    const server = serverOf(serviceHost, settings.servicePort ?? '443');
    return inClusterSource(server, serviceAccountDir);
  }
  if (settings.kubeconfig) return kubeconfigSource(pathsOf(settings.kubeconfig));
  const { defaultKubeconfig } = settings;
  if (defaultKubeconfig && existsSync(defaultKubeconfig))
    return kubeconfigSource([defaultKubeconfig]);
  throw notConfigured(
    serviceHost
      ? `in a pod, but ${serviceAccountDir} holds no token: set automountServiceAccountToken: true`
      : `no cluster: set KUBECONFIG to a kubeconfig${defaultKubeconfig ? `, or create ${defaultKubeconfig}` : ''}`,
  );
}

function inClusterSource(server: string, directory: string): ClusterSource {
  const load = (): KubeConfig => {
    const config = new KubeConfig();
    const user = { name: 'in-cluster', authProvider: tokenFile(join(directory, 'token')) };
    const cluster = { name: 'in-cluster', server, ...authority(directory), skipTLSVerify: false };
    const namespace = readIfThere(join(directory, 'namespace'));
    config.loadFromOptions({
      clusters: [cluster],
      users: [user],
      contexts: [{ name: 'in-cluster', cluster: cluster.name, user: user.name, namespace }],
      currentContext: 'in-cluster',
    });
    return config;
  };
  return { kind: 'in-cluster', description: `service account in ${directory}`, load };
}

function kubeconfigSource(paths: readonly string[]): ClusterSource {
  const description = `kubeconfig ${paths.join(delimiter)}`;
  return { kind: 'kubeconfig', description, load: (context) => loadKubeconfig(paths, context) };
}

/**
 * The first file that names a thing, or a current context, wins; a missing file is skipped, as long
 * as one is there (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files).
 */
function loadKubeconfig(paths: readonly string[], pinned?: string): KubeConfig {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) {
    throw notConfigured(`no kubeconfig at ${paths.join(' or ')}: correct KUBECONFIG`);
  }
  const merged = present.map(readKubeconfig).reduce(merge);
  if (pinned !== undefined) merged.setCurrentContext(pinned);
  if (merged.getCurrentCluster()) return merged;
  throw notConfigured(`kubeconfig ${present.join(delimiter)}: ${lackOf(merged, pinned)}`);
}

function lackOf(config: KubeConfig, pinned: string | undefined): string {
  if (pinned !== undefined) {
    return `context "${pinned}" names no cluster any more: restore it, or restart the operator to use another`;
  }
  const context = config.getCurrentContext() as string | undefined;
  const lack = context
    ? `its current-context "${context}" names no cluster`
    : 'it has no current-context';
  return `${lack}: run kubectl config use-context`;
}

function readKubeconfig(path: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
    return config;
  } catch (error) {
    throw notConfigured(`kubeconfig ${path} cannot be read: correct or replace it`, error);
  }
}

function merge(first: KubeConfig, next: KubeConfig): KubeConfig {
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: unionByName(first.getClusters(), next.getClusters()),
    users: unionByName(first.getUsers(), next.getUsers()),
    contexts: unionByName(first.getContexts(), next.getContexts()),
    currentContext: first.getCurrentContext() || next.getCurrentContext(),
  });
  return merged;
}

function unionByName<T extends { readonly name: string }>(a: readonly T[], b: readonly T[]): T[] {
  return [...a, ...b.filter(({ name }) => !a.some((item) => item.name === name))];
}

/** client-node's name for "read the bearer token from this file". */
function tokenFile(path: string): object {
  return { name: 'tokenFile', config: { tokenFile: path } };
}

function authority(directory: string): { readonly caFile?: string } {
  const caFile = join(directory, 'ca.crt');
  return existsSync(caFile) ? { caFile } : {};
}

function serverOf(host: string, port: string): string {
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function pathsOf(kubeconfig: string): readonly string[] {
  return kubeconfig.split(delimiter).filter((path) => path !== '');
}

function notConfigured(message: string, cause?: unknown): OperatorError {
  return new OperatorError({
    reason: 'ClusterNotConfigured' satisfies KubeReason,
    message,
    healedBy: 'person',
    cause,
  });
}
