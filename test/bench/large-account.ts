import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlace, Ground } from './bench-place.ts';
import type { Figure, Sample } from './figure.ts';
import { longestDelayMs, longestGcMs } from './loop-delay-lines.ts';
import { postObjects } from './post-objects.ts';
import { residentMB } from './resident-memory.ts';

const COUNT = 5000;
const INTERVAL_MS = 20_000;
const SETTLE_MS = 60_000;

export const largeAccount: Figure = {
  what: `drift scans of ${COUNT} balancers, and the memory once all are deleted (measured once)`,
  quantities: {
    longestMs: { what: 'event loop not served, over three scans', unit: 'ms', bound: 50 },
    gcMs: { what: 'of which the longest garbage collection', unit: 'ms' },
    startMB: { what: 'resident memory at the start', unit: 'MB' },
    fullMB: { what: 'resident memory with all balancers', unit: 'MB' },
    emptyMB: { what: 'resident memory a minute after the last was deleted', unit: 'MB' },
  },
  measure: async (place, { say }) => [await measureOnce(place, say)],
};

async function measureOnce(place: BenchPlace, say: (line: string) => void): Promise<Sample> {
  const ground = await place.freshGround();
  const hook = join(import.meta.dirname, 'loop-delay.ts');
  const operator = await place.startOperator(ground, {
    ALBRIDGE_SWEEP_INTERVAL: `${INTERVAL_MS / 1000}s`,
    NODE_OPTIONS: `--import=${hook}`,
  });
  await sleep(INTERVAL_MS);
  const startMB = await residentMB(operator.pid);
  say(`creating ${COUNT} objects`);
  await postObjects(place, ground, { count: COUNT });
  await ground.ready.whenReady(COUNT);
  say(`${COUNT} balancers are Ready, watching three scans`);
  // The first scan still compares objects that were written while it began.
  await sleep(INTERVAL_MS * 2);
  const since = operator.log.length;
  await sleep(INTERVAL_MS * 3);
  const longestMs = longestDelayMs(operator, since);
  const gcMs = longestGcMs(operator, since);
  const fullMB = await residentMB(operator.pid);
  say('deleting all of them');
  await deleteAll(place, ground);
  await sleep(SETTLE_MS);
  const emptyMB = await residentMB(operator.pid);
  await operator.stop();
  return { longestMs, gcMs, startMB, fullMB, emptyMB };
}

async function deleteAll(place: BenchPlace, { namespace }: Ground): Promise<void> {
  const { api } = await place.real();
  const path = `/apis/demo.rtfm.co.ua/v1/namespaces/${namespace}/myingresses`;
  // The API server breaks off a deletion of thousands after a minute: then it is asked once more.
  for (let isAsked = false; ; ) {
    isAsked ||= await api.ask({ method: 'DELETE', path }).then(
      () => true,
      () => false,
    );
    const { body } = await api.send({ method: 'GET', path: `${path}?limit=1` });
    const { items } = body as { readonly items: readonly unknown[] };
    if (items.length === 0) return;
    await sleep(1000);
  }
}
