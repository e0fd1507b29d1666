import { setTimeout as sleep } from 'node:timers/promises';
import { askListener } from '../../surroundings/listener-client.ts';
import { StandInControl } from '../../surroundings/stand-in-control.ts';
import type { BenchPlace, Ground } from '../bench-place.ts';
import { startFloor } from '../create-latency.ts';
import { type Figure, repeat, type Sample } from '../figure.ts';
import { median, percentile } from '../statistics.ts';
import { createTrafficSpec, SERVICE, TrafficGround } from './traffic-ground.ts';

const WARM_UP = 100;
const COUNT = 60;
/** What follows the first answer (status, events) is over by then. */
const REST_MS = 60;
const LONGEST_MS = 20_000;

export const trafficLatency: Figure = {
  what: 'POST of one object with traffic, pods ready, operator idle, no lag, no provisioning',
  quantities: {
    createP50: { what: 'answered -> CreateLoadBalancer arrives, half', unit: 'ms', bound: 12 },
    createP95: { what: 'the same, 19 of 20', unit: 'ms' },
    floorP50: { what: 'the same for its floor: a write, two calls, half', unit: 'ms' },
    ratio: { what: 'createP50 / floorP50', unit: 'x' },
    servedP50: { what: 'sent -> first 200 through the listener, half', unit: 'ms', bound: 500 },
    servedP95: { what: 'the same, 19 of 20', unit: 'ms' },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const ground = await TrafficGround.create(place);
  const addresses = [TrafficGround.address(0)];
  await ground.postService(SERVICE, [addresses]);
  ground.mapPods(addresses);
  const floorGround = await place.freshGround();
  const { vpcId } = ground.parts.aws.standIn.network;
  const operator = await place.startOperator(ground.ground);
  const floor = await startFloor(place, floorGround, { vpcId });
  const creates: number[] = [];
  const floors: number[] = [];
  const served: number[] = [];
  for (let index = 0; index < WARM_UP + COUNT; index++) {
    const { createMs, servedMs } = await createOne(ground, `one-${index}`);
    const floorMs = await createAtFloor(ground, floorGround, `floor-${index}`);
    if (index < WARM_UP) continue;
    creates.push(createMs);
    floors.push(floorMs);
    served.push(servedMs);
  }
  await Promise.all([operator.stop(), floor.stop()]);
  ground.close();
  return {
    ...{ createP50: median(creates), createP95: percentile(creates, 95) },
    ...{ floorP50: median(floors), ratio: median(creates) / median(floors) },
    ...{ servedP50: median(served), servedP95: percentile(served, 95) },
  };
}

interface Times {
  readonly createMs: number;
  readonly servedMs: number;
}

async function createOne({ ground, parts }: TrafficGround, name: string): Promise<Times> {
  const { aws } = parts;
  const spec = createTrafficSpec({ subnets: aws.standIn.network.articleSubnets });
  aws.clearCalls();
  const sentMs = performance.now();
  await ground.objects.create(name, spec);
  const answeredMs = performance.now();
  const arrivedMs = await aws.arrivalOf(name);
  // The last call of a create; listeners are looked for when there is one.
  await aws.arrivalOfCall('CreateRule', ({ operation }) => operation === 'CreateRule');
  const servedMs = await askUntilServed(parts.aws.standIn.environment['AWS_ENDPOINT_URL'], name);
  await sleep(REST_MS);
  return { createMs: arrivedMs - answeredMs, servedMs: servedMs - sentMs };
}

async function createAtFloor(
  { parts: { aws } }: TrafficGround,
  { objects }: Ground,
  name: string,
): Promise<number> {
  aws.clearCalls();
  await objects.create(name, createTrafficSpec({ subnets: aws.standIn.network.articleSubnets }));
  const answeredMs = performance.now();
  const arrivedMs = await aws.arrivalOf(name);
  await sleep(REST_MS);
  return arrivedMs - answeredMs;
}

async function askUntilServed(endpoint: string | undefined, name: string): Promise<number> {
  const standIn = new StandInControl(endpoint ?? '');
  const startedMs = performance.now();
  while (performance.now() - startedMs < LONGEST_MS) {
    const listeners = await standIn.listeners();
    const listener = listeners.find(({ dnsName }) => dnsName.startsWith(`${name}-alb-`));
    if (listener && (await askListener(listener, { path: '/path-0' })).status === 200) {
      return performance.now();
    }
    await sleep(1);
  }
  throw new Error(`${name} does not serve within ${LONGEST_MS} ms`);
}
