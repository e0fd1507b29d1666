import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import type { BenchPlace, Ground } from './bench-place.ts';
import { type Figure, type Quantity, repeat, type Sample } from './figure.ts';
import type { Series } from './line-chart.ts';
import { median, percentile } from './statistics.ts';

/**
 * One object at a time, the operator and the floor in turns, so that both see the same machine; and
 * each as often after itself as after the other, since one who comes after much work of others finds
 * the API server warmer.
 */

const WARM_UP = 100;
const COUNT = 80;
/** What follows the create (status, events) is over by then. */
const REST_MS = 40;
const PERCENTS = [5, 25, 50, 75, 95] as const;

export const createLatency: Figure = {
  what: 'POST of one object answered -> CreateLoadBalancer arrives, operator idle',
  quantities: {
    ...describePercentiles('p', 'the objects'),
    p50: { what: '50 % of the objects', unit: 'ms', bound: 14 },
    ...describePercentiles('floorP', 'the floor'),
    ratio: { what: 'p50 / p50 of the floor', unit: 'x', bound: 1.5 },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
  charts: (medians) => ({
    'create-latency': {
      title: 'Time until the create call reaches AWS',
      x: { label: '% of the creates that take at most as long' },
      y: { label: 'ms from the answered POST to the arrival of CreateLoadBalancer' },
      series: [
        { name: 'albridge', note: 'a balancer alone', points: listPoints(medians, 'p') },
        {
          name: 'its floor',
          note: 'watch event, finalizer, one call',
          points: listPoints(medians, 'floorP'),
        },
      ],
    },
  }),
};

type Head = 'p' | 'floorP';

function describePercentiles(head: Head, of: string): Readonly<Record<string, Quantity>> {
  const rows = PERCENTS.map((percent) => {
    return [`${head}${percent}`, { what: `${percent} % of ${of}`, unit: 'ms' }] as const;
  });
  return Object.fromEntries(rows);
}

function listPoints(medians: Sample, head: Head): Series['points'] {
  return PERCENTS.map((percent) => [percent, medians[`${head}${percent}`] ?? Number.NaN]);
}

function listPercentiles(head: Head, times: readonly number[]): Sample {
  const rows = PERCENTS.map((percent) => {
    return [`${head}${percent}`, percentile(times, percent)] as const;
  });
  return Object.fromEntries(rows);
}

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const operatorGround = await place.freshGround();
  const floorGround = await place.freshGround();
  const operator = await place.startOperator(operatorGround);
  const floor = await startFloor(place, floorGround);
  const isOperator = { place, ground: operatorGround, head: 'one' };
  const isFloor = { place, ground: floorGround, head: 'floor' };
  const measured: number[] = [];
  const least: number[] = [];
  for (let index = 0; index < WARM_UP + COUNT; index += 2) {
    measured.push(await latencyOf(isOperator, index));
    least.push(await latencyOf(isFloor, index), await latencyOf(isFloor, index + 1));
    measured.push(await latencyOf(isOperator, index + 1));
  }
  await Promise.all([operator.stop(), floor.stop()]);
  const [times, floorTimes] = [measured.slice(WARM_UP), least.slice(WARM_UP)];
  return {
    ...listPercentiles('p', times),
    ...listPercentiles('floorP', floorTimes),
    ratio: median(times) / median(floorTimes),
  };
}

interface Side {
  readonly place: BenchPlace;
  readonly ground: Ground;
  /** Of the objects' names. */
  readonly head: string;
}

async function latencyOf({ place, ground, head }: Side, index: number): Promise<number> {
  const { aws } = await place.real();
  const subnets = aws.standIn.network.articleSubnets;
  const name = `${head}-${index}`;
  aws.clearCalls();
  await ground.objects.create(name, { subnets });
  const answeredMs = performance.now();
  const arrivedMs = await aws.arrivalOf(name);
  await sleep(REST_MS);
  return arrivedMs - answeredMs;
}

/** `vpcId`: of the security groups that it creates, for objects with traffic. */
export async function startFloor(
  place: BenchPlace,
  { namespace }: Ground,
  { vpcId }: { readonly vpcId?: string } = {},
): Promise<OperatorProcess> {
  const { aws, cluster, operatorEnvironment, plainEnvironment } = await place.real();
  const { environment, network } = aws.standIn;
  const options = {
    server: cluster.url,
    caPem: cluster.caPem,
    token: await tokenIn(operatorEnvironment['KUBECONFIG'] ?? ''),
    namespace,
    aws: environment['AWS_ENDPOINT_URL'],
    region: environment['AWS_REGION'],
    subnets: network.articleSubnets,
    ...(vpcId && { vpcId }),
  };
  const entry = join(import.meta.dirname, 'floor-process.ts');
  const floor = place.run({
    entry,
    environment: { ...plainEnvironment, FLOOR: JSON.stringify(options) },
  });
  await floor.waitForLine((line) => line.msg === 'working');
  return floor;
}

/** The floor comes as the operator's ServiceAccount: whoever asks is looked up and judged alike. */
async function tokenIn(kubeconfig: string): Promise<string> {
  const { users } = parse(await readFile(kubeconfig, 'utf8')) as {
    readonly users: readonly { readonly user: { readonly token: string } }[];
  };
  const [first] = users;
  if (first === undefined) throw new Error(`${kubeconfig} names no user`);
  return first.user.token;
}
