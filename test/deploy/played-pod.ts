import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { type OperatorProcess, startOperatorProcess } from '../surroundings/operator-process.ts';
import { until } from '../surroundings/until.ts';
import { type Container, environmentOf, type Pod } from './pod-environment.ts';

type Strings = Readonly<Record<string, string>>;

export interface PlayOptions {
  /** What the image holds as /app. */
  readonly image: string;
  /** Where an address of the manifests leads here, for there is no cluster network. */
  readonly addresses?: Strings;
  /** Variables on top of the pod's own, as the webhooks of EKS add them. */
  readonly injected?: Strings;
}

/** The container `operator` of a pod of the cluster, as a kubelet would run it, without isolation. */
export interface PlayedPod {
  readonly pod: Pod;
  readonly operator: OperatorProcess;
  /** Of the port for probes, `127.0.0.1:N`. */
  readonly health: string;
  /** `/healthz` or `/readyz?verbose`. */
  probe(path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** As a kubelet does in time: another token into the file. Returns once the old one is refused. */
  rotateToken(): Promise<void>;
  stop(): Promise<number | null>;
}

/** uid and gid of the image; a caller that is not root is unprivileged already. */
const NONROOT = 65_532;
const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Runs the bundle with the environment, the ConfigMaps and the ServiceAccount's files that the pod's
 * spec gives it, and with nothing else: no variable and no file of the caller's.
 */
export async function playPod(
  cluster: ClusterAccess,
  pod: Pod,
  { image, addresses = {}, injected = {} }: PlayOptions,
): Promise<PlayedPod> {
  const container = pod.spec.containers.find(({ name }) => name === 'operator') as Container;
  const directory = await mkdtemp(join(tmpdir(), 'albridge-pod-'));
  const volumes = new Volumes(cluster, pod, { directory, addresses });
  const mounts = await volumes.mount(container);
  const port = await findFreePort();
  const environment = {
    // A container runtime sets it from the image's /etc/passwd.
    HOME: '/home/nonroot',
    ...translated(await environmentOf(cluster, pod, container), mounts, addresses),
    ...clusterAddress(cluster),
    ...serviceAccountDir(mounts),
    ...addressesOf(container, port),
    ...injected,
  };
  const entry = await writeEntry(directory, image);
  await open(directory);
  const operator = startOperatorProcess({ environment, entry });
  return {
    pod,
    operator,
    health: `127.0.0.1:${port}`,
    probe: (path) => probe(port, path),
    rotateToken: () => volumes.rotateToken(),
    stop: async () => {
      const code = await operator.stop();
      await rm(directory, { recursive: true, force: true });
      return code;
    },
  };
}

/** Manifests of an older version have one port for both, and no setting for the other. */
function addressesOf({ ports = [] }: Container, port: number): Strings {
  const address = `127.0.0.1:${port}`;
  if (!ports.some(({ name }) => name === 'health')) return { ALBRIDGE_METRICS_ADDRESS: address };
  return { ALBRIDGE_METRICS_ADDRESS: '127.0.0.1:0', ALBRIDGE_HEALTH_ADDRESS: address };
}

/** Takes the image's user before anything of the bundle runs. */
async function writeEntry(directory: string, image: string): Promise<string> {
  const entry = join(directory, 'entry.mjs');
  const drop = `process.setgroups([]);process.setgid(${NONROOT});process.setuid(${NONROOT});`;
  const main = JSON.stringify(join(image, 'main.mjs'));
  const lines = [
    `if (process.getuid() === 0) {${drop}}`,
    `process.chdir(${JSON.stringify(image)});`,
    `await import(${main});`,
  ];
  await writeFile(entry, lines.join('\n'));
  return entry;
}

/** Readable for the user of the image, writable for none but us. */
async function open(directory: string): Promise<void> {
  await chmod(directory, 0o755);
}

function clusterAddress({ url }: ClusterAccess): Strings {
  const { hostname, port } = new URL(url);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
}

function serviceAccountDir(mounts: Strings): Strings {
  const mounted = mounts[SERVICE_ACCOUNT_DIR];
  return mounted === undefined ? {} : { ALBRIDGE_SERVICE_ACCOUNT_DIR: mounted };
}

/** Paths below a mount point to where the mount lies here, and addresses to what answers here. */
function translated(environment: Strings, mounts: Strings, addresses: Strings): Strings {
  const entries = Object.entries(environment).map(([name, value]) => {
    const mountPath = Object.keys(mounts).find((path) => value.startsWith(`${path}/`)) ?? '';
    return [name, readdressed(value.replace(mountPath, mounts[mountPath] ?? ''), addresses)];
  });
  return Object.fromEntries(entries) as Strings;
}

function readdressed(text: string, addresses: Strings): string {
  return Object.entries(addresses).reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

async function probe(port: number, path: string): Promise<{ status: number; body: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, body: await answer.text() };
}

/** ConfigMaps and the ServiceAccount's token as files. */
class Volumes {
  readonly #cluster: ClusterAccess;
  readonly #pod: Pod;
  readonly #directory: string;
  readonly #addresses: Strings;
  #tokenFile: string | undefined;
  #secret = '';

  constructor(
    cluster: ClusterAccess,
    pod: Pod,
    { directory, addresses }: { readonly directory: string; readonly addresses: Strings },
  ) {
    this.#cluster = cluster;
    this.#pod = pod;
    this.#directory = directory;
    this.#addresses = addresses;
  }

  /** Local directories by mount path. */
  async mount({ volumeMounts = [] }: Container): Promise<Strings> {
    const mounts: Record<string, string> = {};
    for (const { name, mountPath } of volumeMounts) {
      const volume = this.#pod.spec.volumes?.find((one) => one.name === name);
      const path = join(this.#directory, name);
      await mkdir(path);
      if (volume?.configMap !== undefined) await this.#writeConfigMap(volume.configMap.name, path);
      if (volume?.projected !== undefined) await this.#writeServiceAccount(path);
      mounts[mountPath] = path;
    }
    return mounts;
  }

  async rotateToken(): Promise<void> {
    const old = this.#secret;
    const oldToken = await readFile(this.#tokenFile ?? '', 'utf8');
    await this.#writeToken();
    await this.#kubectl(['delete', 'secret', old]);
    // The API server believes a token for ten seconds after its last look at it.
    await until('the old token is refused', () => this.#isRefused(oldToken), 40_000);
  }

  async #isRefused(token: string): Promise<boolean> {
    const kubeconfigPath = await this.#cluster.createKubeconfig({ token, name: 'old-token' });
    const { stderr } = await this.#cluster.kubectl(['get', '--raw=/version'], { kubeconfigPath });
    return stderr.includes('Unauthorized');
  }

  async #writeConfigMap(name: string, path: string): Promise<void> {
    const json = await this.#kubectl(['get', 'configmap', name, '-o', 'json']);
    const { data } = JSON.parse(json) as { readonly data: Strings };
    for (const [key, text] of Object.entries(data)) {
      await writeFile(join(path, key), readdressed(text, this.#addresses));
    }
  }

  async #writeServiceAccount(path: string): Promise<void> {
    await writeFile(join(path, 'ca.crt'), this.#cluster.caPem);
    await writeFile(join(path, 'namespace'), this.#pod.metadata.namespace);
    this.#tokenFile = join(path, 'token');
    await this.#writeToken();
  }

  /**
   * Bound to a Secret, so that its deletion ends the token before its time, which a pod's could be
   * too, but not twice:
   * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
   */
  async #writeToken(): Promise<void> {
    if (this.#tokenFile === undefined) throw new Error('the container has no token to rotate');
    const secret = `token-${randomUUID()}`;
    this.#secret = secret;
    await this.#kubectl(['create', 'secret', 'generic', secret]);
    const bound = ['--bound-object-kind=Secret', `--bound-object-name=${secret}`];
    const account = this.#pod.spec.serviceAccountName;
    const token = await this.#kubectl(['create', 'token', account, ...bound]);
    await writeFile(this.#tokenFile, token);
  }

  #kubectl(args: readonly string[]): Promise<string> {
    return kubectlOrThrow(this.#cluster, ['-n', this.#pod.metadata.namespace, ...args]);
  }
}
