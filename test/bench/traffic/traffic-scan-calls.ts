import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlace } from '../bench-place.ts';
import type { Figure, Sample } from '../figure.ts';
import { findSweeps, SWEEP_INTERVAL_MS } from '../sweep-calls.ts';
import { TrafficGround } from './traffic-ground.ts';

const COUNT = 400;

export const trafficScanCalls: Figure = {
  what: `AWS calls of a drift scan over ${COUNT} objects with traffic, nothing to do`,
  quantities: {
    oneGroup: { what: 'for each object, one target group', unit: 'calls', bound: 0.12 },
    threeGroups: { what: 'for each object, three target groups', unit: 'calls', bound: 0.22 },
  },
  measure: async (place, { runs, say }) => {
    const one = await measureScans(place, ['web'], { runs, say });
    const three = await measureScans(place, ['web', 'api', 'files'], { runs, say });
    return one.map(
      (oneGroup, index): Sample => ({ oneGroup, threeGroups: three[index] ?? Number.NaN }),
    );
  },
};

/** Calls for each object, scan by scan. Reads of health have a lane of their own and are not counted. */
async function measureScans(
  place: BenchPlace,
  services: readonly string[],
  { runs, say }: Parameters<Figure['measure']>[1],
): Promise<readonly number[]> {
  const ground = await TrafficGround.create(place);
  const { aws } = ground.parts;
  const interval = { ALBRIDGE_SWEEP_INTERVAL: `${SWEEP_INTERVAL_MS / 1000}s` };
  const operator = await place.startOperator(ground.ground, interval);
  await ground.postObjects(services, COUNT);
  say(`${COUNT} objects with ${services.length} target groups are Ready, watching ${runs} scans`);
  // The first scans still compare objects that were written while they began.
  await sleep(SWEEP_INTERVAL_MS * 3);
  aws.clearCalls();
  let scans: readonly number[] = [];
  while (scans.length < runs) {
    await sleep(SWEEP_INTERVAL_MS);
    const calls = aws.calls().filter(({ operation }) => operation !== 'DescribeTargetHealth');
    scans = findSweeps(calls).map(({ length }) => length / COUNT);
  }
  await operator.stop();
  ground.close();
  return scans.slice(0, runs);
}
