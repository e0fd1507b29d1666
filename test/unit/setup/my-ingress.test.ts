import { expect, it, onTestFinished } from 'vitest';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { KubeClient } from '../../../src/kube/client/kube-client.ts';
import { Rights } from '../../../src/kube/client/rights.ts';
import { Operator } from '../../../src/operator.ts';
import { GATE_LABELS, READINESS_GATE } from '../../../src/pods/pod.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { collection, ScriptedTransport } from '../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';

const STATUS = '/api/v1/namespaces/web/pods/one/status';
const POD = {
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    ...{ namespace: 'web', name: 'one', uid: 'uid-1', resourceVersion: '6' },
    labels: GATE_LABELS,
  },
  spec: { readinessGates: [{ conditionType: READINESS_GATE }] },
  status: { phase: 'Running', conditions: [] },
};

it('a readiness gate is opened within 10 s after the right to write it was granted', async () => {
  const [clock, log, metrics] = [new ManualClock(), new SilentLogger(), new RecordingMetrics()];
  let allowed = false;
  let opened = 0;
  const refusal = { kind: 'Status', reason: 'Forbidden', message: 'pods "one" is forbidden' };
  const transport = new ScriptedTransport(({ method, path }) => {
    if (method === 'GET') return collection(...(path.endsWith('/pods') ? [POD] : []));
    if (path.endsWith('accessreviews')) return { status: 201, json: { status: { allowed } } };
    if (path !== STATUS || !allowed) return { status: 403, json: refusal };
    opened += 1;
    return { status: 200, json: { ...POD, metadata: { ...POD.metadata, resourceVersion: '8' } } };
  });
  const rights = new Rights({ client: new KubeClient({ transport, clock, metrics }), clock, log });
  const api = { send: () => Promise.reject(new Error('nothing asks AWS')) };
  const acquired = Promise.resolve();
  const operator = new Operator(
    { transport, api, clock, log, metrics, acquired, rights, leadership: { isLeader: () => true } },
    {
      ...{ mode: 'reconcile', kinds: ['myingress'], readinessGates: true, clusterId: 'c1' },
      aws: { region: 'us-east-1', budget: NO_LIMITS, backendSecurityGroups: [] },
      ...{ sweepIntervalMs: 300_000, concurrency: 1, identity: 'a', podName: 'a', namespaces: [] },
    },
  );
  onTestFinished(() => {
    rights.stop();
    return operator.stop(new Error('the test is over'));
  });
  operator.start().catch(() => {}); // it rejects with the reason of the stop
  const tries = (): number => transport.requests.filter(({ path }) => path === STATUS).length;
  while (tries() < 6) await clock.advance(1_000);
  allowed = true;
  await clock.advance(10_000);
  expect(opened).toBe(1);
});
