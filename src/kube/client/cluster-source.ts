import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { OperatorError, readMessage } from '../../core/reconcile/operator-error.ts';
import type { KubeReason } from './kube-reasons.ts';
import { describeTokenFile, readKubeconfigFile } from './kubeconfig-file.ts';

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

/** The source of cluster and credentials. */
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
    const server = formatServer(serviceHost, settings.servicePort ?? '443');
    return createInClusterSource(server, serviceAccountDir);
  }
  if (settings.kubeconfig) return createKubeconfigSource(splitPaths(settings.kubeconfig));
  const { defaultKubeconfig } = settings;
  if (defaultKubeconfig && existsSync(defaultKubeconfig))
    return createKubeconfigSource([defaultKubeconfig]);
  throw createConfigError(
    serviceHost
      ? `in a pod, but ${serviceAccountDir} holds no token: set automountServiceAccountToken: true`
      : `no cluster: set KUBECONFIG to a kubeconfig${defaultKubeconfig ? `, or create ${defaultKubeconfig}` : ''}`,
  );
}

function createInClusterSource(server: string, directory: string): ClusterSource {
  const load = (): KubeConfig => {
    const config = new KubeConfig();
    const user = { name: 'in-cluster', authProvider: describeTokenFile(join(directory, 'token')) };
    const cluster = {
      name: 'in-cluster',
      server,
      ...findAuthority(directory),
      skipTLSVerify: false,
    };
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

function createKubeconfigSource(paths: readonly string[]): ClusterSource {
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
    throw createConfigError(
      `no kubeconfig at ${paths.join(' or ')}: correct this path, or write the file`,
    );
  }
  const merged = present.map(readKubeconfig).reduce(merge);
  if (pinned !== undefined) merged.setCurrentContext(pinned);
  const wrong = merged.getCurrentCluster() ? findWrongUrl(merged) : describeLack(merged, pinned);
  if (wrong === undefined) return merged;
  throw createConfigError(`kubeconfig ${present.join(delimiter)}: ${wrong}`);
}

/** As client-go has them: https://github.com/kubernetes/client-go/blob/v0.34.0/tools/clientcmd/client_config.go */
const SERVERS = ['http', 'https'];
const PROXIES = ['http', 'https', 'socks5'];

/** Undefined where server and proxy of the current cluster are URLs that a request can be sent to. */
function findWrongUrl(config: KubeConfig): string | undefined {
  const { server = '', proxyUrl } = config.getCurrentCluster() ?? {};
  const urls = [
    { field: 'server', url: server, protocols: SERVERS },
    ...(proxyUrl ? [{ field: 'proxy-url', url: proxyUrl, protocols: PROXIES }] : []),
  ];
  const wrong = urls.find(({ url, protocols }) => !isUrlOf(protocols, url));
  if (wrong === undefined) return undefined;
  const context = config.getCurrentContext();
  return `the ${wrong.field} "${hideLogin(wrong.url)}" of context "${context}" is not a ${joinWithOr(wrong.protocols)} URL: correct it`;
}

function isUrlOf(protocols: readonly string[], url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return hostname !== '' && protocols.includes(protocol.slice(0, -1));
}

/** A URL without user and password. */
export function hideLogin(url: string): string {
  if (!URL.canParse(url)) return url.replace(/^.*@/, '***@');
  const { host, password, protocol, username } = new URL(url);
  return username || password ? `${protocol}//***@${host}` : url;
}

function joinWithOr(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function describeLack(config: KubeConfig, pinned: string | undefined): string {
  if (pinned !== undefined) {
    return `context "${pinned}" names no cluster: restore it, or choose one of kubectl config get-contexts; a running operator then needs a restart`;
  }
  const context = config.getCurrentContext() as string | undefined;
  const choose = 'run kubectl config use-context';
  if (config.getContexts().length === 0)
    return 'it has no contexts: write it again, or set KUBECONFIG to another one';
  if (!context) return `it has no current-context: ${choose}`;
  const cluster = config.getContextObject(context)?.cluster;
  return cluster === undefined
    ? `its current-context "${context}" is none of its contexts: ${choose}`
    : `its current-context "${context}" names the cluster "${cluster}", which it does not have: add that, or ${choose}`;
}

function readKubeconfig(path: string): KubeConfig {
  try {
    return readKubeconfigFile(path);
  } catch (error) {
    const why = readMessage(error);
    throw createConfigError(`kubeconfig ${path} ${why}`, error);
  }
}

function merge(first: KubeConfig, next: KubeConfig): KubeConfig {
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: uniteByName(first.getClusters(), next.getClusters()),
    users: uniteByName(first.getUsers(), next.getUsers()),
    contexts: uniteByName(first.getContexts(), next.getContexts()),
    currentContext: first.getCurrentContext() || next.getCurrentContext(),
  });
  return merged;
}

function uniteByName<T extends { readonly name: string }>(a: readonly T[], b: readonly T[]): T[] {
  return [...a, ...b.filter(({ name }) => !a.some((item) => item.name === name))];
}

function findAuthority(directory: string): { readonly caFile?: string } {
  const caFile = join(directory, 'ca.crt');
  return existsSync(caFile) ? { caFile } : {};
}

function formatServer(host: string, port: string): string {
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function splitPaths(kubeconfig: string): readonly string[] {
  const paths = kubeconfig.split(delimiter).filter((path) => path.trim() !== '');
  if (paths.length > 0) return paths;
  throw createConfigError(
    `"${kubeconfig}" names no file: give a kubeconfig by --kubeconfig or KUBECONFIG`,
  );
}

function createConfigError(message: string, cause?: unknown): OperatorError {
  return new OperatorError({
    reason: 'ClusterNotConfigured' satisfies KubeReason,
    message,
    healedBy: 'person',
    cause,
  });
}
