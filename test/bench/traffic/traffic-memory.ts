import { setTimeout as sleep } from 'node:timers/promises';
import type { GivenSpec } from '../../surroundings/my-ingresses.ts';
import type { BenchPlace } from '../bench-place.ts';
import { type Figure, repeat } from '../figure.ts';
import { residentMB } from '../resident-memory.ts';
import { SERVICE, TrafficGround } from './traffic-ground.ts';

const COUNT = 100;
const SETTLE_MS = 10_000;

export const trafficMemory: Figure = {
  what: `resident memory of the bundle, ${SETTLE_MS / 1000} s after ${COUNT} objects with traffic are Ready`,
  quantities: {
    givenMB: { what: 'with given security groups', unit: 'MB', bound: 100 },
    managedMB: { what: 'with managed security groups', unit: 'MB', bound: 115 },
  },
  measure: (place, options) =>
    repeat(options, async () => {
      const { aws } = await place.real();
      const securityGroups = [aws.standIn.network.securityGroups[0] ?? ''];
      return {
        givenMB: await measureOnce(place, { securityGroups }),
        managedMB: await measureOnce(place, {}),
      };
    }),
};

async function measureOnce(place: BenchPlace, given: GivenSpec): Promise<number> {
  const ground = await TrafficGround.create(place);
  // As in idleMemory: what a first start compiles comes from the source.
  await place.forgetCompiled();
  const operator = await place.startOperator(ground.ground);
  await ground.postObjects([SERVICE], COUNT, given);
  await sleep(SETTLE_MS);
  const measured = await residentMB(operator.pid);
  await operator.stop();
  ground.close();
  return measured;
}
