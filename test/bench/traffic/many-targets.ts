import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import { until } from '../../surroundings/until.ts';
import type { BenchPlace } from '../bench-place.ts';
import { type Figure, repeat, type Sample } from '../figure.ts';
import { longestDelayMs } from '../loop-delay-lines.ts';
import { createTrafficSpec, SERVICE, TrafficGround } from './traffic-ground.ts';

/** As many as one target group takes: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const COUNT = 1000;
/** Of one EndpointSlice: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ */
const SLICE = 100;
const MOST_TARGETS = 200;
const SETTLE_MS = 5000;

export const manyTargets: Figure = {
  what: `${COUNT} endpoints of one Service become ready at once, no budget`,
  quantities: {
    calls: { what: 'RegisterTargets', unit: 'calls', bound: 10 },
    largest: { what: 'targets of the largest call', unit: 'targets', bound: MOST_TARGETS },
    filledMs: { what: 'from the first change to the last call', unit: 'ms' },
    longestMs: { what: 'event loop not served', unit: 'ms', bound: 50 },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const ground = await TrafficGround.create(place);
  const { aws } = ground.parts;
  const all = Array.from({ length: COUNT }, (_, index) => TrafficGround.address(index));
  const slices = Array.from({ length: COUNT / SLICE }, (_, index) =>
    all.slice(index * SLICE, (index + 1) * SLICE),
  );
  const [first = ''] = all;
  await ground.postService(
    SERVICE,
    slices.map((_, index) => (index === 0 ? [first] : [])),
  );
  ground.mapPods(all);
  const hook = join(import.meta.dirname, '..', 'loop-delay.ts');
  const operator = await place.startOperator(ground.ground, { NODE_OPTIONS: `--import=${hook}` });
  const spec = createTrafficSpec({ subnets: aws.standIn.network.articleSubnets });
  await ground.ground.objects.create('one', spec);
  await ground.ground.objects.whenReady('one');
  await sleep(SETTLE_MS);
  aws.clearCalls();
  const since = operator.log.length;
  const startedMs = performance.now();
  const change = (slice: readonly string[], index: number): Promise<void> =>
    ground.setEndpoints(`${SERVICE}-${index}`, slice);
  await Promise.all(slices.map(change));
  const isFilled = async (): Promise<boolean> =>
    listRegistered(aws.calls()).flat().length >= COUNT - 1;
  await until(`${COUNT} targets are registered`, isFilled);
  const registered = aws.calls().filter(isRegister);
  const lastMs = Math.max(...registered.map(({ at }) => at)) - performance.timeOrigin;
  await sleep(SETTLE_MS);
  const longestMs = longestDelayMs(operator, since);
  await operator.stop();
  ground.close();
  const sizes = listRegistered(registered).map(({ length }) => length);
  return {
    ...{ calls: sizes.length, largest: Math.max(...sizes) },
    ...{ filledMs: lastMs - startedMs, longestMs },
  };
}

function listRegistered(calls: readonly Call[]): readonly (readonly unknown[])[] {
  return calls
    .filter(isRegister)
    .map(({ input }) => (input['Targets'] ?? []) as readonly unknown[]);
}

function isRegister({ operation, outcome }: Call): boolean {
  return operation === 'RegisterTargets' && outcome === 'ok';
}
