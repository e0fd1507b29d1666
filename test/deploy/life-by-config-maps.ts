import { amidEdits, isReadyNow, type Life, seen, unlessOver } from './life.ts';

/** Workloads whose pods are restarted in each way that there is, and a ConfigMap with the annotation. */
export async function liveByConfigMaps(life: Life): Promise<void> {
  await Promise.all([liveByAnnotation(life), restartInEachWay(life)]);
}

const STRATEGIES = {
  evict: ['Deployment', 'ReplicaSet'],
  delete: ['Deployment'],
  rollout: ['Deployment', 'StatefulSet', 'DaemonSet'],
} as const;
/** One of each workload, and one more of the DaemonSet, for there are two nodes. */
const PODS = 7;

/** `/api/v1/namespaces/web/configmaps/settings` */
function configMapPath({ namespace }: Life, name: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps/${name}`;
}

function monitorPath({ namespace, kind: { group, version, plural } }: Life, name: string): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}`;
}

export async function restartInEachWay(life: Life): Promise<void> {
  await apply(life, [configMap('settings', {}), ...workloads(), ...monitors(life)]);
  for (const name of Object.keys(STRATEGIES)) await seen(life, monitorPath(life, name), isReadyNow);
  const pods = `/api/v1/namespaces/${life.namespace}/pods`;
  type Pods = { readonly items: readonly { readonly status: { readonly phase: string } }[] };
  await unlessOver(life, 'every pod runs', async () => {
    const { items } = await life.place.api.ask<Pods>({ method: 'GET', path: pods });
    return items.length === PODS && items.every(({ status }) => status.phase === 'Running');
  });
  const body = { data: { text: 'edited' } };
  await life.place.api.ask({ method: 'PATCH', path: configMapPath(life, 'settings'), body });
  await Promise.all(
    Object.keys(STRATEGIES).map(async (name) => {
      const path = monitorPath(life, name);
      type Monitor = { readonly status?: { readonly restarts?: number } };
      await amidEdits(life, path, async () => {
        const { status } = await life.place.api.ask<Monitor>({ method: 'GET', path });
        return (status?.restarts ?? 0) > 0;
      });
    }),
  );
}

/** The annotation comes, says something else, and goes. */
async function liveByAnnotation(life: Life): Promise<void> {
  const annotate = (text: string | null): Promise<unknown> => {
    const body = { metadata: { annotations: { 'magalix.com/podDeleteMatch': text } } };
    return life.place.api.ask({ method: 'PATCH', path: configMapPath(life, 'annotated'), body });
  };
  const path = monitorPath(life, 'annotated-annotated');
  await apply(life, [configMap('annotated', { 'magalix.com/podDeleteMatch': 'app=nobody' })]);
  await seen(life, path, (monitor) => JSON.stringify(monitor.spec).includes('nobody'));
  await annotate('app=another');
  await seen(life, path, (monitor) => JSON.stringify(monitor.spec).includes('another'));
  await annotate(null);
  await unlessOver(life, 'the ConfigMonitor goes with the annotation', async () => {
    return (await life.place.api.send({ method: 'GET', path })).code === 404;
  });
}

async function apply({ place, namespace }: Life, items: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items };
  await place.kubectl(['-n', namespace, 'apply', '-f', '-'], JSON.stringify(list));
}

function configMap(name: string, annotations: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: {} };
}

function workloads(): readonly object[] {
  return Object.entries(STRATEGIES).flatMap(([app, kinds]) =>
    kinds.map((kind) => {
      const containers = [{ name: 'app', image: 'nginx' }];
      const template = { metadata: { labels: { app, kind } }, spec: { containers } };
      // Kubernetes 1.32 needs the name of a Service, which need not exist.
      const service = kind === 'StatefulSet' ? { serviceName: app } : {};
      const spec = { selector: { matchLabels: { app, kind } }, template, ...service };
      return { apiVersion: 'apps/v1', kind, metadata: { name: app }, spec };
    }),
  );
}

function monitors({ kind: { group, version, kind } }: Life): readonly object[] {
  return Object.keys(STRATEGIES).map((name) => {
    const strategy = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const given = { configMap: 'settings', podSelector: { app: name } };
    const spec = { ...given, strategy, debounceSeconds: 0 };
    return { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec };
  });
}
