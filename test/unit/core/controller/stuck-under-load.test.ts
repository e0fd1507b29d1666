import { expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { createObjectWriter } from '../../../../src/kube/write/object-writer.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { ControllerBench, DONE } from './controller-bench.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

const KIND = { group: 'tests.albridge.io', version: 'v1', kind: 'Probe', plural: 'probes' };

/**
 * The API server queues a request for 15 s and then refuses it with 429 and Retry-After: 1, as API priority and fairness
 * does under load; each sixth one is carried out.
 */
it('no process is restarted because an overloaded API server puts the writes of a pass off', async () => {
  const bench = new ControllerBench();
  const object = bench.kube.create(probe());
  let version = 100;
  const transport = new ScriptedTransport(async (request, index) => {
    await sleep(bench.clock, 15_000, new AbortController().signal);
    if (index % 6 === 5) {
      const { status = {} } = JSON.parse(request.body ?? '{}') as { status?: object };
      const metadata = {
        ...object.metadata,
        finalizers: [PROBE_FINALIZER],
        resourceVersion: `${version++}`,
      };
      return { status: 200, json: { ...object, metadata, status } };
    }
    const json = {
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'too many requests',
    };
    return { status: 429, json, headers: { 'retry-after': '1' } };
  });
  const client = new KubeClient({ transport, clock: bench.clock, metrics: bench.metrics });
  bench.reconcile = async (_object, pass) => {
    await pass.ensureFinalizer();
    pass.report({ arn: 'what has to be on record before a write to AWS' });
    await pass.recordNow();
    return DONE;
  };
  bench.start({ writer: createObjectWriter<Probe>(client, KIND) });
  // As the kubelet asks: every 20 s, and three failures in a row end the process (deploy/base/deployment.yaml).
  let failures = 0;
  let most = 0;
  for (let second = 0; second < 600; second += 20) {
    await bench.clock.advance(20_000);
    failures = bench.controller.listStuckPasses(60_000).length > 0 ? failures + 1 : 0;
    most = Math.max(most, failures);
  }
  expect(most).toBeLessThan(3);
});
