import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import { MOST_ARNS } from '../../../src/aws/elbv2/load-balancer-reader.ts';
import type { BenchPlace } from '../bench-place.ts';
import type { Figure, Sample } from '../figure.ts';
import { SWEEP_INTERVAL_MS } from '../sweep-calls.ts';
import { TrafficGround } from './traffic-ground.ts';

const COUNT = 400;
/** What a list of all target groups does without. */
const SELECTIONS = ['LoadBalancerArn', 'TargetGroupArns', 'Names'] as const;

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

/** Calls for each object, scan by scan. */
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
    scans = splitScans(aws.calls()).map(({ length }) => length / COUNT);
  }
  await operator.stop();
  ground.close();
  return scans.slice(0, runs);
}

/** Whole scans, from one list of all target groups to the next: only a scan reads it, and once. */
export function splitScans(calls: readonly Call[]): readonly (readonly Call[])[] {
  const scans: Call[][] = [];
  for (const call of listScan(calls)) {
    const isFirst = call.operation === 'DescribeTargetGroups' && !('Marker' in call.input);
    if (isFirst) scans.push([]);
    scans.at(-1)?.push(call);
  }
  return scans.slice(0, -1);
}

/**
 * The calls of drift scans alone, by twenty ARNs where the objects leave no batch half full. Reads of health have a lane
 * of their own, and an object whose turn comes meanwhile is read by its ARN, and its tags by few ARNs.
 */
export function listScan(calls: readonly Call[]): readonly Call[] {
  return calls.filter(({ operation, input }) => {
    if (operation === 'DescribeLoadBalancers') return 'PageSize' in input;
    if (operation === 'DescribeTargetGroups') return !SELECTIONS.some((name) => name in input);
    // Of an object the groups are read by its name, too.
    if (operation === 'DescribeSecurityGroups') return hasOneFilter(input);
    if (operation !== 'DescribeTags') return false;
    const arns = (input['ResourceArns'] ?? []) as readonly string[];
    return arns.length === MOST_ARNS;
  });
}

function hasOneFilter(input: Call['input']): boolean {
  const filters = (input['Filters'] ?? []) as readonly unknown[];
  return 'MaxResults' in input && filters.length === 1;
}
