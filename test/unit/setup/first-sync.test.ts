import { afterEach, expect, it } from 'vitest';
import { KIND_NAMES } from '../../../src/apis/kind-names.ts';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { Operator } from '../../../src/operator.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { type Answer, ScriptedStream, ScriptedTransport } from '../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';

let operator: Operator;

afterEach(() => operator.stop(new Error('the test is over')));

/** An empty collection, complete. */
function empty(): Answer {
  const stream = new ScriptedStream();
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const metadata = { resourceVersion: '7', annotations };
  stream.push({ type: 'BOOKMARK', object: { metadata } });
  return { stream };
}

it('no controller works before each of its caches is filled, and the others do not wait for it', async () => {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const transport = new ScriptedTransport(({ path }) =>
    path.includes('endpointslices') ? 'hang' : empty(),
  );
  const leadership = { isLeader: () => true };
  const acquired = Promise.resolve();
  const api = { send: () => Promise.reject(new Error('nothing asks AWS')) };
  operator = new Operator(
    { transport, api, clock, log, metrics: new RecordingMetrics(), leadership, acquired },
    {
      ...{ mode: 'reconcile', kinds: KIND_NAMES, readinessGates: false, clusterId: 'c1' },
      aws: { region: 'us-east-1', budget: NO_LIMITS, backendSecurityGroups: [] },
      ...{ sweepIntervalMs: 300_000, concurrency: 1, identity: 'a', podName: 'a', namespaces: [] },
    },
  );
  operator.start().catch(() => {}); // it rejects with the reason of the stop
  await clock.advance(20_000);
  const started = log.lines.filter(({ message }) => message === 'controller started');
  const names = started.map(({ fields }) => fields['controller']);
  expect(names).toContain('webapp');
  expect(names).not.toContain('myingress');
});
