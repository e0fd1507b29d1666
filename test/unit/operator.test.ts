import { expect, it } from 'vitest';
import { seededRandom } from '../../localstack/embedded/ec2/seeded-ids.ts';
import { KIND_NAMES } from '../../src/apis/kind-names.ts';
import { kubeMetrics } from '../../src/kube/client/kube-metrics.ts';
import type { KubeRequest, KubeTransport } from '../../src/kube/client/kube-transport.ts';
import { countConnections, Operator } from '../../src/operator.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { type Answer, ScriptedTransport } from '../fakes/scripted-transport.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { ApiServerModel } from '../simulation/api-model/api-server-model.ts';
import { BUILT_IN_KINDS } from '../simulation/api-model/kinds.ts';
import { createModelTransport } from '../simulation/api-model/model-transport.ts';
import { DEFINED_KINDS } from '../simulation/served-definition.ts';

const clock = new ManualClock();

/** An API server with one WebApp, which answers everything but what `isOdd` selects. */
function serveOneWebApp(isOdd: (request: KubeRequest) => boolean, answer: Answer): KubeTransport {
  const model = new ApiServerModel({
    ...{ clock, random: seededRandom(1) },
    kinds: [...BUILT_IN_KINDS, ...DEFINED_KINDS],
  });
  const create = (path: string, object: object): void => {
    model.answer({ method: 'POST', path, headers: {}, body: JSON.stringify(object) }, 'user');
  };
  create('/api/v1/namespaces', { metadata: { name: 'web' } });
  create('/apis/apps.example.com/v1/namespaces/web/webapps', {
    ...{ metadata: { name: 'shop' }, spec: { image: 'nginx:1' } },
  });
  const served = createModelTransport(model, 'operator');
  const odd = new ScriptedTransport(() => answer);
  return { request: (request) => (isOdd(request) ? odd : served).request(request) };
}

function createOperator(transport: KubeTransport, metrics = new RecordingMetrics()): Operator {
  return new Operator(
    {
      ...{ transport, clock, log: new SilentLogger(), metrics },
      ...{ leadership: { isLeader: () => true }, acquired: Promise.resolve() },
    },
    {
      ...{ mode: 'reconcile', kinds: ['webapp'], readinessGates: false, namespaces: [] },
      ...{ sweepIntervalMs: 300_000, concurrency: 1, identity: 'a', podName: 'a' },
    },
  );
}

it('drops events that the API server does not take within 200 ms of a stop', async () => {
  const metrics = new RecordingMetrics();
  const isEvent = ({ path }: KubeRequest): boolean => path.endsWith('/events');
  const operator = createOperator(serveOneWebApp(isEvent, 'hang'), metrics);
  await operator.start();
  await clock.advance(2_000);
  const steps: string[] = [];
  const release = async (): Promise<void> => void steps.push('the Lease is released');
  const stopped = operator.stop(new Error('stopped'), release);
  void stopped.then(() => steps.push('stopped'));

  await clock.advance(199);
  expect(steps).toEqual(['the Lease is released']);
  expect(metrics.valueOf(kubeMetrics.eventsDropped, { cause: 'stopped' }) ?? 0).toBe(0);
  await clock.advance(1);
  expect(steps).toEqual(['the Lease is released', 'stopped']);
  expect(metrics.valueOf(kubeMetrics.eventsDropped, { cause: 'stopped' })).toBeGreaterThan(0);
  expect(clock.pendingTimers).toBe(0);
});

it('gives up a write that the API server has put off, so that the Lease is released at once', async () => {
  const isWrite = ({ method }: KubeRequest): boolean => method !== 'GET';
  const later = { status: 429, headers: { 'retry-after': '5' }, json: {} };
  const operator = createOperator(serveOneWebApp(isWrite, later));
  await operator.start();
  await clock.advance(2_000);
  const steps: string[] = [];
  const release = async (): Promise<void> => void steps.push('the Lease is released');
  const stopped = operator.stop(new Error('stopped'), release);

  await clock.settle();
  expect(steps).toEqual(['the Lease is released']);
  await clock.advance(200);
  await stopped;
});

it('each worker of each kind has a connection, and 16 are for other requests', () => {
  expect(countConnections({ kinds: KIND_NAMES, concurrency: 64 })).toBe(6 * 64 + 16);
  expect(countConnections({ kinds: ['webapp'], concurrency: 4 })).toBe(4 + 16);
});
