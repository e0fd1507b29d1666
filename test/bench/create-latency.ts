import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import type { BenchPlace, Ground } from './bench-place.ts';
import { type Figure, repeat, type Sample } from './figure.ts';
import { median, percentile } from './statistics.ts';

/** One object at a time, the operator and the floor in turns, so that both see the same machine. */

const WARM_UP = 30;
const BLOCKS = 12;
const BLOCK_SIZE = 5;
/** What follows the create (status, events) is over by then. */
const REST_MS = 40;

export const createLatency: Figure = {
  what: 'POST of one object answered -> CreateLoadBalancer arrives, operator idle',
  quantities: {
    p50: { what: 'half of the objects', unit: 'ms', bound: 14 },
    p95: { what: '19 of 20 objects', unit: 'ms' },
    floorP50: { what: 'floor, half', unit: 'ms' },
    floorP95: { what: 'floor, 19 of 20', unit: 'ms' },
    ratio: { what: 'p50 / p50 of the floor', unit: 'x', bound: 1.5 },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const operatorGround = await place.freshGround();
  const floorGround = await place.freshGround();
  const operator = await place.startOperator(operatorGround);
  const floor = await startFloor(place, floorGround);
  const isOperator = { place, ground: operatorGround, head: 'one' };
  const isFloor = { place, ground: floorGround, head: 'floor' };
  await latencies(isOperator, 0, WARM_UP);
  await latencies(isFloor, 0, WARM_UP);
  const measured: number[] = [];
  const least: number[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const first = WARM_UP + block * BLOCK_SIZE;
    measured.push(...(await latencies(isOperator, first, BLOCK_SIZE)));
    least.push(...(await latencies(isFloor, first, BLOCK_SIZE)));
  }
  await Promise.all([operator.stop(), floor.stop()]);
  const [p50, floorP50] = [median(measured), median(least)];
  const [p95, floorP95] = [percentile(measured, 95), percentile(least, 95)];
  return { p50, p95, floorP50, floorP95, ratio: p50 / floorP50 };
}

interface Side {
  readonly place: BenchPlace;
  readonly ground: Ground;
  /** Of the objects' names. */
  readonly head: string;
}

async function latencies(
  { place, ground, head }: Side,
  first: number,
  count: number,
): Promise<readonly number[]> {
  const { aws } = await place.real();
  const subnets = aws.standIn.network.articleSubnets;
  const all: number[] = [];
  for (let index = first; index < first + count; index++) {
    aws.clearCalls();
    const name = `${head}-${index}`;
    await ground.objects.create(name, { subnets });
    const answeredMs = performance.now();
    all.push((await aws.arrivalOf(name)) - answeredMs);
    await sleep(REST_MS);
  }
  return all;
}

async function startFloor(place: BenchPlace, { namespace }: Ground): Promise<OperatorProcess> {
  const { aws, cluster, plainEnvironment } = await place.real();
  const { environment, network } = aws.standIn;
  const options = {
    server: cluster.url,
    caPem: cluster.caPem,
    token: cluster.adminToken,
    namespace,
    aws: environment['AWS_ENDPOINT_URL'],
    region: environment['AWS_REGION'],
    subnets: network.articleSubnets,
  };
  const entry = join(import.meta.dirname, 'floor-process.ts');
  const floor = place.run(entry, { ...plainEnvironment, FLOOR: JSON.stringify(options) });
  await floor.waitForLine((line) => line.msg === 'working');
  return floor;
}
