import { expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { translateErrors } from '../../../../src/kube/client/kube-error.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { ControllerBench, DONE } from './controller-bench.ts';

it('a pass that runs into its deadline in a read of the API server is counted as a timeout', async () => {
  const bench = new ControllerBench();
  const object = bench.store('one');
  const client = new KubeClient({
    transport: new ScriptedTransport(() => 'hang'),
    clock: bench.clock,
    metrics: bench.metrics,
  });
  bench.reconcile = async (_object, pass) => {
    await sleep(bench.clock, 100_000, pass.signal);
    await translateErrors('list pods', () =>
      client.request({ method: 'GET', path: '/api/v1/pods', signal: pass.signal }),
    );
    return DONE;
  };
  bench.start();
  await bench.clock.advance(125_000);
  const labels = { controller: 'probe' };
  expect(bench.kube.get(object)?.status?.conditions?.[0]?.reason).toBe('DeadlineExceeded');
  expect(bench.metrics.valueOf(coreMetrics.timeouts, labels)).toBe(1);
});
