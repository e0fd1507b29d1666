import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
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
  };
  readonly spec?: {
    readonly containers: readonly {
      readonly ports?: readonly { readonly containerPort: number; readonly protocol?: string }[];
    }[];
  };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}

interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Pod;
}

interface RunningPod {
  readonly servers: readonly Server[];
  readonly rows: readonly MappedTarget[];
}

/** The whole state first, its end marked: https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
const WATCH =
  '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const INITIAL_END = 'k8s.io/initial-events-end';

/** An annotation of a pod: the status code that it answers with instead of 200, or `nothing`. */
export const ANSWERS = 'test.albridge.io/answers';

/**
 * Answers for the pods of a control plane whose nodes run no containers: a socket for each container
 * port, which answers with the name of its pod, and a row for it in the table of the stand-in at `endpoint`. It goes
 * on until stopped, also while the API server or the stand-in is away.
 */
export function startPodRunner(cluster: ControlPlaneCoordinates, endpoint: string): PodRunner {
  const stopping = new AbortController();
  const pods = new Map<string, RunningPod>();
  const standIn = new StandInControl(endpoint);
  const running = keepWatching({ cluster, standIn, pods, signal: stopping.signal });
  return {
    stop: async () => {
      stopping.abort();
      await running;
      for (const uid of pods.keys()) stopPod(pods, uid);
    },
  };
}

interface Watching {
  readonly cluster: ControlPlaneCoordinates;
  readonly standIn: StandInControl;
  /** By UID. */
  readonly pods: Map<string, RunningPod>;
  readonly signal: AbortSignal;
}

async function keepWatching(watching: Watching): Promise<void> {
  while (!watching.signal.aborted) {
    // Whatever broke, the next watch begins with the whole state.
    await watchOnce(watching).catch(() => sleep(500));
  }
}

async function watchOnce({ cluster, standIn, pods, signal }: Watching): Promise<void> {
  const seen = new Set<string>();
  for await (const line of createInterface({ input: await openWatch(cluster, signal) })) {
    const event = JSON.parse(line) as PodEvent;
    if (event.type === 'ERROR') return;
    const before = pods.size;
    if (event.type === 'BOOKMARK') stopUnseen(pods, seen, event.object);
    else await follow(pods, event);
    seen.add(event.object.metadata.uid);
    if (pods.size === before) continue;
    await standIn.setTargets(Array.from(pods.values(), ({ rows }) => rows).flat());
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

function openWatch(
  { url, caPem, adminToken }: ControlPlaneCoordinates,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${adminToken}` };
  return new Promise((resolve, reject) => {
    request(new URL(WATCH, url), { ca: caPem, headers, signal }, resolve).on('error', reject).end();
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
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    servers.push(server);
    rows.push({ ip: pod.status?.podIP ?? '', port: containerPort, address });
  }
  pods.set(pod.metadata.uid, { servers, rows });
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
