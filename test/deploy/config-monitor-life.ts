import type { CoreStatus } from '../../src/core/status.ts';
import { until } from '../surroundings/until.ts';
import type { DeployPlace } from './place.ts';

interface Life {
  readonly place: DeployPlace;
  readonly namespace: string;
  readonly over: AbortSignal;
}

interface Monitor {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly podSelector: Readonly<Record<string, string>> };
  readonly status?: CoreStatus & { readonly restarts?: number };
}

const ANNOTATION = 'magalix.com/podDeleteMatch';
const STRATEGIES = ['Evict', 'Delete', 'Rollout'] as const;

/** Every strategy restarts pods of every owner, and an annotation comes, changes and goes. */
export async function liveAsConfigMonitor(life: Life): Promise<void> {
  await apply(life, [configMap('one'), ...STRATEGIES.flatMap(objectsFor)]);
  for (const strategy of STRATEGIES) await whenReady(life, strategy.toLowerCase(), 0);
  await whenAllRun(life);
  await apply(life, [configMap('two')]);
  for (const strategy of STRATEGIES) await whenReady(life, strategy.toLowerCase(), 1);
  for (const value of ['app=first', 'app=second']) await annotate(life, value);
  await annotate(life, null);
}

function configMap(text: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { text } };
}

function objectsFor(strategy: (typeof STRATEGIES)[number]): readonly object[] {
  const name = strategy.toLowerCase();
  const kinds =
    strategy === 'Rollout' ? ['Deployment', 'StatefulSet', 'DaemonSet'] : ['ReplicaSet'];
  const spec = { configMap: 'settings', podSelector: { app: name }, strategy };
  return [
    { apiVersion: 'magalix.com/v1', kind: 'ConfigMonitor', metadata: { name }, spec },
    ...kinds.map((kind) => workload(kind, name)),
  ];
}

function workload(kind: string, app: string): object {
  const labels = { app, kind };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'nginx' }] },
  };
  const replicas = kind === 'DaemonSet' ? {} : { replicas: 2 };
  const spec = { selector: { matchLabels: labels }, template, ...replicas };
  return { apiVersion: 'apps/v1', kind, metadata: { name: app }, spec };
}

async function apply({ place, namespace }: Life, items: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await place.kubectl(['-n', namespace, 'apply', '-f', '-'], list);
}

async function monitor({ place, namespace }: Life, name: string): Promise<Monitor | undefined> {
  const path = `/apis/magalix.com/v1/namespaces/${namespace}/configmonitors/${name}`;
  const { code, body } = await place.api.send({ method: 'GET', path });
  return code === 200 ? (body as Monitor) : undefined;
}

function whenReady(life: Life, name: string, restarts: number): Promise<void> {
  return unlessOver(life, `${name} has restarted its pods`, async () => {
    const { status } = (await monitor(life, name)) ?? {};
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return ready?.status === 'True' && status?.restarts === restarts;
  });
}

function whenAllRun(life: Life): Promise<void> {
  const { place, namespace } = life;
  type Pods = { readonly items: readonly { readonly status: { readonly phase: string } }[] };
  return unlessOver(life, 'all pods run', async () => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { items } = await place.api.ask<Pods>({ method: 'GET', path });
    return items.length >= 10 && items.every(({ status }) => status.phase === 'Running');
  });
}

async function annotate(life: Life, value: string | null): Promise<void> {
  const { place, namespace } = life;
  const path = `/api/v1/namespaces/${namespace}/configmaps/settings`;
  const body = { metadata: { annotations: { [ANNOTATION]: value } } };
  await place.api.ask({ method: 'PATCH', path, body });
  await unlessOver(life, `the ConfigMonitor for ${value}`, async () => {
    const made = await monitor(life, 'settings-annotated');
    return value === null ? made === undefined : `app=${made?.spec.podSelector['app']}` === value;
  });
}

/** Throws where the life is over before. */
async function unlessOver(
  { over }: Life,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  await until(what, async () => over.aborted || isSo(), 60_000);
  over.throwIfAborted();
}
