import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { type Clock, raceAbort, startDeadline } from '../../core/ports/clock.ts';
import { OperatorError, readMessage } from '../../core/reconcile/operator-error.ts';
import { type ClusterSettings, type ClusterSource, findClusterSource } from './cluster-source.ts';
import { informPlugin, limitPlugins } from './credential-plugin.ts';
import { explainFailure, findFault, findFileFault, findTlsFault } from './credentials-advice.ts';
import { type KubeReason, kubeReasons } from './kube-reasons.ts';

/** The identity of one request, and the authority it trusts. */
export interface Credentials {
  /** Authorization and impersonation; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsSettings;
}

export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Only where the kubeconfig says insecure-skip-tls-verify. */
  readonly rejectUnauthorized?: false;
  readonly servername?: string;
}

/** The API server and the way to it. */
export interface Cluster {
  /** Base address, such as https://10.0.0.1:443. */
  readonly server: string;
  readonly isInCluster: boolean;
  /** Context of the kubeconfig; "in-cluster" in a pod. */
  readonly context: string;
  /** The pod's own namespace, or the context's; undefined if neither names one. */
  readonly namespace: string | undefined;
  /** Where this was read: for the first log line. */
  readonly description: string;
  readonly proxyUrl: string | undefined;
  /** Cached for CREDENTIALS_TTL_MS; throws OperatorError CredentialsUnavailable where there are none. */
  credentials(): Promise<Credentials>;
  /** After a 401: forgets `refused`, unless that has happened already. */
  forget(refused: Credentials): void;
}

/**
 * A kubelet swaps a projected token well before it expires and the old one goes on being accepted
 * for a while, so that reading once a minute is enough
 * (https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#serviceaccount-token-volume-projection).
 */
const CREDENTIALS_TTL_MS = 60_000;

/** client-node puts no limit on a credential plugin; less than that of any request, which would hide it. */
const READ_DEADLINE_MS = 10_000;

/** `context`: another one than the current-context. Throws OperatorError ClusterNotConfigured. */
export function loadCluster(settings: ClusterSettings, clock: Clock, context?: string): Cluster {
  const source = findClusterSource(settings);
  const config = source.load(context);
  const cluster = config.getCurrentCluster();
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  const at = { server: readServer(config) ?? '', context: config.getCurrentContext() };
  return {
    ...at,
    isInCluster: source.kind === 'in-cluster',
    namespace: namespace || undefined,
    description: source.description,
    proxyUrl: cluster?.proxyUrl,
    ...cacheCredentials(() => reload(source, at), source, clock),
  };
}

/**
 * Only user and CA of the context that the process started with are read again: the server stays, and
 * must never get the token of another one. All that keeps them from being read is transient, such as
 * a kubeconfig that is being written.
 */
function reload(source: ClusterSource, at: Pick<Cluster, 'server' | 'context'>): KubeConfig {
  try {
    const config = source.load(at.context);
    const server = readServer(config);
    if (server !== at.server) throw new Error(describeServerChange(at, server));
    const user = config.getContextObject(at.context)?.user;
    if (!user || config.getCurrentUser()) return config;
    throw new Error(`the user "${user}" of context "${at.context}" is missing: restore it`);
  } catch (error) {
    throw createCredentialsError(source, readMessage(error), error);
  }
}

/** Without a login, which is not sent, and would be shown in logs. */
function readServer(config: KubeConfig): string | undefined {
  const server = config.getCurrentCluster()?.server;
  const url = URL.parse(server ?? '');
  if (url === null || !(url.username || url.password)) return server;
  return Object.assign(url, { username: '', password: '' }).href;
}

function describeServerChange(at: Pick<Cluster, 'server' | 'context'>, server = 'none'): string {
  return `the server of context "${at.context}" changed from ${at.server} to ${server}: restore it, or restart the operator`;
}

/** One read at a time; concurrent callers share it. */
function cacheCredentials(
  load: () => KubeConfig,
  source: ClusterSource,
  clock: Clock,
): Pick<Cluster, 'credentials' | 'forget'> {
  let held: Held | undefined;
  let cached: { readonly credentials: Credentials; readonly readAtMs: number } | undefined;
  let reading: Promise<Credentials> | undefined;

  const read = async (): Promise<Credentials> => {
    const current = chooseConfig(held, load);
    const { config } = current;
    // client-node keeps what a plugin printed also where it is of no use.
    if (config.getCurrentUser()?.exec) held = undefined;
    const limit = startDeadline(clock, READ_DEADLINE_MS);
    const credentials = await readCredentials(config, source, limit.signal).finally(limit.release);
    held = current;
    cached = { credentials, readAtMs: clock.monotonicMs() };
    return credentials;
  };
  return {
    credentials: async () => {
      const isFresh = cached && clock.monotonicMs() - cached.readAtMs < CREDENTIALS_TTL_MS;
      if (cached && isFresh) return cached.credentials;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    forget: (refused) => {
      if (cached?.credentials !== refused) return;
      cached = undefined;
      held = undefined;
    },
  };
}

/** A config, and its user and cluster as they were loaded: reading the credentials changes both. */
interface Held {
  readonly config: KubeConfig;
  readonly access: string;
}

function hold(config: KubeConfig): Held {
  return {
    config,
    access: JSON.stringify([config.getCurrentUser(), config.getCurrentCluster()]),
  };
}

/** A plugin that has answered does not depend on a kubeconfig that cannot be read now, such as one being written. */
function chooseConfig(held: Held | undefined, load: () => KubeConfig): Held {
  const known = held && hasOwnCache(held.config) ? held : undefined;
  try {
    const loaded = hold(load());
    return known?.access === loaded.access ? known : loaded;
  } catch (error) {
    if (known !== undefined) return known;
    throw error;
  }
}

/**
 * A plugin is a process to start: client-node keeps what it said until that expires, and so does this process while the
 * kubeconfig says the same. Everything else is files, which are read again together with the kubeconfig that names them.
 */
function hasOwnCache(config: KubeConfig): boolean {
  const user = config.getCurrentUser();
  const provider = user?.authProvider as {
    readonly config?: { readonly tokenFile?: string };
  } | null;
  return Boolean(user?.exec) || Boolean(provider && !provider.config?.tokenFile);
}

async function readCredentials(
  config: KubeConfig,
  source: ClusterSource,
  signal: AbortSignal,
): Promise<Credentials> {
  const unreadable = findFileFault(config);
  if (unreadable !== undefined) throw createCredentialsError(source, unreadable, undefined);
  const options: RequestOptions = { headers: {} };
  limitPlugins(config, signal);
  try {
    informPlugin(config);
    await raceAbort(allowPlainHttp(config).applyToHTTPSOptions(options), signal);
  } catch (error) {
    const why = explainFailure(error, config.getCurrentUser());
    throw createCredentialsError(source, why, error);
  }
  const credentials = { headers: toHeaders(options), tls: toTlsSettings(options) };
  const isTls = config.getCurrentCluster()?.server.startsWith('https:') ?? false;
  const tlsFault = isTls ? findTlsFault(credentials.tls) : undefined;
  const fault = tlsFault ?? findFault(credentials, config.getCurrentUser());
  if (fault !== undefined) throw createCredentialsError(source, fault, undefined);
  return credentials;
}

/**
 * `applyToHTTPSOptions` refuses http:// servers (kubectl proxy) unless verification is off, which
 * for http:// means nothing.
 */
function allowPlainHttp(config: KubeConfig): KubeConfig {
  const cluster = config.getCurrentCluster();
  if (cluster?.server.startsWith('http:')) Object.assign(cluster, { skipTLSVerify: true });
  return config;
}

function toHeaders(options: RequestOptions): Readonly<Record<string, string>> {
  const given = Object.entries({ ...(options.headers as Record<string, unknown>) });
  // A token file ends in a newline more often than not, and a header may not.
  const headers = given.map(([name, value]) => [name.toLowerCase(), String(value).trim()]);
  const basic = options.auth ? { authorization: `Basic ${encodeBase64(options.auth)}` } : {};
  return { ...basic, ...(Object.fromEntries(headers) as Record<string, string>) };
}

function toTlsSettings(options: RequestOptions): TlsSettings {
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  return {
    ...toPem('ca', ca),
    ...toPem('cert', cert),
    ...toPem('key', key),
    ...(rejectUnauthorized === false && { rejectUnauthorized }),
    ...(typeof servername === 'string' && servername !== '' && { servername }),
  };
}

/** client-node gives bytes of a file, or the text that a plugin printed. */
function toPem<K extends string>(name: K, pem: unknown): { readonly [P in K]?: string } {
  const text = Buffer.isBuffer(pem) ? pem.toString() : pem;
  return (typeof text === 'string' ? { [name]: text } : {}) as { readonly [P in K]?: string };
}

function encodeBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function createCredentialsError(source: ClusterSource, why: string, cause: unknown): OperatorError {
  return new OperatorError({
    reason: 'CredentialsUnavailable' satisfies KubeReason,
    message: `read the credentials of the ${source.description}: ${why}`,
    healedBy: kubeReasons.CredentialsUnavailable.healedBy,
    isUnanswered: true,
    cause,
  });
}
