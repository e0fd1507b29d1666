import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { BenchPlace } from './bench-place.ts';
import type { Figure, Sample } from './figure.ts';
import { KindGround } from './kind-ground.ts';
import { longestDelayMs } from './loop-delay-lines.ts';
import {
  deployMonitored,
  describeContainer,
  editSource,
  type Found,
  isReady,
  postMonitor,
  postSource,
} from './monitored.ts';
import { residentMB } from './resident-memory.ts';

const MONITORS = 1000;
const PODS_EACH = 10;
const AT_ONCE = 16;
const SETTLE_MS = 10_000;

export const manyMonitors: Figure = {
  what: `${MONITORS} ConfigMonitors with ${PODS_EACH} pods each, one ConfigMap edited (measured once)`,
  quantities: {
    touched: { what: 'pods that were touched', unit: 'pods', bound: PODS_EACH },
    longestMs: { what: 'event loop not served, from the edit on', unit: 'ms', bound: 100 },
    fillingMs: { what: 'the same while all of it was created', unit: 'ms' },
    grownMB: { what: 'resident memory, grown by', unit: 'MB' },
  },
  measure: async (place, { say }) => [await measureOnce(place, say, 'by label')],
};

export const manyUsers: Figure = {
  what: `${MONITORS} ConfigMonitors without a selector, each with ${PODS_EACH} pods that use its ConfigMap, one edited (measured once)`,
  quantities: {
    ...manyMonitors.quantities,
    longestMs: { what: 'event loop not served, from the edit on', unit: 'ms', bound: 50 },
    grownMB: { what: 'resident memory, grown by', unit: 'MB', bound: 25 },
  },
  measure: async (place, { say }) => [await measureOnce(place, say, 'by use')],
};

async function measureOnce(
  place: BenchPlace,
  say: (line: string) => void,
  found: Found,
): Promise<Sample> {
  const parts = await place.withNodes();
  const ground = await KindGround.create(parts);
  await ground.untilPodsAreTaken();
  const hook = join(import.meta.dirname, 'loop-delay.ts');
  const NODE_OPTIONS = `--import=${hook}`;
  const operator = await place.startOperatorIn(parts, ground.namespace, { NODE_OPTIONS });
  await sleep(SETTLE_MS);
  const emptyMB = await residentMB(operator.pid);

  await deployMonitored(ground, 'edited', { replicas: PODS_EACH, found });
  const others = Array.from({ length: MONITORS - 1 }, (_, index) => `other-${index}`);
  say(`creating ${MONITORS} ConfigMonitors and ${MONITORS * PODS_EACH} pods`);
  await forEach(others, (name) => createOther(ground, name, found));
  await isReady(ground, others.at(-1) as string, 0);
  await sleep(SETTLE_MS);
  const fillingMs = longestDelayMs(operator, 0);
  const grownMB = (await residentMB(operator.pid)) - emptyMB;

  const touched = new Set<string>();
  const known = new Set<string>();
  const watch = await ground.watch<KubeObject>('pods', ({ type, object }) => {
    const { uid = '', deletionTimestamp } = object.metadata;
    const isLeaving = type === 'DELETED' || deletionTimestamp !== undefined;
    if (isLeaving && known.has(uid)) touched.add(uid);
    else if (!isLeaving) known.add(uid);
  });
  await sleep(SETTLE_MS);
  const since = operator.log.length;
  await editSource(ground, { name: 'edited', kind: 'ConfigMap' }, 'two');
  await isReady(ground, 'edited', 1);
  await sleep(SETTLE_MS);
  const longestMs = longestDelayMs(operator, since);
  watch.close();
  await operator.stop();
  return { touched: touched.size, longestMs, fillingMs, grownMB };
}

/** Pods without a node and without a controller: nobody but a monitor would touch them. */
async function createOther(ground: KindGround, name: string, found: Found): Promise<void> {
  const source = 'ConfigMap';
  await postSource(ground, name, source);
  for (let index = 0; index < PODS_EACH; index++) {
    const containers = [describeContainer(name, source)];
    await ground.post('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-${index}`, labels: { app: name } },
      spec: { schedulerName: 'nobody', containers },
    });
  }
  await postMonitor(ground, name, { source, found });
}

async function forEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const worker = async (): Promise<void> => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
