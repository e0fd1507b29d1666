import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import { until } from '../../surroundings/until.ts';
import type { BenchPlace } from '../bench-place.ts';
import type { Charts, Figure, Quantity, Sample } from '../figure.ts';
import type { Series } from '../line-chart.ts';
import {
  CONTROLLER_MEMORY,
  CONTROLLER_RESTART,
  describeBucket,
  describeControllerPass,
  KOPF_MEMORY,
  PEERS_CAPTION,
} from '../peers.ts';
import { residentMB } from '../resident-memory.ts';
import { createTrafficSpec, LONGEST_MS, SERVICE, TrafficGround } from './traffic-ground.ts';
import { countScanCalls } from './traffic-restart-calls.ts';
import { listScan } from './traffic-scan-calls.ts';

const SIZES = [10, 100, 300, 1000] as const;
const SETTLE_MS = 10_000;

const SERIES = {
  scan: { what: 'calls of a drift scan, for each', unit: 'calls' },
  restart: {
    what: 'calls after a restart until all are confirmed and their targets checked',
    unit: 'calls',
  },
  memory: { what: 'resident memory', unit: 'MB' },
} as const;
type Name = keyof typeof SERIES;

export const growth: Figure = {
  what: `drift scan, restart and memory by the number of objects with traffic, up to ${SIZES.at(-1)} (measured once)`,
  quantities: describeQuantities(),
  measure: async (place, { say }) => [await measureOnce(place, say)],
  charts: drawGrowth,
};

function describeQuantities(): Readonly<Record<string, Quantity>> {
  const rows = Object.entries(SERIES).flatMap(([name, { what, unit }]) =>
    SIZES.map((size) => [`${name}${size}`, { what: `${size} objects: ${what}`, unit }] as const),
  );
  return Object.fromEntries(rows);
}

function drawGrowth(medians: Sample): Charts {
  const describe = (name: Name, note: string): Series => ({
    name: 'albridge',
    note,
    points: SIZES.map((size) => [size, medians[`${name}${size}`] ?? Number.NaN]),
  });
  const x = { label: 'objects, each with a listener, a rule and a target group' };
  const calls = {
    x: { ...x, isLogarithmic: true },
    y: { label: 'calls', isLogarithmic: true },
    captions: [PEERS_CAPTION],
  };
  const scan = describe('scan', 'its share of a drift scan');
  const restart = describe('restart', 'all confirmed, health read once');
  const memory = describe('memory', `${SETTLE_MS / 1000} s after all are Ready`);
  return {
    'calls-per-scan': {
      ...{ title: 'AWS calls to check an object for drift', ...calls },
      series: [scan, describeControllerPass(SIZES), describeBucket(SIZES)],
    },
    'calls-after-restart': {
      ...{ title: 'AWS calls after a restart', ...calls },
      series: [restart, CONTROLLER_RESTART],
    },
    memory: {
      title: 'Resident memory by the number of objects',
      ...{ x, y: { label: 'MB' }, captions: [PEERS_CAPTION] },
      series: [memory, CONTROLLER_MEMORY, KOPF_MEMORY],
    },
  };
}

async function measureOnce(place: BenchPlace, say: (line: string) => void): Promise<Sample> {
  const ground = await TrafficGround.create(place);
  ground.mapPods([TrafficGround.address(0)]);
  await ground.postService(SERVICE, [[TrafficGround.address(0)]]);
  const sample: Record<string, number> = {};
  let from = 0;
  for (const size of SIZES) {
    sample[`memory${size}`] = await measureMemory(place, ground, { from, size });
    const { restart, scan } = await countCalls(place, ground, size);
    Object.assign(sample, { [`restart${size}`]: restart, [`scan${size}`]: scan / size });
    say(`${size} objects: restart ${restart}, scan ${scan} calls`);
    from = size;
  }
  ground.close();
  return sample;
}

interface Step {
  readonly from: number;
  readonly size: number;
}

/** Of a process that has created those that are new. */
async function measureMemory(
  place: BenchPlace,
  { ground, parts }: TrafficGround,
  { from, size }: Step,
): Promise<number> {
  // As in idleMemory: what a first start compiles comes from the source.
  await place.forgetCompiled();
  const operator = await place.startOperator(ground);
  const spec = createTrafficSpec({ subnets: parts.aws.standIn.network.articleSubnets });
  for (let index = from; index < size; index++) await ground.objects.create(`many-${index}`, spec);
  await ground.ready.whenReady(size, LONGEST_MS);
  await sleep(SETTLE_MS);
  const measured = await residentMB(operator.pid);
  await operator.stop();
  return measured;
}

async function countCalls(
  place: BenchPlace,
  { ground, parts: { aws } }: TrafficGround,
  size: number,
): Promise<{ readonly restart: number; readonly scan: number }> {
  aws.clearCalls();
  const operator = await place.startOperator(ground);
  const isConfirmed = async (): Promise<boolean> => {
    const calls = aws.calls();
    return listScan(calls).length >= countScanCalls(size) && countChecked(calls) >= size;
  };
  await until(`a restart with ${size} objects`, isConfirmed, LONGEST_MS);
  const calls = aws.calls();
  await operator.stop();
  return { restart: calls.length, scan: listScan(calls).length };
}

/** Target groups whose health was read. */
function countChecked(calls: readonly Call[]): number {
  const ofHealth = calls.filter(({ operation }) => operation === 'DescribeTargetHealth');
  return new Set(ofHealth.map(({ input }) => input['TargetGroupArn'])).size;
}
