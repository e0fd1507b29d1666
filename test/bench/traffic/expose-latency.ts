import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { until } from '../../surroundings/until.ts';
import type { BenchAws } from '../bench-aws.ts';
import type { BenchPlace } from '../bench-place.ts';
import { type Figure, repeat, type Sample } from '../figure.ts';
import { readCpuSeconds } from '../process-cpu.ts';
import { median, percentile } from '../statistics.ts';
import { TrafficGround } from './traffic-ground.ts';

const INGRESS = 'shared';
const WARM_UP = 10;
const COUNT = 30;
/** As slow as AWS often is. */
const ANSWER_MS = 100;
/** What follows the status (events, other passes) is over by then. */
const REST_MS = 250;

export const exposeLatency: Figure = {
  what: 'POST of one WebApp with expose sent -> CreateRule arrives, others attached, operator idle',
  quantities: {
    atOnceP50: { what: 'AWS answers at once: half', unit: 'ms', bound: 100 },
    atOnceP95: { what: 'the same, 19 of 20', unit: 'ms' },
    beyondP50: {
      what: `AWS answers after ${ANSWER_MS} ms: with no call under way, half`,
      ...{ unit: 'ms', bound: 100 },
    },
    beyondP95: { what: 'the same, 19 of 20', unit: 'ms' },
    wholeP50: { what: 'the same, with the answers, half', unit: 'ms' },
    calls: { what: 'AWS calls until then', unit: 'calls' },
    cpu: { what: 'CPU of the operator for each, status and events included', unit: 'ms' },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const ground = await TrafficGround.create(place);
  const { aws } = ground.parts;
  const operator = await place.startOperator(ground.ground);
  await ground.ground.objects.create(INGRESS, {
    subnets: aws.standIn.network.articleSubnets,
    listeners: [{ port: 80, protocol: 'HTTP' }],
  });
  await ground.ground.objects.whenReady(INGRESS);
  const startSeconds = await readCpuSeconds(operator.pid);
  const atOnce = await exposeMany(ground, 'quick');
  const endSeconds = await readCpuSeconds(operator.pid);
  aws.delayAnswers(ANSWER_MS);
  const slow = await exposeMany(ground, 'slow');
  aws.delayAnswers(0);
  await operator.stop();
  ground.close();
  const seconds = (endSeconds ?? Number.NaN) - (startSeconds ?? Number.NaN);
  const beyond = slow.map(({ wholeMs, answersMs }) => wholeMs - answersMs);
  return {
    ...{ atOnceP50: median(pickWhole(atOnce)), atOnceP95: percentile(pickWhole(atOnce), 95) },
    ...{ beyondP50: median(beyond), beyondP95: percentile(beyond, 95) },
    ...{ wholeP50: median(pickWhole(slow)), calls: median(slow.map(({ calls }) => calls)) },
    cpu: (seconds * 1000) / (WARM_UP + COUNT),
  };
}

interface Exposed {
  readonly wholeMs: number;
  /** Of it, while a call of the pass was under way. */
  readonly answersMs: number;
  readonly calls: number;
}

function pickWhole(exposed: readonly Exposed[]): readonly number[] {
  return exposed.map(({ wholeMs }) => wholeMs);
}

/** One after the other; those of the warming up stay attached as well. */
async function exposeMany(ground: TrafficGround, prefix: string): Promise<readonly Exposed[]> {
  const all: Exposed[] = [];
  for (let index = 0; index < WARM_UP + COUNT; index++) {
    const exposed = await exposeOne(ground, `${prefix}-${index}`);
    if (index >= WARM_UP) all.push(exposed);
  }
  return all;
}

async function exposeOne({ ground, parts }: TrafficGround, name: string): Promise<Exposed> {
  const { api, aws } = parts;
  const path = `/apis/apps.example.com/v1/namespaces/${ground.namespace}/webapps`;
  const expose = { ingress: { name: INGRESS }, hosts: [`${name}.example.com`] };
  aws.clearCalls();
  const sentMs = performance.now();
  await api.ask({
    ...{ method: 'POST', path },
    body: {
      ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name } },
      spec: { image: 'registry.example/bench:1', replicas: 1, port: 80, expose },
    },
  });
  const isRule = ({ operation }: Call): boolean => operation === 'CreateRule';
  const arrivedMs = await aws.arrivalOfCall('CreateRule', isRule);
  await until('its routes are attached', async () => {
    const { status } = await api.ask<WebApp>({ method: 'GET', path: `${path}/${name}` });
    return status?.conditions?.some(({ reason }) => reason === 'Attached');
  });
  const calls = listCallsBefore(aws, arrivedMs);
  await sleep(REST_MS);
  const wholeMs = arrivedMs - sentMs;
  return { wholeMs, answersMs: measureCover(calls, arrivedMs), calls: calls.length };
}

/** In ms of performance.now(), without the health checks of others. */
function listCallsBefore(aws: BenchAws, endMs: number): readonly number[] {
  return aws
    .calls()
    .filter(({ operation }) => operation !== 'DescribeTargetHealth')
    .map(({ at }) => at - performance.timeOrigin)
    .filter((atMs) => atMs < endMs);
}

/** How long at least one of the calls was under way; they arrive in this order. */
function measureCover(arrivalsMs: readonly number[], endMs: number): number {
  let [coveredMs, untilMs] = [0, 0];
  for (const atMs of arrivalsMs) {
    const answeredMs = Math.min(atMs + ANSWER_MS, endMs);
    coveredMs += Math.max(0, answeredMs - Math.max(atMs, untilMs));
    untilMs = Math.max(untilMs, answeredMs);
  }
  return coveredMs;
}
