import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isolatedEnvironment } from './environment.ts';
import { type CommandResult, runCommand } from './run-command.ts';

/** Plain data that is enough to reach a control plane, also from another process. */
export interface ControlPlaneCoordinates {
  /** https://127.0.0.1:PORT */
  readonly url: string;
  readonly caPem: string;
  /** Bearer token of a member of system:masters. */
  readonly adminToken: string;
  /** Kubeconfig of the administrator. */
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** Holds kubeconfigs, keys, logs and data. */
  readonly directory: string;
}

interface KubectlOptions {
  /** Written to stdin, for `-f -`. */
  readonly input?: string;
  /** Another identity than the administrator's. */
  readonly kubeconfigPath?: string;
}

/** A control plane as its user sees it. */
export interface ClusterAccess extends ControlPlaneCoordinates {
  /** Runs kubectl with nothing of the caller's environment but PATH and locale. */
  readonly kubectl: (args: readonly string[], options?: KubectlOptions) => Promise<CommandResult>;
  /** Writes a kubeconfig for a bearer token and returns its path. */
  readonly createKubeconfig: (user: {
    readonly token: string;
    readonly name: string;
  }) => Promise<string>;
  /**
   * Writes a kubeconfig that acts as an existing ServiceAccount, by a token from the TokenRequest
   * API (default audience, 12 hours), and returns its path.
   */
  readonly serviceAccountKubeconfig: (namespace: string, name: string) => Promise<string>;
}

/** Gives a control plane that runs already, perhaps in another process, its functions. */
export function accessCluster(coordinates: ControlPlaneCoordinates): ClusterAccess {
  const kubectl = (
    args: readonly string[],
    { input, kubeconfigPath }: KubectlOptions = {},
  ): Promise<CommandResult> =>
    runCommand(
      coordinates.kubectlPath,
      ['--kubeconfig', kubeconfigPath ?? coordinates.kubeconfigPath, ...args],
      {
        env: isolatedEnvironment(process.env, coordinates.directory),
        cwd: process.cwd(),
        ...(input === undefined ? {} : { input }),
      },
    );
  const createKubeconfig: ClusterAccess['createKubeconfig'] = ({ token, name }) =>
    writeKubeconfig(join(coordinates.directory, `${name}.kubeconfig`), {
      ...coordinates,
      token,
      name,
    });
  return {
    ...coordinates,
    kubectl,
    createKubeconfig,
    serviceAccountKubeconfig: async (namespace, name) => {
      const result = await kubectl(['create', 'token', name, '-n', namespace, '--duration=12h']);
      if (result.code !== 0) {
        throw new Error(`create token of ${namespace}/${name}: ${result.stderr.trim()}`);
      }
      return await createKubeconfig({ token: result.stdout.trim(), name: `${namespace}.${name}` });
    },
  };
}

/** Writes a kubeconfig readable by its owner only, and returns its path. */
export async function writeKubeconfig(
  path: string,
  user: {
    readonly url: string;
    readonly caPem: string;
    readonly token: string;
    readonly name: string;
  },
): Promise<string> {
  const cluster = {
    server: user.url,
    'certificate-authority-data': Buffer.from(user.caPem).toString('base64'),
  };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': user.name,
    clusters: [{ name: 'albridge', cluster }],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name: user.name, context: { cluster: 'albridge', user: user.name } }],
  };
  await writeFile(path, stringify(kubeconfig), { mode: 0o600 });
  return path;
}
