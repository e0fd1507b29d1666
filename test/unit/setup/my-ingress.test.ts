import { expect, it, onTestFinished } from 'vitest';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../../src/aws/client/aws-api.ts';
import { KubeClient } from '../../../src/kube/client/kube-client.ts';
import { Rights } from '../../../src/kube/client/rights.ts';
import { Operator } from '../../../src/operator.ts';
import { GATE_LABELS, READINESS_GATE } from '../../../src/pods/pod.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { collection, ScriptedTransport } from '../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';
import { draftOf } from '../controllers/my-ingress/drafts.ts';

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

const refusal = { kind: 'Status', reason: 'Forbidden', message: 'pods "one" is forbidden' };

type Respond = ConstructorParameters<typeof ScriptedTransport>[0];

/** An operator over an API server that responds so, and over an AWS that responds by `send`. */
function run(respond: Respond, send: AwsApi['send']) {
  const [clock, log, metrics] = [new ManualClock(), new SilentLogger(), new RecordingMetrics()];
  const transport = new ScriptedTransport(respond);
  const rights = new Rights({ client: new KubeClient({ transport, clock, metrics }), clock, log });
  const [api, acquired, leadership] = [{ send }, Promise.resolve(), { isLeader: () => true }];
  const operator = new Operator(
    { transport, api, clock, log, metrics, acquired, rights, leadership },
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
  return { clock, tries };
}

it('a readiness gate is opened within 10 s after the right to write it was granted', async () => {
  let allowed = false;
  let opened = 0;
  const { clock, tries } = run(
    ({ method, path }) => {
      if (method === 'GET') return collection(...(path.endsWith('/pods') ? [POD] : []));
      if (path.endsWith('accessreviews')) return { status: 201, json: { status: { allowed } } };
      if (path !== STATUS || !allowed) return { status: 403, json: refusal };
      opened += 1;
      return { status: 200, json: { ...POD, metadata: { ...POD.metadata, resourceVersion: '8' } } };
    },
    () => Promise.reject(new Error('nothing asks AWS')),
  );
  // Without an object no drift scan is waited for.
  await clock.advance(1_000);
  expect(tries()).toBeGreaterThan(0);
  while (tries() < 6) await clock.advance(1_000);
  allowed = true;
  await clock.advance(10_000);
  expect(opened).toBe(1);
});

it('an object is tried again within 10 s after the right to write it was granted', async () => {
  const draft = draftOf('shop');
  const shop = { ...draft, metadata: { ...draft.metadata, uid: 'uid-2', resourceVersion: '5' } };
  let allowed = false;
  let refused = 0;
  let written = 0;
  const { clock } = run(
    ({ method, path }) => {
      if (method === 'GET') return collection(...(path.endsWith('/myingresses') ? [shop] : []));
      if (path.endsWith('accessreviews')) return { status: 201, json: { status: { allowed } } };
      if (!path.includes('/myingresses/shop')) return { status: 403, json: refusal };
      if (!allowed) refused += 1;
      else written += 1;
      return allowed ? { status: 200, json: shop } : { status: 403, json: refusal };
    },
    () => Promise.reject(new Error('AWS is away')),
  );
  await clock.advance(10 * 60_000);
  expect(refused).toBeGreaterThan(0);
  allowed = true;
  await clock.advance(10_000);
  expect(written).toBeGreaterThan(0);
});

it('no gate is opened by what is known before the first drift scan, which shows what requests still reach', async () => {
  const draft = draftOf('shop');
  const shop = { ...draft, metadata: { ...draft.metadata, uid: 'uid-2', resourceVersion: '5' } };
  const shown: Record<string, readonly object[]> = { pods: [POD], myingresses: [shop] };
  const isAnswered = Promise.withResolvers<void>();
  const { clock, tries } = run(
    ({ method, path }) => {
      if (method === 'GET') return collection(...(shown[path.split('/').at(-1) ?? ''] ?? []));
      return { status: 403, json: refusal };
    },
    async () => {
      await isAnswered.promise;
      return {};
    },
  );
  await clock.advance(10_000);
  expect(tries()).toBe(0);
  isAnswered.resolve();
  await clock.advance(1_000);
  expect(tries()).toBeGreaterThan(0);
});
