import type { KubeObject } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { startDeadline } from '../../core/ports/clock.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { KubeError } from '../../kube/client/kube-error.ts';
import { getHolder, type Lease } from '../../kube/lease/lease.ts';
import { CommandError } from '../errors.ts';

/** The pod of an operator that leads, as its Lease names it. */
export interface Leader {
  readonly namespace: string;
  readonly pod: string;
}

export interface LeaderReads {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Operators of one cluster that are shown. */
const MOST_LEADERS = 3;
/** `<pod>_<uuid>` (src/main.ts). */
const HOLDER = /^([a-z0-9][a-z0-9.-]{0,252})_/;

/**
 * The oldest Leases first: one that a tenant makes under the same name comes after the operator's, and its namespace
 * is shown. Throws CommandError with one sentence where there is none, KubeError where they may not be listed.
 */
export async function findLeaders({ client, signal }: LeaderReads): Promise<readonly Leader[]> {
  const path = '/apis/coordination.k8s.io/v1/leases';
  const query = { fieldSelector: 'metadata.name=albridge' };
  const { items } = await client.request<{ readonly items: readonly Lease[] }>({
    ...{ method: 'GET', path, query, signal },
  });
  const leaders = items.toSorted(compareAges).flatMap((lease) => {
    const [, pod] = HOLDER.exec(getHolder(lease)) ?? [];
    return pod === undefined ? [] : [{ namespace: lease.metadata.namespace ?? '', pod }];
  });
  if (leaders.length > 0) return leaders.slice(0, MOST_LEADERS);
  throw new CommandError('no pod holds a Lease albridge: run albridge doctor');
}

function compareAges({ metadata: a }: Lease, { metadata: b }: Lease): number {
  return Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '');
}

interface Pod extends KubeObject {
  readonly spec: { readonly containers: readonly { readonly ports?: readonly Port[] }[] };
}

interface Port {
  readonly name?: string;
  readonly containerPort: number;
}

/** Of one scrape, in milliseconds: a NetworkPolicy lets a connection hang. */
const DEADLINE_MS = 8000;

/**
 * The text of a leader's /metrics, through the API server: no port of the operator is opened to anyone.
 * https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls
 * Throws CommandError with one sentence where the pod does not answer, KubeError where the caller may not ask it.
 */
export async function readMetricsText(leader: Leader, reads: LeaderReads): Promise<string> {
  const limit = startDeadline(reads.clock, DEADLINE_MS, reads.signal);
  const { signal } = limit;
  try {
    const path = `/api/v1/namespaces/${leader.namespace}/pods/${leader.pod}`;
    const { spec } = await reads.client.request<Pod>({ method: 'GET', path, signal });
    const port = findPort(spec);
    return await scrape(`${path}:${port}/proxy/metrics`, { ...reads, signal });
  } catch (error) {
    throw explain(error, limit.signal.aborted && !reads.signal.aborted);
  } finally {
    limit.release();
  }
}

/** Of the manifests: the port `metrics`. */
function findPort({ containers }: Pod['spec']): number {
  const ports = containers.flatMap(({ ports: own = [] }) => own);
  return ports.find(({ name }) => name === 'metrics')?.containerPort ?? 8080;
}

async function scrape(path: string, { client, signal }: LeaderReads): Promise<string> {
  const headers = { accept: 'text/plain' };
  const { body } = await client.stream({ method: 'GET', path, headers, signal });
  const pieces: Uint8Array[] = [];
  // Of at most 10 MiB: the transport reads no more.
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const HINT =
  'are metrics off (ALBRIDGE_METRICS_ADDRESS), on another port or behind TLS, or does a NetworkPolicy keep the API server from it (docs/ui.md)?';

/** The API server's answer for a pod that does not: 502, 503 or 504, or the pod's own. */
function explain(error: unknown, isLate: boolean): unknown {
  if (isLate) return new CommandError(`its port for metrics does not answer: ${HINT}`, error);
  if (!(error instanceof KubeError) || error.status === 401 || error.status === 403) return error;
  if (error.status === 404)
    return new CommandError('it is not a pod of this cluster, or serves no /metrics', error);
  return new CommandError(`its port for metrics answers ${error.status}: ${HINT}`, error);
}
