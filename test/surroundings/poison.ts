import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An environment that leads to somebody's cluster and account, and tells who went there. */
export interface Poison {
  readonly environment: Readonly<Record<string, string>>;
  /** Connections that were made. */
  visits(): number;
  remove(): Promise<void>;
}

/** Variables and files in the home directory point alike at a server that only counts. */
export async function preparePoison(): Promise<Poison> {
  let visits = 0;
  const trap = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  trap.listen(0, '127.0.0.1');
  await once(trap, 'listening');
  const { port } = trap.address() as { readonly port: number };
  const home = await mkdtemp(join(tmpdir(), 'albridge-poison-'));
  const kubeconfig = await writeHome(home, port);
  return {
    environment: environmentOf(home, kubeconfig, port),
    visits: () => visits,
    remove: async () => {
      trap.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function environmentOf(home: string, kubeconfig: string, port: number): Record<string, string> {
  return {
    HOME: home,
    KUBECONFIG: kubeconfig,
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: `${port}`,
    AWS_PROFILE: 'production',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'somebody',
    AWS_SESSION_TOKEN: 'somebody',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: `http://127.0.0.1:${port}`,
    AWS_ENDPOINT_URL_EC2: `http://127.0.0.1:${port}`,
    AWS_ENDPOINT_URL_ACM: `http://127.0.0.1:${port}`,
    AWS_USE_FIPS_ENDPOINT: 'true',
    ALBRIDGE_CLUSTER_ID: 'production',
    ALBRIDGE_AWS_BUDGET: '/nowhere/budget.json',
    POD_NAMESPACE: 'production',
  };
}

async function writeHome(home: string, port: number): Promise<string> {
  await mkdir(join(home, '.kube'));
  await mkdir(join(home, '.aws'));
  const kubeconfig = join(home, '.kube', 'config');
  const cluster = { name: 'production', cluster: { server: `https://127.0.0.1:${port}` } };
  const user = { name: 'production', user: { token: 'somebody' } };
  const context = { name: 'production', context: { cluster: 'production', user: 'production' } };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'production',
    clusters: [cluster],
    users: [user],
    contexts: [context],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const lines = ['region = eu-central-1', `endpoint_url = http://127.0.0.1:${port}`];
  await writeFile(join(home, '.aws', 'config'), `[profile production]\n${lines.join('\n')}\n`);
  return kubeconfig;
}
