import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { until } from '../surroundings/until.ts';
import type { KindGround } from './kind-ground.ts';

/** A Deployment, the ConfigMap or Secret that it reads, and the ConfigMonitor that restarts its pods. */

export type Source = 'ConfigMap' | 'Secret';

/** How its ConfigMonitor finds the pods: by their label, or because they use the source. */
export type Found = 'by label' | 'by use';

interface Monitored {
  readonly replicas: number;
  readonly source?: Source;
  readonly found?: Found;
}

type Monitor = KubeObject & {
  readonly status?: { readonly restarts?: number; readonly configHash?: string };
};

type Deployment = KubeObject & { readonly status?: { readonly readyReplicas?: number } };

/** Returns when all pods are ready and the monitor has seen the ConfigMap. */
export async function deployMonitored(
  ground: KindGround,
  name: string,
  { replicas, source = 'ConfigMap', found = 'by label' }: Monitored,
): Promise<void> {
  await postSource(ground, name, source);
  await ground.post('deployments', deployment(name, replicas, source));
  const areReady = async (): Promise<boolean> => {
    const { status } = await ground.get<Deployment>('deployments', name);
    return status?.readyReplicas === replicas;
  };
  await until(`${replicas} pods are ready`, areReady, 180_000);
  await postMonitor(ground, name, { source, found });
  await isReady(ground, name, 0);
}

export async function postSource(ground: KindGround, name: string, kind: Source): Promise<void> {
  await ground.post(PLURALS[kind], {
    apiVersion: 'v1',
    kind,
    metadata: { name },
    ...writeText(kind, 'one'),
  });
}

/** Other data: its ConfigMonitor restarts the pods. */
export async function editSource(
  ground: KindGround,
  { name, kind }: { readonly name: string; readonly kind: Source },
  text: string,
): Promise<void> {
  await ground.patch(PLURALS[kind], name, writeText(kind, text));
}

const PLURALS = { ConfigMap: 'configmaps', Secret: 'secrets' } as const;

function writeText(kind: Source, text: string): object {
  return kind === 'Secret' ? { stringData: { text } } : { data: { text } };
}

export async function postMonitor(
  ground: KindGround,
  name: string,
  { source, found }: Required<Omit<Monitored, 'replicas'>>,
): Promise<void> {
  await ground.post('configmonitors', {
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name },
    spec: {
      ...(source === 'Secret' ? { secret: name } : { configMap: name }),
      ...(found === 'by label' && { podSelector: { app: name } }),
      strategy: 'Evict',
    },
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

/** Reads all of the source. */
export function describeContainer(name: string, source: Source): object {
  const reference = source === 'Secret' ? { secretRef: { name } } : { configMapRef: { name } };
  return { name: 'app', image: 'registry.example/bench:1', envFrom: [reference] };
}

function deployment(name: string, replicas: number, source: Source): object {
  const labels = { app: name };
  const containers = [describeContainer(name, source)];
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
