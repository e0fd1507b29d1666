import { findFreePort } from '../control-plane/free-port.ts';
import { type SlowProxy, startSlowProxy } from '../fakes/slow-proxy.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { writeProxyKubeconfig } from '../surroundings/proxy-kubeconfig.ts';
import { until } from '../surroundings/until.ts';
import type { BenchPlace, Ground } from './bench-place.ts';
import { type Figure, type MeasureOptions, repeat, type Sample } from './figure.ts';
import { postObjects } from './post-objects.ts';

const AT_REST = 2000;
const CREATED = 1000;
const LATE = 20;
const EVENTS_OF_EACH = 2;
const WAIT_MS = 300_000;
/** A leader gives its Lease away before it ends. */
const ELECTED = { ALBRIDGE_LEADER_ELECTION: 'on', POD_NAMESPACE: 'albridge-system' };

export const stop: Figure = {
  what: `stop with ${AT_REST + CREATED} objects, after ${CREATED} were created at once`,
  quantities: {
    dropped: { what: 'events dropped while all were created (once)', unit: 'events', bound: 0 },
    restMs: { what: 'SIGTERM -> exit, at rest', unit: 'ms', bound: 300 },
    eventsMs: { what: 'SIGTERM -> exit, while events wait for an answer', unit: 'ms', bound: 300 },
  },
  measure: measureStops,
};

async function measureStops(
  place: BenchPlace,
  options: MeasureOptions,
): Promise<readonly Sample[]> {
  const ground = await place.freshGround();
  const { cluster } = await place.real();
  const dropped = await createAll(place, ground, options.say);
  const proxy = await startSlowProxy(cluster);
  try {
    return await repeat(options, async (run) => ({
      dropped,
      restMs: await timeStop(await startAtRest(place, ground)),
      eventsMs: await timeStop(await startWithEvents(place, { ground, proxy, run })),
    }));
  } finally {
    await proxy.stop();
  }
}

/** Returns how many of the events were dropped. */
async function createAll(
  place: BenchPlace,
  ground: Ground,
  say: (line: string) => void,
): Promise<number> {
  const { operator, port } = await startMeasured(place, ground);
  await postObjects(place, ground, { count: AT_REST, head: 'rest' });
  await ground.ready.whenReady(AT_REST, WAIT_MS);
  say(`${AT_REST} objects are Ready, creating ${CREATED}`);
  await postObjects(place, ground, { count: CREATED });
  const count = AT_REST + CREATED;
  await ground.ready.whenReady(count, WAIT_MS);
  const readDropped = (): Promise<number> => sumSeries(port, 'albridge_events_dropped_total');
  const areWritten = async (): Promise<boolean> =>
    (await countEvents(place, ground)) + (await readDropped()) >= EVENTS_OF_EACH * count;
  await until('every event is written or dropped', areWritten, WAIT_MS);
  const dropped = await readDropped();
  await operator.stop();
  return dropped;
}

/** All objects are confirmed, and no pass runs. */
async function startAtRest(place: BenchPlace, ground: Ground): Promise<OperatorProcess> {
  const { operator, port } = await startMeasured(place, ground);
  const isAtRest = async (): Promise<boolean> => {
    const waiting = await sumSeries(port, 'workqueue_depth');
    return waiting + (await sumSeries(port, 'controller_runtime_active_workers')) === 0;
  };
  await until('no pass runs', isAtRest, WAIT_MS);
  return operator;
}

async function startMeasured(
  place: BenchPlace,
  ground: Ground,
): Promise<{ readonly operator: OperatorProcess; readonly port: number }> {
  const port = await findFreePort();
  const ALBRIDGE_METRICS_ADDRESS = `127.0.0.1:${port}`;
  return {
    operator: await place.startOperator(ground, { ...ELECTED, ALBRIDGE_METRICS_ADDRESS }),
    port,
  };
}

interface Late {
  readonly ground: Ground;
  readonly proxy: SlowProxy;
  readonly run: number;
}

/** The API server answers none of its events, and it has nothing else to do. */
async function startWithEvents(
  place: BenchPlace,
  { ground, proxy, run }: Late,
): Promise<OperatorProcess> {
  const { surroundings } = await place.real();
  const KUBECONFIG = await writeProxyKubeconfig(surroundings, proxy);
  const operator = await place.startOperator(ground, { ...ELECTED, KUBECONFIG });
  proxy.holdBack(({ method, path }) => method === 'POST' && path.endsWith('/events'));
  await postObjects(place, ground, { count: LATE, head: `late-${run}` });
  await ground.ready.whenReady(AT_REST + CREATED + run * LATE);
  await until('an event waits', async () => proxy.countHeld() > 0);
  return operator;
}

async function timeStop(operator: OperatorProcess): Promise<number> {
  const startedMs = performance.now();
  operator.signal('SIGTERM');
  await operator.exited;
  return performance.now() - startedMs;
}

interface EventPage {
  readonly items: readonly unknown[];
  readonly metadata: { readonly remainingItemCount?: number };
}

async function countEvents(place: BenchPlace, { namespace }: Ground): Promise<number> {
  const { api } = await place.real();
  const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events?limit=1`;
  const { items, metadata } = await api.ask<EventPage>({ method: 'GET', path });
  return items.length + (metadata.remainingItemCount ?? 0);
}

async function sumSeries(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
