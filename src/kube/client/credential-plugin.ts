import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import { isFields } from '../../core/objects/fields.ts';

/** An ExecCredential has a few kilobytes; what a plugin reports beside it is kept by client-node too. */
const MOST_CHARACTERS = { stdout: 1_000_000, stderr: 16_000_000 } as const;

/**
 * client-node starts a credential plugin, waits for its end and keeps all that it prints. From now on a plugin of the
 * config ends when the signal aborts, when this process exits, and when it prints too much. The field is private in
 * client-node: a test fails where another version has none.
 */
export function limitPlugins(config: KubeConfig, signal: AbortSignal): void {
  const { authenticators } = config as unknown as { readonly authenticators: readonly unknown[] };
  for (const one of authenticators) {
    if (!isFields(one) || !('execFn' in one)) continue;
    const execFn = (command: string, args: readonly string[], options: SpawnOptions) =>
      limit(assertPiped(spawn(command, args, options)), signal);
    Object.assign(one, { execFn });
  }
}

/** Where no more files can be opened Node gives no pipes, and later an error that would end this process. */
function assertPiped(plugin: ChildProcess): ChildProcess {
  // Undefined then, against its type.
  if ((plugin.stdout as unknown) !== undefined) return plugin;
  plugin.once('error', () => {});
  throw Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE', syscall: 'spawn' });
}

function limit(plugin: ChildProcess, signal: AbortSignal): ChildProcess {
  const onStop = (): void => end(plugin);
  for (const name of ['stdout', 'stderr'] as const) {
    let count = 0;
    plugin[name]?.on('data', (text: string | Buffer) => {
      count += text.length;
      if (count <= MOST_CHARACTERS[name] || plugin.killed) return;
      const most = MOST_CHARACTERS[name] / 1_000_000;
      plugin.emit('error', new Error(`it printed more than ${most} MB to ${name}`));
      end(plugin);
    });
  }
  signal.addEventListener('abort', onStop, { once: true });
  process.once('exit', onStop);
  plugin.once('close', () => {
    signal.removeEventListener('abort', onStop);
    process.off('exit', onStop);
  });
  return plugin;
}

/** A process that the plugin has started may hold its output open, and is left behind. */
function end(plugin: ChildProcess): void {
  plugin.kill('SIGKILL');
  plugin.stdout?.destroy();
  plugin.stderr?.destroy();
}

const INFO = 'KUBERNETES_EXEC_INFO';

/**
 * Puts into the environment of the plugin what it is asked for, which client-node does not. Throws where the authority
 * cannot be read.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats
 */
export function informPlugin(config: KubeConfig): void {
  const user = config.getCurrentUser();
  const exec = (user?.exec ?? undefined) as Exec | undefined;
  const given = exec?.env ?? [];
  if (exec === undefined || !Array.isArray(given)) return;
  const { apiVersion, provideClusterInfo } = exec;
  const cluster = provideClusterInfo === true ? describeCluster(config) : undefined;
  const spec = { interactive: false, ...(cluster && { cluster }) };
  const value = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  const others = given.filter((one) => !isFields(one) || one['name'] !== INFO);
  Object.assign(user ?? {}, { exec: { ...exec, env: [...others, { name: INFO, value }] } });
}

interface Exec {
  readonly apiVersion?: unknown;
  readonly env?: readonly unknown[] | null;
  readonly provideClusterInfo?: unknown;
}

/** https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
function describeCluster(config: KubeConfig): object | undefined {
  const cluster = config.getCurrentCluster();
  if (cluster === null) return undefined;
  const { caData, caFile, proxyUrl, server, skipTLSVerify, tlsServerName } = cluster;
  const authority = caData || (caFile && readFileSync(caFile, 'base64'));
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(authority && { 'certificate-authority-data': authority }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...describeSettings(cluster),
  };
}

/** Of the cluster for its plugin, among the `extensions` that kubeconfig-file.ts keeps. */
function describeSettings(cluster: object): object {
  const { extensions = [] } = cluster as { readonly extensions?: readonly unknown[] };
  const name = 'client.authentication.k8s.io/exec';
  const own = extensions.filter(isFields).find((one) => one['name'] === name);
  return own === undefined ? {} : { config: own['extension'] };
}
