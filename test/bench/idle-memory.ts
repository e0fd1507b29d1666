import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlace } from './bench-place.ts';
import { type Figure, repeat, type Sample } from './figure.ts';
import { postObjects } from './post-objects.ts';
import { residentMB } from './resident-memory.ts';

const COUNT = 20;
const SETTLE_MS = 10_000;

export const idleMemory: Figure = {
  what: `resident memory of the bundle, ${SETTLE_MS / 1000} s after ${COUNT} objects are Ready`,
  quantities: {
    operatorMB: { what: 'operator', unit: 'MB', bound: 95 },
    nodeMB: { what: 'floor: node that does nothing', unit: 'MB' },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const ground = await place.freshGround();
  // A first start holds more: what it compiles comes from the source, not from the cache.
  await place.forgetCompiled();
  const operator = await place.startOperator(ground);
  await postObjects(place, ground, { count: COUNT });
  await ground.ready.whenReady(COUNT);
  const bare = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
  await sleep(SETTLE_MS);
  const sample = {
    operatorMB: await residentMB(operator.pid),
    nodeMB: await residentMB(bare.pid ?? 0),
  };
  bare.kill();
  await operator.stop();
  return sample;
}
