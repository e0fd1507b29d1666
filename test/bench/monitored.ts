import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { until } from '../surroundings/until.ts';
import type { KindGround } from './kind-ground.ts';

/** A Deployment, the ConfigMap that it reads, and the ConfigMonitor that restarts its pods. */

export type Monitor = KubeObject & {
  readonly status?: { readonly restarts?: number; readonly configHash?: string };
};

type Deployment = KubeObject & { readonly status?: { readonly readyReplicas?: number } };

/** Returns when all pods are ready and the monitor has seen the ConfigMap. */
export async function deployMonitored(
  ground: KindGround,
  name: string,
  replicas: number,
): Promise<void> {
  await postConfigMap(ground, name);
  await ground.post('deployments', deployment(name, replicas));
  const areReady = async (): Promise<boolean> => {
    const { status } = await ground.get<Deployment>('deployments', name);
    return status?.readyReplicas === replicas;
  };
  await until(`${replicas} pods are ready`, areReady, 180_000);
  await postMonitor(ground, name);
  await isReady(ground, name, 0);
}

export async function postConfigMap(ground: KindGround, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'one' } };
  await ground.post('configmaps', body);
}

export async function postMonitor(ground: KindGround, name: string): Promise<void> {
  await ground.post('configmonitors', {
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name },
    spec: { configMap: name, podSelector: { app: name } },
  });
}

/** Returns when the monitor is Ready after this many restarts. */
export async function isReady(ground: KindGround, name: string, restarts: number): Promise<void> {
  type Conditions = { conditions?: readonly { readonly type: string; readonly status: string }[] };
  const isIt = async (): Promise<boolean> => {
    const { status } = await ground.get<Monitor & { status?: Conditions }>('configmonitors', name);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    return ready === 'True' && (status?.restarts ?? 0) === restarts;
  };
  await until(`${name} after ${restarts} restarts`, isIt, 180_000);
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'registry.example/bench:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}
