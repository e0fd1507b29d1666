import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { NodePorts, type Service } from './node-ports.ts';
import { StandInControl } from './stand-in-control.ts';

export interface PodRunner {
  stop(): Promise<void>;
}

interface Pod {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly containers: readonly {
      readonly ports?: readonly {
        readonly name?: string;
        readonly containerPort: number;
        readonly protocol?: string;
      }[];
    }[];
  };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}

interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Pod;
}

interface RunningPod {
  readonly pod: Pod;
  readonly servers: readonly Server[];
  readonly rows: readonly MappedTarget[];
}

/** The whole state first, its end marked: https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
const WATCH =
  '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const INITIAL_END = 'k8s.io/initial-events-end';

/** Longer than a balancer keeps an idle connection, as docs/zero-downtime.md asks of applications. */
const KEEP_ALIVE_MS = 75_000;

/** An annotation of a pod: the status code that it answers with instead of 200, or `nothing`. */
export const ANSWERS = 'test.albridge.io/answers';

/**
 * Answers for the pods of a control plane whose nodes run no containers: a socket for each container
 * port, which answers with the name of its pod, and a row for it in the table of the stand-in at `endpoint`. It goes
 * on until stopped, also while the API server or the stand-in is away. With the ids of the nodes' instances node
 * ports lead to the pods too.
 */
export function startPodRunner(
  cluster: ControlPlaneCoordinates,
  endpoint: string,
  instances: readonly string[] = [],
): PodRunner {
  const stopping = new AbortController();
  const pods = new Map<string, RunningPod>();
  const standIn = new StandInControl(endpoint);
  const nodePorts = new NodePorts(instances, (service, port) => findAddresses(pods, service, port));
  const watching = { cluster, standIn, pods, nodePorts, signal: stopping.signal };
  const running = Promise.all([
    keepWatching(watching),
    instances.length > 0 ? keepServices(watching) : undefined,
  ]);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      nodePorts.close();
      for (const uid of pods.keys()) stopPod(pods, uid);
    },
  };
}

interface Watching {
  readonly cluster: ControlPlaneCoordinates;
  readonly standIn: StandInControl;
  /** By UID. */
  readonly pods: Map<string, RunningPod>;
  readonly nodePorts: NodePorts;
  readonly signal: AbortSignal;
}

async function keepWatching(watching: Watching): Promise<void> {
  while (!watching.signal.aborted) {
    // Whatever broke, the next watch begins with the whole state.
    await watchOnce(watching).catch(() => sleep(500));
  }
}

/** Services are few and change rarely: they are listed once a second. */
async function keepServices(watching: Watching): Promise<void> {
  const { cluster, nodePorts, signal } = watching;
  while (!signal.aborted) {
    const hasChanged = await listServices(cluster, signal)
      .then((services) => nodePorts.follow(services))
      .catch(() => false);
    if (hasChanged) await setTargets(watching).catch(() => undefined);
    await sleep(1000, undefined, { signal }).catch(() => undefined);
  }
}

async function listServices(
  cluster: ControlPlaneCoordinates,
  signal: AbortSignal,
): Promise<readonly Service[]> {
  const chunks = await openPath(cluster, '/api/v1/services', signal).then((answer) =>
    answer.toArray(),
  );
  const { items = [] } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly items?: readonly Service[];
  };
  return items;
}

function setTargets({ standIn, pods, nodePorts }: Watching): Promise<void> {
  return standIn.setTargets([
    ...Array.from(pods.values(), ({ rows }) => rows).flat(),
    ...nodePorts.rows(),
  ]);
}

/** Of pods that the Service selects. */
function findAddresses(
  pods: ReadonlyMap<string, RunningPod>,
  { metadata: { namespace }, spec: { selector = {} } }: Service,
  targetPort: number | string,
): readonly string[] {
  return [...pods.values()].flatMap(({ pod, rows }) => {
    const { labels = {}, namespace: own } = pod.metadata;
    const isSelected = Object.entries(selector).every(([key, value]) => labels[key] === value);
    if (own !== namespace || !isSelected) return [];
    const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
    const named = ports.find(({ name }) => name === targetPort)?.containerPort ?? targetPort;
    return rows.filter(({ port }) => port === named).map(({ address }) => address);
  });
}

async function watchOnce(watching: Watching): Promise<void> {
  const { cluster, pods, signal } = watching;
  const seen = new Set<string>();
  for await (const line of createInterface({ input: await openPath(cluster, WATCH, signal) })) {
    const event = JSON.parse(line) as PodEvent;
    if (event.type === 'ERROR') return;
    const before = pods.size;
    if (event.type === 'BOOKMARK') stopUnseen(pods, seen, event.object);
    else await follow(pods, event);
    seen.add(event.object.metadata.uid);
    if (pods.size === before) continue;
    await setTargets(watching);
  }
}

/** Pods deleted between two watches are absent from the initial state. */
function stopUnseen(pods: Map<string, RunningPod>, seen: ReadonlySet<string>, end: Pod): void {
  if (end.metadata.annotations?.[INITIAL_END] === undefined) return;
  for (const uid of pods.keys()) if (!seen.has(uid)) stopPod(pods, uid);
}

async function follow(pods: Map<string, RunningPod>, { type, object }: PodEvent): Promise<void> {
  if (type !== 'DELETED' && isRunning(object)) await runPod(pods, object);
  else stopPod(pods, object.metadata.uid);
}

function openPath(
  { url, caPem, adminToken }: ControlPlaneCoordinates,
  path: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${adminToken}` };
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { ca: caPem, headers, signal }, resolve).on('error', reject).end();
  });
}

function isRunning({ status }: Pod): boolean {
  return status?.podIP !== undefined && status.phase === 'Running';
}

async function runPod(pods: Map<string, RunningPod>, pod: Pod): Promise<void> {
  if (pods.has(pod.metadata.uid)) return;
  const ports = (pod.spec?.containers ?? [])
    .flatMap(({ ports: ofContainer = [] }) => ofContainer)
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  const servers: Server[] = [];
  const rows: MappedTarget[] = [];
  for (const { containerPort } of ports) {
    const server = createServer((message, response) => answer(pod, message, response));
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    servers.push(server);
    rows.push({ ip: pod.status?.podIP ?? '', port: containerPort, address });
  }
  pods.set(pod.metadata.uid, { pod, servers, rows });
}

function answer(pod: Pod, message: IncomingMessage, response: ServerResponse): void {
  const answers = pod.metadata.annotations?.[ANSWERS] ?? '200';
  if (answers === 'nothing') return;
  const status = Number(answers);
  if (status >= 300 && status < 400) response.setHeader('location', '/elsewhere');
  response.writeHead(status).end(echo(pod, message));
}

function echo({ metadata: { name, namespace } }: Pod, { url }: IncomingMessage): string {
  return `pod=${name} namespace=${namespace} path=${url}\n`;
}

function stopPod(pods: Map<string, RunningPod>, uid: string): void {
  for (const server of pods.get(uid)?.servers ?? []) {
    server.close();
    server.closeAllConnections();
  }
  pods.delete(uid);
}
