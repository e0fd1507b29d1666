import { afterEach, describe, expect, it } from 'vitest';
import { KIND_NAMES } from '../../../src/apis/kind-names.ts';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { coreMetrics } from '../../../src/core/ports/metrics.ts';
import { Operator } from '../../../src/operator.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { type Answer, collection, ScriptedTransport } from '../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';

let operator: Operator;

afterEach(() => operator.stop(new Error('the test is over')));

interface Started {
  readonly clock: ManualClock;
  readonly log: SilentLogger;
  readonly metrics: RecordingMetrics;
}

/** An operator that leads, over an API server that answers each watch so. */
function start(answer: (path: string) => Answer): Started {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const metrics = new RecordingMetrics();
  const transport = new ScriptedTransport(({ path }) => answer(path));
  const leadership = { isLeader: () => true };
  const acquired = Promise.resolve();
  const api = { send: () => Promise.reject(new Error('nothing asks AWS')) };
  operator = new Operator(
    { transport, api, clock, log, metrics, leadership, acquired },
    {
      ...{ mode: 'reconcile', kinds: KIND_NAMES, readinessGates: true, clusterId: 'c1' },
      aws: { region: 'us-east-1', budget: NO_LIMITS, backendSecurityGroups: [] },
      ...{ sweepIntervalMs: 300_000, concurrency: 1, identity: 'a', podName: 'a', namespaces: [] },
    },
  );
  operator.start().catch(() => {}); // it rejects with the reason of the stop
  return { clock, log, metrics };
}

describe('no controller works before each of its caches is filled, and the others do not wait for it', () => {
  it.each(['myingresses', 'services', 'endpointslices', 'pods'])(
    'no target is taken out on the word of %s that are not there yet',
    async (kind) => {
      const { clock, log } = start((path) => (path.endsWith(`/${kind}`) ? 'hang' : collection()));
      await clock.advance(20_000);
      const started = log.lines.filter(({ message }) => message === 'controller started');
      const names = started.map(({ fields }) => fields['controller']);
      expect(names).not.toContain('myingress');
      expect(names).toContain('configmap');
    },
  );
});

it('a ConfigMap without the annotation costs no reconcile', async () => {
  const metadata = { namespace: 'web', name: 'settings', uid: 'uid-1', resourceVersion: '6' };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  const { clock, log, metrics } = start((path) =>
    path.endsWith('/configmaps') ? collection(configMap) : collection(),
  );
  await clock.advance(1_000);
  const started = log.lines.filter(({ message }) => message === 'controller started');
  expect(started.map(({ fields }) => fields['controller'])).toContain('configmap');
  expect(metrics.valueOf(coreMetrics.reconcileTotal, { controller: 'configmap' })).toBe(0);
});
