import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { KubeApi } from './kube-api.ts';
import { NodePorts, type Service } from './node-ports.ts';
import { hasProcesses, type Pod } from './pods/pod.ts';
import { ProcessPod, removePod } from './pods/process-pod.ts';
import { SocketPod } from './pods/socket-pod.ts';
import { Repeater } from './repeater.ts';
import { StandInControl } from './stand-in-control.ts';

export interface PodRunner {
  stop(): Promise<void>;
}

interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Pod;
}

/** The whole state first, its end marked: https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
const WATCH =
  '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const INITIAL_END = 'k8s.io/initial-events-end';

/**
 * Answers for the pods of a control plane whose nodes run no containers: a socket for each container port, which answers
 * with the name of its pod, or for an annotated pod a process for each container; and a row for each port in the table
 * of the stand-in at `endpoint`. It goes on until stopped, also while the API server or the stand-in is away. With the
 * ids of the nodes' instances node ports lead to the pods too.
 */
export function startPodRunner(
  cluster: ControlPlaneCoordinates,
  endpoint: string,
  instances: readonly string[] = [],
): PodRunner {
  const stopping = new AbortController();
  const pods: Pods = new Map();
  const nodePorts = new NodePorts(instances, (service, port) => findAddresses(pods, service, port));
  const standIn = new StandInControl(endpoint);
  const { signal } = stopping;
  const targets = new Repeater(() => standIn.setTargets(listRows(pods, nodePorts)), signal);
  const api = new KubeApi(cluster);
  const watching = { cluster, api, pods, nodePorts, targets, signal };
  const running = Promise.all([
    keepWatching(watching),
    instances.length > 0 ? keepServices(watching) : undefined,
  ]);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      nodePorts.close();
      await Promise.all(Array.from(pods.values(), (pod) => pod.kill()));
      api.close();
    },
  };
}

/** By UID. */
type Pods = Map<string, SocketPod | ProcessPod>;

interface Watching {
  readonly cluster: ControlPlaneCoordinates;
  readonly api: KubeApi;
  readonly pods: Pods;
  readonly nodePorts: NodePorts;
  /** Sends the table of targets. */
  readonly targets: Repeater;
  readonly signal: AbortSignal;
}

async function keepWatching(watching: Watching): Promise<void> {
  while (!watching.signal.aborted) {
    // Whatever broke, the next watch begins with the whole state.
    await watchOnce(watching).catch(() => sleep(500));
  }
}

/** Services are few and change rarely: they are listed once a second. */
async function keepServices({ cluster, nodePorts, targets, signal }: Watching): Promise<void> {
  while (!signal.aborted) {
    const hasChanged = await listServices(cluster, signal)
      .then((services) => nodePorts.follow(services))
      .catch(() => false);
    if (hasChanged) targets.request();
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

function listRows(pods: Pods, nodePorts: NodePorts): readonly MappedTarget[] {
  return [...Array.from(pods.values(), ({ rows }) => rows).flat(), ...nodePorts.rows()];
}

/** Of pods that the Service selects. */
function findAddresses(
  pods: Pods,
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
  const { cluster, pods, targets, signal } = watching;
  const seen = new Set<string>();
  for await (const line of createInterface({ input: await openPath(cluster, WATCH, signal) })) {
    const event = JSON.parse(line) as PodEvent;
    if (event.type === 'ERROR') return;
    const before = pods.size;
    if (event.type === 'BOOKMARK') stopUnseen(pods, seen, event.object);
    else await follow(watching, event);
    seen.add(event.object.metadata.uid);
    if (pods.size !== before) targets.request();
  }
}

/** Pods deleted between two watches are absent from the initial state. */
function stopUnseen(pods: Pods, seen: ReadonlySet<string>, end: Pod): void {
  if (end.metadata.annotations?.[INITIAL_END] === undefined) return;
  for (const uid of pods.keys()) if (!seen.has(uid)) stopPod(pods, uid);
}

async function follow(watching: Watching, { type, object }: PodEvent): Promise<void> {
  const { pods } = watching;
  const { uid } = object.metadata;
  if (type === 'DELETED') stopPod(pods, uid);
  else if (hasProcesses(object)) followProcesses(watching, object);
  else if (!isRunning(object)) stopPod(pods, uid);
  else if (!pods.has(uid)) pods.set(uid, await SocketPod.start(object));
}

/** Its processes start once kwok has given it an address. */
function followProcesses({ cluster, api, pods, targets, signal }: Watching, pod: Pod): void {
  const { uid, deletionTimestamp } = pod.metadata;
  const known = pods.get(uid);
  if (known instanceof ProcessPod) return known.follow(pod);
  if (deletionTimestamp !== undefined) return void removePod(pod, api, signal);
  if (pod.status?.podIP === undefined) return;
  // It may have been annotated late.
  stopPod(pods, uid);
  const directory = join(cluster.directory, 'pods');
  const onChange = (): void => targets.request();
  pods.set(uid, new ProcessPod(pod, { api, directory, onChange, signal }));
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

function stopPod(pods: Pods, uid: string): void {
  void pods.get(uid)?.kill();
  pods.delete(uid);
}
